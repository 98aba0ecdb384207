import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import { sendForm } from '../support/form.ts';
import { type FormService, sha256Of, startFormService } from '../support/form-service.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { contentHashOf, sha256OfCanonical, sha256OfText } from '../support/rfc8785.ts';
import type { TestBusiness } from '../support/service.ts';

let service: FormService;
let owner: MemberApi;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startFormService();
  globex = await service.business('globex');
  owner = await claimedBy(service, 'olga@quiet.test', 'quiet');
});
afterAll(() => service.stop());

const choose = async (receipts: string, by: MemberApi = owner) => by.patch('/business', { receipts });
const receiptOf = async ({ receipt_url }: { receipt_url: string }) =>
  (await service.anonymous.get(`/receipts/${receipt_url.split('/').at(-1)}`)).body;

test('a business chooses what its receipts show; members and strangers do not', async () => {
  expect((await owner.get('/business')).body.receipts).toBe('full');
  const { status, body } = await choose('minimal');
  expect([status, body.receipts, (await owner.get('/business')).body.receipts]).toEqual([200, 'minimal', 'minimal']);
  // A change of another field keeps the setting.
  expect((await owner.patch('/business', { display_name: 'Quiet' })).body).toMatchObject({ display_name: 'Quiet', receipts: 'minimal' });
  const member = await joinedBy(service, owner, 'mia@quiet.test', 'member');
  expectRefusal(await choose('full', member), 'forbidden');
  expectInvalid(await choose('none'), 'receipts');
  expect((await owner.get('/business')).body.receipts).toBe('minimal');
});

test('a minimal receipt has parties, time and hashes, and nothing else', async () => {
  await choose('minimal');
  const said = { to: 'globex/orders', type: 'order', subject: 'Secret subject', note: 'Secret note', json: { secret: 1 } };
  const sent = (await owner.post('/messages', said)).body;
  const receipt = await receiptOf(sent);
  expect(receipt).toEqual({
    detail: 'minimal',
    id: sent.id,
    from: { party: sent.from.party },
    to: { party: sent.to.party },
    json_sha256: sha256OfCanonical({ secret: 1 }),
    json_bytes_sha256: sha256OfText('{"secret":1}'),
    files: [],
    received_at: sent.received_at,
    content_hash: sent.content_hash,
    receipt_url: sent.receipt_url,
  });
  // The parties of the message can still verify the hash.
  expect(contentHashOf((await globex.api.get(`/messages/${sent.id}`)).body)).toBe(receipt.content_hash);
});

test('of files it has the hashes', async () => {
  const loud = await service.business('loud');
  const sent = await sendForm(loud.api, [
    { name: 'to', bytes: 'globex' },
    { filename: 'secret-name.txt', bytes: 'bytes' },
  ]); // prettier-ignore
  await service.sql("UPDATE parties SET minimal_receipts = true WHERE handle = 'loud'");
  expect((await receiptOf(sent.body)).files).toEqual([{ sha256: sha256Of('bytes') }]);
});

test('the choice holds for what was sent before, and can be taken back; what others send is not concerned', async () => {
  await choose('full');
  const sent = (await owner.post('/messages', { to: 'globex', note: 'Seen by all' })).body;
  const reply = (await globex.api.send({ in_reply_to: sent.id, note: 'A reply' })).body;
  expect((await receiptOf(sent)).note).toBe('Seen by all');
  await choose('minimal');
  expect(await receiptOf(sent)).not.toHaveProperty('note');
  expect((await receiptOf(reply)).note).toBe('A reply');
  await choose('full');
  expect((await receiptOf(sent)).note).toBe('Seen by all');
});

test('no receipt tells values of the recipient’s schema', async () => {
  const schema = {
    properties: {
      tier: { enum: ['PARTNER-SECRET-40'] },
      code: { const: 'SECRET-CODE' },
      sku: { pattern: '^SECRET-[0-9]+$' },
      count: { type: 'number' },
      discount: { maximum: 731 },
      lines: { minItems: 732 },
      lot: { multipleOf: 733 },
      mail: { format: 'email' },
      remark: { maxLength: 7 },
      size: { exclusiveMinimum: 734 },
      tags: { contains: { const: 'SECRET' }, minContains: 735 },
    },
    required: ['SECRET-order'],
    dependentRequired: { tier: ['SECRET-depends'] },
  };
  expect((await globex.api.write('PUT', '/inbox/schema', { schema })).status).toBe(200);
  const json = {
    ...{
      tier: 'x',
      code: 'y',
      sku: 'z',
      count: 'many',
      discount: 999,
      lines: [],
      lot: 5,
      mail: 'nobody',
      remark: 'much too long',
      size: 1,
      tags: [],
    },
  };
  const sent = (await owner.post('/messages', { to: 'globex', json })).body;
  const shown = (errors: { message: string }[]) => errors.map(({ message }) => message).join();
  expect(shown(sent.validation.errors)).toContain('must be at most 731');
  const receipt = await receiptOf(sent);
  const errors = receipt.validation.errors.toSorted((a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1));
  expect(errors).toEqual([
    { path: '', keyword: 'required', message: 'lacks a property that the schema requires' },
    { path: '', keyword: 'dependentRequired', message: 'lacks a property that the schema requires' },
    { path: '/code', keyword: 'const', message: 'must be the value in the schema' },
    { path: '/count', keyword: 'type', message: 'does not have a type that the schema allows' },
    { path: '/discount', keyword: 'maximum', message: 'is too large' },
    { path: '/lines', keyword: 'minItems', message: 'has too few items' },
    { path: '/lot', keyword: 'multipleOf', message: 'is not a multiple of the number in the schema' },
    { path: '/mail', keyword: 'format', message: 'does not have the format that the schema names' },
    { path: '/remark', keyword: 'maxLength', message: 'is too long' },
    { path: '/size', keyword: 'exclusiveMinimum', message: 'is too small' },
    { path: '/sku', keyword: 'pattern', message: 'must match the pattern in the schema' },
    { path: '/tags', keyword: 'contains', message: 'lacks items that the schema describes' },
    { path: '/tier', keyword: 'enum', message: 'must be one of the values in the schema' },
  ]);
  expect(shown(receipt.validation.errors)).not.toMatch(/[0-9]|email/);
  expect(JSON.stringify(receipt)).not.toContain('SECRET');
});
