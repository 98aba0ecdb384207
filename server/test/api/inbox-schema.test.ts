import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCHEMA_MAX_BYTES } from '../../src/contract/limits.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { segment: 'orders' });
  globex = await service.business('globex');
});
afterAll(() => service.stop());
beforeEach(() => put({ schema: null }));

const put = (body: unknown, business = globex) => business.api.write('PUT', '/inbox/schema', body);
const verdictOn = async (json: unknown) => (await acme.api.send({ to: 'globex', json })).body.validation;
const ORDER = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } } };

describe('the schema of an inbox', () => {
  test('is null until one is set', async () => {
    const { status, body } = await globex.api.get('/inbox/schema');
    expect([status, body]).toEqual([200, { schema: null, updated_at: null, published: false }]);
  });

  test('is returned by PUT and by GET as it was set, with the time', async () => {
    const before = Date.now() - 1_000;
    const response = await put({ schema: ORDER });
    expect(response.status).toBe(200);
    expect(response.body.schema).toEqual(ORDER);
    expect(Date.parse(response.body.updated_at)).toBeGreaterThan(before);
    expect((await globex.api.get('/inbox/schema')).body).toEqual(response.body);
  });

  test('keeps its very text: spaces, order, 1.0, big integers, duplicate and strange keys', async () => {
    const schema = '{ "b":1.0 ,"a":12345678901234567890, "a":1,"__proto__":{"x":"\\u0000\\ud800"},\n"minLength":1e0}';
    const response = await globex.api.request('PUT', '/v1/inbox/schema', {
      body: `{"schema":${schema} }`,
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status, response.text).toBe(200);
    expect(response.text).toContain(`{"schema":${schema},"updated_at":`);
    expect((await globex.api.get('/inbox/schema')).text).toBe(response.text);
  });

  test('is replaced by the next one, at a later time', async () => {
    const first = (await put({ schema: { type: 'string' } })).body;
    const second = (await put({ schema: { type: 'number' } })).body;
    expect(second.updated_at >= first.updated_at).toBe(true);
    expect((await globex.api.get('/inbox/schema')).body).toEqual(second);
  });

  test('is cleared by null, and that twice', async () => {
    await put({ schema: ORDER });
    for (let i = 0; i < 2; i++) expect((await put({ schema: null })).body).toEqual({ schema: null, updated_at: null, published: false });
    expect((await globex.api.get('/inbox/schema')).body).toEqual({ schema: null, updated_at: null, published: false });
  });

  test('belongs to one business alone', async () => {
    await put({ schema: ORDER });
    expect((await acme.api.get('/inbox/schema')).body.schema).toBeNull();
  });

  test('can be read and set with a read_write key only', async () => {
    const reader = await globex.withKey('read');
    expectRefusal(await reader.get('/inbox/schema'), 'forbidden');
    expectRefusal(await reader.write('PUT', '/inbox/schema', { schema: null }), 'forbidden');
  });

  test('may be true or false', async () => {
    await put({ schema: false });
    expect(await verdictOn(1)).toEqual({
      status: 'failed',
      errors: [{ path: '', message: 'is not allowed here', keyword: 'false schema' }],
    });
    await put({ schema: true });
    expect((await verdictOn(1)).status).toBe('passed');
  });

  test.each([
    ['no schema', {}],
    ['a text', { schema: '{}' }],
    ['a number', { schema: 1 }],
    ['a list', { schema: [] }],
  ])('is refused as %s', async (_name, body) => expectInvalid(await put(body), 'schema'));

  test('comes with no other field, and only once', async () => {
    expectInvalid(await put({ schema: {}, name: 'x' }), 'name');
    const twice = { body: '{"schema":{},"schema":null}', headers: { 'content-type': 'application/json' } };
    expectInvalid(await globex.api.request('PUT', '/v1/inbox/schema', twice), 'schema');
    const broken = { body: '{"schema":', headers: { 'content-type': 'application/json' } };
    expectRefusal(await globex.api.request('PUT', '/v1/inbox/schema', broken), 'invalid_json');
  });

  test(`may have ${SCHEMA_MAX_BYTES} bytes, and not one more`, async () => {
    const ofSize = (bytes: number) => ({ schema: { description: 'x'.repeat(bytes - '{"description":""}'.length) } });
    expect((await put(ofSize(SCHEMA_MAX_BYTES))).status).toBe(200);
    const refusal = await put(ofSize(SCHEMA_MAX_BYTES + 1));
    expectRefusal(refusal, 'invalid_schema');
    expect(refusal.body.error.message).toContain(String(SCHEMA_MAX_BYTES));
    expectRefusal(await put(ofSize(2 * SCHEMA_MAX_BYTES)), 'invalid_schema');
  });

  test('that is refused leaves the one before in force', async () => {
    const before = (await put({ schema: ORDER })).body;
    expectRefusal(await put({ schema: { type: 'nonsense' } }), 'invalid_schema');
    expect((await globex.api.get('/inbox/schema')).body).toEqual(before);
  });
});

describe('a message', () => {
  test('that fits has passed, without errors', async () => {
    await put({ schema: ORDER });
    expect(await verdictOn({ sku: 'A-1', quantity: 3 })).toEqual({ status: 'passed', errors: [] });
  });

  test('that does not fit is delivered all the same, with what is wrong and where', async () => {
    await put({ schema: ORDER });
    const { status, body } = await acme.api.send({ to: 'globex', json: { quantity: 0 } });
    expect(status).toBe(201);
    expect(body.validation.status).toBe('failed');
    expect(body.validation.errors).toEqual(
      expect.arrayContaining([
        { path: '', message: 'must have the property "sku"', keyword: 'required' },
        { path: '/quantity', message: 'must be at least 1', keyword: 'minimum' },
      ]),
    );
    expect((await globex.api.get('/inbox?limit=1')).body.data[0]).toEqual(body);
    expect((await acme.api.get('/outbox?limit=1')).body.data[0].id).toBe(body.id);
  });

  test('is told apart by its verdict in lists', async () => {
    await put({ schema: ORDER });
    const passed = (await acme.api.send({ to: 'globex', json: { sku: 'x' } })).body.id;
    const failed = (await acme.api.send({ to: 'globex', json: 1 })).body.id;
    const listed = async (validation: string) => (await globex.api.get(`/inbox?validation=${validation}&limit=1`)).body.data[0].id;
    expect([await listed('passed'), await listed('failed')]).toEqual([passed, failed]);
  });

  test('without json, or to somebody without a schema, is not applicable', async () => {
    const none = { status: 'not_applicable', errors: [] };
    expect(await verdictOn({})).toEqual(none);
    await put({ schema: false });
    expect((await acme.api.send({ to: 'globex', note: 'no json' })).body.validation).toEqual(none);
    expect((await globex.api.send({ to: 'acme', json: 1 })).body.validation).toEqual(none);
  });

  test('with json null has a payload, which is checked', async () => {
    await put({ schema: { type: 'object' } });
    expect((await verdictOn(null)).status).toBe('failed');
  });

  test('is checked as a reply, to a segment, to oneself and as a form just the same', async () => {
    await put({ schema: ORDER });
    const sent = (await globex.api.send({ to: 'acme', note: 'Anything?' })).body;
    const form = new FormData();
    form.set('to', 'globex');
    form.set('json', '[]');
    const headers = { authorization: `Bearer ${acme.secret}` };
    const asForm = await (await fetch(`${service.url}/v1/messages`, { method: 'POST', headers, body: form })).json();
    for (const { validation } of [
      (await acme.api.send({ in_reply_to: sent.id, json: [] })).body,
      (await acme.api.send({ to: 'globex/anyone', json: [] })).body,
      (await globex.api.send({ to: 'globex', json: [] })).body,
      asForm as { validation: { status: string } },
    ]) {
      expect(validation.status).toBe('failed');
    }
  });

  test('keeps the verdict that it got at delivery, whatever is set later', async () => {
    await put({ schema: { type: 'string' } });
    const failed = (await acme.api.send({ to: 'globex', json: 1 })).body;
    await put({ schema: { type: 'number' } });
    const passed = (await acme.api.send({ to: 'globex', json: 1 })).body;
    await put({ schema: null });
    expect([failed.validation.status, passed.validation.status]).toEqual(['failed', 'passed']);
    for (const sent of [failed, passed]) expect((await globex.api.get(`/messages/${sent.id}`)).body).toEqual(sent);
    const token = failed.receipt_url.split('/r/')[1];
    // The receipt has the result as well, without the values of the schema.
    const [error] = failed.validation.errors;
    expect((await service.anonymous.get(`/receipts/${token}`)).body.validation).toEqual({
      status: 'failed',
      errors: [{ ...error, message: 'does not have a type that the schema allows' }],
    });
  });

  test('that is repeated returns the verdict of the first', async () => {
    await put({ schema: { type: 'string' } });
    const key = { 'idempotency-key': 'verdict' };
    const first = await acme.api.send({ to: 'globex', json: 1 }, key);
    await put({ schema: { type: 'number' } });
    const repeat = await acme.api.send({ to: 'globex', json: 1 }, key);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.text).toBe(first.text);
  });

  test('that is refused for another reason is not touched by a schema', async () => {
    await put({ schema: false });
    expectRefusal(await acme.api.send({ to: 'globex', json: 1, files: ['upl_none'] }), 'upload_not_found');
  });

  test('of a whole megabyte is checked', async () => {
    await put({ schema: { items: { type: 'string', minLength: 10_000 } } });
    const texts = Array.from({ length: 100 }, () => 'x'.repeat(10_000));
    expect((await verdictOn(texts)).status).toBe('passed');
    expect((await verdictOn([...texts, ''])).errors).toEqual([
      { path: '/100', message: 'must have at least 10000 characters', keyword: 'minLength' },
    ]);
  });

  test('has paths that are JSON Pointers, with ~ and / escaped', async () => {
    await put({ schema: { additionalProperties: { items: { type: 'string' } } } });
    expect((await verdictOn({ 'a/b~c': ['x', 1], '': [2] })).errors.map(({ path }: { path: string }) => path)).toEqual([
      '/a~1b~0c/1',
      '//0',
    ]);
  });

  test('has a usual verdict many times over, whatever comes in between', async () => {
    await put({ schema: ORDER });
    // On a machine that is busy with something else, a check can last for longer than it may.
    const madeOn = async (json: object): Promise<string> => {
      const { status, errors } = await verdictOn(json);
      return errors[0]?.keyword === 'timeout' ? madeOn(json) : status;
    };
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => madeOn({ sku: i % 2 === 0 ? 'A' : i })));
    expect(verdicts).toEqual(verdicts.map((_, i) => (i % 2 === 0 ? 'passed' : 'failed')));
  });
});

test('a schema is in force in every process once it is set, and out of force once it is cleared', async () => {
  const sibling = await service.sibling();
  try {
    const there = acme.api.at(sibling.url);
    /**
     * Returns a verdict only once a check was made: that process starts its workers at the first schema, and a check is limited to half a
     * second.
     */
    const verdictThere = async () => {
      for (;;) {
        const { status, errors } = (await there.send({ to: 'globex', json: 1 })).body.validation;
        if (errors[0]?.keyword !== 'timeout') return status;
      }
    };
    expect(await verdictThere()).toBe('not_applicable');
    for (const [schema, verdict] of [
      [{ type: 'string' }, 'failed'],
      [{ type: 'number' }, 'passed'],
      [null, 'not_applicable'],
      [false, 'failed'],
    ]) {
      await put({ schema });
      expect(await verdictThere()).toBe(verdict);
    }
  } finally {
    await sibling.stop();
  }
});
