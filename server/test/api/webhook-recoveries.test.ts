import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, hasSucceeded, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 25 };

let service: TestService;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '0' });
  // Two processes carry recoveries on.
  sibling = await service.sibling();
  sender = await service.business('sender');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await receiver.stop();
});

interface Recovery {
  id: string;
  webhook_id: string;
  state: string;
  total: number | null;
  done: number;
  queued: number;
}

const register = (name: string) => createWebhook(acme.api, receiver.url(`/${acme.handle}/${name}`));
const arrived = (name: string) => receiver.at(`/${acme.handle}/${name}`).map(({ headers }) => String(headers['webhook-id']));
const recover = (webhook: { id: string }, body: unknown, api = acme.api) => api.write('POST', `/webhooks/${webhook.id}/recover`, body);
const pathOf = ({ webhook_id, id }: Recovery) => `/webhooks/${webhook_id}/recoveries/${id}`;
const shown = async (recovery: Recovery): Promise<Recovery> => (await acme.api.get(pathOf(recovery))).body;
const longAgo = () => new Date(Date.now() - 3_600_000).toISOString();

async function send(fields: Record<string, unknown> = {}): Promise<{ id: string; received_at: string }> {
  const { status, text, body } = await sender.api.send({ to: acme.handle, type: 'order', ...fields });
  expect(status, text).toBe(201);
  return body;
}

async function sendMany(count: number): Promise<string[]> {
  return (await Promise.all(Array.from({ length: count }, () => send()))).map(({ id }) => id);
}

async function started(webhook: { id: string }, body: Record<string, unknown> = {}): Promise<Recovery> {
  const response = await recover(webhook, { since: longAgo(), ...body });
  expect(response.status, response.text).toBe(202);
  return response.body;
}

async function completed(recovery: Recovery): Promise<Recovery> {
  await expect.poll(async () => (await shown(recovery)).state, PATIENTLY).toBe('completed');
  return shown(recovery);
}

/** Queues this many attempts of the webhook, as if they waited for a slow endpoint. */
function keepWaiting(webhook: { id: string }, count: number) {
  return service.sql(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at)
     SELECT party_id, id, gen_random_uuid(), gen_random_uuid(), 'message.test', 1, now() + interval '1 day', now()
       FROM webhooks, generate_series(1, $2::integer) WHERE id = $1`,
    [parseId('wh', webhook.id), count],
  );
}

const stopWaiting = (webhook: { id: string }) =>
  service.sql(`DELETE FROM webhook_attempts WHERE webhook_id = $1 AND event = 'message.test'`, [parseId('wh', webhook.id)]);

describe('what a recovery delivers', () => {
  test('missing: messages from before the webhook existed, once, as replays', async () => {
    const before = await sendMany(3);
    const webhook = await register('late');
    const [delivered] = await sendMany(1);
    await attemptsOf(acme.api, webhook.id, 1);
    const recovery = await started(webhook, { only: 'missing' });
    expect(recovery).toMatchObject({
      id: expect.stringMatching(/^rcv_/),
      webhook_id: webhook.id,
      only: 'missing',
      total: 4,
      ended_at: null,
    });
    expect(await completed(recovery)).toMatchObject({ total: 4, done: 4, queued: 3, ended_at: expect.any(String) });
    const attempts = await attemptsOf(acme.api, webhook.id, 4);
    expect(arrived('late').toSorted()).toEqual([...before, delivered].toSorted());
    const replays = receiver.at(`/${acme.handle}/late`).filter(({ headers }) => headers['waybill-replay'] === 'true');
    expect(replays.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(before.toSorted());
    expect(attempts.filter(({ replay }) => replay)).toHaveLength(3);

    // The messages that the first recovery has queued have an attempt by now.
    expect(await completed(await started(webhook, { only: 'missing' }))).toMatchObject({ done: 4, queued: 0 });
    expect(arrived('late')).toHaveLength(4);
  });

  test('failed: messages that were dropped, unless they were delivered since', async () => {
    const webhook = await register('failing');
    await hasSucceeded(service, webhook);
    const [good] = await sendMany(1);
    await attemptsOf(acme.api, webhook.id, 1);
    receiver.respond = withStatus(500);
    const bad = await sendMany(2);
    expect((await attemptsOf(acme.api, webhook.id, 5)).filter(({ status }) => status === 'dropped')).toHaveLength(2);
    receiver.respond = withStatus(204);
    await acme.api.write('POST', `/messages/${bad[0]}/redeliver`, { webhook_id: webhook.id });
    await attemptsOf(acme.api, webhook.id, 6);

    expect(await completed(await started(webhook, { only: 'missing' }))).toMatchObject({ done: 3, queued: 0 });
    expect(await completed(await started(webhook, { only: 'failed' }))).toMatchObject({ done: 3, queued: 1 });
    const attempts = await attemptsOf(acme.api, webhook.id, 7);
    expect(attempts.at(-1)).toMatchObject({ message_id: bad[1], replay: true, status: 'delivered' });
    expect(await completed(await started(webhook, { only: 'failed' }))).toMatchObject({ queued: 0 });

    expect(await completed(await started(webhook, { only: 'all' }))).toMatchObject({ queued: 3 });
    await attemptsOf(acme.api, webhook.id, 10);
    expect(arrived('failing').slice(-3).toSorted()).toEqual([good, ...bad].toSorted());
  });

  test('undelivered by default: both, by target and types as they are now', async () => {
    const webhook = await register('selected');
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['none'] });
    const order = await send();
    await send({ type: 'invoice' });
    await send({ to: `${acme.handle}/desk` });
    const atDesk = await send({ to: `${acme.handle}/desk`, type: 'order.new' });
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['order.*', 'order'], target: 'desk' });
    expect(await completed(await started(webhook))).toMatchObject({ only: 'undelivered', total: 4, done: 4, queued: 2 });
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['order'], target: null });
    expect(await completed(await started(webhook))).toMatchObject({ queued: 1 });
    await attemptsOf(acme.api, webhook.id, 3);
    expect(arrived('selected')).toContain(atDesk.id);
    expect(arrived('selected').at(-1)).toBe(order.id);
  });

  test('messages received at since or later and before until', async () => {
    const webhook = await register('times');
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['none'] });
    const sent = [await send(), await send(), await send()];
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: null });
    const [, since, until] = sent.map(({ received_at }) => received_at);
    const recovery = await started(webhook, { since, until });
    expect(recovery).toMatchObject({ since, until, total: 1 });
    expect(await completed(recovery)).toMatchObject({ through: until, done: 1, queued: 1 });
    await attemptsOf(acme.api, webhook.id, 1);
    expect(arrived('times')).toEqual([sent[1]?.id]);
    const later = await started(webhook, { since: '2999-01-01', until: '3000-01-01' });
    expect(await completed(later)).toMatchObject({ total: 0, done: 0 });
  });

  test('more than one step, from more than one hour', async () => {
    const webhook = await register('many');
    await hasSucceeded(service, webhook);
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: ['none'] });
    const old = await sendMany(5);
    await service.sql(`UPDATE ledger_entries SET position = position - 10 * 3600000 * 4096::bigint WHERE message_id = ANY ($1::uuid[])`, [
      old.map((id) => parseId('msg', id)),
    ]);
    const recent = await sendMany(5);
    await acme.api.patch(`/webhooks/${webhook.id}`, { types: null });
    const recovery = await started(webhook, { since: new Date(Date.now() - 11 * 3_600_000).toISOString() });
    expect(await completed(recovery)).toMatchObject({ total: 10, done: 10, queued: 10 });
    await attemptsOf(acme.api, webhook.id, 10);
    expect(arrived('many').toSorted()).toEqual([...old, ...recent].toSorted());
  });
});

describe('PATCH {active: true, recover: true}', () => {
  test('delivers what came during the pause, and every message sent around the resumption exactly once', async () => {
    const webhook = await register('resumed');
    await hasSucceeded(service, webhook);
    await sendMany(5);
    await attemptsOf(acme.api, webhook.id, 5);
    const paused = await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    const sent: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) sent.push((await send()).id);
    });
    await expect.poll(() => sent.length, PATIENTLY).toBeGreaterThan(40);
    const { status, body } = await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true });
    expect([status, body]).toMatchObject([200, { active: true, pause: null, last_pause: { since: paused.body.pause.since } }]);
    const atResume = sent.length;
    await expect.poll(() => sent.length, PATIENTLY).toBeGreaterThan(atResume + 40);
    isOver = true;
    await Promise.all(writers);
    const [recovery] = (await acme.api.get(`/webhooks/${webhook.id}/recoveries`)).body.data;
    expect(await completed(recovery)).toMatchObject({ only: 'undelivered' });
    await expect.poll(() => arrived('resumed').length, PATIENTLY).toBeGreaterThanOrEqual(sent.length + 5);
    const queued = await service.sql<{ count: number; messages: number }>(
      'SELECT count(*)::integer AS count, count(DISTINCT message_id)::integer AS messages FROM webhook_attempts WHERE webhook_id = $1',
      [parseId('wh', webhook.id)],
    );
    // Each shard returns a row, and one of them has the webhook.
    expect(queued.filter(({ count }) => count > 0)).toEqual([{ count: sent.length + 5, messages: sent.length + 5 }]);
    expect(arrived('resumed').slice(5).toSorted()).toEqual(sent.toSorted());
  });

  test('does nothing more for a webhook that was active, and is refused beside a recovery that has not ended', async () => {
    const webhook = await register('active');
    await sendMany(1);
    await attemptsOf(acme.api, webhook.id, 1);
    expect((await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true })).body.last_pause).toBeNull();
    expect((await acme.api.get(`/webhooks/${webhook.id}/recoveries`)).body.data).toEqual([]);
    const held = await started(webhook, { only: 'all' });
    await acme.api.patch(pathOf(held), { state: 'paused' });
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    expectRefusal(await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true }), 'conflict');
    expect((await acme.api.get(`/webhooks/${webhook.id}`)).body.active).toBe(false);
  });
});

describe('a recovery under way', () => {
  test('queues as the endpoint drains, holds while paused or its webhook is, and goes on', async () => {
    const before = await sendMany(3);
    const webhook = await register('held');
    await hasSucceeded(service, webhook);
    await keepWaiting(webhook, 1_900);
    const recovery = await started(webhook);
    await expect.poll(() => shown(recovery), PATIENTLY).toMatchObject({ state: 'running', done: 0 });
    expect((await acme.api.patch(pathOf(recovery), { state: 'paused' })).body).toMatchObject({ state: 'paused', done: 0 });
    await stopWaiting(webhook);
    expectRefusal(await recover(webhook, { since: longAgo() }), 'conflict');
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    expect((await acme.api.patch(pathOf(recovery), { state: 'running' })).body.state).toBe('running');
    // A recovery of another webhook that started later has ended, so this one has had its turn.
    const other = await register('other');
    expect(await completed(await started(other, { only: 'all' }))).toMatchObject({ queued: 3 });
    expect(await shown(recovery)).toMatchObject({ state: 'running', done: 0, queued: 0 });
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: true });
    expect(await completed(recovery)).toMatchObject({ done: 3, queued: 3 });
    await attemptsOf(acme.api, webhook.id, 3);
    expect(arrived('held').toSorted()).toEqual(before.toSorted());
  });

  test('can be cancelled, and then not be resumed', async () => {
    await sendMany(1);
    const webhook = await register('cancelled');
    await keepWaiting(webhook, 2_000);
    const recovery = await started(webhook);
    const cancelled = await acme.api.patch(pathOf(recovery), { state: 'cancelled' });
    expect([cancelled.status, cancelled.body]).toMatchObject([200, { state: 'cancelled', done: 0, ended_at: expect.any(String) }]);
    expect((await acme.api.patch(pathOf(recovery), { state: 'cancelled' })).body).toEqual(cancelled.body);
    for (const state of ['running', 'paused']) expectRefusal(await acme.api.patch(pathOf(recovery), { state }), 'conflict');
    await stopWaiting(webhook);
    expect(await completed(await started(webhook))).toMatchObject({ queued: 1 });
    expect(await shown(recovery)).toEqual(cancelled.body);
  });

  test('ends with its webhook', async () => {
    await sendMany(1);
    const webhook = await register('deleted');
    await keepWaiting(webhook, 2_000);
    const recovery = await started(webhook);
    await acme.api.request('DELETE', `/v1/webhooks/${webhook.id}`);
    expectRefusal(await acme.api.get(pathOf(recovery)), 'not_found');
    expect(await service.sql('SELECT FROM webhook_recoveries WHERE webhook_id = $1', [parseId('wh', webhook.id)])).toEqual([]);
  });
});

describe('requests', () => {
  test('the list has the newest first, in pages, and the last 20', async () => {
    const webhook = await register('listed');
    const ids: string[] = [];
    for (let n = 0; n < 22; n++) {
      const recovery = await started(webhook);
      await acme.api.patch(pathOf(recovery), { state: 'cancelled' });
      ids.unshift(recovery.id);
    }
    const list = async (query: string) => (await acme.api.get(`/webhooks/${webhook.id}/recoveries${query}`)).body;
    expect((await list('')).data.map(({ id }: Recovery) => id)).toEqual(ids.slice(0, 20));
    const first = await list('?limit=15');
    const second = await list(`?limit=15&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ id }: Recovery) => id)).toEqual(ids.slice(0, 20));
    expect(second.next_cursor).toBeNull();
  });

  test('only webhooks and recoveries of the business, with a key that may write', async () => {
    const webhook = await register('own');
    const recovery = await started(webhook);
    const foreign = await createWebhook(sender.api, receiver.url('/foreign'));
    const unknown = withoutTraces(await recover({ id: formatId('wh', newUuid()) }, { since: longAgo() }));
    expect(unknown.status).toBe(404);
    for (const id of [foreign.id, 'x']) expect(withoutTraces(await recover({ id }, { since: longAgo() }))).toEqual(unknown);
    for (const path of [
      `/webhooks/${foreign.id}/recoveries/${recovery.id}`,
      `/webhooks/${webhook.id}/recoveries/${formatId('rcv', newUuid())}`,
      `/webhooks/${webhook.id}/recoveries/x`,
    ]) {
      expectRefusal(await acme.api.get(path), 'not_found');
      expectRefusal(await acme.api.patch(path, { state: 'cancelled' }), 'not_found');
    }
    expectRefusal(await sender.api.get(pathOf(recovery)), 'not_found');
    const reader = await acme.withKey('read');
    expect((await reader.get(pathOf(recovery))).status).toBe(200);
    expectRefusal(await recover(webhook, { since: longAgo() }, reader), 'forbidden');
    expectRefusal(await reader.patch(pathOf(recovery), { state: 'paused' }), 'forbidden');
  });

  test('what is wrong with a request is said of its field', async () => {
    const webhook = await register('wrong');
    for (const since of ['yesterday', '', '1969-12-31', 5, null, undefined, '2026-02-30', 'x'.repeat(65)])
      expectInvalid(await recover(webhook, { since }), 'since');
    for (const until of ['tomorrow', 5, '2026-01-01', '2025-12-31T23:59:59Z'])
      expectInvalid(await recover(webhook, { since: '2026-01-01', until }), 'until');
    for (const only of ['some', '', null, ['all']]) expectInvalid(await recover(webhook, { since: longAgo(), only }), 'only');
    expectInvalid(await recover(webhook, { since: longAgo(), more: 1 }), 'more');
    const recovery = await started(webhook);
    for (const state of ['completed', '', null, 1]) expectInvalid(await acme.api.patch(pathOf(recovery), { state }), 'state');
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    expectRefusal(await recover(webhook, { since: longAgo() }), 'conflict');
    expect(await logOf(acme.api, webhook.id)).toEqual([]);
  });

  test('before the log begins only all messages can be recovered, or those from before the webhook existed', async () => {
    const [id] = await sendMany(1);
    const webhook = await register('old');
    const since = new Date(Date.now() - 31 * 24 * 3_600_000).toISOString();
    expect(await completed(await started(webhook, { since, only: 'missing' }))).toMatchObject({ queued: 1 });
    await service.sql(`UPDATE webhooks SET created_at = now() - interval '40 days' WHERE id = $1`, [parseId('wh', webhook.id)]);
    for (const only of ['missing', 'failed', 'undelivered', undefined]) expectInvalid(await recover(webhook, { since, only }), 'since');
    expect(await completed(await started(webhook, { since, only: 'all' }))).toMatchObject({ queued: 1 });
    await attemptsOf(acme.api, webhook.id, 2);
    expect(arrived('old')).toEqual([id, id]);
  });
});
