import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { exponential, greedy, MANY_ITEMS, UNSTOPPABLE, UNSTOPPABLE_TEXT } from '../support/hostile-schemas.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let sender: TestBusiness;
let hostile: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  service = await startTestService();
  sender = await service.business('sender');
  hostile = await service.business('hostile');
});
afterAll(() => service.stop());

const put = (schema: unknown) =>
  hostile.api.write('PUT', '/inbox/schema', typeof schema === 'string' ? `{"schema":${schema}}` : { schema });
const send = (json: unknown) =>
  sender.api.send(typeof json === 'string' && json.startsWith('[') ? `{"to":"hostile","json":${json}}` : { to: 'hostile', json });
const nested = (levels: number, open: string, close: string, core = '1') => open.repeat(levels) + core + close.repeat(levels);

function expectReason(response: ApiResponse, reason: RegExp): void {
  expectRefusal(response, 'invalid_schema');
  expect(response.body.error.message).toMatch(reason);
}

describe('a schema is refused, with the reason, that', () => {
  test.each([
    ['nests 10,000 levels', nested(10_000, '{"not":', '}', '{}'), /deeper/],
    ['nests 10,000 lists', `{"const":${nested(10_000, '[', ']')}}`, /deeper/],
    ['refers to itself', { $ref: '#' }, /without end/],
    [
      'refers to itself by a detour',
      { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      /without end/,
    ],
    ['refers to a document elsewhere', { $ref: 'https://example.com/schema.json' }, /ever fetched/],
    ['refers to a document on this machine', { $ref: 'http://127.0.0.1/x' }, /ever fetched/],
    ['refers to a file', { $ref: 'file:///etc/passwd' }, /ever fetched/],
    ['looks ahead', { pattern: '^(?=a)b' }, /in linear time: it looks ahead/],
    ['looks behind', { patternProperties: { '(?<!a)b': true } }, /linear time: it looks ahead or behind/],
    ['refers back to a group', { pattern: '^(a+)\\1$' }, /refers back/],
    ['has a pattern that is none', { pattern: '(' }, /not a regular expression/],
    ['uses $data', { properties: { a: { minimum: { $data: '1/b' } } } }, /minimum must be number/],
    ['has an unknown type', { type: 'text' }, /type/],
    ['has a required that is no list', { required: 'a' }, /required must be array/],
    ['has a $schema of another kind', { $schema: 'https://example.com/my-draft' }, /\$schema/],
    ['has properties that are no schemas', { properties: { a: 1 } }, /properties\/a/],
  ])('%s', async (_name, schema, reason) => expectReason(await put(schema), reason));

  test('takes longer than a second to compile', async () => {
    const patterns = Object.fromEntries(Array.from({ length: 8_000 }, (_, i) => [`(\\p{L}|é){900}${i}`, true]));
    const startedAt = performance.now();
    expectReason(await put({ patternProperties: patterns }), /within 1 second|memory/);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect((await put({ type: 'string' })).status, 'the next schema is compiled again').toBe(200);
  });
});

/** Sends until there is a verdict: on a busy machine, compiling or validating may take longer than a message may wait. */
async function judged(json: unknown): ReturnType<typeof send> {
  for (;;) {
    const response = await send(json);
    if (response.body.validation.errors[0]?.keyword !== 'timeout') return response;
  }
}

describe('a message is delivered, and in bounded time, when the schema', () => {
  test('has a pattern that would make a backtracking engine run for ages', async () => {
    await put({ items: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } });
    const { status, body } = await judged(['a'.repeat(50_000)]);
    expect([status, body.validation.errors[0].keyword]).toEqual([201, 'pattern']);
  });

  test('never comes to an end', async () => {
    await put({ anyOf: [{ $ref: '#' }, { type: 'string' }] });
    const { status, body } = await judged(1);
    expect(body.validation).toMatchObject({ status: 'failed', errors: [{ path: '', keyword: '$ref' }] });
    expect(status).toBe(201);
  });

  test('goes down an instance of 1,000 levels', async () => {
    await put({ items: { $ref: '#' }, anyOf: [{ type: 'array' }, { type: 'number' }] });
    expect((await judged(nested(999, '[', ']'))).body.validation).toEqual({ status: 'passed', errors: [] });
    const { errors } = (await judged(nested(999, '[', ']', '"x"'))).body.validation;
    expect(errors[0]).toMatchObject({ path: '/0'.repeat(999), keyword: 'anyOf' });
  });

  test('finds 100,000 errors: 50 of them are told', async () => {
    await put({ items: { type: 'string' } });
    const { status, body } = await judged(`[${'1,'.repeat(99_999)}1]`);
    expect(status).toBe(201);
    expect(body.validation.errors).toHaveLength(50);
    expect(body.validation.errors[49]).toEqual({ path: '/49', message: 'must be string', keyword: 'type' });
  });

  test('finds errors at places and with names of great length, which are told shortened', async () => {
    await put({ additionalProperties: false, required: ['y'.repeat(100_000)] });
    const json = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}${'x'.repeat(10_000)}`, 1]));
    const { status, text, body } = await judged(json);
    expect([status, body.validation.errors.length]).toEqual([201, 50]);
    expect(JSON.stringify(body.validation).length).toBeLessThan(150_000);
    expect(text.length).toBeGreaterThan(600_000);
  });

  test('blows up exponentially: the time runs out, and the verdict says so', async () => {
    await put(exponential(40));
    const startedAt = performance.now();
    const { status, body } = await send(1);
    expect(status).toBe(201);
    expect(body.validation).toEqual({
      status: 'failed',
      errors: [{ path: '', message: 'could not be checked within 500 ms', keyword: 'timeout' }],
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('has a huge enum', async () => {
    await put({ enum: Array.from({ length: 20_000 }, (_, i) => `v${i}`) });
    expect((await judged('v19999')).body.validation.status).toBe('passed');
    const { errors } = (await judged('v20000')).body.validation;
    expect(errors[0].keyword).toBe('enum');
    expect(errors[0].message.length).toBeLessThan(500);
  });

  test('wants the items of a large list to be unique', async () => {
    await put({ uniqueItems: true });
    const objects = Array.from({ length: 20_000 }, (_, i) => ({ b: [i], a: String(i) }));
    expect((await judged(objects)).body.validation.status).toBe('passed');
    const { errors } = (await judged([...objects, { a: '7', b: [7] }])).body.validation;
    expect(errors).toEqual([{ path: '/20000', message: 'must not be the same as item 7', keyword: 'uniqueItems' }]);
  });

  test('has keywords that nobody knows: they are passed over', async () => {
    expect((await put({ 'x-check': 'process.exit()', validate: true, compile: {}, $data: 1, type: 'number' })).status).toBe(200);
    expect((await judged(1)).body.validation.status).toBe('passed');
    expect((await judged(true)).body.validation.status).toBe('failed');
  });

  test('uses names of Object.prototype: they are names like any other', async () => {
    await put(
      '{"required":["__proto__","toString","constructor"],"properties":{"__proto__":{"type":"number"},"constructor":{"type":"number"}},"additionalProperties":{"type":"string"},"hasOwnProperty":1}',
    );
    const verdict = async (json: string) => (await sender.api.send(`{"to":"hostile","json":${json}}`)).body.validation;
    expect((await verdict('{"__proto__":1,"toString":"x","constructor":1}')).status).toBe('passed');
    expect((await verdict('{}')).errors.map(({ message }: { message: string }) => message)).toEqual(
      ['__proto__', 'toString', 'constructor'].map((name) => `must have the property "${name}"`),
    );
    expect((await verdict('{"__proto__":"x","toString":1,"constructor":[]}')).errors.map(({ path }: { path: string }) => path)).toEqual([
      '/__proto__',
      '/constructor',
      '/toString',
    ]);
    expect('polluted' in {}).toBe(false);
  });
});

/** The speed of the machine decides which of the two limits ends the validation. */
const GIVEN_UP = {
  status: 'failed',
  errors: [{ path: '', keyword: expect.stringMatching(/^(memory|timeout)$/), message: expect.stringMatching(/^could not be checked/) }],
};

test.each([
  ['wants more memory than a worker has', greedy(), MANY_ITEMS],
  ['can’t be stopped, so that its worker must be', UNSTOPPABLE, UNSTOPPABLE_TEXT],
])('a schema that %s: everything is delivered, and right are all verdicts of others', async (_name, schema, json) => {
  expect((await put(schema)).status).toBe(200);
  const others = await Promise.all(
    Array.from({ length: 4 }, async (_, i) => {
      const other = await service.business(`other-${++businesses}`);
      expect((await other.api.write('PUT', '/inbox/schema', { schema: { const: i } })).status).toBe(200);
      return other;
    }),
  );
  const verdictOf = async (to: string, text: string) => {
    const { status, body } = await sender.api.send(`{"to":"${to}","json":${text}}`);
    expect(status).toBe(201);
    return body.validation;
  };
  const hostileOnes = Array.from({ length: 3 }, () => verdictOf('hostile', json));
  const toOthers = others.map(({ handle }, i) => verdictOf(handle, String(i)));
  for (const verdict of await Promise.all(hostileOnes)) expect(verdict).toEqual(GIVEN_UP);
  for (const verdict of await Promise.all(toOthers)) expect(verdict).toEqual({ status: 'passed', errors: [] });
  for (const [i, { handle }] of others.entries()) {
    expect((await verdictOf(handle, String(i))).status).toBe('passed');
    expect((await verdictOf(handle, String(i + 1))).errors).toEqual([
      { path: '', message: 'must be the value in the schema', keyword: 'const' },
    ]);
  }
});

test('a hostile schema does not outlast itself: the next one of the same business is soon judged as usual', async () => {
  await put({ type: 'object', required: ['id'] });
  const verdict = async () => (await send({ id: 1 })).body.validation;
  await expect.poll(verdict, { timeout: 60_000, interval: 250 }).toEqual({ status: 'passed', errors: [] });
});
