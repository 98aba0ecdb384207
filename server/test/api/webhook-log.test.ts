import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { contentHashOf, sha256OfCanonical } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';
import { attemptsOf, createWebhook, dueIn, type LoggedAttempt, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let webhookId: string;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  // With one delay, the second attempt is the last.
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '600' });
  sender = await service.business('sender');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  // Each test has its own business, so that it finds nothing of other tests.
  acme = await service.business(`acme-${++businesses}`);
  webhookId = (await createWebhook(acme.api, receiver.url(`/${acme.handle}`))).id;
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const aTime = expect.stringMatching(TIME);

/** The names of all members at any depth, with the types of their values. */
function shapeOf(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value === null ? 'null' : typeof value;
  return Object.entries(value).map(([name, member]) => [name, shapeOf(member)]);
}

const deliveries = (filters = {}, id = webhookId) => list(acme.api, `/webhooks/${id}/deliveries`, filters);
const testEvent = (id = webhookId) => acme.api.request('POST', `/v1/webhooks/${id}/test`);
const arrivals = () => receiver.at(`/${acme.handle}`);

async function sent(): Promise<string> {
  const { status, body, text } = await sender.api.send({ to: acme.handle });
  expect(status, text).toBe(201);
  return body.id;
}

/** The fields of a log entry that do not depend on its status. */
const entryOf = (message_id: string, attempt = 1) => ({
  event_id: message_id,
  id: expect.stringMatching(/^dlv_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
  webhook_id: webhookId,
  message_id,
  event: 'message.received',
  replay: false,
  attempt,
  created_at: aTime,
});
const madeAt = (status_code: number | null) => ({ status_code, response_ms: expect.any(Number), attempted_at: aTime });
const notMade = { status_code: null, response_ms: null, error: null, attempted_at: null };

describe('an entry of the delivery log', () => {
  test('is there with the message, pending until the response has come, and delivered then', async () => {
    let respondNow = () => {};
    receiver.respond = (_delivery, response) => {
      respondNow = () => response.writeHead(200).end();
    };
    const before = Date.now();
    const message = await sent();
    const { status, body } = await deliveries();
    expect(status).toBe(200);
    expect(body).toEqual({ data: [{ ...entryOf(message), status: 'pending', ...notMade, next_attempt_at: aTime }], next_cursor: null });
    const [pending] = body.data as [LoggedAttempt];
    expect(pending.next_attempt_at).toBe(pending.created_at);
    await expect.poll(() => arrivals().length, PATIENTLY).toBe(1);
    respondNow();
    const [delivered] = (await attemptsOf(acme.api, webhookId, 1)) as [LoggedAttempt];
    expect(delivered).toEqual({ ...pending, status: 'delivered', ...madeAt(200), error: null, next_attempt_at: null });
    expect(arrivals()[0]?.headers['waybill-delivery-id']).toBe(delivered.id);
    const attemptedAt = Date.parse(delivered.attempted_at as string);
    expect([attemptedAt > before - 1_000, attemptedAt < Date.now() + 1_000]).toEqual([true, true]);
    expect(Number.isInteger(delivered.response_ms)).toBe(true);
    expect(await logOf(acme.api, webhookId)).toHaveLength(1);
  });

  test('is retrying after a failure, with a pending one for the next attempt, and dropped after the last', async () => {
    receiver.respond = withStatus(500);
    const message = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    const [first, next] = (await logOf(acme.api, webhookId)) as [LoggedAttempt, LoggedAttempt];
    expect(first).toEqual({
      ...entryOf(message),
      status: 'retrying',
      ...madeAt(500),
      error: expect.stringMatching(/\b500\b/),
      next_attempt_at: aTime,
    });
    expect(next).toEqual({ ...entryOf(message, 2), status: 'pending', ...notMade, next_attempt_at: first.next_attempt_at });
    expect(Date.parse(first.next_attempt_at ?? '')).toBeGreaterThanOrEqual(Date.parse(first.attempted_at ?? '') + 600_000);
    await dueIn(service, { id: webhookId }, 0);
    const [again, last] = (await attemptsOf(acme.api, webhookId, 2)) as [LoggedAttempt, LoggedAttempt];
    expect(again).toEqual(first);
    expect(last).toEqual({ ...next, status: 'dropped', ...madeAt(500), error: expect.stringMatching(/\b500\b/), next_attempt_at: null });
    expect(last.id).not.toBe(first.id);
    expect(await logOf(acme.api, webhookId)).toHaveLength(2);
  });

  test('says why there was no response, without a status code', async () => {
    receiver.respond = (_delivery, response) => response.destroy();
    await sent();
    const [entry] = await attemptsOf(acme.api, webhookId, 1);
    expect(entry).toMatchObject({ status: 'retrying', ...madeAt(null), error: expect.stringMatching(/connection/) });
  });

  test('never holds what the receiver said, in words, headers or body', async () => {
    const canary = `canary${newUuid().replaceAll('-', '')}`;
    for (const status of [200, 302, 418, 500]) {
      receiver.respond = (_delivery, response) =>
        response.writeHead(status, canary, { 'x-said': canary, location: `https://${canary}.test/` }).end(canary);
      const count = (await logOf(acme.api, webhookId)).filter((entry) => entry.status !== 'pending').length;
      await sent();
      await attemptsOf(acme.api, webhookId, count + 1);
    }
    await testEvent();
    await attemptsOf(acme.api, webhookId, 5);
    expect((await deliveries({ limit: 200 })).text).not.toContain(canary);
    const tables = await service.sql<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_schema IN ('public', 'graphile_worker') AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables)
      expect(await service.sql(`SELECT 1 FROM ${name} AS t WHERE t::text LIKE $1`, [`%${canary}%`]), name).toEqual([]);
  });
});

describe('GET /webhooks/{id}/deliveries', () => {
  test('lists the newest first, in pages that new attempts do not disturb', async () => {
    const messages: string[] = [];
    for (let i = 0; i < 5; i++) messages.unshift(await sent());
    await attemptsOf(acme.api, webhookId, 5);
    const pages = await everyPage(acme.api, `/webhooks/${webhookId}/deliveries`, { limit: 2 }, sent);
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ message_id }) => message_id)).toEqual(messages);
    expect((await deliveries()).body.data).toHaveLength(7);
    expect((await deliveries()).body.next_cursor).toBeNull();
  });

  test('takes only cursors of its own, as they were given', async () => {
    const other = await createWebhook(acme.api, receiver.url('/other'));
    const foreign = await createWebhook(sender.api, receiver.url('/foreign'));
    for (let i = 0; i < 2; i++) {
      await sent();
      await sender.api.send({ to: 'sender' });
    }
    const { next_cursor: mine } = (await deliveries({ limit: 1 })).body;
    const tampered = [...mine].map((letter, i) => mine.slice(0, i) + (letter === 'A' ? 'B' : 'A') + mine.slice(i + 1));
    const wrong = [
      ...tampered,
      mine.slice(1),
      `${mine}A`,
      `${mine}=`,
      'x',
      '',
      (await deliveries({ limit: 1 }, other.id)).body.next_cursor,
      (await list(sender.api, `/webhooks/${foreign.id}/deliveries`, { limit: 1 })).body.next_cursor,
      (await list(acme.api, '/webhooks', { limit: 1 })).body.next_cursor,
      (await list(acme.api, '/inbox', { limit: 1 })).body.next_cursor,
    ];
    expect(wrong).not.toContain(null);
    for (const cursor of wrong) expectInvalid(await deliveries({ limit: 1, cursor }), 'cursor');
    expect((await deliveries({ limit: 1, cursor: mine })).body.data).toHaveLength(1);
  });

  test('refuses limits out of range and filters it does not have', async () => {
    for (const limit of [0, 201, -1, 1.5, 'x']) expectInvalid(await deliveries({ limit }), 'limit');
    expectInvalid(await deliveries({ status: 'pending' }), 'status');
  });

  test('may be read with a key of scope read, and is the same', async () => {
    await sent();
    await attemptsOf(acme.api, webhookId, 1);
    const reader = await acme.withKey('read');
    const response = await reader.get(`/webhooks/${webhookId}/deliveries`);
    expect(response.status).toBe(200);
    expect(response.text).toBe((await deliveries()).text);
  });
});

describe('POST /webhooks/{id}/test', () => {
  const sampleOf = async () => {
    await expect.poll(() => arrivals().length, PATIENTLY).toBe(1);
    return arrivals()[0] as (typeof receiver.deliveries)[number];
  };

  test('responds with 202 and the job, and the log shows the result', async () => {
    const { status, body } = await testEvent();
    expect(status).toBe(202);
    expect(body).toEqual({ queued: true, job_id: expect.stringMatching(/^job_[0-7][0-9a-hjkmnp-tv-z]{25}$/) });
    const [entry] = await attemptsOf(acme.api, webhookId, 1);
    const sample = await sampleOf();
    expect(entry).toEqual({
      ...entryOf(JSON.parse(sample.body.toString()).id),
      event: 'message.test',
      status: 'delivered',
      ...madeAt(204),
      error: null,
      next_attempt_at: null,
    });
    expect(sample.headers).toMatchObject({ 'waybill-event': 'message.test', 'waybill-delivery-id': entry?.id });
    expect(entry?.id).toBe(body.job_id.replace('job_', 'dlv_'));
    expect((await testEvent()).body.job_id).not.toBe(body.job_id);
  });

  test('delivers a complete envelope, of the same shape as a real one', async () => {
    await testEvent();
    const sample = JSON.parse((await sampleOf()).body.toString());
    await sender.api.send({ to: acme.handle, json: { a: 1 } });
    await expect.poll(() => arrivals().length, PATIENTLY).toBe(2);
    const real = JSON.parse(arrivals()[1]?.body.toString() ?? '');
    const { components } = (await service.anonymous.request('GET', '/openapi.json')).body;
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    ajv.addKeyword('components');
    ajv.addFormat('date-time', TIME);
    const validate = ajv.compile({ $ref: '#/components/schemas/Envelope', components });
    for (const envelope of [real, sample]) expect(validate(envelope), JSON.stringify([envelope, validate.errors])).toBe(true);
    expect(shapeOf(sample)).toEqual(shapeOf({ ...real, type: '', subject: '', note: '', json: sample.json }));
    expect(sample).toMatchObject({ type: 'message.test', in_reply_to: null, to: real.to, files: [] });
    expect(sample.from.party.handle).toBe('demo');
  });

  test('delivers hashes that anyone can recompute', async () => {
    await testEvent();
    const sample = JSON.parse((await sampleOf()).body.toString());
    expect([sample.json_sha256, sample.json_bytes_sha256]).toEqual(Array(2).fill(sha256OfCanonical(sample.json)));
    expect(sample.content_hash).toBe(contentHashOf(sample));
  });

  test('stores no message and counts none', async () => {
    const [traces, me] = [await tracesOfSends(service), (await acme.api.get('/me')).body];
    await testEvent();
    const sample = JSON.parse((await sampleOf()).body.toString());
    const unknown = withoutTraces(await acme.api.get(`/messages/${formatId('msg', newUuid())}`));
    expect(withoutTraces(await acme.api.get(`/messages/${sample.id}`))).toEqual(unknown);
    expectRefusal(await acme.api.get(`/threads/${sample.thread_id}`), 'not_found');
    expectRefusal(await acme.api.send({ in_reply_to: sample.id }), 'not_found');
    expectRefusal(await service.anonymous.get(`/receipts/${sample.receipt_url.split('/r/')[1]}`), 'not_found');
    for (const box of ['/inbox', '/outbox']) expect((await acme.api.get(box)).body.data).toEqual([]);
    expect(await tracesOfSends(service)).toEqual(traces);
    expect((await acme.api.get('/me')).body).toEqual(me);
  });

  test.each([
    ['an error', 500, /\b500\b/],
    ['a redirect', 302, /redirect/],
    ['too many requests', 429, /\b429\b/],
  ])('is attempted once: with the response %s it has failed', async (_name, status, error) => {
    receiver.respond = withStatus(status, { 'retry-after': '1', location: receiver.url('/elsewhere') });
    await testEvent();
    const [entry] = await attemptsOf(acme.api, webhookId, 1);
    expect(entry).toMatchObject({
      status: 'failed',
      attempt: 1,
      ...madeAt(status),
      error: expect.stringMatching(error),
      next_attempt_at: null,
    });
    expect(await logOf(acme.api, webhookId)).toHaveLength(1);
    expect(receiver.at('/elsewhere')).toEqual([]);
  });

  test('goes to the webhook that is asked for alone, also when that has a target', async () => {
    const targeted = (await acme.api.write('POST', '/webhooks', { url: receiver.url('/targeted'), target: 'orders' })).body;
    expect((await testEvent(targeted.id)).status).toBe(202);
    expect(await attemptsOf(acme.api, targeted.id, 1)).toMatchObject([{ event: 'message.test', status: 'delivered' }]);
    expect(await logOf(acme.api, webhookId)).toEqual([]);
    expect(arrivals()).toEqual([]);
  });
});

test('the log of a deleted webhook is gone with it', async () => {
  const kept = await createWebhook(acme.api, receiver.url('/kept'));
  await sent();
  for (const id of [webhookId, kept.id]) await attemptsOf(acme.api, id, 1);
  expect((await acme.api.request('DELETE', `/v1/webhooks/${webhookId}`)).status).toBe(204);
  expectRefusal(await deliveries(), 'not_found');
  const partyLog = `SELECT DISTINCT webhook_id FROM webhook_attempts a JOIN parties p ON p.id = a.party_id WHERE p.handle = $1`;
  await expect.poll(async () => (await service.sql(partyLog, [acme.handle])).length, PATIENTLY).toBe(1);
  expect(await logOf(acme.api, kept.id)).toHaveLength(1);
});

describe.each([
  ['by default', {}, 30],
  ['with WEBHOOK_LOG_DAYS=3', { WEBHOOK_LOG_DAYS: '3' }, 3],
])('the chore that cleans up the log, %s', (_name, settings, days) => {
  test('removes what is older, and leaves what is younger or yet to be made', async () => {
    const other = await startTestService({ ...receiverSettings, ...settings });
    const business = await other.business('acme');
    const { id } = await createWebhook(business.api, receiver.url('/ageing'));
    await business.api.request('POST', `/v1/webhooks/${id}/test`);
    await business.api.request('POST', `/v1/webhooks/${id}/test`);
    await attemptsOf(business.api, id, 2);
    receiver.respond = withStatus(500);
    await business.api.send({ to: 'acme' });
    await attemptsOf(business.api, id, 3);
    const [old, young, retried, waiting] = ids(await logOf(business.api, id)) as [string, string, string, string];
    const age = (entry: string, by: string) =>
      other.sql<{ id: string }>(
        `UPDATE webhook_attempts SET id = new_uuid(now() - $2::interval), created_at = created_at - $2::interval WHERE id = $1 RETURNING id`,
        [parseId('dlv', entry), by],
      );
    await age(old, `${days} days 1 minute`);
    const [kept] = (await age(young, `${days} days -1 minute`)) as [{ id: string }];
    await age(retried, `${days} days 1 minute`);
    const [pending] = (await age(waiting, `${days + 300} days`)) as [{ id: string }];
    await other.sql("SELECT graphile_worker.add_job('purge-delivery-log')");
    await expect
      .poll(async () => ids(await logOf(business.api, id)), PATIENTLY)
      .toEqual([formatId('dlv', pending.id), formatId('dlv', kept.id)]);
    await other.stop();
  });
});
