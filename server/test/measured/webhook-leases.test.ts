import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, dueIn, hasSucceeded, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };
/** Shorter than the ten seconds of a request without a response. */
const SOONER_THAN_IT_ENDS = { timeout: 6_000, interval: 20 };

let service: TestService;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '600,600' });
  sender = await service.business('sender');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const pathOf = (name: string) => `/${acme.handle}/${name}`;
const register = (name: string) => createWebhook(acme.api, receiver.url(pathOf(name)));
const arrivals = (name: string) => receiver.at(pathOf(name)).map(({ headers }) => String(headers['webhook-id']));

async function send(count: number): Promise<string[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => sender.api.send({ to: acme.handle })));
  for (const { status, text } of responses) expect(status, text).toBe(201);
  return responses.map(({ body }) => body.id);
}

/** Prompt responses widen a webhook's lane until attempts are leased ahead. */
async function widen(name: string): Promise<void> {
  for (let i = 1; i <= 8; i++) {
    await send(25);
    await expect.poll(() => arrivals(name).length, PATIENTLY).toBe(i * 25);
  }
}

const claimsOn = ({ id }: { id: string }) =>
  service.sql<{ attempts: number }>('SELECT cardinality(attempt_ids) AS attempts FROM webhook_leases WHERE webhook_id = $1', [
    parseId('wh', id),
  ]);

test('an attempt for a message that is gone fails with the reason, and the others of its webhook are made', async () => {
  const webhook = await register('gone');
  receiver.respond = withStatus(500);
  const [gone] = await send(1);
  await attemptsOf(acme.api, webhook.id, 1);
  await service.sql('DELETE FROM ledger_entries WHERE message_id = $1', [parseId('msg', String(gone))]);
  receiver.respond = withStatus(204);
  await dueIn(service, webhook, 0);
  const [kept] = await send(1);
  await attemptsOf(acme.api, webhook.id, 3);
  const log = await logOf(acme.api, webhook.id);
  const of = (id: string | undefined) => log.filter(({ message_id }) => message_id === id);
  expect(of(gone).map(({ status }) => status)).toEqual(['retrying', 'retrying', 'pending']);
  expect(of(gone)[1]).toMatchObject({ attempt: 2, status_code: null, error: 'the message is no longer there' });
  expect(of(kept)).toEqual([expect.objectContaining({ status: 'delivered' })]);
  expect(arrivals('gone')).toEqual([gone, kept]);
});

test('an endpoint that stops responding when it is at full width leaves places to the other webhooks of its business', async () => {
  const webhook = await register('stops');
  await widen('stops');
  receiver.respond = ({ path }, response) => {
    if (path !== pathOf('stops')) response.writeHead(204).end();
  };
  await send(1_000);
  await expect.poll(() => arrivals('stops').length, PATIENTLY).toBeGreaterThan(300);
  // A business has 1,024 places.
  const [claim] = await claimsOn(webhook);
  expect(claim?.attempts).toBeGreaterThan(100);
  expect(claim?.attempts).toBeLessThanOrEqual(768);
  await register('goes-on');
  const sent = await send(50);
  await expect.poll(() => arrivals('goes-on').length, SOONER_THAN_IT_ENDS).toBe(50);
  expect(arrivals('goes-on').toSorted()).toEqual(sent.toSorted());
});

test('attempts that wait long for their turn are made once each', async () => {
  const webhook = await register('slow');
  await widen('slow');
  receiver.respond = (_delivery, response) => setTimeout(() => response.writeHead(204).end(), 600);
  const sent = await send(400);
  const unmade = `SELECT FROM webhook_attempts WHERE webhook_id = $1 AND status <> 'delivered'`;
  // On a busy machine responses are late, which narrows the lane.
  await expect.poll(() => service.sql(unmade, [parseId('wh', webhook.id)]), { timeout: 600_000, interval: 100 }).toEqual([]);
  expect(arrivals('slow').slice(200).toSorted()).toEqual(sent.toSorted());
});

test('a process that ends leaves no claim behind, and one that goes on lets its claims lapse when there is nothing to do', async () => {
  const webhook = await register('shared');
  const sibling = await service.sibling();
  const bothWorked = async () => {
    await send(20);
    return (await claimsOn(webhook)).length;
  };
  await expect.poll(bothWorked, PATIENTLY).toBe(2);
  await sibling.stop();
  expect(await claimsOn(webhook)).toHaveLength(1);
  await expect.poll(() => claimsOn(webhook), { timeout: 60_000, interval: 200 }).toEqual([]);
});

test('large bodies that are due at once are under way side by side, though they are not signed all in one go', async () => {
  const webhook = await register('large');
  receiver.respond = withStatus(500);
  const large = () => sender.api.send({ to: acme.handle, json: 'x'.repeat(MB - 2) });
  for (const { status, text } of await Promise.all([large(), large(), large(), large()])) expect(status, text).toBe(201);
  await attemptsOf(acme.api, webhook.id, 4);
  await hasSucceeded(service, webhook);
  const open: ServerResponse[] = [];
  receiver.respond = (_, response) => {
    if (open.push(response) === 4) for (const each of open) each.writeHead(204).end();
  };
  await dueIn(service, webhook, 0);
  const delivered = async () => (await logOf(acme.api, webhook.id)).filter(({ status }) => status === 'delivered').length;
  await expect.poll(delivered, SOONER_THAN_IT_ENDS).toBe(4);
});
