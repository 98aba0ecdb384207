import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { JSON_MAX_BYTES, SCHEMA_CHECKS_AT_ONCE_MAX } from '../../src/contract/limits.ts';
import type { Api } from '../support/api.ts';
import { exponential } from '../support/hostile-schemas.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

const ORDER = { type: 'object', required: ['sku'], properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } } };
const UNCHECKED = { validation: { status: 'not_applicable', errors: [] } };

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  acme = await service.business('acme');
  globex = await service.business('globex', { segment: 'orders' });
});
afterAll(() => service.stop());
beforeEach(() => put(null));

const put = (schema: unknown) => globex.api.write('PUT', '/inbox/schema', { schema });
const publish = (published = true) => globex.api.patch('/inbox/schema', { published });
const check = (json: unknown, to = 'globex', api: Api = acme.api) =>
  api.write('POST', `/schema-check?to=${encodeURIComponent(to)}`, `{"json":${JSON.stringify(json)}}`);

describe('a schema', () => {
  test('is not published until its owner says so, stays so with the next one, and ends with it', async () => {
    expectRefusal(await publish(), 'not_found');
    expect((await put(ORDER)).body).toMatchObject({ schema: ORDER, published: false });
    expect((await publish()).body).toEqual((await globex.api.get('/inbox/schema')).body);
    expect((await globex.api.get('/inbox/schema')).body).toMatchObject({ schema: ORDER, published: true });
    expect((await put({ type: 'array' })).body).toMatchObject({ published: true });
    expect((await publish(false)).body).toMatchObject({ schema: { type: 'array' }, published: false });
    await publish();
    await put(null);
    expect((await put(ORDER)).body.published).toBe(false);
  });

  test('is read by everybody as it was set, if it is published', async () => {
    const read = () => service.anonymous.get('/public/globex/schema');
    const nothing = { schema: null, updated_at: null };
    expect((await read()).body).toEqual(nothing);
    const { updated_at } = (await put(ORDER)).body;
    expect((await read()).body).toEqual(nothing);
    await publish();
    expect((await read()).body).toEqual({ schema: ORDER, updated_at });
    await publish(false);
    expect((await read()).body).toEqual(nothing);
    expectRefusal(await service.anonymous.get('/public/nobody-here/schema'), 'not_found');
  });

  test.each([{}, { published: 'yes' }, { published: null }])('refuses to be published by %j', async (body) => {
    await put(ORDER);
    expectInvalid(await globex.api.patch('/inbox/schema', body), 'published');
  });
});

describe('POST /schema-check', () => {
  test('has the result that a message gets', async () => {
    await put(ORDER);
    await publish();
    for (const json of [{ sku: 'A-1' }, { sku: 7, quantity: 0 }, 'text', null]) {
      const sent = (await acme.api.send({ to: 'globex', json })).body.validation;
      for (const to of ['globex', 'globex/orders', '@Globex']) {
        const { status, body, text } = await check(json, to);
        expect(status, text).toBe(200);
        expect(body).toEqual({ validation: sent });
      }
    }
  });

  test('says the same of a business that does not publish its schema, and of one that has none', async () => {
    const without = await check({ quantity: 0 });
    await put(ORDER);
    const unpublished = await check({ quantity: 0 });
    expect([without.status, without.body]).toEqual([200, UNCHECKED]);
    expect([unpublished.status, unpublished.text]).toEqual([without.status, without.text]);
    await publish();
    expect((await check({ quantity: 0 })).body.validation.status).toBe('failed');
    await publish(false);
    expect((await check({ quantity: 0 })).body).toEqual(UNCHECKED);
  });

  test('refuses a recipient that a send refuses, with the same error', async () => {
    for (const to of ['nobody-here', 'no such handle', 'ann@acme.test']) {
      const [sent, checked] = [await acme.api.send({ to, json: 1 }), await check(1, to)];
      expect([checked.status, checked.body.error.code]).toEqual([sent.status, sent.body.error.code]);
    }
  });

  test.each<[string, string, string]>([
    ['without json', '{}', 'validation_error'],
    ['with something else', '{"json":1,"schema":true}', 'validation_error'],
    ['that is no JSON', '{"json":', 'invalid_json'],
    ['with too much', `{"json":"${'x'.repeat(JSON_MAX_BYTES)}"}`, 'json_too_large'],
    ['with a number beyond all', '{"json":1e999}', 'validation_error'],
  ])('refuses a body %s', async (_name, body, code) => {
    await put(ORDER);
    await publish();
    const response = await acme.api.write('POST', '/schema-check?to=globex', body);
    expect(response.body.error.code).toBe(code);
  });

  test('needs a recipient, and a key that may write', async () => {
    expectInvalid(await acme.api.write('POST', '/schema-check', { json: 1 }), 'to');
    expectRefusal(await check(1, 'globex', await acme.withKey('read')), 'forbidden');
    expect((await check(1, 'globex', service.anonymous)).status).toBe(401);
  });

  test('of a slow schema ends in time, is limited, and keeps nobody from checking their own', async () => {
    expect((await put(exponential(30))).status).toBe(200);
    await publish();
    const responses = await Promise.all(Array.from({ length: SCHEMA_CHECKS_AT_ONCE_MAX + 4 }, () => check(1)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body } of responses) {
      if (status === 200) expect(body.validation.errors).toMatchObject([{ keyword: 'timeout' }]);
      else expect([429, 503]).toContain(status);
    }
    const own = await acme.api.write('POST', '/inbox/schema/check', { schema: ORDER, json: { sku: 'A-1' } });
    expect(own.body.validation.status).toBe('passed');
  });
});
