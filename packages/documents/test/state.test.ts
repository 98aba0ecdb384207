import { describe, expect, test } from 'vitest';
import { DOCUMENT_STATES, DOCUMENT_TYPES, documentState, type StateEvent } from '../src/index.ts';

/** `order+rejected`: an order that is acknowledged as rejected. `order.confirmation:changed`: a confirmation with this status. */
function eventOf(text: string): StateEvent {
  const [sent = '', acknowledged] = text.split('+');
  const [type = '', status] = sent.split(':');
  return {
    type,
    status,
    acknowledged: acknowledged === 'accepted' || acknowledged === 'rejected' || acknowledged === 'processed' ? acknowledged : null,
  };
}
const stateOf = (story: string) => documentState(story.split(' ').filter(Boolean).map(eventOf));

describe('the state of a document', () => {
  test.each([
    ['', null],
    ['hello certificate statement', null],
    ['quote.request', 'requested'],
    ['quote.request quote', 'quoted'],
    ['quote quote.request', 'requested'],
    ['quote order', 'ordered'],
    ['order quote', 'ordered'],
    ['order order.change', 'changed'],
    ['order order.confirmation:accepted', 'confirmed'],
    ['order order.confirmation:changed', 'changed'],
    ['order order.confirmation:changed order.confirmation:accepted', 'confirmed'],
    ['order order.confirmation:rejected', 'rejected'],
    ['order order.confirmation:else', 'ordered'],
    ['order order.confirmation', 'ordered'],
    ['order despatch order.confirmation:accepted', 'despatched'],
    ['order despatch goods.receipt', 'received'],
    ['order despatch goods.receipt despatch', 'despatched'],
    ['order invoice despatch', 'invoiced'],
    ['order invoice goods.receipt', 'invoiced'],
    ['order invoice credit.note', 'credited'],
    ['order invoice credit.note remittance', 'paid'],
    ['invoice remittance invoice', 'invoiced'],
    ['order order.confirmation:rejected order', 'ordered'],
    ['order note', 'ordered'],
    ['__proto__ constructor toString', null],
  ])('after "%s" is %s', (story, state) => expect(stateOf(story)).toBe(state));

  test.each([
    ['order+accepted', 'confirmed'],
    ['order+processed', 'confirmed'],
    ['order+rejected', 'rejected'],
    ['order+rejected despatch', 'despatched'],
    ['quote.request+rejected', 'rejected'],
    ['quote+accepted', 'quoted'],
    ['order+accepted order.change+rejected', 'confirmed'],
    ['order+accepted order.change+accepted', 'confirmed'],
    ['order order.confirmation:changed+accepted', 'confirmed'],
    ['order order.confirmation:changed+rejected', 'disputed'],
    ['order order.confirmation:rejected+accepted', 'rejected'],
    ['order invoice+accepted', 'invoiced'],
    ['order invoice+rejected', 'disputed'],
    ['order invoice+rejected credit.note', 'credited'],
    ['order invoice despatch+rejected', 'invoiced'],
    ['certificate+rejected', null],
  ])('with acknowledgements "%s" is %s', (story, state) => expect(stateOf(story)).toBe(state));

  test('is one of the list, whatever comes', () => {
    const words = DOCUMENT_TYPES.flatMap(({ type }) => ['', '+accepted', '+rejected', '+processed'].map((said) => `${type}${said}`));
    for (const one of words)
      for (const two of words) {
        const state = stateOf(`${one} ${two}`);
        expect(state === null || DOCUMENT_STATES.includes(state)).toBe(true);
      }
  });
});
