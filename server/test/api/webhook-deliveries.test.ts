import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MB } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { type FileService, startFileService } from '../support/file-service.ts';
import { hardJson } from '../support/hard-json.ts';
import { type Delivery, type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import type { TestBusiness } from '../support/service.ts';
import { download, someBytes, upload } from '../support/transfer.ts';
import { signedAt, verifyOwn, verifyStandard } from '../support/verify-webhook.ts';
import { attemptsOf, type CreatedWebhook, createWebhook, dueIn, logOf } from '../support/webhook-log.ts';

const HOUR_S = 3_600;

let service: FileService;
let receiver: Receiver;
let acme: TestBusiness;
let globex: TestBusiness;
let webhook: CreatedWebhook;

beforeAll(async () => {
  service = await startFileService('folder', receiverSettings);
  receiver = await startReceiver();
  [acme, globex] = await Promise.all([service.business('acme'), service.business('globex')]);
  webhook = await createWebhook(globex.api, receiver.url('/hook?of=globex'));
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});
afterEach(() => {
  vi.useRealTimers();
  receiver.respond = withStatus(204);
});

async function sent(message: unknown): Promise<ApiResponse> {
  const response = await acme.api.send(message);
  expect(response.status, response.text.slice(0, 500)).toBe(201);
  return response;
}

/** Returns the deliveries of a message, once there are this many. */
async function deliveriesOf({ body }: ApiResponse, count = 1): Promise<Delivery[]> {
  const those = () => receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === body.id);
  await vi.waitFor(() => expect(those()).toHaveLength(count), { timeout: 60_000, interval: 5 });
  return those();
}

async function deliveryOf(message: ApiResponse): Promise<Delivery> {
  return (await deliveriesOf(message))[0] as Delivery;
}

function expectSigned(delivery: Delivery): void {
  expect(verifyOwn(delivery, webhook.secret)).toBe(true);
  expect(verifyStandard(delivery, webhook.secret)).toBe(true);
}

const envelopeOf = ({ body }: Delivery) => JSON.parse(body.toString());

describe('the body', () => {
  test('is the message as its recipient reads it', async () => {
    const first = await sent({ to: 'globex', type: 'order', subject: 'Order 7', note: 'Grüße 🚚', json: { a: [1] } });
    const { body } = await deliveryOf(first);
    expect(body.toString()).toBe((await globex.api.get(`/messages/${first.body.id}`)).text);
    const reply = await globex.api.send({ in_reply_to: first.body.id, json: { b: 2 } });
    expect(reply.status, reply.text).toBe(201);
    const response = await sent({ in_reply_to: reply.body.id, json: { c: 3 } });
    const envelope = envelopeOf(await deliveryOf(response));
    expect(envelope).toEqual((await globex.api.get(`/messages/${response.body.id}`)).body);
    expect(envelope).toMatchObject({ in_reply_to: reply.body.id, thread_id: first.body.thread_id });
  });

  test.each(hardJson)('carries json byte for byte, and so signed: %s', async (_, written) => {
    const message = await sent(`{"to":"globex","json":${written}}`);
    const delivery = await deliveryOf(message);
    const text = delivery.body.toString();
    expect(text.includes(`"json":${written},"`)).toBe(true);
    expect(text === (await globex.api.get(`/messages/${message.body.id}`)).text).toBe(true);
    expectSigned(delivery);
  });

  test.each([
    ['one text', `"${'x'.repeat(MB - 2)}"`],
    ['characters of three bytes', `"${'漢'.repeat((MB - 2) / 3)}"`],
    ['many numbers', `[${'12345678901234567890,'.repeat(49_000)}1]`],
  ])('may be as large as json can be: %s', async (_, written) => {
    expect(Buffer.byteLength(written)).toBeGreaterThan(MB * 0.95);
    const message = await sent(`{"to":"globex","json":${written}}`);
    const delivery = await deliveryOf(message);
    expect(delivery.body.toString().includes(`"json":${written},"`)).toBe(true);
    expectSigned(delivery);
  });
});

describe('the request', () => {
  test('is a POST to the URL with its path and query, and carries the headers of the specification', async () => {
    const message = await sent({ to: 'globex' });
    const { method, path, headers, body } = await deliveryOf(message);
    expect([method, path]).toEqual(['POST', '/hook?of=globex']);
    const { connection: _, ...carried } = headers;
    expect(carried).toEqual({
      host: `localhost:${receiver.port}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'waybill-webhooks/1.0',
      'waybill-event': 'message.received',
      'waybill-delivery-id': expect.stringMatching(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
      'waybill-signature': expect.stringMatching(/^t=[0-9]{10},v1=[0-9a-f]{64}$/),
      'webhook-id': message.body.id,
      'webhook-timestamp': expect.stringMatching(/^[0-9]{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('comes soon after the 201', async () => {
    const delays: number[] = [];
    for (let i = 0; i < 11; i++) {
      const message = await sent({ to: 'globex', json: i });
      const respondedAt = Date.now();
      delays.push((await deliveryOf(message)).at - respondedAt);
    }
    // Without a NOTIFY, a sweep finds the message only once a second.
    expect(delays.toSorted((a, b) => a - b)[5]).toBeLessThan(300);
  });

  test('uses a connection again', async () => {
    const sockets = new Set<unknown>();
    for (let i = 0; i < 10; i++) sockets.add((await deliveryOf(await sent({ to: 'globex', json: i }))).socket);
    expect(sockets.size).toBeLessThanOrEqual(3);
  });

  test('is not repeated after a 2xx', async () => {
    const message = await sent({ to: 'globex' });
    await deliveryOf(message);
    await expect
      .poll(async () => (await logOf(globex.api, webhook.id)).filter(({ message_id }) => message_id === message.body.id))
      .toEqual([expect.objectContaining({ attempt: 1, status: 'delivered', status_code: 204, error: null, next_attempt_at: null })]);
  });
});

describe('the signatures', () => {
  let delivery: Delivery;

  beforeAll(async () => {
    delivery = await deliveryOf(await sent({ to: 'globex', json: { price: 100 }, note: 'Grüße' }));
  });

  test('hold, and were made just before the request', () => {
    expectSigned(delivery);
    const { own, standard } = signedAt(delivery);
    expect(standard).toBe(own);
    expect(own).toBeLessThanOrEqual(delivery.at / 1000 + 1);
    expect(own).toBeGreaterThan(delivery.at / 1000 - 10);
  });

  test.each<[string, (text: string) => string]>([
    ['changed in one character', (text) => text.replace('"price":100', '"price":900')],
    ['with a space more', (text) => `${text} `],
    ['cut off', (text) => text.slice(0, -1)],
    ['serialized again', (text) => JSON.stringify(JSON.parse(text), null, 1)],
    ['empty', () => ''],
  ])('do not hold for a body %s', (_, change) => {
    const forged = { ...delivery, body: Buffer.from(change(delivery.body.toString())) };
    expect(forged.body.equals(delivery.body)).toBe(false);
    expect([verifyOwn(forged, webhook.secret), verifyStandard(forged, webhook.secret)]).toEqual([false, false]);
  });

  test('do not hold with the secret of another webhook, even one to the same URL', async () => {
    const other = await createWebhook(acme.api, receiver.url('/hook?of=globex'));
    expect([verifyOwn(delivery, other.secret), verifyStandard(delivery, other.secret)]).toEqual([false, false]);
  });

  test('do not hold with another timestamp or id', () => {
    const { own } = signedAt(delivery);
    const later = String(own + 1);
    const headers = {
      ...delivery.headers,
      'waybill-signature': String(delivery.headers['waybill-signature']).replace(`t=${own}`, `t=${later}`),
      'webhook-timestamp': later,
    };
    expect([verifyOwn({ ...delivery, headers }, webhook.secret), verifyStandard({ ...delivery, headers }, webhook.secret)]).toEqual([
      false,
      false,
    ]);
    const renamed = { ...delivery, headers: { ...delivery.headers, 'webhook-id': 'msg_other' } };
    expect(verifyStandard(renamed, webhook.secret)).toBe(false);
  });

  test('are too old or too new 301 seconds away, and good at 300', () => {
    const { own } = signedAt(delivery);
    const verdicts = [-301, -300, 300, 301].map((away) => {
      vi.setSystemTime((own + away) * 1000);
      return [verifyOwn(delivery, webhook.secret), verifyStandard(delivery, webhook.secret)];
    });
    vi.useRealTimers();
    expect(verdicts).toEqual([
      [false, false],
      [true, true],
      [true, true],
      [false, false],
    ]);
  });
});

describe('attempts at one message', () => {
  const bytes = someBytes(5_000);
  const attempts: Delivery[] = [];
  let flaky: CreatedWebhook;
  let message: ApiResponse;

  const atFlaky = () => receiver.at('/flaky');

  beforeAll(async () => {
    flaky = await createWebhook(globex.api, receiver.url('/flaky'));
    receiver.respond = ({ path }, response) => response.writeHead(path === '/flaky' && atFlaky().length < 3 ? 500 : 200).end();
    message = await sent({ to: 'globex', files: [await upload(acme.api, bytes)] });
    for (const count of [1, 2, 3]) {
      await attemptsOf(globex.api, flaky.id, count);
      if (count === 3) break;
      // In another second, so that a new signature differs from a repeated one.
      await dueIn(service, flaky, 1.1);
    }
    attempts.push(...atFlaky());
  });

  test('have ids of their own, which the log has too', async () => {
    const log = await logOf(globex.api, flaky.id);
    expect(log.map(({ attempt, status, status_code }) => [attempt, status, status_code])).toEqual([
      [1, 'retrying', 500],
      [2, 'retrying', 500],
      [3, 'delivered', 200],
    ]);
    const deliveryIds = attempts.map(({ headers }) => headers['waybill-delivery-id']);
    expect(deliveryIds).toEqual(log.map(({ id }) => id));
    expect(new Set(deliveryIds).size).toBe(3);
    const ofOther = (await deliveriesOf(message, 4)).find(({ path }) => path !== '/flaky');
    expect(deliveryIds).not.toContain(ofOther?.headers['waybill-delivery-id']);
  });

  test('share the webhook-id, and are signed again', () => {
    expect(attempts.map(({ headers }) => headers['webhook-id'])).toEqual(Array(3).fill(message.body.id));
    for (const delivery of attempts)
      expect([verifyOwn(delivery, flaky.secret), verifyStandard(delivery, flaky.secret)]).toEqual([true, true]);
    const [first, second, third] = attempts.map((delivery) => signedAt(delivery).own) as [number, number, number];
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
  });

  test('carry the same envelope, but for download URLs that are fresh and work', async () => {
    const read = (await globex.api.get(`/messages/${message.body.id}`)).body;
    const urls = attempts.map((delivery) => envelopeOf(delivery).files[0].download_url);
    for (const [i, delivery] of attempts.entries()) {
      const [file] = read.files;
      expect(envelopeOf(delivery)).toEqual({ ...read, files: [{ ...file, download_url: urls[i] }] });
      expect(Number(new URL(urls[i]).searchParams.get('expires'))).toBeGreaterThan(delivery.at / 1000 + HOUR_S - 10);
      expect((await download(urls[i])).bytes.equals(bytes)).toBe(true);
    }
    expect(new Set(urls).size).toBe(3);
  });
});

test.each([301, 302, 303, 307, 308])('a redirect with %i is not followed, and its target sees nothing', async (status) => {
  const target = await startReceiver();
  const turncoat = await createWebhook(globex.api, receiver.url(`/redirect-${status}`));
  receiver.respond = ({ path }, response) => {
    if (path === `/redirect-${status}`) response.writeHead(status, { location: target.url('/elsewhere') });
    response.end();
  };
  const message = await sent({ to: 'globex' });
  const [attempt] = await attemptsOf(globex.api, turncoat.id, 1);
  expect(attempt).toMatchObject({ message_id: message.body.id, status: 'retrying', status_code: status });
  expect(attempt?.error).toContain('redirects are not followed');
  expect(receiver.at(`/redirect-${status}`)).toHaveLength(1);
  expect(target.deliveries).toEqual([]);
  await globex.api.request('DELETE', `/v1/webhooks/${turncoat.id}`);
  await target.stop();
});
