import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED_VALUES_MAX, ALLOWED_VALUES_MAX_CHARS } from '../../src/contract/limits.ts';
import type { Api } from '../support/api.ts';
import { receiverSettings, startReceiver } from '../support/receiver.ts';
import { search } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const SECRET = 'SECRET-VALUE';
const SCHEMA = {
  properties: {
    tier: { enum: [`${SECRET}-1`, 2, null, { deep: [`${SECRET}-3`] }] },
    code: { const: `${SECRET}-4` },
    sku: { pattern: `^${SECRET}-[0-9]+$` },
    discount: { maximum: 731 },
  },
};
const JSON_OF_ORDER = { tier: 'x', code: 'y', sku: 'z', discount: 999 };
const NAMED = [
  {
    path: '/tier',
    keyword: 'enum',
    message: 'must be one of the values in the schema',
    allowed: SCHEMA.properties.tier.enum,
    allowed_count: 4,
  },
  { path: '/code', keyword: 'const', message: 'must be the value in the schema', allowed: [`${SECRET}-4`], allowed_count: 1 },
  { path: '/sku', keyword: 'pattern', message: 'must match the pattern in the schema', pattern: SCHEMA.properties.sku.pattern },
  { path: '/discount', keyword: 'maximum', message: 'must be at most 731' },
];
const BARE = NAMED.map(({ path, keyword, message }) => ({ path, keyword, message }));

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService({ ...receiverSettings, NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  acme = await service.business('acme');
  globex = await service.business('globex');
  await put(SCHEMA);
});
afterAll(() => service.stop());

const put = (schema: unknown) => globex.api.write('PUT', '/inbox/schemas/order', { schema });

/** On a machine that is busy with something else, a check can last for longer than it may: then the message is sent again. */
async function sendTo(json: unknown, api: Api = acme.api) {
  for (;;) {
    const { body } = await api.send({ to: 'globex', type: 'order', note: 'please', json });
    if (body.validation.errors[0]?.keyword !== 'timeout') return body;
  }
}

test('the recipient reads the allowed values with its messages, wherever it reads them', async () => {
  const sent = await sendTo(JSON_OF_ORDER);
  const { thread_id } = sent;
  const read = {
    message: (await globex.api.get(`/messages/${sent.id}`)).body,
    inbox: (await globex.api.get('/inbox?limit=1')).body.data[0],
    summary: (await globex.api.get('/inbox?limit=1&include=summary')).body.data[0],
    thread: (await globex.api.get(`/threads/${thread_id}`)).body.data[0],
    list: (await globex.api.get('/threads?limit=1')).body.data[0].last_message,
    found: (await search(globex.api, 'please'))[0].message,
    exported: JSON.parse((await globex.api.get('/export?list=inbox')).text.split('\n')[0] ?? ''),
  };
  for (const [where, message] of Object.entries(read)) expect(message?.validation?.errors, where).toEqual(NAMED);
});

test('a webhook and a consumer of the recipient get them', async () => {
  const receiver = await startReceiver();
  try {
    await globex.api.write('POST', '/webhooks', { url: receiver.url('/hook') });
    await globex.api.write('PUT', '/consumers/jobs', {});
    await sendTo(JSON_OF_ORDER);
    const [delivery] = await receiver.received(1);
    expect(JSON.parse(String(delivery?.body)).validation.errors).toEqual(NAMED);
    const leased = (await globex.api.write('POST', '/consumers/jobs/lease', {})).body.data[0];
    expect(leased.message.validation.errors).toEqual(NAMED);
  } finally {
    await receiver.stop();
  }
});

test('the sender reads none of them, and everybody with the receipt none', async () => {
  const sent = await sendTo(JSON_OF_ORDER);
  const key = { 'idempotency-key': 'k1' };
  const first = (await acme.api.send({ to: 'globex', type: 'order', json: JSON_OF_ORDER }, key)).body;
  const batch = (await acme.api.write('POST', '/messages/batch', { messages: [{ to: 'globex', type: 'order', json: JSON_OF_ORDER }] }))
    .body;
  const asSender = [
    sent,
    first,
    (await acme.api.send({ to: 'globex', type: 'order', json: JSON_OF_ORDER }, key)).body,
    batch.data[0].message,
    (await acme.api.get(`/messages/${sent.id}`)).body,
    (await acme.api.get('/outbox?limit=1')).body.data[0],
    (await acme.api.get(`/threads/${sent.thread_id}`)).body.data[0],
    (await acme.api.get('/threads?limit=1&box=out')).body.data[0].last_message,
    (await search(acme.api, 'please'))[0].message,
  ];
  for (const [i, message] of asSender.entries()) expect(message.validation.errors, String(i)).toEqual(BARE);
  const pages = [
    '/outbox',
    '/outbox?include=summary',
    `/threads/${sent.thread_id}`,
    '/threads?box=out',
    '/export?list=outbox',
    '/search?q=please',
  ];
  for (const page of pages) expect((await acme.api.get(page)).text, page).not.toContain(SECRET);
  const token = sent.receipt_url.split('/r/')[1];
  const receipt = await service.anonymous.get(`/receipts/${token}`);
  expect(receipt.body.validation.errors.map((error: object) => Object.keys(error).toSorted())).toEqual(
    BARE.map(() => ['keyword', 'message', 'path']),
  );
  expect(receipt.text).not.toContain(SECRET);
  for (const page of [`/r/${token}`, `/v1/receipts/${token}/proof`])
    expect((await service.anonymous.request('GET', page)).text, page).not.toContain(SECRET);
});

test('a message to oneself names them: the schema is one’s own', async () => {
  const { id, validation } = await sendTo(JSON_OF_ORDER, globex.api);
  expect(validation.errors).toEqual(NAMED);
  expect((await globex.api.get(`/messages/${id}`)).body.validation.errors).toEqual(NAMED);
});

test('a check names them by a published schema only, and to its owner', async () => {
  const check = async () => (await acme.api.write('POST', '/schema-check?to=globex&type=order', { json: JSON_OF_ORDER })).body.validation;
  expect(await check()).toEqual({ status: 'not_applicable', errors: [] });
  await globex.api.patch('/inbox/schemas/order', { published: true });
  expect((await check()).errors).toEqual(NAMED);
  await globex.api.patch('/inbox/schemas/order', { published: false });
  const own = (await globex.api.write('POST', '/inbox/schema/check', { schema: SCHEMA, json: JSON_OF_ORDER })).body;
  expect(own.validation.errors).toEqual(NAMED);
});

test('few of many or long values are named', async () => {
  const many = Array.from({ length: 500 }, (_, i) => i);
  const long = Array.from({ length: 9 }, (_, i) => String(i).repeat(ALLOWED_VALUES_MAX_CHARS / 3));
  const pattern = `^${'a'.repeat(ALLOWED_VALUES_MAX_CHARS)}$`;
  await put({ properties: { a: { enum: many }, b: { enum: long }, c: { const: 'x'.repeat(5_000) }, d: { pattern } } });
  const { id } = await sendTo({ a: 'x', b: 'x', c: 'x', d: 'x' });
  const { errors } = (await globex.api.get(`/messages/${id}`)).body.validation;
  expect(errors).toMatchObject([
    { allowed: many.slice(0, ALLOWED_VALUES_MAX), allowed_count: 500 },
    { allowed: long.slice(0, 2), allowed_count: 9 },
    { allowed: [], allowed_count: 1 },
    { keyword: 'pattern' },
  ]);
  expect(errors[3]).not.toHaveProperty('pattern');
  await put(SCHEMA);
});

test('json that looks like an error of a schema is read as it was sent', async () => {
  const { id } = await sendTo({ tier: 'x', ',"allowed":': 1 });
  for (const { api } of [acme, globex]) expect((await api.get(`/messages/${id}`)).body.json).toEqual({ tier: 'x', ',"allowed":': 1 });
});
