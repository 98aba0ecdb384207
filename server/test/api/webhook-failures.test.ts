import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import { mailsFor } from '../support/people.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, hasSucceeded, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };

let service: TestService;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
  // Two processes record failures.
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

const register = async (name: string) => {
  const webhook = await createWebhook(acme.api, receiver.url(`/${acme.handle}/${name}`));
  await hasSucceeded(service, webhook);
  return webhook;
};
const shown = async ({ id }: { id: string }, api = acme.api) => (await api.get(`/webhooks/${id}`)).body;
const arrivals = (name: string) => receiver.at(`/${acme.handle}/${name}`).length;

async function send(count: number, to = acme.handle): Promise<void> {
  const responses = await Promise.all(Array.from({ length: count }, () => sender.api.send({ to })));
  for (const { status, text } of responses) expect(status, text).toBe(201);
}

/** Moves the time of the first failure, and of the notice about it, back. */
function failingFor({ id }: { id: string }, began: string, told: string | null = null) {
  return service.sql(
    'UPDATE webhooks SET failing_since = now() - $2::interval, failing_told_at = now() - $3::interval WHERE id = $1 RETURNING id',
    [parseId('wh', id), began, told],
  );
}

describe('failing_since', () => {
  test('is the first failure after the last success, until the next success', async () => {
    const webhook = await register('fails');
    await send(1);
    await attemptsOf(acme.api, webhook.id, 1);
    expect((await shown(webhook)).failing_since).toBeNull();
    receiver.respond = withStatus(500);
    await send(1);
    await attemptsOf(acme.api, webhook.id, 2);
    const { failing_since } = await shown(webhook);
    expect(Math.abs(Date.parse(failing_since) - Date.now())).toBeLessThan(60_000);
    await send(3);
    await attemptsOf(acme.api, webhook.id, 5);
    expect(await shown(webhook)).toMatchObject({ active: true, failing_since });
    expect((await acme.api.get('/webhooks')).body.data).toMatchObject([{ failing_since }]);
    receiver.respond = withStatus(204);
    await send(1);
    await attemptsOf(acme.api, webhook.id, 6);
    expect((await shown(webhook)).failing_since).toBeNull();
  });

  test('begins again with another URL, and when a pause is over', async () => {
    const webhook = await register('moves');
    receiver.respond = withStatus(500);
    await send(1);
    await attemptsOf(acme.api, webhook.id, 1);
    const moved = await acme.api.patch(`/webhooks/${webhook.id}`, { url: receiver.url(`/${acme.handle}/elsewhere`) });
    expect(moved.body.failing_since).toBeNull();
    await failingFor(webhook, '2 days');
    const paused = await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    expect(paused.body.failing_since).not.toBeNull();
    expect((await acme.api.patch(`/webhooks/${webhook.id}`, { active: true })).body.failing_since).toBeNull();
  });
});

describe('a webhook that keeps failing', () => {
  test('is reported by mail after a day and paused after 5, with one mail each', async () => {
    const owner = await claimedBy(service, 'olga@corp.test', 'olgas');
    await joinedBy(service, owner, 'adam@corp.test', 'admin');
    await joinedBy(service, owner, 'mia@corp.test', 'member');
    const { body: webhook } = await owner.post('/webhooks', { url: receiver.url('/olgas?token=secret') });
    await hasSucceeded(service, webhook);
    const now = async () => (await owner.get(`/webhooks/${webhook.id}`)).body;
    const attempts = async () => (await owner.get(`/webhooks/${webhook.id}/deliveries?limit=200`)).body.data;
    const made = async () => (await attempts()).filter(({ status }: { status: string }) => status !== 'pending').length;
    const mails = async (email: string, words: string) => (await mailsFor(service, email)).filter((text) => text.includes(words));
    receiver.respond = withStatus(500);
    await send(4, 'olgas');
    await expect.poll(made, PATIENTLY).toBe(4);

    await failingFor(webhook, '25 hours');
    await send(20, 'olgas');
    await expect.poll(made, PATIENTLY).toBe(24);
    for (const email of ['olga@corp.test', 'adam@corp.test']) {
      await expect.poll(() => mails(email, 'fails'), PATIENTLY).toHaveLength(1);
      const [text] = await mails(email, 'fails');
      expect(text).toContain(`/webhooks/${webhook.id}\n`);
      expect(text).not.toContain('secret');
    }
    expect(await now()).toMatchObject({ active: true, pause: null });

    // The notice came late, because nothing was attempted before. So the business still has its four days.
    await failingFor(webhook, '9 days', '3 days');
    await send(5, 'olgas');
    await expect.poll(made, PATIENTLY).toBe(29);
    expect(await now()).toMatchObject({ active: true, pause: null });

    await failingFor(webhook, '5 days 1 minute', '4 days 1 minute');
    await send(20, 'olgas');
    await expect.poll(now, PATIENTLY).toMatchObject({ active: false, pause: { reason: 'failing' }, failing_since: expect.any(String) });
    for (const email of ['olga@corp.test', 'adam@corp.test']) await expect.poll(() => mails(email, 'is paused'), PATIENTLY).toHaveLength(1);
    expect(await mails('olga@corp.test', 'The webhook to')).toHaveLength(2);
    expect((await mails('olga@corp.test', 'is paused'))[0]).toContain('For 5 days');
    expect([...(await mails('mia@corp.test', 'fails')), ...(await mails('mia@corp.test', 'is paused'))]).toEqual([]);
  });

  test('is neither reported nor paused once an attempt has succeeded', async () => {
    const webhook = await register('recovered');
    await failingFor(webhook, '6 days', '5 days');
    await send(1);
    await attemptsOf(acme.api, webhook.id, 1);
    receiver.respond = withStatus(500);
    await send(3);
    await attemptsOf(acme.api, webhook.id, 4);
    const webhookNow = await shown(webhook);
    expect(webhookNow).toMatchObject({ active: true, pause: null });
    expect(Date.parse(webhookNow.failing_since)).toBeGreaterThan(Date.now() - 600_000);
  });

  test('is resumed with all that was not delivered since it began to fail', async () => {
    const webhook = await register('back');
    receiver.respond = withStatus(500);
    await send(2);
    await attemptsOf(acme.api, webhook.id, 2);
    await service.sql(`UPDATE webhook_attempts SET status = 'dropped', next_attempt_at = NULL WHERE webhook_id = $1 AND attempt = 1`, [
      parseId('wh', webhook.id),
    ]);
    await service.sql('DELETE FROM webhook_attempts WHERE webhook_id = $1 AND attempt = 2', [parseId('wh', webhook.id)]);
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    await send(2);
    receiver.respond = withStatus(204);
    await service.sql(`UPDATE webhooks SET paused_at = now() WHERE id = $1`, [parseId('wh', webhook.id)]);
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true });
    const attempts = await attemptsOf(acme.api, webhook.id, 6);
    expect(attempts.filter(({ replay, status }) => replay && status === 'delivered')).toHaveLength(4);
  });

  test('is resumed with what came between a pause and the failure of an attempt that was open then', async () => {
    const webhook = await register('open');
    const held: ServerResponse[] = [];
    receiver.respond = (_delivery, response) => held.push(response);
    await send(1);
    await expect.poll(() => held.length, PATIENTLY).toBe(1);
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: false });
    await service.sql(`UPDATE webhooks SET paused_at = now() - interval '1 hour' WHERE id = $1`, [parseId('wh', webhook.id)]);
    await send(2);
    await service.sql(
      `UPDATE ledger_entries SET position = position - 1800000 * 4096::bigint WHERE message_id IN
         (SELECT e.message_id FROM ledger_entries e JOIN webhooks w ON w.party_id = e.party_id WHERE w.id = $1 ORDER BY e.position DESC LIMIT 2)`,
      [parseId('wh', webhook.id)],
    );
    held[0]?.writeHead(500).end();
    await attemptsOf(acme.api, webhook.id, 1);
    receiver.respond = withStatus(204);
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true });
    const attempts = await attemptsOf(acme.api, webhook.id, 3);
    expect(attempts.filter(({ replay, status }) => replay && status === 'delivered')).toHaveLength(2);
  });

  test('is never paused if the setting is 0', async () => {
    const patient = await startTestService({ ...receiverSettings, WEBHOOK_PAUSE_AFTER_DAYS: '0' });
    try {
      const [from, to] = [await patient.business('from'), await patient.business('to')];
      const webhook = await createWebhook(to.api, receiver.url('/patient'));
      await hasSucceeded(patient, webhook);
      await patient.sql(`UPDATE webhooks SET failing_since = now() - interval '99 days', failing_told_at = now() - interval '98 days'`);
      receiver.respond = withStatus(500);
      await from.api.send({ to: 'to' });
      await attemptsOf(to.api, webhook.id, 1);
      expect(await shown(webhook, to.api)).toMatchObject({ active: true, pause: null });
    } finally {
      await patient.stop();
    }
  });
});

describe('an endpoint that responds 410', () => {
  test('is paused at once, gets nothing more, and what waited once it is resumed', async () => {
    const webhook = await register('gone');
    await send(20);
    await attemptsOf(acme.api, webhook.id, 20);
    receiver.respond = (_delivery, response) => setTimeout(() => response.writeHead(410).end(), 20);
    await send(200);
    await expect.poll(() => shown(webhook), PATIENTLY).toMatchObject({ active: false, pause: { reason: 'gone' } });
    // When a change of the webhook has its response, every process knows of it.
    await acme.api.patch(`/webhooks/${webhook.id}`, { description: 'gone' });
    const before = arrivals('gone');
    expect(before).toBeLessThan(220);
    await send(1);
    const other = await register('other');
    receiver.respond = withStatus(204);
    await acme.api.request('POST', `/v1/webhooks/${other.id}/test`);
    await attemptsOf(acme.api, other.id, 1);
    const settled = (await logOf(acme.api, webhook.id)).filter(({ status }) => status !== 'pending').length;
    expect(arrivals('gone')).toBe(settled);
    const { body } = await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true });
    expect(body).toMatchObject({ active: true, pause: null, failing_since: null });
    await expect
      .poll(async () => {
        const messages = receiver.at(`/${acme.handle}/gone`).slice(before);
        return new Set(messages.map(({ headers }) => headers['webhook-id'])).size;
      }, PATIENTLY)
      .toBeGreaterThanOrEqual(221 - 20 - before);
  });

  test('has its attempt logged as failed, without a retry, and a recovery delivers the message', async () => {
    const webhook = await register('refuses');
    receiver.respond = withStatus(500);
    await send(1);
    const [first] = await attemptsOf(acme.api, webhook.id, 1);
    expect(first).toMatchObject({ attempt: 1, status: 'retrying' });
    const uuid = parseId('wh', webhook.id);
    await service.sql("UPDATE webhook_attempts SET due_at = now(), next_attempt_at = now() WHERE webhook_id = $1 AND status = 'pending'", [
      uuid,
    ]);
    receiver.respond = withStatus(410);
    await expect.poll(() => shown(webhook), PATIENTLY).toMatchObject({ active: false, pause: { reason: 'gone' } });
    const log = await logOf(acme.api, webhook.id);
    expect(log[1]).toMatchObject({ attempt: 2, status: 'failed', status_code: 410, next_attempt_at: null });
    expect(log).toHaveLength(2);
    const { body } = await acme.api.get(`/webhooks/${webhook.id}/messages?state=failed`);
    expect(body.data).toMatchObject([{ message_id: first?.message_id, state: 'failed' }]);

    receiver.respond = withStatus(204);
    const before = arrivals('refuses');
    // Moves the times as if the message had come long before the 410.
    await service.sql("UPDATE webhooks SET paused_at = paused_at + interval '1 hour', failing_since = NULL WHERE id = $1", [uuid]);
    await service.sql("UPDATE webhook_attempts SET attempted_at = attempted_at + interval '1 hour' WHERE webhook_id = $1", [uuid]);
    await acme.api.patch(`/webhooks/${webhook.id}`, { active: true, recover: true });
    await expect.poll(() => arrivals('refuses'), PATIENTLY).toBe(before + 1);
    expect(receiver.at(`/${acme.handle}/refuses`).at(-1)?.headers['webhook-id']).toBe(first?.message_id);
  });

  test('also for a test of a new webhook, with a mail that says why', async () => {
    const owner = await claimedBy(service, 'gina@gone.test', 'ginas');
    const { body: webhook } = await owner.post('/webhooks', { url: receiver.url('/ginas') });
    receiver.respond = withStatus(410);
    await owner.post(`/webhooks/${webhook.id}/test`, undefined);
    await expect
      .poll(async () => (await owner.get(`/webhooks/${webhook.id}`)).body, PATIENTLY)
      .toMatchObject({ active: false, pause: { reason: 'gone' } });
    const mails = async () => (await mailsFor(service, 'gina@gone.test')).filter((text) => text.includes('is paused'));
    await expect.poll(mails, PATIENTLY).toHaveLength(1);
    expect((await mails())[0]).toContain('410');
  });
});
