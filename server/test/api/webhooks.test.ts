import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { receiverSettings } from '../support/receiver.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let reader: Api;

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  acme = await service.business('acme', { segment: 'orders' });
  globex = await service.business('globex', { segment: 'orders' });
  reader = await acme.withKey('read');
});
beforeEach(async () => {
  await service.sql('DELETE FROM webhooks');
});
afterAll(() => service.stop());

/** Nobody listens there, and these tests deliver nothing. */
const URL_OF_MINE = 'https://localhost:9/hook';

const post = (body: unknown, api = acme.api) => api.write('POST', '/webhooks', body);
const remove = (id: string, api = acme.api) => api.request('DELETE', `/v1/webhooks/${id}`);

let urls = 0;
async function newWebhook(api = acme.api, url = `${URL_OF_MINE}/${++urls}`): Promise<ApiResponse['body']> {
  const { status, body, text } = await post({ url }, api);
  expect(status, text).toBe(201);
  return body;
}

const withoutSecret = ({ secret: _, ...rest }: Record<string, unknown>) => rest;

describe('POST /webhooks', () => {
  test('returns the webhook and its secret', async () => {
    const { status, body } = await post({ url: URL_OF_MINE });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^wh_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      url: URL_OF_MINE,
      active: true,
      pause: null,
      last_pause: null,
      failing_since: null,
      target: null,
      description: null,
      types: null,
      header_names: [],
      max_per_second: null,
      ordered: false,
      events: ['message.received'],
      signatures: ['hmac'],
      client_certificate: false,
      public_key: null,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000);
  });

  test('makes each secret of 32 random bytes in base64', async () => {
    const secrets: string[] = (await Promise.all(Array.from({ length: 10 }, () => newWebhook()))).map(({ secret }) => secret);
    for (const secret of secrets) {
      const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
      expect([bytes.length, `whsec_${bytes.toString('base64')}`]).toEqual([32, secret]);
    }
    expect(new Set(secrets).size).toBe(10);
  });

  test('shows the secret only once', async () => {
    const { id, secret } = await newWebhook();
    const tested = await acme.api.request('POST', `/v1/webhooks/${id}/test`);
    const later = [
      tested,
      await acme.api.get(`/webhooks/${id}`),
      await acme.api.get('/webhooks?limit=200'),
      await acme.api.get(`/webhooks/${id}/deliveries`),
    ];
    for (const { status, text } of later) {
      expect(status).toBeLessThan(300);
      expect(text).not.toContain('whsec_');
      expect(text).not.toContain(secret.slice('whsec_'.length));
    }
  });

  test.each(['https://LOCALHOST:9/Hook?a=1&b=%20#part', 'https://localhost:9', `https://localhost/${'x'.repeat(2_048 - 18)}`])(
    'shows the URL as it was given: %s',
    async (url) => {
      const { id } = await newWebhook(acme.api, url);
      expect((await acme.api.get(`/webhooks/${id}`)).body.url).toBe(url);
    },
  );

  test.each([
    ['url', ''],
    ['url', null],
    ['url', 5],
    ['url', true],
    ['url', {}],
    ['url', [URL_OF_MINE]],
    ['url', `https://localhost/${'x'.repeat(2_049 - 18)}`],
    ['url', 'https://localhost/a\u0000'],
    ['url', 'https://localhost/a\ud800'],
    ['secret', 'whsec_mine'],
    ['active', null],
    ['id', 'wh_x'],
    ['Url', URL_OF_MINE],
    ['targets', ['orders']],
    ['__proto__', {}],
    ['constructor', {}],
  ])('refuses %s: %j', async (field, value) => {
    const url = field === 'url' ? '' : `"url":${JSON.stringify(URL_OF_MINE)},`;
    expectInvalid(await post(`{${url}${JSON.stringify(field)}:${JSON.stringify(value)}}`), field);
  });

  test('refuses a body without a URL', async () => {
    expectInvalid(await post({}), 'url');
    expectInvalid(await post({ target: 'orders' }), 'url');
  });

  test.each([
    'hook',
    'localhost:9/hook',
    '//localhost/hook',
    'ftp://localhost/hook',
    'http://example.com/hook',
    'https://',
    'https://10.0.0.1/',
    'https://user:pass@localhost/',
  ])('responds with invalid_webhook_url for %s', async (url) => {
    expectRefusal(await post({ url }), 'invalid_webhook_url');
  });

  test.each(['[]', '"https://localhost/"', '5', 'null', `[{"url":"${URL_OF_MINE}"}]`])('refuses the body %s', async (body) => {
    expectRefusal(await post(body), 'validation_error');
  });

  test.each(['', '{', `{"url":"${URL_OF_MINE}"`, `{'url':'${URL_OF_MINE}'}`, `{"url":"${URL_OF_MINE}"}}`, 'url=x', '\ufeff{}'])(
    'refuses the broken JSON %s',
    async (body) => {
      expectRefusal(await post(body), 'invalid_json');
    },
  );

  test('refuses bodies that are no JSON, too large or not UTF-8', async () => {
    const send = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
      acme.api.request('POST', '/v1/webhooks', { body, headers: { 'content-type': type } });
    expectRefusal(await send(`url=${URL_OF_MINE}`, 'application/x-www-form-urlencoded'), 'unsupported_media_type');
    expectRefusal(await send(JSON.stringify({ url: URL_OF_MINE }), 'text/plain'), 'unsupported_media_type');
    expectRefusal(await send(JSON.stringify({ url: 'x'.repeat(70_000) }), 'application/json'), 'json_too_large');
    const broken = Uint8Array.from([...Buffer.from('{"url":"https://localhost/'), 0xff, ...Buffer.from('"}')]);
    expectRefusal(await send(broken, 'application/json'), 'invalid_json');
  });

  test('leaves nothing behind when it refuses', async () => {
    const careful = await service.business('careful');
    for (const body of [{ url: 'http://example.com/' }, { url: URL_OF_MINE, colour: 'red' }, { url: URL_OF_MINE, target: 'globex/x' }, '{'])
      expect((await post(body, careful.api)).status).toBe(400);
    expect((await careful.api.get('/webhooks')).body).toEqual({ data: [], next_cursor: null });
  });
});

describe('GET /webhooks', () => {
  test('lists those of the business in the order of their creation, in pages', async () => {
    const lister = await service.business('lister');
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await newWebhook(lister.api, `${URL_OF_MINE}/${i}`));
    const { status, body } = await lister.api.get('/webhooks');
    expect(status).toBe(200);
    expect(body).toEqual({ data: made.map(withoutSecret), next_cursor: null });
    const pages = await everyPage(lister.api, '/webhooks', { limit: 2 });
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(body.data);
  });

  test('refuses limits, filters and cursors that are not its own', async () => {
    for (let i = 0; i < 2; i++) for (const { api } of [acme, globex]) await newWebhook(api);
    const cursorOf = async (api: Api): Promise<string> => (await list(api, '/webhooks', { limit: 1 })).body.next_cursor;
    const mine = await cursorOf(acme.api);
    const tampered = mine.slice(0, -1) + (mine.endsWith('A') ? 'B' : 'A');
    for (const cursor of [await cursorOf(globex.api), tampered, mine.slice(1), `${mine}A`, 'x', ''])
      expectInvalid(await list(acme.api, '/webhooks', { cursor }), 'cursor');
    for (const limit of [0, 201, -1, 'many']) expectInvalid(await list(acme.api, '/webhooks', { limit }), 'limit');
    expectInvalid(await list(acme.api, '/webhooks', { target: 'orders' }), 'target');
    expect((await list(acme.api, '/webhooks', { limit: 1, cursor: mine })).status).toBe(200);
  });
});

describe('GET /webhooks/{id}', () => {
  test('gives one webhook, as it was created but for the secret', async () => {
    const created = await newWebhook();
    const { status, body } = await acme.api.get(`/webhooks/${created.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(withoutSecret(created));
  });
});

describe('DELETE /webhooks/{id}', () => {
  test('responds with 204 without a body, and the webhook is gone', async () => {
    const { id } = await newWebhook();
    const { status, text } = await remove(id);
    expect([status, text]).toEqual([204, '']);
    const later = [
      await remove(id),
      await acme.api.get(`/webhooks/${id}`),
      await acme.api.get(`/webhooks/${id}/deliveries`),
      await acme.api.request('POST', `/v1/webhooks/${id}/test`),
    ];
    for (const response of later) expectRefusal(response, 'not_found');
    expect(ids((await everyPage(acme.api, '/webhooks', { limit: 200 })).flat())).not.toContain(id);
  });

  test('leaves the others of the business alone', async () => {
    const [gone, kept] = [await newWebhook(), await newWebhook()];
    await remove(gone.id);
    expect((await acme.api.get(`/webhooks/${kept.id}`)).body).toEqual(withoutSecret(kept));
  });
});

type Probe = [name: string, ask: (api: Api, id: string) => Promise<ApiResponse>];

const probes: Probe[] = [
  ['GET /webhooks/{id}', (api, id) => api.get(`/webhooks/${id}`)],
  ['HEAD /webhooks/{id}', (api, id) => api.request('HEAD', `/v1/webhooks/${id}`)],
  ['PATCH /webhooks/{id}', (api, id) => api.patch(`/webhooks/${id}`, { active: true })],
  [
    'PATCH /webhooks/{id} with settings',
    (api, id) => api.patch(`/webhooks/${id}`, { url: URL_OF_MINE, types: ['x'], headers: { a: 'b' } }),
  ],
  ['DELETE /webhooks/{id}', (api, id) => api.request('DELETE', `/v1/webhooks/${id}`)],
  ['POST /webhooks/{id}/test', (api, id) => api.request('POST', `/v1/webhooks/${id}/test`)],
  ['GET /webhooks/{id}/deliveries', (api, id) => api.get(`/webhooks/${id}/deliveries`)],
  ['GET /webhooks/{id}/deliveries in pages', (api, id) => api.get(`/webhooks/${id}/deliveries?limit=1`)],
  ['GET /webhooks/{id}/deliveries with a bad limit', (api, id) => api.get(`/webhooks/${id}/deliveries?limit=0`)],
  ['GET /webhooks/{id}/deliveries with a bad cursor', (api, id) => api.get(`/webhooks/${id}/deliveries?cursor=abc`)],
];

describe('another business’s webhook', () => {
  test.each(probes)('is treated like an unknown one and like no id at all by %s', async (_name, ask) => {
    const { id } = await newWebhook(globex.api);
    const unknown = withoutTraces(await ask(acme.api, formatId('wh', newUuid())));
    expect([400, 404]).toContain(unknown.status);
    expect(withoutTraces(await ask(acme.api, id))).toEqual(unknown);
    for (const malformed of [id.toUpperCase(), id.slice(3), id.replace('wh', 'msg'), `${id}0`, 'wh_', 'x', '%00', acme.agentId])
      expect(withoutTraces(await ask(acme.api, malformed)), malformed).toEqual(unknown);
  });

  test('stays as it is, whatever others try', async () => {
    const created = await newWebhook(globex.api);
    for (const [, ask] of probes) await ask(acme.api, created.id);
    expect((await globex.api.get(`/webhooks/${created.id}`)).body).toEqual(withoutSecret(created));
    expect((await globex.api.get(`/webhooks/${created.id}/deliveries`)).body.data).toEqual([]);
    expect((await everyPage(acme.api, '/webhooks', { limit: 200 })).flat().map(({ id }) => id)).not.toContain(created.id);
  });
});

describe('a key with scope read', () => {
  test('may read the delivery log and nothing else', async () => {
    const { id } = await newWebhook();
    expect((await reader.get(`/webhooks/${id}/deliveries`)).status).toBe(200);
    const asked = probes.filter(([name]) => !name.startsWith('GET /webhooks/{id}/deliveries') && !name.startsWith('HEAD'));
    for (const [, ask] of asked) expectRefusal(await ask(reader, id), 'forbidden');
    expectRefusal(await reader.get('/webhooks'), 'forbidden');
    expectRefusal(await post({ url: URL_OF_MINE }, reader), 'forbidden');
    expectRefusal(await post({ colour: 'red' }, reader), 'forbidden');
    expect((await acme.api.get(`/webhooks/${id}`)).status).toBe(200);
  });

  test('learns nothing of webhooks that are not there', async () => {
    const { id } = await newWebhook();
    for (const [name, ask] of probes.slice(0, 6))
      expect(withoutTraces(await ask(reader, formatId('wh', newUuid()))), name).toEqual(withoutTraces(await ask(reader, id)));
  });
});

test('without a key there are no webhooks', async () => {
  const { id } = await newWebhook();
  const responses = await Promise.all(probes.filter(([name]) => !name.startsWith('HEAD')).map(([, ask]) => ask(service.anonymous, id)));
  responses.push(await service.anonymous.get('/webhooks'), await post({ url: URL_OF_MINE }, service.anonymous));
  for (const response of responses) expectRefusal(response, 'unauthorized');
});

test('an id is a UUID of version 7 behind its prefix', async () => {
  const { id } = await newWebhook();
  expect(parseId('wh', id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
