import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import type { Api } from '../support/api.ts';
import { type Receiver, type Responder, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook, hasSucceeded } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };
/** Shorter than the ten seconds of a request that is not cancelled. */
const SOONER_THAN_BY_ITSELF = { timeout: 5_000, interval: 20 };

let service: TestService;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let receiver: Receiver;
let acme: TestBusiness;
let fence: TestBusiness;
let path: string;
let webhookId: string;
let webhooks = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
  acme = await service.business('acme');
  fence = await service.business('fence');
  await createWebhook(fence.api, receiver.url('/fence'));
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  path = `/${++webhooks}`;
  await service.sql('DELETE FROM webhooks WHERE url <> $1', [receiver.url('/fence')]);
  webhookId = (await createWebhook(acme.api, receiver.url(path))).id;
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const remove = (id = webhookId, api = acme.api) => api.request('DELETE', `/v1/webhooks/${id}`);
const both = () => [acme.api, acme.api.at(sibling.url)];
const arrivals = () => receiver.at(path).length;

async function send(count: number, apis: Api[] = [acme.api]): Promise<void> {
  const responses = await Promise.all(Array.from({ length: count }, (_, i) => (apis[i % apis.length] as Api).send({ to: 'acme' })));
  for (const { status, text } of responses) expect(status, text).toBe(201);
}

/** Leaves requests to this path open, and counts them. Other paths, such as the fence, get a response. */
function holding(): { respond: Responder; open(): number } {
  let open = 0;
  return {
    respond: (delivery, response) => {
      if (delivery.path !== path) return withStatus(204)(delivery, response, response.req);
      open++;
      response.once('close', () => open--);
    },
    open: () => open,
  };
}

/** Waits for a delivery to another business: requests that were about to be sent before it have been sent. */
async function passFence(): Promise<void> {
  const count = receiver.at('/fence').length;
  expect((await acme.api.send({ to: 'fence' })).status).toBe(201);
  await expect.poll(() => receiver.at('/fence').length, PATIENTLY).toBeGreaterThan(count);
}

/** A busy machine may stand still between two of them. */
async function settled(number: () => number, atLeast: number): Promise<number> {
  let before = -1;
  let times = 0;
  const isSettled = () => {
    const now = number();
    times = now === before ? times + 1 : 0;
    before = now;
    return times >= 10 && now >= atLeast;
  };
  await expect.poll(isSettled, { interval: 100, timeout: 60_000 }).toBe(true);
  return before;
}

const rowsOf = async (id = webhookId) =>
  (await service.sql('SELECT id FROM webhook_attempts WHERE webhook_id = $1', [parseId('wh', id)])).length;

/** Makes every process look for attempts of a webhook now. */
async function wake(id: string): Promise<void> {
  await service.sql(`SELECT pg_notify('waybill_webhooks', p.id || ':' || $1::text) FROM parties p WHERE handle = 'acme'`, [
    parseId('wh', id),
  ]);
}

describe('once a deletion has its response', () => {
  test('attempts that wait are not made, not even when one is left behind', async () => {
    receiver.respond = withStatus(500);
    await send(3);
    await attemptsOf(acme.api, webhookId, 3);
    expect((await remove()).status).toBe(204);
    await expect.poll(rowsOf, PATIENTLY).toBe(0);
    // A delivery that began before the deletion and ended after it leaves this row.
    await service.sql(
      `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at)
       SELECT m.recipient_id, $1, new_uuid(now()), m.id, 'message.received', 1, now(), now() FROM messages m JOIN parties p ON p.id = m.recipient_id
        WHERE p.handle = 'acme' LIMIT 1`,
      [parseId('wh', webhookId)],
    );
    await wake(webhookId);
    await passFence();
    expect(arrivals()).toBe(3);
    expect(await rowsOf()).toBe(1);
    await service.sql("SELECT graphile_worker.add_job('purge-delivery-log')");
    await expect.poll(rowsOf, PATIENTLY).toBe(0);
    expect(arrivals()).toBe(3);
  });

  test('those already taken and lined up are not begun', async () => {
    // Prompt responses widen the lane until attempts are leased ahead.
    for (let i = 1; i <= 8; i++) {
      await send(25);
      await expect.poll(arrivals, PATIENTLY).toBe(i * 25);
    }
    const held = holding();
    receiver.respond = held.respond;
    await send(350);
    const before = await settled(arrivals, 201);
    expect((await remove()).status).toBe(204);
    await expect.poll(held.open, SOONER_THAN_BY_ITSELF).toBe(0);
    await passFence();
    await passFence();
    expect(arrivals()).toBe(before);
    await expect.poll(rowsOf, PATIENTLY).toBe(0);
  });

  test('other webhooks of the business get what was theirs', async () => {
    const held = holding();
    const kept = await createWebhook(acme.api, receiver.url('/kept'));
    receiver.respond = held.respond;
    await send(10);
    await expect.poll(held.open, PATIENTLY).toBeGreaterThan(0);
    await Promise.all([send(10), remove()]);
    const made = await attemptsOf(acme.api, kept.id, 20);
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['delivered']));
    expect(new Set(receiver.at('/kept').map(({ headers }) => headers['webhook-id'])).size).toBe(20);
    await remove(kept.id);
  });
});

describe('with two processes at work', () => {
  beforeAll(async () => {
    sibling = await service.sibling();
  });
  afterAll(() => sibling.stop());

  test('attempts under way are broken off in each, and none takes their place', async () => {
    const held = holding();
    receiver.respond = held.respond;
    await hasSucceeded(service, { id: webhookId });
    // More than both processes together open at first for a webhook.
    await send(24, both());
    await expect.poll(held.open, PATIENTLY).toBe(8);
    expect((await remove()).status).toBe(204);
    await expect.poll(held.open, SOONER_THAN_BY_ITSELF).toBe(0);
    await passFence();
    await passFence();
    expect(arrivals()).toBe(8);
    await expect.poll(rowsOf, PATIENTLY).toBe(0);
  });

  test('nothing of a stream of messages is delivered once a deletion has its response, and after the chore nothing is left behind', async () => {
    let isOver = false;
    const stream = Promise.all(
      both().map(async (api) => {
        for (let i = 0; i < 40 || !isOver; i++) await send(5, [api]);
      }),
    );
    await expect.poll(arrivals, PATIENTLY).toBeGreaterThan(20);
    expect((await remove(webhookId, acme.api.at(sibling.url))).status).toBe(204);
    // Requests that were on their way to the receiver have arrived.
    await passFence();
    const before = arrivals();
    for (let i = 0; i < 5; i++) await passFence();
    isOver = true;
    await stream;
    await passFence();
    expect(arrivals()).toBe(before);
    await service.sql("SELECT graphile_worker.add_job('purge-delivery-log')");
    await expect.poll(rowsOf, PATIENTLY).toBe(0);
  });

  test('deletions at the same moment are one 204, and not found for the others', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createWebhook(acme.api, receiver.url('/twice'));
      const responses = await Promise.all([...both(), ...both()].map((api) => remove(id, api)));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
      for (const response of responses) if (response.status !== 204) expectRefusal(response, 'not_found');
    }
  });

  test('deletions of different webhooks at the same moment all succeed', async () => {
    const made = await Promise.all(Array.from({ length: 9 }, (_, i) => createWebhook(acme.api, receiver.url(`/many-${i}`))));
    const responses = await Promise.all(made.map(({ id }, i) => remove(id, both()[i % 2])));
    expect(responses.map(({ status }) => status)).toEqual(Array(9).fill(204));
  });
});

test('to delete what is not there disturbs no process', async () => {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  let words = 0;
  client.on('notification', () => words++);
  await client.query('LISTEN waybill_changes');
  for (let i = 0; i < 3; i++) expect((await remove(formatId('wh', newUuid()))).status).toBe(404);
  expect((await remove()).status).toBe(204);
  await client.query('SELECT 1');
  expect(words).toBe(1);
  await client.end();
});
