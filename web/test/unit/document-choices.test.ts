import { expect, test } from 'vitest';
import { choicesOf, isOpenDocument } from '../../src/pages/messages/document-choices.ts';

const labels = (...args: Parameters<typeof choicesOf>) => choicesOf(...args).map(({ action }) => action.label);

test('what takes back an acceptance stands behind what usually follows, and what was said before stands last', () => {
  expect(labels('order', true, true, null).slice(0, 3)).toEqual(['Confirm', 'Confirm with changes', 'Reject']);
  expect(labels('order', true, true, 'accepted')).toEqual([
    'Create despatch advice',
    'Create invoice',
    'Mark as processed',
    'Reject',
    'Confirm',
    'Confirm with changes',
  ]);
  expect(labels('invoice', true, true, 'accepted')).toEqual(['Create remittance advice', 'Mark as processed', 'Dispute', 'Reject']);
  expect(labels(null, true, true, 'accepted')).toEqual(['Mark as processed', 'Reject']);
});

test('a note has no choices', () => {
  expect(choicesOf(null, false, true, null)).toEqual([]);
  expect(choicesOf(null, false, false, null)).toEqual([]);
});

test('what its recipient rejected or processed is done with; its sender may go on', () => {
  const latest = [null, 'accepted', 'rejected', 'processed'] as const;
  expect(latest.map((one) => isOpenDocument(true, one))).toEqual([true, true, false, false]);
  expect(isOpenDocument(false, 'rejected')).toBe(true);
});
