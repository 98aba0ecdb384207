import { describe, expect, test } from 'vitest';
import { DOCUMENT_TYPES, type DocumentFacts, documentFacts, documentType, ownFactPlaces, threadDocument } from '../src/index.ts';

const sampleOf = (type: string, index = 0): string => JSON.stringify(documentType(type)?.samples[index]);
const factsOf = (type: string | null, json: string): DocumentFacts =>
  Object.fromEntries(Object.entries(documentFacts(type, json)).filter(([, value]) => value !== undefined));

describe('the facts of a document', () => {
  test('of the catalogue are where its layout has them', () => {
    expect(factsOf('order', sampleOf('order'))).toEqual({ number: 'PO-4711', total: expect.any(String), currency: 'EUR' });
    expect(factsOf('invoice', sampleOf('invoice'))).toMatchObject({ number: 'INV-2026-0442', dueDate: '2026-11-20', currency: 'EUR' });
    expect(factsOf('order.confirmation', sampleOf('order.confirmation', 1))).toEqual({ number: 'OC-2026-1205', status: 'rejected' });
    for (const { type, samples } of DOCUMENT_TYPES)
      for (const sample of samples) expect(factsOf(type, JSON.stringify(sample)).number, type).toBeTypeOf('string');
  });

  test('of other JSON have honest names, whatever their case', () => {
    const json =
      '{"InvoiceNumber":"R 1/7","items":[{"total":1,"number":"no"}],"grand-total":1.50,"currency":"EUR","due_date":"2026-12-01T10:00:00Z"}';
    expect(factsOf('rechnung', json)).toEqual({ number: 'R 1/7', total: '1.50', currency: 'EUR', dueDate: '2026-12-01' });
    expect(factsOf(null, '{"order_number":4711,"price":3,"net":"1"}')).toEqual({ number: '4711' });
    // An order's own number, not that of another document that it names.
    expect(factsOf('invoice', '{"order_number":"PO-1"}')).toEqual({});
  });

  test('of a business’s own type are where its layout marks them, also in an object', () => {
    const empty = { parties: [], facts: [], tables: [], totals: [], terms: [], notes: [] };
    const own = ownFactPlaces('beleg', {
      ...empty,
      number: '/a~1b/nr',
      totals: [{ path: '/head/Sum' }],
      terms: [{ path: '/head/payment_due_date' }],
    });
    const factsBy = (json: string) => documentFacts('beleg', json, own);
    expect(
      factsBy('{"a/b":{"x":[{"nr":"no"}],"nr":"7"},"head":{"sum":1.50,"payment_due_date":"2026-12-01"},"nr":"8","total":9}'),
    ).toMatchObject({
      ...{ number: '7', total: '1.50', dueDate: '2026-12-01' },
    });
    expect(factsBy('{"a":{"b":{"nr":"7"}},"head":[{"sum":1}],"currency":"EUR"}')).toEqual({ currency: 'EUR' });
    expect(factsBy('{"head":{"sum":1},"head":{"x":2}}').total, 'the last of repeated names counts').toBeUndefined();
    const bare = ownFactPlaces('beleg', { ...empty, number: '/number' });
    expect(documentFacts('beleg', '{"invoice_number":"R 1","total":2}', bare)).toMatchObject({ number: 'R 1', total: '2' });
  });

  test.each([
    ['an integer', '{"total":7}', '7'],
    ['zeros at the end, as written', '{"total":"1014.50"}', '1014.50'],
    ['an exponent', '{"total":1.5e3}', '1500'],
    ['60 digits', `{"total":${'9'.repeat(60)}}`, '9'.repeat(60)],
    ['61 digits', `{"total":${'9'.repeat(61)}}`, undefined],
    ['an endless exponent', '{"total":1e400}', undefined],
    ['an absurd exponent', '{"total":1e999999999}', undefined],
    ['grouped digits', '{"total":"1,014.50"}', undefined],
    ['a word', '{"total":"NaN"}', undefined],
    ['no scalar', '{"total":{"amount":1}}', undefined],
    ['a repeated name: the last counts', '{"total":1,"total":2}', '2'],
    ['a repeated name that is no scalar at last', '{"total":1,"total":[2]}', undefined],
    ['an escaped name', '{"tot\\u0061l":"3"}', '3'],
  ])('take a total exactly or not at all: %s', (_, json, total) => {
    expect(documentFacts('anything', json).total).toBe(total);
  });

  test.each(['2026-02-31', '2026-13-01', '0000-01-01', '01.02.2026', '2026-1-1', '2026-02-28\\u0000', '99999-01-01'])(
    'take no due date of %s',
    (day) => {
      expect(documentFacts('invoice', `{"due_date":"${day}"}`).dueDate).toBeUndefined();
    },
  );

  test.each(['\\u0000', 'PO\\u0000', '\\u202e4711', 'a\\nb', '\\ud800', '', '   ', 'x'.repeat(65)])('take no number of %j', (number) => {
    expect(documentFacts('order', `{"number":"${number}"}`).number).toBeUndefined();
  });

  test.each([
    '',
    '[]',
    '7',
    '"number"',
    '{',
    '{"number":"',
    '{"number"',
    '{"a":[[[[',
    'null',
    '{"number":"1"',
    '{"__proto__":"1","constructor":"2"}',
  ])('never throw: %s', (json) => expect(() => documentFacts('__proto__', json)).not.toThrow());

  test('of 256 KB of hostile JSON are found in a few milliseconds', () => {
    const size = 256 * 1024;
    const layout = { number: '/number', parties: [], facts: [], tables: [], totals: [{ path: '/head/total' }], terms: [], notes: [] };
    const own = ownFactPlaces('own', layout);
    for (const part of [
      '"a":1,',
      '"total":[[1]],',
      '"\\u0061":"\\"",',
      '"x":"yyyyyyyyyyyyyyyyyyyyyyyy",',
      '"total":1,',
      '"head":{"a":1},',
    ]) {
      const json = `{"number":"7",${part.repeat(size / part.length)}"x":1}`;
      // The best of some tries: the first ones also pay for the compiler.
      const times = Array.from({ length: 5 }, () => {
        const startedAt = process.cpuUsage();
        expect(documentFacts('own', json, own).number).toBe('7');
        const { user, system } = process.cpuUsage(startedAt);
        return (user + system) / 1_000;
      });
      expect(Math.min(...times), part).toBeLessThan(20);
    }
    expect(documentFacts(null, '['.repeat(size))).toMatchObject({});
  });
});

describe('the document of a thread', () => {
  test('has each fact of the newest document that has it', () => {
    const messages = [
      { type: 'order', number: 'PO-1', total: '10.00', currency: 'EUR' },
      { type: 'despatch', number: 'DN-1' },
      { type: 'invoice', number: 'R-1', total: '11.90', currency: 'EUR', dueDate: '2026-12-01' },
      { type: 'note', number: '99', total: '1' },
    ];
    expect(threadDocument(messages.slice(0, 2))).toEqual({
      rank: 0,
      state: 'despatched',
      type: 'despatch',
      number: 'DN-1',
      total: '10.00',
      currency: 'EUR',
      dueDate: null,
    });
    expect(threadDocument(messages)).toEqual({
      rank: 0,
      state: 'invoiced',
      type: 'invoice',
      number: 'R-1',
      total: '11.90',
      currency: 'EUR',
      dueDate: '2026-12-01',
    });
  });

  test('is a guess only where there is no other, and null without any', () => {
    expect(threadDocument([{ type: null, number: '7' }])).toMatchObject({ state: null, type: null, number: '7' });
    expect(
      threadDocument([
        { type: 'certificate', number: 'C-1' },
        { type: 'x', number: '7' },
      ]),
    ).toMatchObject({ state: null, number: 'C-1' });
    expect(threadDocument([])).toBeUndefined();
  });
});
