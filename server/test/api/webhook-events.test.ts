import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { MB, WEBHOOK_EVENTS_UP_TO_WAITING, WEBHOOKS_PER_EVENT_MAX } from '../../src/contract/limits.ts';
import { type FileService, startFileService } from '../support/file-service.ts';
import { type Delivery, type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, putStream, someBytes } from '../support/transfer.ts';
import { verifyOwn, verifyStandard } from '../support/verify-webhook.ts';
import { attemptsOf, type CreatedWebhook, hasSucceeded, logOf } from '../support/webhook-log.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies as they came
type Json = any;

const PATIENTLY = { timeout: 60_000, interval: 25 };
const EVT = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

let service: FileService;
let receiver: Receiver;
let globex: TestBusiness;
let acme: TestBusiness;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startFileService('folder', { ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '0' });
  globex = await service.business('globex');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

async function register(name: string, events: string[], more: object = {}, { api, handle } = acme): Promise<CreatedWebhook> {
  const { status, text, body } = await api.write('POST', '/webhooks', { url: receiver.url(`/${handle}/${name}`), events, ...more });
  expect(status, text).toBe(201);
  expect(body.events).toEqual(events);
  await hasSucceeded(service, body);
  return body;
}

const at = (name: string, { handle } = acme) => receiver.at(`/${handle}/${name}`);
const eventOf = ({ headers }: Delivery) => String(headers['waybill-event']);
const bodyOf = ({ body }: Delivery): Json => JSON.parse(body.toString());

async function arrived(name: string, count: number, whose = acme): Promise<Delivery[]> {
  await expect.poll(() => at(name, whose).length, PATIENTLY).toBeGreaterThanOrEqual(count);
  return at(name, whose);
}

async function sent({ api }: TestBusiness, to: TestBusiness, fields: object = {}): Promise<Json> {
  const { status, text, body } = await api.send({ to: to.handle, type: 'order', ...fields });
  expect(status, text).toBe(201);
  return body;
}

async function threadWith(subject = 'Order 1'): Promise<string> {
  // A document would change the state of the thread, which is an event, too.
  return (await sent(globex, acme, { subject, type: 'query' })).thread_id;
}

function expectSigned(delivery: Delivery | undefined, { secret }: CreatedWebhook): void {
  expect(delivery && [verifyOwn(delivery, secret), verifyStandard(delivery, secret)]).toEqual([true, true]);
}

describe('the events of a webhook', () => {
  test('are received messages at first, and can be changed', async () => {
    const { body } = await acme.api.write('POST', '/webhooks', { url: receiver.url(`/${acme.handle}/plain`) });
    expect(body.events).toEqual(['message.received']);
    const changed = await acme.api.patch(`/webhooks/${body.id}`, { events: ['message.sent', 'thread.updated'] });
    expect([changed.status, changed.body.events]).toEqual([200, ['message.sent', 'thread.updated']]);
    await acme.api.patch(`/webhooks/${body.id}`, { description: 'same events' });
    expect((await acme.api.get(`/webhooks/${body.id}`)).body.events).toEqual(['message.sent', 'thread.updated']);
  });

  test('must be some of those that exist, each once', async () => {
    const { id } = await register('one', ['message.received']);
    for (const events of [[], ['message.sent', 'message.sent'], 'message.sent', null])
      expectInvalid(await acme.api.patch(`/webhooks/${id}`, { events }), 'events');
    for (const events of [['message.lost'], ['message.test']])
      expectInvalid(await acme.api.patch(`/webhooks/${id}`, { events }), 'events/0');
  });

  test('leave out what the webhook did not ask for', async () => {
    await register('sent', ['message.sent']);
    await register('all', ['message.received', 'message.sent']);
    await sent(globex, acme);
    await sent(acme, globex);
    await arrived('all', 2);
    expect((await arrived('sent', 1)).map(eventOf)).toEqual(['message.sent']);
    expect(at('all').map(eventOf).toSorted()).toEqual(['message.received', 'message.sent']);
  });
});

describe('message.sent', () => {
  test('posts what the business sent, signed, with an id of its own', async () => {
    const webhook = await register('hook', ['message.sent']);
    const message = await sent(acme, globex, { json: { a: 1 } });
    const [delivery] = await arrived('hook', 1);
    expectSigned(delivery, webhook);
    expect(delivery?.headers['webhook-id']).toMatch(EVT);
    expect(bodyOf(delivery as Delivery)).toEqual((await acme.api.get(`/messages/${message.id}`)).body);
  });

  test('of a message to oneself has another id than message.received', async () => {
    await register('own', ['message.received', 'message.sent']);
    const { id } = await sent(acme, acme);
    const both = await arrived('own', 2);
    const ids = Object.fromEntries(both.map((delivery) => [eventOf(delivery), delivery.headers['webhook-id']]));
    expect(ids).toEqual({ 'message.received': id, 'message.sent': expect.stringMatching(EVT) });
  });

  test('is chosen by type, whatever the target', async () => {
    await register('invoices', ['message.sent'], { types: ['invoice.*'], target: 'orders' });
    await sent(acme, globex, { type: 'order' });
    const invoice = await sent(acme, globex, { type: 'invoice.final' });
    expect((await arrived('invoices', 1)).map((delivery) => bodyOf(delivery).id)).toEqual([invoice.id]);
  });

  test('keeps the order of a thread, with what is received, if the webhook is ordered', async () => {
    await register('ordered', ['message.received', 'message.sent'], { ordered: true });
    const first = await sent(globex, acme);
    const ids = [first.id];
    for (let i = 0; i < 6; i++) ids.push((await (i % 2 ? globex : acme).api.send({ in_reply_to: ids.at(-1), note: `${i}` })).body.id);
    const all = await arrived('ordered', ids.length);
    expect(all.map((delivery) => bodyOf(delivery).id)).toEqual(ids);
  });
});

describe('schema.failed', () => {
  test('posts messages that fail the schema, beside message.received, and no others', async () => {
    await acme.api.write('PUT', '/inbox/schema', { schema: { type: 'object' } });
    await register('failed', ['schema.failed']);
    await register('both', ['message.received', 'schema.failed']);
    const bad = await sent(globex, acme, { json: [] });
    await sent(globex, acme, { json: {} });
    await sent(globex, acme);
    const [delivery] = await arrived('failed', 1);
    expect(bodyOf(delivery as Delivery)).toMatchObject({ id: bad.id, validation: { status: 'failed' } });
    await arrived('both', 4);
    expect([at('failed').length, at('both').map(eventOf).toSorted()]).toEqual([
      1,
      ['message.received', 'message.received', 'message.received', 'schema.failed'],
    ]);
  });

  test('goes by the target', async () => {
    await acme.api.write('PUT', '/inbox/schema', { schema: { type: 'object' } });
    await register('orders', ['schema.failed'], { target: 'orders' });
    await sent(globex, acme, { json: [] });
    const { status, body } = await globex.api.send({ to: `${acme.handle}/orders`, json: [] });
    expect(status).toBe(201);
    expect((await arrived('orders', 1)).map((delivery) => bodyOf(delivery).id)).toEqual([body.id]);
  });
});

describe('thread.updated', () => {
  test('posts a thread after each change that all of the business see', async () => {
    const webhook = await register('threads', ['thread.updated']);
    const id = await threadWith('Order 7');
    await acme.api.patch(`/threads/${id}`, { status: 'done' });
    const [first] = await arrived('threads', 1);
    expectSigned(first, webhook);
    expect(bodyOf(first as Delivery)).toEqual({
      id,
      subject: 'Order 7',
      with: expect.objectContaining({ kind: 'handle', handle: 'globex' }),
      message_count: 1,
      comment_count: 0,
      status: 'done',
      assignee: null,
      labels: [],
      document: null,
    });
    await acme.api.patch(`/threads/${id}`, { assignee: 'me', add_labels: ['urgent'] });
    const [, second] = await arrived('threads', 2);
    expect(bodyOf(second as Delivery)).toMatchObject({ labels: ['urgent'], assignee: { kind: 'agent' } });
    await acme.api.write('POST', `/threads/${id}/comments`, { text: 'Looks fine.' });
    const [, , third] = await arrived('threads', 3);
    expect(bodyOf(third as Delivery)).toMatchObject({ comment_count: 1 });
    expect(new Set(at('threads').map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  test('is not about what one reader has read', async () => {
    await register('reads', ['thread.updated']);
    const id = await threadWith();
    await acme.api.patch(`/threads/${id}`, { unread: false });
    await acme.api.write('POST', `/threads/${id}/read`, {});
    await acme.api.patch(`/threads/${id}`, { status: 'done' });
    expect((await arrived('reads', 1)).map((delivery) => bodyOf(delivery).status)).toEqual(['done']);
  });

  test('comes for each of several threads, and for none of those that were refused', async () => {
    await register('many', ['thread.updated']);
    const ids = [await threadWith('a'), await threadWith('b'), await threadWith('c')];
    const refused = await acme.api.write('POST', '/threads/batch', { ids: [...ids, 'thr_00000000000000000000000000'], status: 'done' });
    expect(refused.status).toBe(404);
    const { status } = await acme.api.write('POST', '/threads/batch', { ids, labels: ['x'] });
    expect(status).toBe(200);
    const all = (await arrived('many', 3)).map(bodyOf);
    expect([all.map(({ id }) => id).toSorted(), all.every((thread) => thread.status === 'open')]).toEqual([ids.toSorted(), true]);
  });

  test('goes to nobody else', async () => {
    await register('theirs', ['thread.updated'], {}, globex);
    await register('ours', ['thread.updated']);
    await acme.api.patch(`/threads/${await threadWith()}`, { status: 'done' });
    await arrived('ours', 1);
    expect(at('theirs', globex)).toEqual([]);
  });
});

describe('webhook.paused', () => {
  test('tells other webhooks of a pause that was asked for', async () => {
    await register('guard', ['webhook.paused']);
    const { id } = await register('other', ['message.received', 'webhook.paused']);
    await acme.api.patch(`/webhooks/${id}`, { active: false });
    await acme.api.patch(`/webhooks/${id}`, { active: false });
    const [delivery] = await arrived('guard', 1);
    expect(bodyOf(delivery as Delivery)).toEqual((await acme.api.get(`/webhooks/${id}`)).body);
    await acme.api.patch(`/webhooks/${id}`, { active: true });
    await sent(globex, acme);
    await arrived('other', 1);
    expect([at('guard').length, at('other').map(eventOf)]).toEqual([1, ['message.received']]);
  });

  test('tells of an endpoint that is gone', async () => {
    await register('guard', ['webhook.paused']);
    const { id } = await register('gone', ['message.received']);
    receiver.respond = (delivery, response) => response.writeHead(delivery.path.endsWith('/gone') ? 410 : 204).end();
    await sent(globex, acme);
    const [delivery] = await arrived('guard', 1);
    expect(bodyOf(delivery as Delivery)).toMatchObject({ id, active: false, pause: { reason: 'gone' } });
  });
});

describe('file.hashed', () => {
  test('tells both parties of the hash of a large file, once', async () => {
    await register('hashes', ['file.hashed']);
    await register('hashes', ['file.hashed'], {}, globex);
    const size = 101 * MB;
    const { upload_id, upload_url, headers } = await announce(acme.api, { size_bytes: size });
    const [chunk, hash] = [someBytes(MB), createHash('sha256')];
    const chunks = Array.from({ length: 101 }, () => chunk);
    for (const piece of chunks) hash.update(piece);
    expect((await putStream(upload_url, { ...headers, 'content-length': size }, Readable.from(chunks))).status).toBe(200);
    const message = await sent(acme, globex, { files: [upload_id] });
    expect(message.files[0].sha256).toBeNull();
    const sha256 = `sha256:${hash.digest('hex')}`;
    for (const whose of [acme, globex]) {
      const [delivery] = await arrived('hashes', 1, whose);
      expect(bodyOf(delivery as Delivery)).toMatchObject({ id: message.id, files: [{ sha256 }] });
      expect(at('hashes', whose)).toHaveLength(1);
    }
  });
});

describe('deliveries of events', () => {
  test('are tried again with the same id, and stand in the log', async () => {
    const webhook = await register('log', ['message.sent', 'thread.updated']);
    let failures = 1;
    receiver.respond = (_, response) => response.writeHead(failures-- > 0 ? 500 : 204).end();
    const thread = await threadWith();
    await acme.api.patch(`/threads/${thread}`, { status: 'done' });
    const [first, second] = await arrived('log', 2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const eventId = String(first?.headers['webhook-id']);
    const made = await attemptsOf(acme.api, webhook.id, 2);
    expect(made).toMatchObject([
      { event: 'thread.updated', event_id: eventId, message_id: null, attempt: 1, status: 'retrying' },
      { event: 'thread.updated', event_id: eventId, message_id: null, attempt: 2, status: 'delivered' },
    ]);
    const { status, body } = await acme.api.get(`/webhooks/${webhook.id}/messages/${eventId}`);
    expect([status, body.state, body.event_id, body.attempts.length, JSON.parse(body.body).id]).toEqual([
      200,
      'delivered',
      eventId,
      2,
      thread,
    ]);
    const { id } = await sent(acme, globex);
    await expect
      .poll(async () => (await logOf(acme.api, webhook.id)).at(-1), PATIENTLY)
      .toMatchObject({ event: 'message.sent', message_id: id });
    const listed = (await acme.api.get(`/webhooks/${webhook.id}/messages?message=${eventId}`)).body.data;
    expect(listed).toMatchObject([{ event_id: eventId, state: 'delivered' }]);
  });

  test('go to five webhooks at most, unless they are of messages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < WEBHOOKS_PER_EVENT_MAX; i++) ids.push((await register(`n${i}`, ['thread.updated'])).id);
    const { id } = await register('more', ['message.sent']);
    expectRefusal(await acme.api.patch(`/webhooks/${id}`, { events: ['message.sent', 'thread.updated'] }), 'conflict');
    const url = receiver.url(`/${acme.handle}/another`);
    expectRefusal(await acme.api.write('POST', '/webhooks', { url, events: ['thread.updated'] }), 'conflict');
    expect((await acme.api.patch(`/webhooks/${ids[0]}`, { events: ['thread.updated', 'message.sent'] })).status).toBe(200);
  });

  test('are not queued for a webhook that has as many waiting as it may', async () => {
    const webhook = await register('behind', ['thread.updated']);
    const thread = await threadWith();
    const wait = (count: number) =>
      service.sql(
        `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at)
         SELECT party_id, id, gen_random_uuid(), gen_random_uuid(), 'message.test', 1, now() + interval '1 day', now()
           FROM webhooks, generate_series(1, $2::integer) WHERE id = $1`,
        [parseId('wh', webhook.id), count],
      );
    await wait(WEBHOOK_EVENTS_UP_TO_WAITING - 1);
    await acme.api.patch(`/threads/${thread}`, { status: 'done' });
    const told = async () =>
      (
        await service.sql(`SELECT status FROM webhook_attempts WHERE webhook_id = $1 AND event = 'thread.updated'`, [
          parseId('wh', webhook.id),
        ])
      ).map(({ status }) => status);
    await expect.poll(told, PATIENTLY).toEqual(['delivered']);
    await wait(1);
    await acme.api.patch(`/threads/${thread}`, { status: 'open' });
    expect(await told()).toEqual(['delivered']);
  });

  test('can not be recovered, as only received messages can', async () => {
    const webhook = await register('norecover', ['thread.updated']);
    const since = new Date(Date.now() - 60_000).toISOString();
    expectRefusal(await acme.api.write('POST', `/webhooks/${webhook.id}/recover`, { since }), 'conflict');
  });
});
