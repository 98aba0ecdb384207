import { canonicalJson } from '@waybill/client';
import { expect, test } from 'vitest';
import { type FormerKey, isSuccessor, parseVkey, signNote } from '../src/index.ts';
import { logSigner } from './support/keys.ts';

const LOG = 'waybill.example.com/log';
const keyAt = (number: number) => logSigner(LOG, `key ${number} of the log`);

async function succession(from: number, to: number, changes: object = {}): Promise<FormerKey> {
  const [{ signer, vkey }, next] = [keyAt(from), keyAt(to)];
  const at = '2026-06-01T08:00:00.000Z';
  const statement = { at, log: LOG, new_key: next.vkey, old_key: vkey, statement: 'key_succession', ...changes };
  return { vkey, succession: await signNote(`${canonicalJson(statement)}\n`, [signer]) };
}
const leads = (former: readonly FormerKey[], to: number) => isSuccessor(keyAt(0).vkey, parseVkey(keyAt(to).vkey), former);

test('a known key leads to the keys after it, in any order of the notes, and no further', async () => {
  const notes = await Promise.all([2, 0, 1].map((at) => succession(at, at + 1)));
  expect([await leads(notes, 1), await leads(notes, 3)]).toEqual([true, true]);
  expect([await leads(notes, 4), await leads(notes.slice(1), 3), await leads([], 1)]).toEqual([false, false, false]);
});

test('a circle ends, and a hundred rotations are followed', async () => {
  const circle = await Promise.all([succession(0, 1), succession(1, 0)]);
  expect([await leads(circle, 1), await leads(circle, 2)]).toEqual([true, false]);
  const many = await Promise.all(Array.from({ length: 101 }, (_, at) => succession(at, at + 1)));
  expect([await leads(many.slice(0, 100), 100), await leads(many, 101)]).toEqual([true, false]);
});

test.each([
  ['of another log', { log: 'waybill.example.com/other' }],
  ['of another key', { old_key: keyAt(5).vkey }],
  ['to a key of another log', { new_key: logSigner('waybill.example.com/other', 'key 1 of the log').vkey }],
  ['that is another statement', { statement: 'new_log' }],
  ['with a member more', { more: 1 }],
  ['without a key', { new_key: '' }],
])('a note %s names nobody', async (_name, changes) => {
  expect(await leads([await succession(0, 1, changes)], 1)).toBe(false);
});

test('a note that another key signed, or that is none, names nobody', async () => {
  const { vkey } = keyAt(0);
  const { succession: forged } = await succession(2, 1, { old_key: vkey });
  for (const note of [forged, '', 'a\n\n— b AAAAAAAA\n']) expect(await leads([{ vkey, succession: note }], 1)).toBe(false);
  expect(await leads([await succession(0, 1), await succession(0, 2)], 1)).toBe(false);
});
