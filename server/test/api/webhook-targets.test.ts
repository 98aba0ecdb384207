import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { everyPage } from '../support/pages.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { createWebhook, logOf } from '../support/webhook-log.ts';

const PATIENTLY = { timeout: 60_000, interval: 20 };

let service: TestService;
let receiver: Receiver;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, INBOUND_DOMAIN: 'In.Example.org' });
  acme = await service.business('acme', { segment: 'orders' });
  globex = await service.business('globex', { segment: 'orders' });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const post = (body: unknown, api = acme.api) => api.write('POST', '/webhooks', body);
const remove = (id: string, api = acme.api) => api.request('DELETE', `/v1/webhooks/${id}`);

/** Creates and deletes a webhook, so that no message goes there. */
async function withTarget(target: unknown, api = acme.api): Promise<ApiResponse> {
  const response = await post({ url: receiver.url('/forms'), target }, api);
  if (response.status === 201) await remove(response.body.id, api);
  return response;
}

describe('the target of a webhook', () => {
  test.each([
    ['orders', 'orders'],
    ['acme/orders', 'orders'],
    ['acme+orders@in.example.org', 'orders'],
    ['ORDERS', 'orders'],
    ['Acme/Orders', 'orders'],
    ['aCME+oRDERS@IN.example.ORG', 'orders'],
    ['a', 'a'],
    ['0', '0'],
    ['a--b', 'a--b'],
    ['nobody-has-this', 'nobody-has-this'],
    ['acme/nobody-has-this', 'nobody-has-this'],
    // A name alone is always a segment, even if it is also a handle.
    ['acme', 'acme'],
    ['globex', 'globex'],
    ['x'.repeat(31), 'x'.repeat(31)],
    [`acme+${'x'.repeat(31)}@in.example.org`, 'x'.repeat(31)],
  ])('may be written %s, and is shown as the segment', async (target, segment) => {
    const { status, body } = await post({ url: receiver.url('/forms'), target });
    expect([status, body.target]).toEqual([201, segment]);
    expect((await acme.api.get(`/webhooks/${body.id}`)).body.target).toBe(segment);
    expect((await everyPage(acme.api, '/webhooks')).flat().find(({ id }) => id === body.id).target).toBe(segment);
    await remove(body.id);
  });

  test('is null when it is not given, or given as null', async () => {
    expect((await withTarget(null)).body.target).toBeNull();
    expect((await withTarget(undefined)).body.target).toBeNull();
  });

  test('may be the address that GET /me gives, whatever the inbound domain', async () => {
    const { email } = (await acme.api.get('/me')).body.addresses;
    expect(email).toBe('acme+orders@in.example.org');
    expect((await withTarget(email)).body.target).toBe('orders');
    for (const INBOUND_DOMAIN of ['mail.example.net', '']) {
      const sibling = await service.sibling({ INBOUND_DOMAIN, SMTP_LISTEN: '127.0.0.1:0' });
      const there = acme.api.at(sibling.url);
      const other = (await there.get('/me')).body.addresses.email;
      expect(other).not.toBe(email);
      expect((await withTarget(other, there)).body.target).toBe('orders');
      expectInvalid(await withTarget(email, there), 'target');
      await sibling.stop();
    }
  });

  test.each([
    '',
    ' ',
    ' orders',
    'orders ',
    'orders\n',
    'or ders',
    'or_ders',
    'or.ders',
    '*',
    '-orders',
    'orders-',
    '-',
    'ördërs',
    '\u212A',
    'orders\u0000',
    '\ud800',
    'x'.repeat(32),
    'x'.repeat(513),
    '/',
    '/orders',
    'acme/',
    'acme//orders',
    'acme/orders/',
    'acme/orders/more',
    'acme /orders',
    'acme/-orders',
    `acme/${'x'.repeat(32)}`,
    'globex/orders',
    'nobody-has-this/orders',
    'acm/orders',
    'acmee/orders',
    '+orders',
    'acme+orders',
    'acme@in.example.org',
    'orders@in.example.org',
    '+orders@in.example.org',
    'acme+@in.example.org',
    'acme+orders@',
    'acme+orders@example.org',
    'acme+orders@in.example.org.',
    'acme+orders@.in.example.org',
    'acme+orders@xin.example.org',
    'acme+orders@in.example.com',
    'acme+orders@in.example.org@in.example.org',
    'acme+orders@in.example.org, acme+billing@in.example.org',
    'acme+orders+more@in.example.org',
    'acme/orders@in.example.org',
    'acme+or/ders@in.example.org',
    'globex+orders@in.example.org',
    'mailto:acme+orders@in.example.org',
    '<acme+orders@in.example.org>',
    `acme+${'x'.repeat(32)}@in.example.org`,
    5,
    true,
    {},
    ['orders'],
  ])('must not be %j', async (target) => {
    expectInvalid(await withTarget(target), 'target');
  });

  test('is judged alike whether another’s handle exists or not', async () => {
    const [real, unknown] = [await withTarget('globex/orders'), await withTarget('glubex/orders')];
    expect(real.text.replaceAll('globex', 'glubex').replace(/req_\w+/g, '')).toBe(unknown.text.replace(/req_\w+/g, ''));
  });
});

describe('routing', () => {
  const webhooks = new Map<string, { id: string; owner: TestBusiness }>();

  beforeAll(async () => {
    const register = async (owner: TestBusiness, name: string, target: string | null) => {
      const { status, body, text } = await post({ url: receiver.url(`/${name}`), target }, owner.api);
      expect(status, text).toBe(201);
      webhooks.set(name, { id: body.id, owner });
    };
    await register(acme, 'all', null);
    await register(acme, 'all-too', null);
    await register(acme, 'orders', 'acme/orders');
    await register(acme, 'orders-too', 'ACME+ORDERS@in.example.org');
    await register(acme, 'ghosts', 'ghosts');
    await register(acme, 'itself', 'acme');
    await register(globex, 'globex-all', null);
    await register(globex, 'globex-orders', 'orders');
    await register(globex, 'globex-billing', 'billing');
  });

  const everything = ['all', 'all-too'];
  const orders = [...everything, 'orders', 'orders-too'];

  /** Attempts are written with the message, so after the send the logs show where it goes. */
  async function expectReceived(messageId: string, names: string[]): Promise<void> {
    const received: string[] = [];
    for (const [name, { id, owner }] of webhooks)
      for (const { message_id } of await logOf(owner.api, id)) if (message_id === messageId) received.push(name);
    expect(received.sort()).toEqual(names.toSorted());
    const arrived = () => receiver.deliveries.filter(({ headers }) => headers['webhook-id'] === messageId).map(({ path }) => path.slice(1));
    await expect.poll(() => arrived().sort(), PATIENTLY).toEqual(names.toSorted());
  }

  async function sent(api: Api, message: object): Promise<ApiResponse['body']> {
    const { status, body, text } = await api.send(message);
    expect(status, text).toBe(201);
    return body;
  }

  test.each([
    ['the bare handle', 'acme', everything],
    ['the segment that two webhooks name', 'acme/orders', orders],
    ['that segment in capitals', 'ACME/Orders', orders],
    ['a segment that nobody has and no webhook names', 'acme/nobody', everything],
    ['a segment that nobody has, but a webhook names', 'acme/ghosts', [...everything, 'ghosts']],
    ['a segment with the name of the business', 'acme/acme', [...everything, 'itself']],
    ['a segment whose name begins like another', 'acme/order', everything],
  ])('of a message to %s', async (_name, to, names) => {
    await expectReceived((await sent(globex.api, { to })).id, names);
  });

  test('leaves the sender’s webhooks alone, and those of the same segment elsewhere', async () => {
    await expectReceived((await sent(acme.api, { to: 'globex' })).id, ['globex-all']);
    await expectReceived((await sent(acme.api, { to: 'globex/orders' })).id, ['globex-all', 'globex-orders']);
    await expectReceived((await sent(acme.api, { to: 'demo' })).id, []);
  });

  test('of a message to oneself calls each webhook that matches once', async () => {
    await expectReceived((await sent(acme.api, { to: 'acme' })).id, everything);
    await expectReceived((await sent(acme.api, { to: 'acme/orders' })).id, orders);
  });

  test('of a reply follows its own address: that of the agent that wrote the message before it, or the one it names', async () => {
    const first = await sent(acme.api, { to: 'globex/billing' });
    await expectReceived(first.id, ['globex-all', 'globex-billing']);
    const reply = await sent(globex.api, { in_reply_to: first.id });
    await expectReceived(reply.id, orders);
    await expectReceived((await sent(globex.api, { in_reply_to: first.id, to: 'acme' })).id, everything);
    await expectReceived((await sent(acme.api, { in_reply_to: reply.id })).id, ['globex-all', 'globex-orders']);
    // A follow-up in the thread goes to the other party again.
    await expectReceived((await sent(acme.api, { in_reply_to: first.id, to: 'globex/orders' })).id, ['globex-all', 'globex-orders']);
  });

  test('of a form is that of the same message as JSON', async () => {
    const form = new FormData();
    form.set('to', 'acme/orders');
    form.set('file', new File(['hello'], 'a.txt'));
    const headers = { authorization: `Bearer ${globex.secret}` };
    const response = await fetch(`${service.url}/v1/messages`, { method: 'POST', headers, body: form });
    expect(response.status).toBe(201);
    await expectReceived(((await response.json()) as { id: string }).id, orders);
  });

  test('happens once for an idempotency key, and not for a refused message', async () => {
    const rows = () => service.sql('SELECT id FROM webhook_attempts');
    const key = { 'idempotency-key': newUuid() };
    const { body } = await globex.api.send({ to: 'acme/orders' }, key);
    const before = (await rows()).length;
    for (let i = 0; i < 2; i++) expect((await globex.api.send({ to: 'acme/orders' }, key)).status).toBe(201);
    expectInvalid(await globex.api.send({ to: 'acme/orders', josn: 1 }), 'josn');
    expectRefusal(await globex.api.send({ to: 'acme/orders', in_reply_to: formatId('msg', newUuid()) }), 'not_found');
    await expectReceived(body.id, orders);
    expect((await rows()).length).toBe(before);
  });

  test('does not ask whether an agent has the segment, today or tomorrow', async () => {
    expect((await acme.api.patch(`/agents/${acme.agentId}`, { segment: 'sales' })).status).toBe(200);
    await expectReceived((await sent(globex.api, { to: 'acme/orders' })).id, orders);
    await expectReceived((await sent(globex.api, { to: 'acme/sales' })).id, everything);
    await acme.api.patch(`/agents/${acme.agentId}`, { segment: 'ghosts' });
    await expectReceived((await sent(globex.api, { to: 'acme/ghosts' })).id, [...everything, 'ghosts']);
    await acme.api.patch(`/agents/${acme.agentId}`, { segment: 'orders' });
  });

  test('begins with the creation of a webhook and ends with its deletion', async () => {
    const early = await sent(globex.api, { to: 'acme' });
    const { id } = await createWebhook(acme.api, receiver.url('/late'));
    const amid = await sent(globex.api, { to: 'acme' });
    expect((await logOf(acme.api, id)).map(({ message_id }) => message_id)).toEqual([amid.id]);
    await expect.poll(() => receiver.at('/late').length, PATIENTLY).toBe(1);
    await remove(id);
    const after = await sent(globex.api, { to: 'acme' });
    for (const message of [early, after]) await expectReceived(message.id, everything);
    expect(receiver.at('/late')).toHaveLength(1);
  });

  test('has called nobody beyond what the logs say', async () => {
    const counted = new Map<string, number>();
    for (const [name, { id, owner }] of webhooks) counted.set(`/${name}`, (await logOf(owner.api, id)).length);
    for (const [path, count] of counted) expect(receiver.at(path), path).toHaveLength(count);
    expect(receiver.deliveries.filter(({ path }) => !counted.has(path)).map(({ path }) => path)).toEqual(['/late']);
  });
});
