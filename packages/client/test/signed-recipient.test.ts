import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { filesHash, isNamed, partyName, recipientName } from '../src/signed-recipient.ts';

const AUTHORITY = 'waybill.example:8443';

describe('Waybill-Recipient', () => {
  // The tests of the Python client have the same names.
  test.each([
    ['Globex', 'globex'],
    ['@globex/Orders', 'globex'],
    ['GLOBEX+orders@Waybill.example', 'globex+orders@waybill.example'],
    ['ü%@k\u212a.example', '%C3%BC%25@k%E2%84%AA.example'],
    ['', ''],
    ['\ud800', '%EF%BF%BD'],
  ])('for the address %s is %s', (to, name) => expect(recipientName(to)).toBe(name));

  test('names a party by its handle, domain or mail address', () => {
    expect([{ handle: 'globex' }, { domain: 'Tailor.example' }, { email: 'Ann@tailor.example' }].map(partyName)).toEqual([
      'globex',
      'tailor.example',
      'ann@tailor.example',
    ]);
  });

  test.each([
    ['globex', { handle: 'globex' }],
    ['globex@waybill.example', { handle: 'globex' }],
    ['globex+orders@waybill.example', { handle: 'globex' }],
    ['tailor.example', { domain: 'tailor.example' }],
    ['ann@tailor.example', { domain: 'tailor.example' }],
    ['ann@tailor.example', { email: 'ann@tailor.example' }],
  ])('%s is %j', (name, party) => expect(isNamed(name, party, AUTHORITY)).toBe(true));

  test.each([
    ['', { handle: 'globex' }],
    ['Globex', { handle: 'globex' }],
    ['globex/orders', { handle: 'globex' }],
    ['globex@gmail.example', { handle: 'globex' }],
    ['globexx@waybill.example', { handle: 'globex' }],
    ['globex@waybill.example@gmail.example', { handle: 'globex' }],
    ['@waybill.example', { handle: 'globex' }],
    ['globex@waybill.example:8443', { handle: 'globex' }],
    ['tailor.example', { email: 'ann@tailor.example' }],
    ['bob@tailor.example', { email: 'ann@tailor.example' }],
    ['ann@mail.tailor.example', { domain: 'tailor.example' }],
    ['globex', { domain: 'globex.example' }],
    ['globex', {}],
  ])('%s is not %j', (name, party) => expect(isNamed(name, party, AUTHORITY)).toBe(false));

  test('a mail address of the service names nobody if the service is not signed', () => {
    expect(isNamed('globex@waybill.example', { handle: 'globex' }, undefined)).toBe(false);
  });
});

test('Waybill-Files is the hash of a line for each file', () => {
  const [one, two] = ['a', 'b'].map((text) => `sha256:${createHash('sha256').update(text).digest('hex')}`) as [string, string];
  const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  expect(filesHash([one, two])).toBe(hashOf(`${one}\n${two}\n`));
  expect(filesHash([two, one])).not.toBe(filesHash([one, two]));
});
