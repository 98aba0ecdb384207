import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { claimedBy, joinedBy } from '../support/businesses.ts';
import { mailsFor } from '../support/people.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, dueIn, hasSucceeded, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };
const FAILURES_MAX = 50;

let service: TestService;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
  // Two processes make the attempts, as if one had been restarted between any two.
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

const pathOf = (name: string) => `/${acme.handle}/${name}`;
const arrivals = (name: string) => receiver.at(pathOf(name)).length;
const register = (name: string) => createWebhook(acme.api, receiver.url(pathOf(name)));
const shown = async ({ id }: { id: string }) => (await acme.api.get(`/webhooks/${id}`)).body;
const setActive = ({ id }: { id: string }, active: boolean) => acme.api.patch(`/webhooks/${id}`, { active });

async function send(count: number, to = acme.handle): Promise<void> {
  const responses = await Promise.all(Array.from({ length: count }, () => sender.api.send({ to })));
  for (const { status, text } of responses) expect(status, text).toBe(201);
}

/** Sends so many messages to a refusing endpoint that it is paused. */
async function paused(name: string): Promise<{ id: string }> {
  const webhook = await register(name);
  receiver.respond = withStatus(500);
  await send(FAILURES_MAX + 10);
  await expect.poll(async () => (await shown(webhook)).active, PATIENTLY).toBe(false);
  return webhook;
}

describe('an endpoint that has never responded 2xx', () => {
  test('gets one attempt at a time from all processes, and many once it has', async () => {
    const open: ServerResponse[] = [];
    let mostAtOnce = 0;
    receiver.respond = (_delivery, response) => {
      mostAtOnce = Math.max(mostAtOnce, open.push(response));
    };
    const end = (status: number) => {
      for (const response of open.splice(0)) response.writeHead(status).end();
    };
    const webhook = await register('new');
    await send(40);
    for (let refused = 1; refused <= 10; refused++) {
      await expect.poll(() => arrivals('new'), PATIENTLY).toBe(refused);
      end(500);
    }
    await expect.poll(() => open.length, PATIENTLY).toBe(1);
    expect(mostAtOnce).toBe(1);
    end(204);
    await expect.poll(() => open.length, PATIENTLY).toBeGreaterThan(2);
    receiver.respond = withStatus(204);
    end(204);
    await attemptsOf(acme.api, webhook.id, 40);
    expect(arrivals('new')).toBe(40);
  });

  test('is paused after 50 failures, gets nothing more, and what waited once it is resumed', async () => {
    const webhook = await paused('refuses');
    const { pause } = await shown(webhook);
    expect(pause).toEqual({ reason: 'never_succeeded', since: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(Math.abs(Date.parse(pause.since) - Date.now())).toBeLessThan(60_000);
    expect((await acme.api.get('/webhooks')).body.data).toEqual([await shown(webhook)]);

    // Neither due nor new messages are posted. New messages are in the inbox all the same.
    const waiting = (await logOf(acme.api, webhook.id)).filter(({ status }) => status === 'pending').length;
    expect(waiting).toBe(FAILURES_MAX + 10);
    await dueIn(service, webhook, 0);
    await send(3);
    expect((await acme.api.get('/inbox?limit=200')).body.data).toHaveLength(FAILURES_MAX + 13);
    expectRefusal(await acme.api.request('POST', `/v1/webhooks/${webhook.id}/test`), 'conflict');
    const other = await register('other');
    receiver.respond = withStatus(204);
    await send(1);
    await attemptsOf(acme.api, other.id, 1);
    expect(arrivals('refuses')).toBe(FAILURES_MAX);

    const resumed = await setActive(webhook, true);
    expect([resumed.status, resumed.body]).toEqual([200, await shown(webhook)]);
    expect(resumed.body).toMatchObject({ active: true, pause: null });
    await attemptsOf(acme.api, webhook.id, FAILURES_MAX + waiting);
    await send(1);
    await attemptsOf(acme.api, webhook.id, FAILURES_MAX + waiting + 1);
    expect(arrivals('refuses')).toBe(FAILURES_MAX + waiting + 1);
  });

  test('is paused again after 50 more if resuming did not help', async () => {
    const webhook = await paused('stays');
    expect((await setActive(webhook, true)).status).toBe(200);
    await send(FAILURES_MAX);
    await expect.poll(async () => (await shown(webhook)).active, PATIENTLY).toBe(false);
    expect(arrivals('stays')).toBe(2 * FAILURES_MAX);
  });
});

test('an endpoint that has responded 2xx once is not paused, not even for a test', async () => {
  const webhook = await register('once');
  await acme.api.request('POST', `/v1/webhooks/${webhook.id}/test`);
  await attemptsOf(acme.api, webhook.id, 1);
  receiver.respond = withStatus(500);
  await send(FAILURES_MAX + 10);
  await attemptsOf(acme.api, webhook.id, FAILURES_MAX + 11);
  expect(await shown(webhook)).toMatchObject({ active: true, pause: null });
});

test('owners and admins are told of the pause by mail, once', async () => {
  const owner = await claimedBy(service, 'olga@corp.test', 'olgas');
  await joinedBy(service, owner, 'adam@corp.test', 'admin');
  await joinedBy(service, owner, 'mia@corp.test', 'member');
  const { body: webhook } = await owner.post('/webhooks', { url: receiver.url('/olgas?token=secret') });
  receiver.respond = withStatus(500);
  await send(FAILURES_MAX + 10, 'olgas');
  const told = async (email: string) => (await mailsFor(service, email)).filter((text) => text.includes('is paused'));
  for (const email of ['olga@corp.test', 'adam@corp.test']) {
    await expect.poll(() => told(email), PATIENTLY).toHaveLength(1);
    const [text] = await told(email);
    expect(text).toContain(`/webhooks/${webhook.id}\n`);
    expect(text).toContain(`localhost:${receiver.port}`);
    expect(text).not.toContain('secret');
  }
  expect(await told('mia@corp.test')).toEqual([]);
});

describe('PATCH /webhooks/{id}', () => {
  test('pauses a webhook until it is resumed', async () => {
    const webhook = await register('asked');
    await hasSucceeded(service, webhook);
    const response = await setActive(webhook, false);
    expect(response.body).toMatchObject({ id: webhook.id, active: false, pause: { reason: 'requested' } });
    expect((await setActive(webhook, false)).body).toEqual(response.body);
    await send(2);
    expect(await logOf(acme.api, webhook.id)).toEqual([]);
    expect((await setActive(webhook, true)).body).toMatchObject({ active: true, pause: null });
    expect((await setActive(webhook, true)).body).toMatchObject({ active: true, pause: null });
    await send(1);
    await attemptsOf(acme.api, webhook.id, 1);
    expect(arrivals('asked')).toBe(1);
  });

  test('does not let a business start over by saying that an active webhook is active', async () => {
    const webhook = await register('sly');
    receiver.respond = withStatus(500);
    await send(FAILURES_MAX - 1);
    await attemptsOf(acme.api, webhook.id, FAILURES_MAX - 1);
    await setActive(webhook, true);
    await send(1);
    await expect.poll(async () => (await shown(webhook)).active, PATIENTLY).toBe(false);
  });
});

test('what waits for a webhook that stays paused goes with the old entries of its log', async () => {
  const webhook = await paused('gone');
  const statuses = async () => new Set((await logOf(acme.api, webhook.id)).map(({ status }) => status));
  const purge = () => service.sql("SELECT graphile_worker.add_job('purge-delivery-log')");
  await service.sql(`UPDATE webhook_attempts SET id = new_uuid(now() - interval '31 days') WHERE webhook_id = $1`, [
    parseId('wh', webhook.id),
  ]);
  await purge();
  await expect.poll(statuses, PATIENTLY).toEqual(new Set(['pending']));
  await service.sql(`UPDATE webhooks SET paused_at = now() - interval '31 days' WHERE id = $1`, [parseId('wh', webhook.id)]);
  await purge();
  await expect.poll(statuses, PATIENTLY).toEqual(new Set());
});
