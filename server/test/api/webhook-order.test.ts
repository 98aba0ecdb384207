import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { type Delivery, type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, type CreatedWebhook, dueIn, hasSucceeded, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };

let service: TestService;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '3600' });
  // Two processes share the attempts.
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

async function register(fields: Record<string, unknown> = { ordered: true }): Promise<CreatedWebhook> {
  const { status, text, body } = await acme.api.write('POST', '/webhooks', { url: receiver.url(`/${acme.handle}`), ...fields });
  expect(status, text).toBe(201);
  await hasSucceeded(service, body);
  return body;
}

interface Sent {
  id: string;
  thread_id: string;
}

async function send(after?: Sent): Promise<Sent> {
  const { status, text, body } = await sender.api.send(after ? { in_reply_to: after.id } : { to: acme.handle });
  expect(status, text).toBe(201);
  return body;
}

async function sendThread(length: number): Promise<Sent[]> {
  const sent = [await send()];
  while (sent.length < length) sent.push(await send(sent.at(-1)));
  return sent;
}

const idOf = ({ headers }: Delivery) => String(headers['webhook-id']);
const arrived = () => receiver.at(`/${acme.handle}`).map(idOf);
const ids = (sent: readonly Sent[]) => sent.map(({ id }) => id);
const patch = ({ id }: { id: string }, body: unknown) => acme.api.patch(`/webhooks/${id}`, body);

/** Holds every request open until the test responds to it. */
function hold() {
  const open = new Map<string, ServerResponse>();
  receiver.respond = (delivery, response) => open.set(idOf(delivery), response);
  const end = (id: string, status: number) => {
    open.get(id)?.writeHead(status).end();
    open.delete(id);
  };
  return { open, end };
}

test('ordered is a setting of a webhook, false by default', async () => {
  const webhook = await register({});
  expect((await acme.api.get(`/webhooks/${webhook.id}`)).body.ordered).toBe(false);
  expect((await patch(webhook, { ordered: true })).body.ordered).toBe(true);
  expect((await patch(webhook, { description: 'x' })).body.ordered).toBe(true);
  for (const ordered of [null, 'true', 1]) expectInvalid(await patch(webhook, { ordered }), 'ordered');
});

describe('an ordered webhook', () => {
  test('gets one attempt of a thread at a time, in order of delivery, and those of other threads at the same time', async () => {
    const webhook = await register();
    const { open, end } = hold();
    const threads = await Promise.all([1, 2, 3].map(() => sendThread(4)));
    for (let n = 0; n < 4; n++) {
      const expected = threads.map((thread) => thread[n]?.id ?? '');
      await expect.poll(() => [...open.keys()].toSorted(), PATIENTLY).toEqual(expected.toSorted());
      for (const id of expected) end(id, 204);
    }
    await attemptsOf(acme.api, webhook.id, 12);
    for (const thread of threads) expect(arrived().filter((id) => ids(thread).includes(id))).toEqual(ids(thread));
  });

  test('waits for the retries of a thread with the rest of that thread alone, and goes on after the last', async () => {
    const webhook = await register();
    receiver.respond = withStatus(500);
    const bad = await sendThread(3);
    await attemptsOf(acme.api, webhook.id, 1);
    receiver.respond = withStatus(204);
    const good = await sendThread(3);
    await attemptsOf(acme.api, webhook.id, 4);
    expect(arrived()).toEqual([bad[0]?.id, ...ids(good)]);

    // The first retry is the last and fails as well. Then the next message has its turn.
    receiver.respond = (delivery, response) => response.writeHead(idOf(delivery) === bad[0]?.id ? 500 : 204).end();
    await service.sql(`UPDATE webhook_attempts SET due_at = now() WHERE webhook_id = $1 AND attempt = 2`, [parseId('wh', webhook.id)]);
    const log = await attemptsOf(acme.api, webhook.id, 7);
    expect(log.filter(({ status }) => status === 'dropped').map(({ message_id }) => message_id)).toEqual([bad[0]?.id]);
    expect(arrived().slice(4)).toEqual(ids(bad));
  });

  test('gets replays in order of delivery, too, and none while another attempt of the thread is open', async () => {
    const webhook = await register();
    const thread = await sendThread(3);
    await attemptsOf(acme.api, webhook.id, 3);
    const { open, end } = hold();
    const fourth = await send(thread.at(-1));
    await expect.poll(() => [...open.keys()], PATIENTLY).toEqual([fourth.id]);
    for (const { id } of thread.toReversed()) await acme.api.write('POST', `/messages/${id}/redeliver`, { webhook_id: webhook.id });
    end(fourth.id, 204);
    for (const { id } of thread) {
      await expect.poll(() => [...open.keys()], PATIENTLY).toEqual([id]);
      end(id, 204);
    }
    await attemptsOf(acme.api, webhook.id, 7);
    receiver.respond = withStatus(204);
    await acme.api.write('POST', `/webhooks/${webhook.id}/recover`, { since: '2026-01-01', only: 'all' });
    await attemptsOf(acme.api, webhook.id, 11);
    expect(arrived().slice(7)).toEqual(ids([...thread, fourth]));
  });

  test('gets a test at once, and a thread longer than a lease in order', async () => {
    const webhook = await register();
    const { open, end } = hold();
    const thread = await sendThread(40);
    await expect.poll(() => [...open.keys()], PATIENTLY).toEqual([thread[0]?.id]);
    await acme.api.request('POST', `/v1/webhooks/${webhook.id}/test`);
    await expect.poll(() => open.size, PATIENTLY).toBe(2);
    receiver.respond = withStatus(204);
    for (const id of open.keys()) end(id, 204);
    await attemptsOf(acme.api, webhook.id, 41);
    expect(arrived().filter((id) => ids(thread).includes(id))).toEqual(ids(thread));
  });

  test('delivers what waited when it is resumed, and at once when it is no longer ordered', async () => {
    const webhook = await register();
    receiver.respond = withStatus(500);
    const thread = await sendThread(4);
    await attemptsOf(acme.api, webhook.id, 1);
    await expect
      .poll(
        () => service.sql(`SELECT FROM webhook_attempts WHERE webhook_id = $1 AND due_at = 'infinity'`, [parseId('wh', webhook.id)]),
        PATIENTLY,
      )
      .toHaveLength(3);
    await patch(webhook, { active: false });
    receiver.respond = withStatus(204);
    // The awaited attempt is deleted with the log of a webhook that was paused for long.
    await service.sql('DELETE FROM webhook_attempts WHERE webhook_id = $1 AND message_id = $2', [
      parseId('wh', webhook.id),
      parseId('msg', thread[0]?.id ?? ''),
    ]);
    await patch(webhook, { active: true });
    await attemptsOf(acme.api, webhook.id, 3);
    expect(arrived().slice(1)).toEqual(ids(thread).slice(1));

    receiver.respond = withStatus(500);
    const other = await sendThread(3);
    await attemptsOf(acme.api, webhook.id, 4);
    receiver.respond = withStatus(204);
    await patch(webhook, { ordered: false });
    await attemptsOf(acme.api, webhook.id, 6);
    expect(arrived().slice(-2).toSorted()).toEqual(ids(other).slice(1).toSorted());
    expect((await logOf(acme.api, webhook.id)).filter(({ status }) => status === 'pending')).toMatchObject([{ attempt: 2 }]);
  });

  test('keeps order beside a limit of attempts per second', async () => {
    const webhook = await register({ ordered: true, max_per_second: 20 });
    const threads = await Promise.all([1, 2, 3].map(() => sendThread(5)));
    await attemptsOf(acme.api, webhook.id, 15);
    for (const thread of threads) expect(arrived().filter((id) => ids(thread).includes(id))).toEqual(ids(thread));
  });
});

test('what was queued before a webhook was ordered is delivered without order', async () => {
  const webhook = await register({});
  receiver.respond = withStatus(500);
  const before = await sendThread(2);
  await attemptsOf(acme.api, webhook.id, 2);
  await patch(webhook, { ordered: true });
  receiver.respond = withStatus(204);
  const later = await send(before.at(-1));
  await attemptsOf(acme.api, webhook.id, 3);
  expect(arrived().at(-1)).toBe(later.id);
  await dueIn(service, webhook, 0);
  await attemptsOf(acme.api, webhook.id, 5);
});
