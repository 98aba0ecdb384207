import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { type ConnectProxy, startConnectProxy } from '../support/connect-proxy.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { everyPage, list } from '../support/pages.ts';
import { authority, type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { upload } from '../support/transfer.ts';
import { attemptsOf, createWebhook, dueIn, hasSucceeded } from '../support/webhook-log.ts';

const PUBLIC = '93.184.216.34';

let service: TestService;
let nameServer: NameServer;
let proxy: ConnectProxy;
/** The receiver has a public address behind the proxy. */
let receiver: Receiver;
let sender: TestBusiness;
let acme: TestBusiness;
let webhookId: string;
let businesses = 0;

beforeAll(async () => {
  nameServer = await startNameServer();
  nameServer.set('hook.test', [PUBLIC]);
  receiver = await startReceiver({ identity: authority.issue(['hook.test', 'localhost']) });
  proxy = await startConnectProxy();
  proxy.ports.set(`${PUBLIC}:443`, receiver.port);
  service = await startTestService({
    DNS_SERVERS: nameServer.address,
    WEBHOOK_PRIVATE_HOSTS: 'localhost',
    OUTBOUND_PROXY: proxy.url,
    WEBHOOK_RETRY_DELAYS_S: '600',
  });
  sender = await service.business('sender');
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
  webhookId = (await createWebhook(acme.api, `https://hook.test/${acme.handle}`)).id;
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await receiver.stop();
  await nameServer.stop();
});

const messages = (filters = {}, id = webhookId) => list(acme.api, `/webhooks/${id}/messages`, filters);
const received = () => receiver.at(`/${acme.handle}`);

async function sent(more = {}): Promise<string> {
  const { status, body, text } = await sender.api.send({ to: acme.handle, ...more });
  expect(status, text).toBe(201);
  return body.id;
}

async function delivery(id: string, webhook = webhookId) {
  const { status, text, body } = await acme.api.get(`/webhooks/${webhook}/messages/${id}`);
  expect(status, text).toBe(200);
  return body;
}

/** Waits for exchanges, which are written just after the outcome. */
async function withExchanges(id: string, count: number) {
  return vi.waitFor(
    async () => {
      const found = await delivery(id);
      expect(found.attempts.filter(({ request }: { request: unknown }) => request !== null)).toHaveLength(count);
      return found;
    },
    { timeout: 60_000, interval: 25 },
  );
}

describe('GET /webhooks/{id}/messages', () => {
  test('has one item for each message, with its latest attempt', async () => {
    const first = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    receiver.respond = withStatus(500);
    const second = await sent();
    await attemptsOf(acme.api, webhookId, 2);
    const { status, body } = await messages();
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.data).toMatchObject([
      {
        webhook_id: webhookId,
        message_id: second,
        state: 'retrying',
        latest_attempt: { attempt: 1, status: 'retrying', status_code: 500 },
      },
      {
        webhook_id: webhookId,
        message_id: first,
        state: 'delivered',
        next_attempt_at: null,
        latest_attempt: { status: 'delivered', event: 'message.received' },
      },
    ]);
    expect(body.data[0].next_attempt_at).toBe(body.data[0].latest_attempt.next_attempt_at);
    await dueIn(service, { id: webhookId }, 0);
    await attemptsOf(acme.api, webhookId, 3);
    expect((await messages()).body.data).toMatchObject([
      { message_id: second, state: 'dropped', next_attempt_at: null, latest_attempt: { attempt: 2 } },
      { message_id: first },
    ]);
  });

  test('tells messages apart by type, subject and parties; a test has none of them', async () => {
    const id = await sent({ type: 'order', subject: 'Order PO-5013', json: { large: 'x'.repeat(100_000) } });
    await attemptsOf(acme.api, webhookId, 1);
    const message = { type: 'order', subject: 'Order PO-5013', from: { handle: 'sender' }, to: { handle: acme.handle } };
    for (const filters of [{}, { message: id }]) expect((await messages(filters)).body.data).toMatchObject([{ message_id: id, message }]);
    expect((await messages()).text.length).toBeLessThan(5_000);
    await acme.api.request('POST', `/v1/webhooks/${webhookId}/test`);
    await attemptsOf(acme.api, webhookId, 2);
    expect((await messages()).body.data).toMatchObject([{ message: null }, { message }]);
  });

  test('has a redelivered message where its replay is, pending and then delivered', async () => {
    receiver.respond = withStatus(500);
    const older = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    await dueIn(service, { id: webhookId }, 0);
    await attemptsOf(acme.api, webhookId, 2);
    const newer = await sent();
    await attemptsOf(acme.api, webhookId, 3);
    const order = async () => (await messages()).body.data.map(({ message_id, state }: Record<string, string>) => [message_id, state]);
    expect(await order()).toEqual([
      [newer, 'retrying'],
      [older, 'dropped'],
    ]);
    let respondNow = () => {};
    receiver.respond = (_delivery, response) => {
      respondNow = () => response.writeHead(200).end();
    };
    const { status } = await acme.api.write('POST', `/messages/${older}/redeliver`, { webhook_id: webhookId });
    expect(status).toBe(202);
    expect(await order()).toEqual([
      [older, 'pending'],
      [newer, 'retrying'],
    ]);
    await expect.poll(() => received().length, { timeout: 60_000 }).toBe(4);
    respondNow();
    await attemptsOf(acme.api, webhookId, 4);
    expect(await order()).toEqual([
      [older, 'delivered'],
      [newer, 'retrying'],
    ]);
    expect((await messages({ state: 'dropped' })).body.data).toEqual([]);
    expect((await delivery(older)).attempts.map(({ attempt, replay }: Record<string, unknown>) => [attempt, replay])).toEqual([
      [1, true],
      [2, false],
      [1, false],
    ]);
  });

  test('filters by state, message and time', async () => {
    const delivered = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    receiver.respond = withStatus(500);
    const retrying = await sent();
    const [, failed] = await attemptsOf(acme.api, webhookId, 2);
    const test = await acme.api.request('POST', `/v1/webhooks/${webhookId}/test`);
    expect(test.status).toBe(202);
    const logged = await attemptsOf(acme.api, webhookId, 3);
    const tested = logged.find(({ event }) => event === 'message.test')?.message_id;
    const found = async (filters: object) =>
      (await messages(filters)).body.data.map(({ message_id }: { message_id: string }) => message_id);
    expect(await found({ state: 'delivered' })).toEqual([delivered]);
    expect(await found({ state: 'retrying' })).toEqual([retrying]);
    expect(await found({ state: 'failed' })).toEqual([tested]);
    expect(await found({ state: 'dropped' })).toEqual([]);
    expect(await found({ state: 'pending' })).toEqual([]);
    expect(await found({ message: delivered })).toEqual([delivered]);
    expect(await found({ message: delivered, state: 'retrying' })).toEqual([]);
    expect(await found({ message: formatId('msg', newUuid()) })).toEqual([]);
    expect(await found({ message: tested })).toEqual([tested]);
    expect(await found({ message: 'nonsense' })).toEqual([]);
    const at = failed?.attempted_at ?? '';
    expect(await found({ since: at })).toEqual([tested, retrying]);
    expect(await found({ until: at })).toEqual([delivered]);
    expect(await found({ message: retrying, since: at })).toEqual([retrying]);
    expect(await found({ message: retrying, until: at })).toEqual([]);
    expect(await found({ since: '2100-01-01' })).toEqual([]);
    expectInvalid(await messages({ since: 'soon' }), 'since');
    expectInvalid(await messages({ state: 'lost' }), 'state');
  });

  test('pages through deliveries, and through a log longer than one scan', async () => {
    const [{ party_id }] = (await service.sql<{ party_id: string }>('SELECT party_id FROM webhooks WHERE id = $1', [
      parseId('wh', webhookId),
    ])) as [{ party_id: string }];
    // 25,000 delivered attempts, and one dropped attempt before them.
    await service.database.of(BigInt(party_id)).queryText(
      `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, status, due_at, created_at, attempted_at, status_code, response_ms)
       SELECT $1, $2, new_uuid(now() - make_interval(secs => 30000 - n)), gen_random_uuid(), 'message.received', 1,
              (CASE WHEN n = 1 THEN 'dropped' ELSE 'delivered' END)::attempt_status, now(), now() - make_interval(secs => 30000 - n), now() - make_interval(secs => 30000 - n), 200, 1
         FROM generate_series(1, 25000) n`,
      [party_id, parseId('wh', webhookId)],
    );
    expect((await messages({ state: 'dropped' })).body.data).toHaveLength(1);
    const pagesOfRecent = await everyPage(acme.api, `/webhooks/${webhookId}/messages`, {
      since: new Date(Date.now() - 5_400_000).toISOString(),
      limit: 100,
    });
    const recent = pagesOfRecent.flat();
    expect(recent.length).toBeGreaterThan(350);
    expect(new Set(recent.map(({ message_id }) => message_id)).size).toBe(recent.length);
    // None is pending, so pages without items lead to the end.
    let cursor = '';
    let pages = 0;
    do {
      const { body } = await messages({ state: 'pending', ...(cursor && { cursor }) });
      expect(body.data).toEqual([]);
      cursor = body.next_cursor ?? '';
      pages++;
    } while (cursor !== '');
    expect(pages).toBe(3);
    const { body } = await messages({ limit: 1 });
    expectInvalid(await messages({ limit: 1, state: 'delivered', cursor: body.next_cursor }), 'cursor');
  });

  test('is not there for others', async () => {
    const message = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    const other = await service.business(`other-${businesses}`);
    const mine = await createWebhook(other.api, 'https://hook.test/other');
    expectRefusal(await other.api.get(`/webhooks/${webhookId}/messages`), 'not_found');
    expectRefusal(await other.api.get(`/webhooks/${webhookId}/messages/${message}`), 'not_found');
    expectRefusal(await other.api.get(`/webhooks/${mine.id}/messages/${message}`), 'not_found');
    expect((await list(other.api, `/webhooks/${mine.id}/messages`, { message })).body.data).toEqual([]);
    expectRefusal(await acme.api.get(`/webhooks/${webhookId}/messages/dlv_nonsense`), 'not_found');
    const [attempt] = await attemptsOf(acme.api, webhookId, 1);
    expectRefusal(await other.api.get(`/webhooks/${mine.id}/messages/${attempt?.id}`), 'not_found');
  });
});

describe('GET /webhooks/{id}/messages/{message_id}', () => {
  test('has every attempt with its request and response, and the body as it was sent', async () => {
    await acme.api.patch(`/webhooks/${webhookId}`, { headers: { Authorization: 'Bearer s3cret', 'X-Team': 'billing' } });
    receiver.respond = (_delivery, response) =>
      response.writeHead(503, { 'content-type': 'text/plain', 'x-node': 'a1' }).end('down for repairs');
    const message = await sent({ json: { amount: 12.5, note: 'naïve ✓' } });
    await attemptsOf(acme.api, webhookId, 1);
    await dueIn(service, { id: webhookId }, 0);
    receiver.respond = (_delivery, response) => response.writeHead(200).end('thanks');
    await attemptsOf(acme.api, webhookId, 2);
    const found = await withExchanges(message, 2);
    const [first, second] = received();
    expect(found).toMatchObject({ webhook_id: webhookId, message_id: message, state: 'delivered', next_attempt_at: null });
    expect([first?.body.toString(), second?.body.toString()]).toEqual([found.body, found.body]);
    const [latest, earlier] = found.attempts;
    expect(latest).toMatchObject({ attempt: 2, status: 'delivered', status_code: 200, response: { body: 'thanks', truncated: false } });
    expect(earlier).toMatchObject({
      attempt: 1,
      status: 'retrying',
      status_code: 503,
      response: { body: 'down for repairs', truncated: false },
    });
    expect(earlier.response.headers).toContainEqual({ name: 'x-node', value: 'a1' });
    expect(earlier.request).toMatchObject({ url: `https://hook.test/${acme.handle}`, body_as_shown: true });
    // Every header that the service sets is shown as it was received, except secrets.
    for (const [shown, real] of [
      [earlier, first],
      [latest, second],
    ] as const)
      for (const { name, value } of shown.request.headers) {
        const isSecret = ['authorization', 'x-team', 'waybill-signature', 'webhook-signature'].includes(name);
        expect([name, value]).toEqual([name, isSecret ? null : real?.headers[name]]);
      }
    expect(earlier.request.headers).toContainEqual({ name: 'authorization', value: null });
    expect(JSON.stringify(found)).not.toMatch(/s3cret|billing/);
    const stored = await service.sql('SELECT * FROM webhook_exchanges e WHERE webhook_id = $1', [parseId('wh', webhookId)]);
    expect(JSON.stringify(stored)).not.toMatch(/s3cret|billing/);
    // The id of any attempt, which a receiver has in its own log, leads to the same delivery.
    expect(await delivery(first?.headers['waybill-delivery-id'] as string)).toEqual(found);
    expect(await delivery(second?.headers['waybill-delivery-id'] as string)).toEqual(found);
  });

  test('signs download URLs of files again, and says so; all else is the same', async () => {
    const message = await sent({ files: [await upload(sender.api, 'hello')] });
    await attemptsOf(acme.api, webhookId, 1);
    const found = await withExchanges(message, 1);
    const bare = (envelope: string) => envelope.replace(/"download_url":"[^"]*"/g, '""');
    expect(bare(found.body)).toBe(bare(received()[0]?.body.toString() ?? ''));
    const same =
      createHash('sha256').update(found.body).digest('hex') ===
      createHash('sha256')
        .update(received()[0]?.body ?? '')
        .digest('hex');
    expect(found.attempts[0].request.body_as_shown).toBe(same);
  });

  test('shows what hostile receivers send as harmless text, and little of it', async () => {
    receiver.respond = (_delivery, response) => {
      for (let i = 0; i < 60; i++) response.setHeader(`x-${i}`, `\u00e9${'v'.repeat(i === 0 ? 600 : 30)}`);
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.writeHead(500).end(Buffer.concat([Buffer.from('a\0b\x1b[31m\u202e'), Buffer.from([0xff, 0xfe]), Buffer.alloc(5_000, '€')]));
    };
    const message = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    const { response } = (await withExchanges(message, 1)).attempts.at(-1);
    expect(response.truncated).toBe(true);
    expect(response.body).toMatch(/^a\ufffdb\ufffd\[31m\u202e\ufffd\ufffd€+$/);
    expect(Buffer.byteLength(response.body)).toBeLessThanOrEqual(2_048 + 12);
    expect(response.headers).toHaveLength(32);
    expect(response.headers[0]).toEqual({ name: 'x-0', value: `\u00e9${'v'.repeat(511)}` });
    expect(JSON.stringify(response.headers).length).toBeLessThan(4_096);
  });

  test('has a request and no response where none came', async () => {
    receiver.respond = (_delivery, response) => response.destroy();
    const message = await sent();
    await attemptsOf(acme.api, webhookId, 1);
    const { attempts } = await withExchanges(message, 1);
    expect(attempts.at(-1)).toMatchObject({ status_code: null, request: { body_as_shown: true }, response: null });
    // The pending retry is listed, too.
    expect(attempts[0]).toMatchObject({ status: 'pending', attempt: 2, request: null, response: null });
  });

  test('has nothing of what a private host responds, also not in the database', async () => {
    const { id } = await createWebhook(acme.api, receiver.url('/private'));
    receiver.respond = (_delivery, response) => response.writeHead(200, { 'x-internal': 'topology' }).end('root:x:0:0');
    const message = await sent();
    await attemptsOf(acme.api, id, 1);
    const found = await vi.waitFor(async () => {
      const one = await delivery(message, id);
      expect(one.attempts[0].request).not.toBeNull();
      return one;
    }, 60_000);
    expect(found.attempts[0].response).toBeNull();
    const stored = await service.sql('SELECT * FROM webhook_exchanges WHERE webhook_id = $1', [parseId('wh', id)]);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toMatch(/topology|root:x/);
  });

  test('a message whose first attempt waits is found by its id', async () => {
    await acme.api.patch(`/webhooks/${webhookId}`, { max_per_second: 1 });
    await hasSucceeded(service, { id: webhookId });
    receiver.respond = () => {};
    const message = await sent();
    expect(await delivery(message)).toMatchObject({ state: 'pending', attempts: [{ status: 'pending', attempt: 1, request: null }] });
  });
});
