import { METHODS } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { exchange } from '../support/raw-http.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { rows, unsignedRows } from '../support/table.ts';

const REQUEST_ID = /^req_[0-9a-hjkmnp-tv-z]{26}$/;
const OPERATORS_PATHS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/docs',
  '/docs/reference',
  '/docs/first-message',
  '/docs/nothing',
  '/',
];

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

const ask = (method: string, path: string, headers: Record<string, string> = {}) => acme.api.request(method, path, { headers });

describe('X-Request-Id', () => {
  test('is on every response, good or bad, and never twice the same', async () => {
    const responses = await Promise.all([
      ...rows.map(({ method, url }) => ask(method, url)),
      ...rows.map(({ method, url }) => service.anonymous.request(method, url)),
      ...OPERATORS_PATHS.map((path) => ask('GET', path)),
      ...['/nothing', '/v1', '/v1/', '/%zz', '/v1/messages/%ff', `/v1/messages/${'x'.repeat(300)}`].map((path) => ask('GET', path)),
      ...['PUT', 'OPTIONS'].map((method) => ask(method, '/v1/inbox')),
      acme.api.send({ to: 'acme' }),
      acme.api.send('{'),
    ]);
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(REQUEST_ID);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is the request_id of every error', async () => {
    const paths = ['/nothing', '/v1/inbox?limit=0', '/v1/messages/x', '/%zz', `/v1/threads/${'x'.repeat(300)}`];
    for (const path of paths) {
      const { headers, body } = await ask('GET', path);
      expect(body.error.request_id).toBe(headers.get('x-request-id'));
    }
  });

  test('is not taken from the client', async () => {
    const { headers } = await ask('GET', '/v1/me', { 'x-request-id': 'mine', 'request-id': 'mine' });
    expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
  });
});

test('an error links to the documentation of its code', async () => {
  for (const path of ['/v1/inbox?limit=0', '/v1/messages/x', '/%zz', '/v1/me']) {
    const { headers, body } = await (path === '/v1/me' ? service.anonymous.get('/me') : ask('GET', path));
    const [, page = '', anchor] = /^<(\/docs\/\w+)#(\w+)>; rel="help"$/.exec(headers.get('link') ?? '') ?? [];
    expect(anchor).toBe(body.error.code);
    const documentation = await fetch(new URL(page, service.url));
    expect(await documentation.text()).toContain(`id="${anchor}"`);
  }
});

test.each(['/%zz', '/%', '/%ff', '/%c0%ae', '/v1/messages/%ff'])('the path %s, which is no UTF-8, is refused', async (path) => {
  const { text, status } = await exchange(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect([status, text.includes('"code":"validation_error"')], text).toEqual([400, true]);
});

describe('an unknown path', () => {
  test.each([
    '/nothing',
    '/v1',
    '/v1/',
    '/v2/me',
    '/v1/me/',
    '/V1/me',
    '/v1/ME',
    '//v1/me',
    '/v1//me',
    '/v1/me%2f',
    '/v1/me;x',
    '/v1/messages/a/b',
    '/.env',
    '/v1/..%2fme',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/v1/inbox/schema/x',
  ])('%s is not found', async (path) => {
    const { text, status } = await exchange(
      service.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(404);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.code).toBe('not_found');
  });

  test.each(METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD'))('is not found by %s', async (method) => {
    const { text } = await exchange(service.url, `${method} /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);
  });

  test('is not found whatever the body', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      { 'content-type': ';' },
    ]) {
      expectRefusal(
        await acme.api.request('POST', '/v1/nothing', { body: 'x'.repeat(3_000_000), headers: headers as Record<string, string> }),
        'not_found',
      );
    }
  });

  test('needs no key to be told so, and tells nothing of the keys of others', async () => {
    expectRefusal(await service.anonymous.get('/nothing'), 'not_found');
    expectRefusal(await acme.api.get('/nothing'), 'not_found');
  });
});

describe('another method than those of a path', () => {
  const paths = [...new Set(rows.map(({ url }) => url)), ...OPERATORS_PATHS];
  const methodsOf = (path: string) => {
    const methods: string[] = rows.filter(({ url }) => url === path).map(({ method }) => method);
    // Browsers send OPTIONS before a script of another site may read a public response.
    const forOtherSites = /^\/(v1\/public|v1\/receipts|v1\/document-types(\/placeholder)?$|openapi\.json)/.test(path) ? ['OPTIONS'] : [];
    return [...(methods.length === 0 ? ['GET'] : methods), ...forOtherSites];
  };

  test.each(paths)('is refused on %s, and Allow lists those it has', async (path) => {
    const taken = methodsOf(path);
    const allow = taken.includes('GET') ? [...taken, 'HEAD'] : taken;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      if (taken.includes(method)) continue;
      const { status, text } = await exchange(service.url, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(status, method).toBe(405);
      expect(text, method).toContain('"code":"method_not_allowed"');
      expect(/\r\nallow: ([^\r]+)\r\n/i.exec(text)?.[1]?.split(', ').sort(), method).toEqual([...allow].sort());
    }
  });

  test('is refused whatever its body', async () => {
    const response = await acme.api.request('PUT', '/v1/inbox', {
      body: '\u0000',
      headers: { 'content-type': 'text/nonsense', 'content-encoding': 'br' },
    });
    expectRefusal(response, 'method_not_allowed');
  });
});

describe('HEAD', () => {
  test.each(['/v1/me', '/v1/inbox', '/v1/public/acme', '/v1/messages/x', '/healthz', '/docs', '/nothing'])(
    '%s is GET without the body',
    async (path) => {
      const [head, get] = [await ask('HEAD', path), await ask('GET', path)];
      expect(head.status).toBe(get.status);
      expect(head.text).toBe('');
      for (const name of ['content-type', 'content-length']) expect(head.headers.get(name)).toBe(get.headers.get(name));
      expect(head.headers.get('x-request-id')).toMatch(REQUEST_ID);
    },
  );

  test('needs the key that GET needs', async () => {
    expect((await service.anonymous.request('HEAD', '/v1/me')).status).toBe(401);
    const reader = await acme.withKey('read');
    expect((await reader.request('HEAD', '/v1/outbox')).status).toBe(403);
  });

  test('is refused where there is no GET', async () => {
    const { status, headers } = await ask('HEAD', '/v1/messages');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('the headers of a response', () => {
  test('say JSON in UTF-8, not to be guessed at', async () => {
    for (const path of ['/v1/me', '/v1/inbox', '/v1/nothing', '/healthz', '/openapi.json']) {
      const { headers } = await ask('GET', path);
      expect(headers.get('content-type'), path).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    }
  });

  test('do not tell what the service is made with', async () => {
    const { headers } = await ask('GET', '/v1/me');
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
  });

  test('open nothing to scripts of other sites', async () => {
    const { headers } = await ask('GET', '/v1/me', { origin: 'https://evil.example' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a request', () => {
  test('with an unexpected body gets the same response as without', async () => {
    const { text, status } = await exchange(
      service.url,
      `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{"a":GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(200);
    // The five bytes are a body, not the beginning of the next request.
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  test('that expects 100-continue is told to continue', async () => {
    const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: application/json\r\n`;
    const { text } = await exchange(
      service.url,
      `${head}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"to":"acme"}`,
      {
        quietMs: 60_000,
      },
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  });

  test('with an unknown expectation gets the same response as without', async () => {
    const { text } = await exchange(service.url, 'GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 401 [\s\S]*x-request-id: req_/i);
  });

  test('without Host is refused, unless it is HTTP/1.0', async () => {
    const { status, text } = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(status).toBe(400);
    expect(text).toMatch(/x-request-id: req_[\s\S]*"code":"validation_error"/i);
    expect((await exchange(service.url, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('that asks for an upgrade gets a plain HTTP response', async () => {
    const { status } = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(status).toBe(200);
  });

  test('with an absolute URL gets the same response as one with the path alone', async () => {
    const { status } = await exchange(service.url, 'GET http://elsewhere.example/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(status).toBe(200);
  });

  test('with query parameters that its endpoint does not have is refused everywhere', async () => {
    const { browser } = await claimedBy(service, 'jane@corp.example', 'janes');
    const asJane = (path: string) => browser.get(path, { 'waybill-business': 'janes' });
    for (const { method, url, auth } of unsignedRows) {
      if (method !== 'GET') continue;
      const ask = auth === 'public' || auth.startsWith('key') ? (path: string) => acme.api.request('GET', path) : asJane;
      const needed = { '/v1/handles': 'q=a', '/v1/search': 'q=a', '/v1/businesses/availability': 'handle=a' }[url] ?? 'colour=blue';
      expectInvalid(await ask(`${url}?colour=red&${needed}`), 'colour');
    }
  });
});
