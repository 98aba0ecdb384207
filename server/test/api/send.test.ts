import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { expectInvalid } from '../support/refusals.ts';
import { contentHashOf, sha256OfCanonical, sha256OfText } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { segment: 'purchasing' });
  globex = await service.business('globex', { segment: 'orders' });
});
afterAll(() => service.stop());

const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const HASH = /^sha256:[0-9a-f]{64}$/;

describe('the envelope', () => {
  test('has exactly the specified fields, each with what was sent', async () => {
    const json = { lines: [{ sku: 'A-1', quantity: 2 }] };
    const sent = await acme.api.send({ to: 'globex', type: 'order', subject: 'Order 7', note: 'Please\nhurry', json });
    expect(sent.status).toBe(201);
    expect(sent.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(sent.headers.get('x-request-id')).toMatch(new RegExp(`^req_${ID}$`));
    expect(sent.headers.get('idempotent-replayed')).toBeNull();
    expect(sent.body).toStrictEqual({
      id: expect.stringMatching(new RegExp(`^msg_${ID}$`)),
      thread_id: expect.stringMatching(new RegExp(`^thr_${ID}$`)),
      in_reply_to: null,
      from: {
        party: { kind: 'handle', handle: 'acme', display_name: 'The acme company' },
        actor: { kind: 'agent', id: acme.agentId, name: 'Agent of acme', email: null, verified: true, provider: 'api_key' },
      },
      to: { party: { kind: 'handle', handle: 'globex', display_name: 'The globex company' }, segment: null },
      type: 'order',
      subject: 'Order 7',
      note: 'Please\nhurry',
      expires_at: null,
      json,
      json_sha256: sha256OfCanonical(json),
      json_bytes_sha256: sha256OfText(JSON.stringify(json)),
      files: [],
      validation: { status: 'not_applicable', errors: [] },
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      content_hash: expect.stringMatching(HASH),
      receipt_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/r\/rcpt_[0-9a-hjkmnp-tv-z]+$/),
    });
  });

  test('has null for every optional field, and no files, when only `to` was sent', async () => {
    const { status, body } = await acme.api.send({ to: 'globex' });
    expect(status).toBe(201);
    const { in_reply_to, type, subject, note, json, json_sha256, json_bytes_sha256, files } = body;
    expect({ in_reply_to, type, subject, note, json, json_sha256, json_bytes_sha256, files }).toStrictEqual({
      in_reply_to: null,
      type: null,
      subject: null,
      note: null,
      json: null,
      json_sha256: null,
      json_bytes_sha256: null,
      files: [],
    });
    expect(body).not.toHaveProperty('idempotency_key');
  });

  test('takes an explicit null for a field that was left out, and keeps an empty text as it is', async () => {
    const nulls = await acme.api.send({ to: 'globex', in_reply_to: null, type: null, subject: null, note: null });
    expect(nulls).toMatchObject({ status: 201, body: { in_reply_to: null, type: null, subject: null, note: null } });
    const empty = await acme.api.send({ to: 'globex', type: '', subject: '', note: '', files: [] });
    expect(empty).toMatchObject({ status: 201, body: { type: '', subject: '', note: '', files: [] } });
  });

  test('tells a json of null from no json by its hash', async () => {
    const given = await acme.api.send({ to: 'globex', json: null });
    const absent = await acme.api.send({ to: 'globex' });
    expect(given.body).toMatchObject({ json: null, json_sha256: sha256OfCanonical(null), json_bytes_sha256: sha256OfText('null') });
    expect(absent.body).toMatchObject({ json: null, json_sha256: null, json_bytes_sha256: null });
  });

  test('has ids that hold a UUID of version 7', async () => {
    const { body } = await acme.api.send({ to: 'globex' });
    for (const id of [body.id, body.thread_id, body.from.actor.id]) {
      const digits = [...id.split('_')[1]].map((digit) => BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit)));
      const uuid = digits.reduce((sum, digit) => sum * 32n + digit);
      expect({ version: (uuid >> 76n) & 15n, variant: (uuid >> 62n) & 3n }).toEqual({ version: 7n, variant: 2n });
    }
  });

  test('reads the same, byte for byte, wherever either party finds it', async () => {
    const { text, body } = await acme.api.send({ to: 'globex', type: 'x', note: 'naïve “text” 😀 <b>&\u2028', json: [1] });
    for (const { api } of [acme, globex]) {
      expect((await api.get(`/messages/${body.id}`)).text).toBe(text);
      expect((await api.get(`/threads/${body.thread_id}`)).text).toContain(`[${text}]`);
    }
    expect((await globex.api.get(`/inbox?thread=${body.thread_id}`)).text).toContain(`[${text}]`);
    expect((await acme.api.get(`/outbox?thread=${body.thread_id}`)).text).toContain(`[${text}]`);
  });

  test('has its receipt below the public address of the service', async () => {
    const port = await freePort();
    const sibling = await service.sibling({ PORT: String(port), PUBLIC_URL: 'https://waybill.example/' });
    try {
      const { body } = await acme.api.at(`http://127.0.0.1:${port}`).send({ to: 'globex' });
      expect(body.receipt_url).toMatch(/^https:\/\/waybill\.example\/r\/rcpt_/);
    } finally {
      await sibling.stop();
    }
  });
});

describe('the hashes', () => {
  test.each([
    ['key order', '{"b":1,"a":{"d":[],"c":null}}'],
    ['keys sorted by UTF-16 code unit', '{"\\ufb33":1,"😀":2,"€":3,"ö":4,"1":5,"\\r":6}'],
    ['keys that look like array indices', '{"b":0,"10":1,"9":2,"09":3,"1a":4,"-1":5,"4294967296":6,"a":{"2":7,"1":8}}'],
    ['forty keys, backwards', `{${Array.from({ length: 40 }, (_, i) => `"k${99 - i}":${i}`).join(',')}}`],
    ['numbers', '[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1.0,12345678901234567890]'],
    ['escapes', '"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/\\b\\f\\n\\r\\t\\u007f"'],
    ['the last of duplicate keys', '{"a":1,"a":2}'],
    ['a __proto__ of its own', '{"__proto__":{"x":1},"constructor":2}'],
    ['half a surrogate pair', '["\\uD800","\\udead x"]'],
    ['a scalar', 'true'],
  ])('json_sha256 is that of the canonical form of what JSON.parse reads: %s', async (_, written) => {
    const { body } = await acme.api.send(`{"to":"globex","json":${written}}`);
    expect(body.json_sha256).toBe(sha256OfCanonical(JSON.parse(written)));
  });

  test('content_hash can be recomputed from the envelope, whatever was sent', async () => {
    const plain = await acme.api.send({ to: 'globex' });
    const full = await acme.api.send({
      to: 'globex/orders',
      type: 'τ',
      subject: '"\\\u0007\u001f/',
      note: '😀\r\n\t\u007f\u2028',
      json: { a: -0 },
    });
    const reply = await globex.api.send({ in_reply_to: full.body.id, note: '' }, { 'idempotency-key': 'k' });
    for (const { body } of [plain, full, reply]) expect(body.content_hash).toBe(contentHashOf(body));
    expect(new Set([plain, full, reply].map(({ body }) => body.content_hash)).size).toBe(3);
  });
});

describe('lengths', () => {
  test.each([
    ['type', 80],
    ['subject', 200],
    ['note', 10_000],
  ])('%s takes %i code points, also those of two UTF-16 units, and no more', async (field, max) => {
    const most = '😀'.repeat(max);
    expect(await acme.api.send({ to: 'globex', [field]: most })).toMatchObject({ status: 201, body: { [field]: most } });
    const over = await acme.api.send({ to: 'globex', [field]: `${most}.` });
    expectInvalid(over, field);
    expect(over.body.error.details).toHaveLength(1);
  });
});

describe('the address', () => {
  test('may be in any case; the handle comes back in lower case', async () => {
    for (const to of ['GLOBEX', 'GloBex', 'GLOBEX/Orders']) {
      expect(await acme.api.send({ to })).toMatchObject({ status: 201, body: { to: { party: { handle: 'globex' } } } });
    }
  });

  test.each([
    ['that an agent has', 'orders'],
    ['that nobody has', 'nobody-yet'],
    ['of the greatest length', 's'.repeat(31)],
  ])('delivers to the business with a segment %s, and lists the message under that segment', async (_, segment) => {
    const { status, body } = await acme.api.send({ to: `globex/${segment.toUpperCase()}` });
    expect(status).toBe(201);
    expect(body.to).toEqual({ party: { kind: 'handle', handle: 'globex', display_name: 'The globex company' }, segment });
    const [underSegment, all] = [await globex.api.get(`/inbox?to=${segment}&limit=1`), await globex.api.get('/inbox?limit=1')];
    expect(underSegment.body.data).toEqual([body]);
    expect(all.body.data).toEqual([body]);
  });

  test('keeps a message to the bare handle out of every segment', async () => {
    const { body } = await acme.api.send({ to: 'globex' });
    const { body: listed } = await globex.api.get(`/inbox?to=orders&thread=${body.thread_id}`);
    expect(listed.data).toEqual([]);
  });

  test('may be one’s own: the message stands in inbox and outbox, and once in its thread', async () => {
    const { status, body } = await acme.api.send({ to: 'acme/purchasing', note: 'to myself' });
    expect(status).toBe(201);
    expect(body.to.party).toEqual(body.from.party);
    for (const list of [`/inbox?thread=${body.thread_id}`, `/outbox?thread=${body.thread_id}`, `/threads/${body.thread_id}`]) {
      expect((await acme.api.get(list)).body.data).toEqual([body]);
    }
  });

  test('may be the demo inbox', async () => {
    const { status, body } = await acme.api.send({ to: 'demo', json: { hello: true } });
    expect(status).toBe(201);
    expect(body.to.party).toMatchObject({ kind: 'handle', handle: 'demo' });
  });
});

test('every message without in_reply_to starts a thread of its own, with a receipt of its own', async () => {
  const sent = await Promise.all(Array.from({ length: 20 }, () => acme.api.send({ to: 'globex' })));
  for (const field of ['id', 'thread_id', 'receipt_url']) expect(new Set(sent.map(({ body }) => body[field])).size).toBe(20);
});

test('the receipt behind receipt_url carries the hashes of the envelope, and no json', async () => {
  const { body } = await acme.api.send({ to: 'globex', json: 'secret' });
  const token = body.receipt_url.split('/r/')[1];
  const { json: _, ...withoutJson } = body;
  expect((await service.anonymous.get(`/receipts/${token}`)).body).toEqual(withoutJson);
});

test('a delivered message stays as it was when agent and business are renamed; the next one carries the new names', async () => {
  const initech = await service.business('initech');
  const before = await initech.api.send({ to: 'globex', json: 1 });
  await service.sql(`UPDATE parties SET display_name = 'Initrode' WHERE handle = 'initech'`);
  expect((await initech.api.patch(`/agents/${initech.agentId}`, { name: 'Renamed' })).status).toBe(200);
  const token = before.body.receipt_url.split('/r/')[1];
  expect((await globex.api.get(`/messages/${before.body.id}`)).text).toBe(before.text);
  expect((await initech.api.get(`/messages/${before.body.id}`)).text).toBe(before.text);
  expect((await service.anonymous.get(`/receipts/${token}`)).body.from).toEqual(before.body.from);
  await expect
    .poll(async () => (await initech.api.send({ to: 'globex' })).body.from)
    .toMatchObject({ party: { display_name: 'Initrode' }, actor: { id: initech.agentId, name: 'Renamed' } });
});
