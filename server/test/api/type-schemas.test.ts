import { documentType } from '@waybill/documents';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TYPE_MAX_CHARS, TYPE_SCHEMAS_PER_BUSINESS_MAX } from '../../src/contract/limits.ts';
import { exponential } from '../support/hostile-schemas.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  acme = await service.business('acme', { segment: 'orders' });
  globex = await service.business('globex');
});
afterAll(() => service.stop());
beforeEach(async () => {
  await putInbox(null);
  for (const { type } of (await globex.api.get('/inbox/schemas')).body.data) await remove(type);
});

const at = (type: string) => `/inbox/schemas/${encodeURIComponent(type)}`;
const put = (type: string, body: unknown, business = globex) => business.api.write('PUT', at(type), body);
const remove = (type: string, business = globex) => business.api.request('DELETE', `/v1${at(type)}`);
const putInbox = (schema: unknown) => globex.api.write('PUT', '/inbox/schema', { schema });
const STRING = { schema: { type: 'string' } };
const NUMBER = { schema: { type: 'number' } };

/** On a machine that is busy with something else, a check can last for longer than it may: then the message is sent again. */
async function verdictOn(type: string | undefined, json: unknown, api = acme.api): Promise<string> {
  const { status, errors } = (await api.send({ to: 'globex', ...(type && { type }), json })).body.validation;
  return errors[0]?.keyword === 'timeout' ? verdictOn(type, json, api) : status;
}

describe('a schema of a type', () => {
  test('is returned as it was written, listed, replaced and deleted', async () => {
    const schema = '{ "b":1.0 ,"a":12345678901234567890, "a":1,"__proto__":{"x":"\\u0000"}}';
    const headers = { 'content-type': 'application/json' };
    const set = await globex.api.request('PUT', '/v1/inbox/schemas/order', { body: `{"schema":${schema} }`, headers });
    expect([set.status, set.text]).toEqual([200, expect.stringContaining(`{"type":"order","schema":${schema},"updated_at":"`)]);
    expect((await globex.api.get('/inbox/schemas/order')).text).toBe(set.text);
    await put('invoice', NUMBER);
    const { updated_at } = set.body;
    const { data } = (await globex.api.get('/inbox/schemas')).body;
    expect(data).toMatchObject([{ type: 'invoice' }, { type: 'order', updated_at, published: false, bytes: schema.length }]);
    const next = (await put('order', STRING)).body;
    expect(next.updated_at > updated_at).toBe(true);
    expect((await remove('order')).status).toBe(204);
    expectRefusal(await remove('order'), 'not_found');
    expectRefusal(await globex.api.get('/inbox/schemas/order'), 'not_found');
    expectRefusal(await globex.api.patch('/inbox/schemas/order', { published: true }), 'not_found');
  });

  test('can be taken from the catalogue, or from an own type, which stands before it', async () => {
    expect((await put('orders-of-ours', { schema_of: 'order' })).body.schema).toEqual(documentType('order')?.schema);
    await globex.api.write('PUT', '/document-types/order', { title: 'Our order', schema: { required: ['ours'] } });
    expect((await put('order', { schema_of: 'order' })).body.schema).toEqual({ required: ['ours'] });
    expect((await put('order', { schema_of: 'order' }, acme)).body.schema).toEqual(documentType('order')?.schema);
    await remove('order', acme);
    await globex.api.request('DELETE', '/v1/document-types/order');
    expect((await globex.api.get('/inbox/schemas/order')).body.schema).toEqual({ required: ['ours'] });
    expectRefusal(await put('order', { schema_of: 'unknown' }), 'not_found');
  });

  test.each(['order', 'a/b', '../schema', '漢'.repeat(TYPE_MAX_CHARS), '😀'.repeat(TYPE_MAX_CHARS), ' ', '__proto__', 'Größe "x"'])(
    'is of any type that a message can have: %s',
    async (type) => {
      expect((await put(type, STRING)).body.type).toBe(type);
      expect((await globex.api.get(at(type))).body.type).toBe(type);
      expect([await verdictOn(type, 1), await verdictOn(type, 'x'), await verdictOn('another', 1)]).toEqual([
        ...['failed', 'passed', 'not_applicable'],
      ]);
      expect((await remove(type)).status).toBe(204);
    },
  );

  test.each(['x'.repeat(TYPE_MAX_CHARS + 1), 'a\0b'])('is of no other', async (type) => {
    expectInvalid(await put(type, STRING), 'type');
    expectRefusal(await globex.api.get(at(type)), 'not_found');
    expectRefusal(await globex.api.patch(at(type), { published: true }), 'not_found');
    expectRefusal(await remove(type), 'not_found');
  });

  test('is judged as that of the inbox is', async () => {
    for (const [schema, reason] of [
      [{ $ref: '#' }, /without end/],
      [{ pattern: '^(?=a)b' }, /linear time/],
      [{ $ref: 'http://127.0.0.1/x' }, /ever fetched/],
      [{ type: 'text' }, /type/],
      [{ description: 'x'.repeat(300_000) }, /may have/],
    ] as const) {
      const refusal = await put('order', { schema });
      expectRefusal(refusal, 'invalid_schema');
      expect(refusal.body.error.message).toMatch(reason);
    }
    for (const body of [{}, { schema: {}, schema_of: 'order' }]) {
      const refusal = await put('order', body);
      expectRefusal(refusal, 'validation_error');
      expect(refusal.body.error.message).toContain('needs either schema or schema_of');
    }
    expectInvalid(await put('order', { schema: null }), 'schema');
    expectRefusal(await globex.api.get('/inbox/schemas/order'), 'not_found');
  });

  test('that is slow fails its messages in time, and delivers them', async () => {
    await put('slow', { schema: exponential(30) });
    const { status, body } = await acme.api.send({ to: 'globex', type: 'slow', json: 'x' });
    expect([status, body.validation.status, body.validation.errors[0]?.keyword]).toEqual([201, 'failed', 'timeout']);
  });

  test('belongs to one business, and to its keys that may write', async () => {
    await put('order', STRING);
    expect((await acme.api.get('/inbox/schemas')).body.data).toEqual([]);
    expectRefusal(await acme.api.get('/inbox/schemas/order'), 'not_found');
    expectRefusal(await acme.api.patch('/inbox/schemas/order', { published: true }), 'not_found');
    expectRefusal(await remove('order', acme), 'not_found');
    const reader = await globex.withKey('read');
    expectRefusal(await reader.get('/inbox/schemas'), 'forbidden');
    expectRefusal(await reader.get('/inbox/schemas/order'), 'forbidden');
    expectRefusal(await reader.write('PUT', '/inbox/schemas/order', STRING), 'forbidden');
  });

  test('has limits of number and bytes, which hold for requests at the same time', async () => {
    const types = Array.from({ length: TYPE_SCHEMAS_PER_BUSINESS_MAX }, (_, i) => `t${String(i).padStart(3, '0')}`);
    const [last = '', ...rest] = types.toReversed();
    for (const type of rest) expect((await put(type, { schema: true })).status).toBe(200);
    const both = await Promise.all([put(last, { schema: true }), put('other', { schema: true })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await put('t000', NUMBER)).status).toBe(200);
    await service.sql(`UPDATE type_schemas SET schema = '"' || repeat('x', 90000) || '"'`);
    expectRefusal(await put('t000', { schema: { description: 'x'.repeat(200_000) } }), 'conflict');
    await service.sql('DELETE FROM type_schemas');
  });
});

test('a message is judged by the schema of its type, and by that of the inbox without one', async () => {
  await putInbox({ type: 'string' });
  await put('order', NUMBER);
  const verdicts = async () => [
    await verdictOn('order', 1),
    await verdictOn('order', 'x'),
    await verdictOn('note', 'x'),
    await verdictOn(undefined, 1),
  ];
  expect(await verdicts()).toEqual(['passed', 'failed', 'passed', 'failed']);
  await remove('order');
  expect(await verdicts()).toEqual(['failed', 'passed', 'passed', 'failed']);
  await put('order', { schema: false });
  await putInbox(null);
  expect(await verdicts()).toEqual(['failed', 'failed', 'not_applicable', 'not_applicable']);
});

test('a schema of a type is in force in every process once it is set, and out of force once it is deleted', async () => {
  const sibling = await service.sibling();
  try {
    const there = acme.api.at(sibling.url);
    await putInbox({ type: 'string' });
    expect(await verdictOn('order', 1, there)).toBe('failed');
    for (const [schema, verdict] of [
      [{ type: 'number' }, 'passed'],
      [{ type: 'boolean' }, 'failed'],
      [true, 'passed'],
    ] as const) {
      await put('order', { schema });
      expect(await verdictOn('order', 1, there)).toBe(verdict);
    }
    await remove('order');
    expect(await verdictOn('order', 1, there)).toBe('failed');
  } finally {
    await sibling.stop();
  }
});

describe('a published schema of a type', () => {
  const published = async (type?: string) =>
    (await service.anonymous.get(`/public/globex/schema${type === undefined ? '' : `?type=${encodeURIComponent(type)}`}`)).body.schema;
  const check = async (json: unknown, type?: string) =>
    (await acme.api.write('POST', `/schema-check?to=globex/any${type === undefined ? '' : `&type=${type}`}`, { json })).body.validation
      .status;

  test('is read and checked against by others, while that of the inbox is for all other types', async () => {
    await putInbox({ type: 'string' });
    await globex.api.patch('/inbox/schema', { published: true });
    await put('order', NUMBER);
    expect([await published(), await published('note')]).toEqual([{ type: 'string' }, { type: 'string' }]);
    expect([await published('order'), await check(1, 'order')]).toEqual([null, 'not_applicable']);
    expect((await globex.api.patch('/inbox/schemas/order', { published: true })).body).toMatchObject({ type: 'order', published: true });
    expect([await published('order'), await check(1, 'order'), await check('x', 'order')]).toEqual([
      { type: 'number' },
      'passed',
      'failed',
    ]);
    expect([await check(1), await check('x', 'note')]).toEqual(['failed', 'passed']);
    // A schema that replaces it stays published; a new one after a deletion is not.
    await put('order', { schema: { type: 'boolean' } });
    expect(await published('order')).toEqual({ type: 'boolean' });
    await globex.api.patch('/inbox/schemas/order', { published: false });
    expect(await published('order')).toBeNull();
    await globex.api.patch('/inbox/schemas/order', { published: true });
    await remove('order');
    expect(await published('order')).toEqual({ type: 'string' });
    await put('order', NUMBER);
    expect(await published('order')).toBeNull();
  });

  test.each(['', 'x'.repeat(TYPE_MAX_CHARS + 1), 'a\0b'])('is not asked for by what is no type', async (type) => {
    expectInvalid(await service.anonymous.get(`/public/globex/schema?type=${encodeURIComponent(type)}`), 'type');
    expectInvalid(await acme.api.write('POST', `/schema-check?to=globex&type=${encodeURIComponent(type)}`, { json: 1 }), 'type');
  });
});
