import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
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

const urlOf = (name: string) => receiver.url(`/${acme.handle}/${name}`);
const at = (name: string) => receiver.at(`/${acme.handle}/${name}`);
const register = (name: string) => createWebhook(acme.api, urlOf(name));
const shown = async ({ id }: { id: string }) => (await acme.api.get(`/webhooks/${id}`)).body;
const patch = ({ id }: { id: string }, body: unknown, api = acme.api) => api.patch(`/webhooks/${id}`, body);

async function changed(webhook: { id: string }, body: unknown): Promise<void> {
  const { status, text } = await patch(webhook, body);
  expect(status, text).toBe(200);
}

async function send(count: number, fields: object = {}): Promise<string[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => sender.api.send({ to: acme.handle, ...fields })));
  for (const { status, text } of responses) expect(status, text).toBe(201);
  return responses.map(({ body }) => body.id);
}

/** Holds the requests to a path open until they are ended. */
function holding(name: string) {
  const open: ServerResponse[] = [];
  const respond = receiver.respond;
  receiver.respond = (delivery, response, request) => {
    if (delivery.path.endsWith(`/${name}`)) open.push(response);
    else respond(delivery, response, request);
  };
  return {
    open,
    end: (status: number) => {
      for (const response of open.splice(0)) response.writeHead(status).end();
    },
  };
}

describe('PATCH /webhooks/{id}', () => {
  test('changes the given fields and no others, and responds with the webhook', async () => {
    const created = await register('first');
    const fields = { description: 'Ours', types: ['order.*', 'invoice'], max_per_second: 7, target: 'orders', url: urlOf('second') };
    const before = await shown(created);
    const { status, body } = await patch(created, fields);
    expect([status, body]).toEqual([200, { ...before, ...fields }]);
    expect(await shown(created)).toEqual(body);
    for (const [field, value] of Object.entries({ description: null, types: null, max_per_second: null, target: null, url: urlOf('x') })) {
      const expected = { ...(await shown(created)), [field]: value };
      expect((await patch(created, { [field]: value })).body).toEqual(expected);
    }
  });

  test('takes the same fields when a webhook is created, also paused', async () => {
    const fields = { description: 'Ours', types: ['a'], max_per_second: 1, target: 'orders', url: urlOf('all') };
    const response = await acme.api.write('POST', '/webhooks', { ...fields, headers: { 'X-Key': 'k' }, active: false });
    expect(response.body).toMatchObject({ ...fields, header_names: ['x-key'], active: false, pause: { reason: 'requested' } });
  });

  test.each([
    ['url', ''],
    ['url', null],
    ['url', `https://localhost/${'x'.repeat(2_049 - 18)}`],
    ['target', ''],
    ['target', 'globex/orders'],
    ['target', 5],
    ['description', 'x'.repeat(201)],
    ['description', 'a\u0000'],
    ['description', ['x']],
    ['active', null],
    ['active', 'yes'],
    ['active', 1],
    ['types', []],
    ['types', 'order.*'],
    ['types', Array.from({ length: 21 }, (_, i) => `t${i}`)],
    ['types/0', ['']],
    ['types/0', ['x'.repeat(81)]],
    ['types/1', ['a', 'b\u0000']],
    ['types/0', ['\ud800']],
    ['types/0', [5]],
    ['max_per_second', 0],
    ['max_per_second', 1_001],
    ['max_per_second', 1.5],
    ['max_per_second', '5'],
    ['headers', ['a']],
    ['headers/a', { a: 5 }],
    ['headers', Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`x-${i}`, 'a']))],
    ['headers', { 'x-long': 'a'.repeat(4_091) }],
    ['secret', 'whsec_mine'],
    ['id', 'wh_x'],
    ['__proto__', {}],
  ])('refuses %s: %j, and changes nothing', async (path, value) => {
    const webhook = await register('refused');
    const before = await shown(webhook);
    const field = path.split('/')[0];
    expectInvalid(
      await patch(
        webhook,
        `{"description":"new",${JSON.stringify(field)}:${JSON.stringify(value)}}`.replace(
          field === 'description' ? '"description":"new",' : '',
          '',
        ),
      ),
      path,
    );
    expect(await shown(webhook)).toEqual(before);
  });

  test('refuses a body without fields, or that is none', async () => {
    const webhook = await register('refused');
    for (const body of ['{}', '[]', 'null', '"x"']) expectRefusal(await patch(webhook, body), 'validation_error');
    expectRefusal(await patch(webhook, '{'), 'invalid_json');
  });

  test('takes values at their limits', async () => {
    const webhook = await register('limits');
    await changed(webhook, {
      description: 'x'.repeat(200),
      types: Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(80, 'x')),
      max_per_second: 1_000,
      headers: { 'x-long': 'a'.repeat(4_090) },
    });
    await changed(webhook, { headers: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`x-${i}`, 'a'])) });
  });
});

describe('a new URL', () => {
  test.each(['http://example.com/', 'https://10.0.0.1/', 'https://user:pass@localhost/', 'nothing', 'https://localhost/\t'])(
    'is checked as that of a new webhook: %j',
    async (url) => {
      const webhook = await register('checked');
      expectRefusal(await patch(webhook, { url }), 'invalid_webhook_url');
      expect((await shown(webhook)).url).toBe(urlOf('checked'));
    },
  );

  test('must not be that of another webhook with the same target', async () => {
    const [one, two] = [await register('one'), await register('two')];
    expectRefusal(await patch(two, { url: `${urlOf('one')}#again` }), 'conflict');
    await changed(two, { url: urlOf('one'), target: 'orders' });
    expectRefusal(await patch(two, { target: null }), 'conflict');
    expectRefusal(await patch(one, { target: `${acme.handle}/orders` }), 'conflict');
    await changed(one, { url: `${urlOf('one')}#same` });
  });

  test('goes to one webhook, however many ask at the same moment', async () => {
    const webhooks = [];
    for (let i = 0; i < 6; i++) webhooks.push(await register(`w${i}`));
    const asked = webhooks.map((webhook, i) => patch(webhook, { url: urlOf('same') }, i % 2 ? acme.api : acme.api.at(sibling.url)));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  test('counts for the limit of webhooks at one site', async () => {
    for (let i = 0; i < 10; i++) await register(`w${i}`);
    const other = await acme.api.write('POST', '/webhooks', { url: `https://127.0.0.1:${receiver.port}/` });
    expectRefusal(await patch(other.body, { url: urlOf('eleventh') }), 'conflict');
  });

  test('gets what waits, one attempt at a time until it has responded 2xx', async () => {
    const webhook = await register('old');
    await hasSucceeded(service, webhook);
    await changed(webhook, { active: false });
    await changed(webhook, { active: true });
    const former = holding('old');
    const { open, end } = holding('new');
    await send(20);
    await expect.poll(() => former.open.length, PATIENTLY).toBeGreaterThan(2);
    await changed(webhook, { url: urlOf('new') });
    // The former endpoint responds only now, which says nothing about the new one.
    await expect
      .poll(() => {
        former.end(204);
        return open.length;
      }, PATIENTLY)
      .toBe(1);
    const begun = at('old').length;
    expect(begun).toBeLessThan(12);
    for (let refused = 1; refused <= 5; refused++) {
      end(500);
      await expect.poll(() => [open.length, at('new').length], PATIENTLY).toEqual([1, refused + 1]);
    }
    receiver.respond = withStatus(204);
    end(204);
    const made = await attemptsOf(acme.api, webhook.id, 20);
    expect(made.filter(({ status }) => status === 'delivered')).toHaveLength(15);
    expect(at('old')).toHaveLength(begun);
  });
});

describe('types', () => {
  const TYPES = ['order.created', 'order.', 'order', 'ORDER.created', 'orders.x', '100%', '100x', 'a_b', 'axb', 'a\\b', null];

  test.each([
    [['order.*'], ['order.created', 'order.']],
    [
      ['order', 'a_b'],
      ['order', 'a_b'],
    ],
    [['100%'], ['100%']],
    [
      ['a\\b', 'orders*'],
      ['a\\b', 'orders.x'],
    ],
    [['*'], TYPES.filter((type) => type !== null)],
    [null, TYPES],
  ])('%j select the messages', async (types, selected) => {
    const webhook = await register('typed');
    await changed(webhook, { types });
    expect((await shown(webhook)).types).toEqual(types);
    for (const type of TYPES) await send(1, { type });
    await attemptsOf(acme.api, webhook.id, selected.length);
    const got = at('typed').map(({ body }) => JSON.parse(body.toString()).type);
    expect(new Set(got)).toEqual(new Set(selected));
    expect(await logOf(acme.api, webhook.id)).toHaveLength(selected.length);
  });

  test('do not concern tests', async () => {
    const webhook = await register('tested');
    await changed(webhook, { types: ['order.*'] });
    await acme.api.request('POST', `/v1/webhooks/${webhook.id}/test`);
    await attemptsOf(acme.api, webhook.id, 1);
  });
});

describe('headers', () => {
  test('are sent with each attempt, and only their names are shown', async () => {
    const webhook = await register('headers');
    const headers = { Authorization: 'Bearer t0ps3cret', 'X-Tenant': "a b;c='d'" };
    const response = await patch(webhook, { headers });
    expect(response.body.header_names).toEqual(['authorization', 'x-tenant']);
    for (const { text } of [response, await acme.api.get(`/webhooks/${webhook.id}`), await acme.api.get('/webhooks')])
      expect(text).not.toContain('t0ps3cret');
    await send(1);
    await attemptsOf(acme.api, webhook.id, 1);
    const [first] = at('headers');
    expect(first?.headers).toMatchObject({ authorization: headers.Authorization, 'x-tenant': headers['X-Tenant'] });
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'waybill-webhooks/1.0' });
    await changed(webhook, { headers: { 'x-other': '1' } });
    await send(1);
    await attemptsOf(acme.api, webhook.id, 2);
    expect(at('headers')[1]?.headers).toMatchObject({ 'x-other': '1' });
    expect(at('headers')[1]?.headers).not.toHaveProperty('authorization');
    for (const none of [{}, null]) expect((await patch(webhook, { headers: none })).body.header_names).toEqual([]);
  });

  test.each([
    ...['Host', 'user-agent', 'Content-Type', 'content-length', 'content-encoding', 'Webhook-Id', 'webhook-signature', 'webhook-x'],
    ...['Waybill-Signature', 'waybill-event', 'Connection', 'Keep-Alive', 'Proxy-Authorization', 'TE', 'Trailer', 'Transfer-Encoding'],
    ...['Upgrade', 'Expect', 'Date', 'Via', 'Forwarded', 'X-Forwarded-For', 'X-HTTP-Method-Override'],
    ...['', 'a b', 'a:b', 'a\r\nb', 'ä', 'x'.repeat(101)],
  ])('must not be named %j', async (name) => {
    const webhook = await register('names');
    const response = await patch(webhook, { headers: { 'x-good': 'a', [name]: 'a' } });
    expectInvalid(response, `headers/${name}`);
    expect((await shown(webhook)).header_names).toEqual([]);
  });

  test.each(['', ' ', ' a', 'a ', 'a\r\nb: c', 'a\nb', 'a\u0000', 'ä', '\u007f', '\ud800'])('must not have the value %j', async (value) => {
    const webhook = await register('values');
    expectInvalid(await patch(webhook, { headers: { 'x-a': value } }), 'headers/x-a');
  });

  test('must not be given twice', async () => {
    const webhook = await register('twice');
    expectInvalid(await patch(webhook, { headers: { 'X-A': '1', 'x-a': '2' } }), 'headers/x-a');
  });
});

test('from the response to a pause on, no process begins an attempt; those that waited are made when it ends', async () => {
  const webhook = await register('paused');
  await hasSucceeded(service, webhook);
  const { open, end } = holding('paused');
  const ids = await send(50);
  await expect.poll(() => open.length, PATIENTLY).toBeGreaterThan(2);
  await changed(webhook, { active: false });
  receiver.respond = withStatus(204);
  end(204);
  const other = await register('other');
  const [meanwhile] = await send(1);
  await attemptsOf(acme.api, other.id, 1);
  // Only attempts that had begun arrive.
  expect(at('paused').length).toBeLessThan(20);
  await changed(webhook, { active: true });
  await attemptsOf(acme.api, webhook.id, 50);
  const got = at('paused').map(({ headers }) => headers['webhook-id']);
  expect(got.toSorted()).toEqual(ids.toSorted());
  expect(got).not.toContain(meanwhile);
});

describe('max_per_second', () => {
  test('limits the attempts of all processes together, until it is taken away', async () => {
    const webhook = await register('paced');
    await hasSucceeded(service, webhook);
    await changed(webhook, { max_per_second: 10 });
    const from = Date.now();
    await send(30);
    await attemptsOf(acme.api, webhook.id, 30);
    // Five attempts at once, and ten in each second after that.
    expect((at('paced').at(-1)?.at ?? 0) - from).toBeGreaterThanOrEqual(2_400);

    await changed(webhook, { max_per_second: 1 });
    await send(150);
    await changed(webhook, { max_per_second: null });
    // At one attempt a second, this would take longer than the test waits.
    await attemptsOf(acme.api, webhook.id, 180);
    expect(at('paced')).toHaveLength(180);
  });
});
