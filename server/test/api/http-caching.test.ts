import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { exchange } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let receipt: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { claimed: true });
  await service.business('globex', { claimed: true });
  const { body } = await acme.api.send({ to: 'globex', subject: 'Order', json: { a: 1 } });
  receipt = `/v1/receipts/${/rcpt_\w+/.exec(JSON.stringify(body))?.[0]}`;
});
afterAll(() => service.stop());

describe('If-None-Match', () => {
  test.each(['/v1/me', '/v1/agents', '/v1/webhooks', '/v1/contacts', '/v1/public/acme', '/docs', '/docs/reference'])(
    'of %s gets 304 until the response changes',
    async (path) => {
      const first = await acme.api.request('GET', path);
      const etag = first.headers.get('etag') ?? '';
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{20,}"$/)]);
      for (const tags of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
        const again = await acme.api.request('GET', path, { headers: { 'if-none-match': tags } });
        expect([again.status, again.text, again.headers.get('etag')], tags).toEqual([304, '', etag]);
        expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
      }
      const head = await acme.api.request('HEAD', path, { headers: { 'if-none-match': etag } });
      expect([head.status, head.headers.get('content-length')]).toEqual([304, null]);
      for (const tags of ['"x"', 'x', etag.slice(0, -2)])
        expect((await acme.api.request('GET', path, { headers: { 'if-none-match': tags } })).status, tags).toBe(200);
    },
  );

  test('holds whatever the encoding, and no longer once the resource has changed', async () => {
    const etagIn = async (encoding: string) =>
      (await acme.api.request('GET', '/docs/reference', { headers: { 'accept-encoding': encoding } })).headers.get('etag');
    expect(new Set([await etagIn('identity'), await etagIn('gzip'), await etagIn('br')]).size).toBe(1);
    const { headers } = await acme.api.get('/agents');
    await acme.api.patch(`/agents/${acme.agentId}`, { name: 'Another' });
    const after = await acme.api.get('/agents', { 'if-none-match': headers.get('etag') ?? '' });
    expect([after.status, after.body.data[0].name]).toEqual([200, 'Another']);
  });

  test('of the OpenAPI document is a strong tag of each encoding', async () => {
    const get = (headers: Record<string, string>) => service.anonymous.request('GET', '/openapi.json', { headers });
    const tags = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
      const first = await get({ 'accept-encoding': encoding });
      const etag = first.headers.get('etag') ?? '';
      expect([first.status, etag, first.headers.get('vary')]).toEqual([200, expect.stringMatching(/^"[\w-]{22,}"$/), 'accept-encoding']);
      const again = await get({ 'accept-encoding': encoding, 'if-none-match': etag });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      expect(again.headers.get('content-encoding')).toBeNull();
      expect((await get({ 'accept-encoding': encoding, 'if-none-match': '"other"' })).text).toBe(first.text);
      tags.add(etag);
    }
    expect(tags.size).toBe(4);
  });

  test('means nothing where something is changed, or went wrong', async () => {
    const sent = await acme.api.send({ to: 'globex' }, { 'if-none-match': '*' });
    expect([sent.status, sent.headers.get('etag')]).toEqual([201, null]);
    const missing = await acme.api.get('/agents/agt_nothing', { 'if-none-match': '*' });
    expect([missing.status, missing.headers.get('etag')]).toEqual([404, null]);
  });
});

describe('Cache-Control', () => {
  test('keeps what a key opens out of every cache, refusals included', async () => {
    const reader = await acme.withKey('read');
    for (const response of [
      await acme.api.get('/me'),
      await acme.api.get('/inbox'),
      await acme.api.get('/messages/msg_nothing'),
      await acme.api.get('/inbox?limit=0'),
      await acme.api.send({ to: 'globex' }),
      await acme.api.send('{'),
      await service.anonymous.get('/me'),
      await reader.send({ to: 'globex' }),
    ])
      expect(response.headers.get('cache-control'), `${response.status}`).toBe('no-store');
  });

  test('keeps what a session opens out of every cache, refusals included', async () => {
    const ann = await claimedBy(service, 'ann@initech.test', 'initech');
    for (const path of ['/account', '/business', '/members', '/agents/agt_nothing', '/domains?limit=x'])
      expect((await ann.get(path)).headers.get('cache-control'), path).toBe('no-store');
    expect((await service.anonymous.get('/account')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('scripts of other sites', () => {
  const origin = { origin: 'https://shop.example' };

  test('may read what is public, refusals included', async () => {
    for (const [path, status] of [
      ['/v1/public/acme', 200],
      ['/v1/public/nobody-there', 404],
      [receipt, 200],
      ['/v1/receipts/rcpt_nothing', 404],
      ['/openapi.json', 200],
    ] as const) {
      const response = await service.anonymous.request('GET', path, { headers: origin });
      expect([path, response.status, response.headers.get('access-control-allow-origin')]).toEqual([path, status, '*']);
      expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('may ask before, as browsers do', async () => {
    for (const path of ['/v1/public/acme', '/v1/public/nobody-there', receipt, '/openapi.json']) {
      const asked = await service.anonymous.request('OPTIONS', path, {
        headers: { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-none-match' },
      });
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(asked.headers.get('access-control-allow-headers')).toBe('If-None-Match');
      expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
      expect(asked.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  test('may read nothing else', async () => {
    for (const path of ['/v1/me', '/v1/inbox', '/v1/account', '/v1/sign-in', '/docs', '/metrics', '/']) {
      const response = await acme.api.request('GET', path, { headers: origin });
      expect(response.headers.get('access-control-allow-origin'), path).toBeNull();
      expectRefusal(await acme.api.request('OPTIONS', path, { headers: origin }), 'method_not_allowed');
    }
  });
});

test('a request with two Host headers is refused, as nobody can tell which one a proxy went by', async () => {
  for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhost: a']) {
    const { status, text } = await exchange(service.url, `GET /healthz HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
    expect([status, text]).toEqual([400, expect.stringContaining('"code":"validation_error"')]);
  }
});
