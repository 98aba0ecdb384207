import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { JSON_MAX_BYTES, JSON_MAX_LEVELS, SCHEMA_CHECKS_AT_ONCE_MAX, SCHEMA_MAX_BYTES } from '../../src/contract/limits.ts';
import { SchemaChecker } from '../../src/platform/json/schema-checker/checker.ts';
import type { ApiResponse } from '../support/api.ts';
import { exponential, greedy, MANY_ITEMS, UNSTOPPABLE, UNSTOPPABLE_TEXT } from '../support/hostile-schemas.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let inboxes = 0;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const check = (body: unknown, business = globex) => business.api.write('POST', '/inbox/schema/check', body);
const put = (schema: string, business = globex) => business.api.write('PUT', '/inbox/schema', `{"schema":${schema}}`);
const nested = (levels: number) => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
const ORDER = '{"type":"object","required":["sku"],"properties":{"sku":{"type":"string"},"quantity":{"type":"integer","minimum":1}}}';
const VALID = { valid: true, errors: [] };

describe('a schema is judged as when it is set', () => {
  test.each([
    ['a type that does not exist', '{"type":"nonsense"}', '/type'],
    ['something wrong further in', '{"properties":{"a/b":{"minLength":-1}}}', '/properties/a~1b/minLength'],
    [
      'no expression',
      '{"items":[{"properties":{"a":{"pattern":"("}}}],"$schema":"http://json-schema.org/draft-07/schema#"}',
      '/items/0/properties/a/pattern',
    ],
    ['an expression that is not linear', '{"patternProperties":{"(?=a)":{}}}', '/patternProperties'],
    ['a reference that leads nowhere', '{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]}},"$ref":"#/$defs/a"}', '/$defs/a/allOf/0/$ref'],
    ['a document elsewhere', '{"$ref":"https://example.com/x"}', '/$ref'],
    ['an unknown dialect', '{"$schema":"https://example.com/draft"}', '/$schema'],
    ['a loop', '{"$ref":"#"}', ''],
    ['too many bytes', `{"description":"${'x'.repeat(SCHEMA_MAX_BYTES)}"}`, ''],
    ['too many levels', nested(JSON_MAX_LEVELS + 1), ''],
  ])('with %s', async (_name, schema, path) => {
    const { status, body, text } = await check(`{"schema":${schema},"json":1}`);
    expect([status, body.validation, body.schema?.valid], text).toEqual([200, null, false]);
    const [first] = body.schema.errors;
    expect([first.path, first.message]).toEqual([path, expect.stringMatching(/\S/)]);
    const refusal = await put(schema);
    expectRefusal(refusal, 'invalid_schema');
    expect(refusal.body.error.message).toContain(first.message);
  });

  test('with all that is wrong, each at its place', async () => {
    const { body } = await check({ schema: { type: 'nonsense', properties: { a: { minimum: 'x' }, b: { required: 1 } } } });
    const places = body.schema.errors.map(({ path, keyword }: { path: string; keyword: string }) => [path, keyword]);
    expect(places).toEqual(
      expect.arrayContaining([
        ['/properties/a/minimum', 'type'],
        ['/properties/b/required', 'type'],
      ]),
    );
    expect(places.map(([path]: [string]) => path)).toContain('/type');
  });
});

describe('JSON is judged as when it comes in', () => {
  test.each([
    ['fits', ORDER, '{"sku":"A-1","quantity":3}'],
    ['does not', ORDER, '{"quantity":0}'],
    [
      'has numbers and keys that libraries damage',
      '{"items":{"type":"integer"}}',
      '[1.0,12345678901234567890,{"__proto__":1,"__proto__":"\\u0000\\ud800"}]',
    ],
    ['is null', '{"type":"string"}', 'null'],
    ['would keep a schema busy for ever', JSON.stringify(exponential(40)), '1'],
    ['is given to a schema without end', '{"anyOf":[{"$ref":"#"},{"type":"string"}]}', '1'],
    ['is given to a pattern that can’t be stopped', JSON.stringify(UNSTOPPABLE), UNSTOPPABLE_TEXT],
  ])('that %s', async (_name, schema, json) => {
    // Each test has its own business, because a slow one is served separately for a while.
    const inbox = await service.business(`inbox-${++inboxes}`);
    const checked = await check(`{"json": ${json} ,"schema": ${schema}}`, inbox);
    expect([checked.status, checked.body.schema], checked.text).toEqual([200, VALID]);
    expect((await put(schema, inbox)).status).toBe(200);
    // Checked against the schema that is set now.
    expect((await check(`{"json":${json}}`, inbox)).body).toEqual(checked.body);
    const send = async () => (await acme.api.send(`{"to":"${inbox.handle}","json":${json}}`)).body.validation;
    // On a busy machine a message may run out of time where a check does not.
    await expect.poll(send, { timeout: 60_000 }).toEqual(checked.body.validation);
  });

  test('that takes more memory than there is', async () => {
    const { body } = await check(`{"schema":${JSON.stringify(greedy())},"json":${MANY_ITEMS}}`);
    expect([body.schema, body.validation.status]).toEqual([VALID, 'failed']);
    expect(['timeout', 'memory']).toContain(body.validation.errors[0].keyword);
    expect((await check({ schema: true, json: 1 })).body.validation).toEqual({ status: 'passed', errors: [] });
  });

  test('with nothing to judge it by, and nothing to judge', async () => {
    await put('null');
    const unchecked = { status: 'not_applicable', errors: [] };
    expect((await check({ json: 1 })).body).toEqual({ schema: VALID, validation: unchecked });
    expect((await check({})).body).toEqual({ schema: VALID, validation: null });
    await put('{"type":"string"}');
    expect((await check({ json: 1, schema: null })).body).toEqual({ schema: VALID, validation: unchecked });
    expect((await check({ json: 1 })).body.validation.errors).toMatchObject([{ path: '', keyword: 'type' }]);
    // The schema of the other business is not used.
    expect((await check({ json: 1 }, acme)).body).toEqual({ schema: VALID, validation: unchecked });
  });
});

test('nothing is stored, whatever comes out', async () => {
  await put(ORDER);
  const before = [await tracesOfSends(service), (await globex.api.get('/inbox/schema')).text];
  for (const body of [{ schema: false, json: 1 }, { schema: { type: 1 } }, { schema: null }]) expect((await check(body)).status).toBe(200);
  expect([await tracesOfSends(service), (await globex.api.get('/inbox/schema')).text]).toEqual(before);
  expect((await check({ json: {} })).body.validation.errors).toMatchObject([{ keyword: 'required' }]);
});

test('both may be as large as when they are set and sent, at once', async () => {
  const schema = `{"description":"${'x'.repeat(SCHEMA_MAX_BYTES - 18)}"}`;
  const json = `"${'x'.repeat(JSON_MAX_BYTES - 2)}"`;
  expect((await check(`{"schema":${schema},"json":${json}}`)).body).toEqual({
    schema: VALID,
    validation: { status: 'passed', errors: [] },
  });
  expectRefusal(await check(`{"schema":{},"json":"${'x'.repeat(JSON_MAX_BYTES - 1)}"}`), 'json_too_large');
  expectRefusal(await check(`{"json":"${'x'.repeat(2 * JSON_MAX_BYTES)}"}`), 'json_too_large');
});

test('a question that can’t be read is refused as the ones for which it stands', async () => {
  for (const schema of ['text', 1, []]) expectInvalid(await check({ schema }), 'schema');
  expectInvalid(await check({ schema: {}, josn: 1 }), 'josn');
  expectInvalid(await check('{"schema":{},"schema":{}}'), 'schema');
  expectInvalid(await check('{"json":1,"json":2}'), 'json');
  expectInvalid(await check(`{"json":${'['.repeat(1_001)}${']'.repeat(1_001)}}`), 'json');
  expectInvalid(await check('{"json":1e400}'), 'json');
  expectRefusal(await check('[]'), 'validation_error');
  for (const body of ['', '{"schema":', '{"json":01}']) expectRefusal(await check(body), 'invalid_json');
  expectRefusal(await (await globex.withKey('read')).write('POST', '/inbox/schema/check', {}), 'forbidden');
});

describe('a caller with many requests', () => {
  const SLOW = { schema: exponential(40), json: 1 };

  test('is refused what is too much at once, and takes no time from others', async () => {
    const greedyOne = await service.business('greedy');
    await put(ORDER, acme);
    const flood = Array.from({ length: SCHEMA_CHECKS_AT_ONCE_MAX + 4 }, () => check(SLOW, greedyOne));
    const others: ApiResponse[] = [await check({ schema: { type: 'string' }, json: 1 }), await put('true')];
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    expect((await globex.api.send({ to: 'acme', json: { sku: 'A-1' } })).body.validation).toEqual({ status: 'passed', errors: [] });
    const responses = await Promise.all(flood);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(4);
    for (const response of refused) {
      expectRefusal(response, 'rate_limited');
      expect(response.headers.get('retry-after')).toBe('1');
    }
    // Requests whose turn did not come in time are refused.
    for (const response of responses.filter(({ status }) => status === 503)) expectRefusal(response, 'unavailable');
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect((await check({ schema: true }, greedyOne)).status).toBe(200);
  });

  test('that cancels them does not wait for the earlier ones', async () => {
    const typing = await service.business('typing');
    const startedAt = performance.now();
    await check(SLOW, typing);
    const oneMs = performance.now() - startedAt;
    const hangUp = new AbortController();
    const asked = Array.from({ length: SCHEMA_CHECKS_AT_ONCE_MAX }, () =>
      fetch(`${service.url}/v1/inbox/schema/check`, {
        method: 'POST',
        signal: hangUp.signal,
        headers: { authorization: `Bearer ${typing.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(SLOW),
      }).catch(() => undefined),
    );
    await expect.poll(async () => (await check({ schema: true }, typing)).status, { interval: 1 }).toBe(429);
    const hungUpAt = performance.now();
    hangUp.abort();
    await Promise.all(asked);
    await expect.poll(async () => (await check({ schema: true }, typing)).status, { timeout: 60_000, interval: 5 }).toBe(200);
    expect(performance.now() - hungUpAt).toBeLessThan((SCHEMA_CHECKS_AT_ONCE_MAX / 2) * oneMs);
  });
});

describe('the checker', () => {
  let checker: SchemaChecker;
  beforeEach(() => {
    checker = new SchemaChecker();
  });
  afterEach(() => checker.stop());

  test('judges each of the schemas that somebody sets at once by itself', async () => {
    await checker.warm();
    const texts = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? '{"type":"string"}' : '{"type":"nonsense"}'));
    const refusals = await Promise.all(texts.map((text) => checker.refusalOf('one', text)));
    expect(refusals.map((refusal) => refusal === undefined)).toEqual(texts.map((_, i) => i % 3 === 0));
  });

  test('remembers nothing of what is tried out', async () => {
    const { signal } = new AbortController();
    const tried = [];
    for (const type of ['string', 'number', 'string'])
      tried.push(await checker.tryOut('one', `{"type":"${type}"}`, Buffer.from('"x"'), signal));
    expect(tried.map(({ issues }) => issues === undefined)).toEqual([true, false, true]);
  });
});
