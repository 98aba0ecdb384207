import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPages } from '../../src/platform/processes/web-build.ts';
import type { ApiResponse } from '../support/api.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const HOSTILE = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
const DASHBOARD = [
  ...['/', '/sign-in', '/claim', '/welcome', '/invitations/x', '/inbox', '/outbox', '/compose', '/threads/x', '/contacts', '/agents'],
  ...[
    '/members',
    '/domains',
    '/webhooks',
    '/webhooks/x',
    '/webhooks/x/messages/y',
    '/schema',
    '/blocks',
    '/usage',
    '/account',
    '/settings',
  ],
];

let service: TestService;
let receipt: string;
let shell: string;
beforeAll(async () => {
  service = await startTestService({}, 'all', await builtPages(() => {}));
  const [shop, acme] = [await service.business('shop'), await service.business('acme')];
  await service.sql(`UPDATE parties SET display_name = $1 WHERE handle = 'shop'`, [HOSTILE]);
  receipt = new URL((await acme.api.send({ to: shop.handle, subject: HOSTILE, note: HOSTILE })).body.receipt_url).pathname;
  shell = (await page('/')).text;
});
afterAll(() => service.stop());

const page = (path: string, method = 'GET') => service.anonymous.request(method, path);
const nonceIn = ({ headers }: ApiResponse) => /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] as string;
/** The page with the nonce of another page. */
const asShell = (response: ApiResponse) => response.text.replaceAll(nonceIn(response), /nonce="([^"]+)"/.exec(shell)?.[1] as string);

describe('a page', () => {
  test.each([...DASHBOARD, '/@shop', '/@SHOP', '/inbox?from=%3Cscript%3E', `/sign-in?next=${encodeURIComponent(HOSTILE)}`])(
    '%s is the same document as all others, with nothing of anybody in it',
    async (path) => {
      const response = await page(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(asShell(response)).toBe(shell);
    },
  );

  test('of a receipt, of what is not there, and whatever its address says, is so too', async () => {
    for (const [path, status] of [
      [receipt, 200],
      ['/r/rcpt_x', 404],
      ['/@nobody', 404],
      ['/@%3Cscript%3E', 404],
      ['/@', 404],
      ['/@..%2f..', 404],
      ['/invitations/%3Cscript%3E', 200],
    ] as const) {
      const response = await page(path);
      expect(response.status, path).toBe(status);
      if (response.headers.get('content-type')?.startsWith('text/html')) expect(asShell(response), path).toBe(shell);
      else expectRefusal(response, 'not_found');
    }
  });

  test.each(['/nope', '/nope/deeper', '/inbox/nope'])('%s does not exist, and says so to a browser in HTML', async (path) => {
    const browser = await service.anonymous.request('GET', path, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([browser.status, browser.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(asShell(browser)).toBe(shell);
    expectRefusal(await page(path), 'not_found');
    expectRefusal(await service.anonymous.request('POST', path, { headers: { accept: 'text/html' } }), 'not_found');
  });

  test.each(['/v1/nope', '/auth/nope', '/assets/nope.js'])('%s is for programs, and stays JSON', async (path) => {
    expectRefusal(await service.anonymous.request('GET', path, { headers: { accept: 'text/html' } }), 'not_found');
  });

  test.each(['/', '/@shop', '/@nobody'])('%s lets run what is ours, and nothing that stands in it', async (path) => {
    const response = await page(path);
    const policy = new Map(
      (response.headers.get('content-security-policy') ?? '').split(';').map((part) => {
        const [name = '', ...sources] = part.trim().split(' ');
        return [name, sources.join(' ')];
      }),
    );
    const nonce = nonceIn(response);
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'worker-src': "'self'",
      'style-src': `'self' 'nonce-${nonce}'`,
      'font-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'frame-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
    });
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const scripts = [...response.text.matchAll(/<script\b([^>]*)>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, inline] of scripts) {
      expect(attributes).toMatch(/src="\/assets\/[\w.-]+\.js"/);
      expect(inline).toBe('');
    }
    expect(response.text).not.toMatch(/<style|\son\w+=|javascript:|(src|href)="(https?:)?\/\//i);
  });

  test('can show one frame: that for PDFs, which has no origin, connects to nothing, and is shown by no other site', async () => {
    const { status, headers, text } = await page('/pdf.html');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      'sandbox allow-scripts',
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'self'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(text) ?? [];
    expect(text).not.toMatch(/<style|\son\w+=|javascript:/i);
    expect((await page(script)).headers.get('access-control-allow-origin')).toBe('*');
  });

  test('has a nonce that no other response has', async () => {
    const nonces = (await Promise.all(Array.from({ length: 20 }, () => page('/')))).map(nonceIn);
    for (const nonce of nonces) expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect(new Set(nonces).size).toBe(20);
  });

  test('can be asked for without its body, and in no other way', async () => {
    for (const path of ['/', '/inbox', '/@shop', receipt]) {
      const [head, whole] = [await page(path, 'HEAD'), await page(path)];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'cache-control']) expect(head.headers.get(name)).toBe(whole.headers.get(name));
      expectRefusal(await page(path, 'POST'), 'method_not_allowed');
    }
    expect((await page('/@nobody', 'HEAD')).status).toBe(404);
  });
});

describe('what the pages are made of', () => {
  const assets = () => [...new Set([...shell.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] as string))];
  const asset = (path: string, encoding: string, method = 'GET') =>
    service.anonymous.request(method, path, { headers: { 'accept-encoding': encoding } });
  const TYPES: Record<string, string> = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
    woff2: 'font/woff2',
  };

  test('comes compressed to clients that accept that, and may be cached for ever', async () => {
    expect(assets().map((path) => path.split('.').at(-1))).toEqual(expect.arrayContaining(['js', 'css', 'svg']));
    for (const path of assets()) {
      const plain = await asset(path, 'identity');
      const sizes = [plain.headers.get('content-length')];
      for (const [accepted, encoding] of [
        ['identity', null],
        ['gzip', 'gzip'],
        ['br', 'br'],
        ['gzip, deflate, br;q=0.9', 'br'],
        ['br;q=0, gzip', 'gzip'],
        ['zstd', null],
      ] as const) {
        const response = await asset(path, accepted);
        expect(response.status, path).toBe(200);
        // Fonts are compressed in themselves.
        expect(response.headers.get('content-encoding'), `${path} ${accepted}`).toBe(path.endsWith('.woff2') ? null : encoding);
        expect(response.headers.get('content-type')).toBe(TYPES[path.split('.').at(-1) as string]);
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(response.headers.get('vary')).toContain('accept-encoding');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.text === plain.text, `${path} ${accepted}`).toBe(true);
        sizes.push(response.headers.get('content-length'));
      }
      const head = await asset(path, 'identity', 'HEAD');
      expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', sizes[0]]);
      if (path.endsWith('.js')) expect(Number(sizes[3])).toBeLessThan(Number(sizes[0]));
    }
  });

  test('can be read by other accounts than the one that has built it', async () => {
    const folder = await builtPages(() => {});
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  test('is nothing else, whatever name is asked for', async () => {
    const script = assets().find((path) => path.endsWith('.js')) as string;
    const names = [
      'index.html',
      'nothing.js',
      '..%2findex.html',
      '..%2f..%2f..%2fpackage.json',
      '%2e%2e%2findex.html',
      '__proto__',
      'constructor',
    ];
    const odd = ['..%5cindex.html', '%00.js', 'x%0d%0aSet-Cookie:a.js', '.js', '%F0%9F%A7%BE.js', `${'x'.repeat(90)}.js`];
    for (const path of [
      ...[...names, ...odd].map((name) => `/assets/${name}`),
      `${script}.br`,
      `${script}.gz`,
      `${script}/`,
      '/assets/',
      '/assets',
    ])
      expectRefusal(await asset(path, 'br'), 'not_found');
    expectRefusal(await asset(`${script}?v=1`, 'br'), 'validation_error');
  });
});
