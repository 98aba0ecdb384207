import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { exchange } from '../support/raw-http.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { rows } from '../support/table.ts';

let service: TestService;
let acme: TestBusiness;
let owner: MemberApi;
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
let document: any;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  owner = await claimedBy(service, 'olga@corp.example', 'olgas');
  document = (await service.anonymous.request('GET', '/openapi.json')).body;
});
afterAll(() => service.stop());

const HOSTILE: [name: string, value: string][] = [
  ['nothing', ''],
  ['a dot', '.'],
  ['two dots', '..'],
  ['an encoded slash', 'a%2Fb'],
  ['encoded dots', '%2e%2e%2f'],
  ['a space', '%20'],
  ['U+0000', '%00'],
  ['letters beyond ASCII', encodeURIComponent('漢字')],
  ['a percent sign alone', '%'],
  ['no UTF-8', '%ff%fe'],
  ['half of a surrogate pair', '%ed%a0%80'],
  ['a word', 'placeholder'],
  ['the longest that there is', 'x'.repeat(512)],
  ['more than that', 'x'.repeat(513)],
  ['much more than that', 'x'.repeat(8_000)],
  ['a name of JavaScript', '__proto__'],
];

/** Sends the path unchanged, without resolving dots, with a key or with the session of an owner. */
async function request(method: string, path: string, auth: string): Promise<{ status: number | undefined; text: string }> {
  const body = method === 'GET' || method === 'DELETE' ? '' : '{}';
  const who = auth.startsWith('key')
    ? [`Authorization: Bearer ${acme.secret}`]
    : [`Cookie: ${owner.browser.cookieHeader()}`, `Origin: ${service.url}`, `Waybill-Business: ${owner.handle}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...who, `Content-Length: ${body.length}`];
  return exchange(service.url, [...lines, ...(body === '' ? [] : ['Content-Type: application/json']), '', body].join('\r\n'));
}

const parametrised = rows.filter(({ path, auth }) => path.includes(':') && auth !== 'public unlimited');

test.each(parametrised.map(({ method, path, auth }) => [method, path, auth] as const))(
  '%s %s responds to any parameter as documented',
  async (method, path, auth) => {
    const inDocument = path.replace(/:(\w+)/g, '{$1}');
    const documented = document.paths[inDocument][method.toLowerCase()].responses;
    for (const [name, value] of HOSTILE) {
      const { status, text } = await request(method, path.replace(/:\w+/g, value), auth);
      const isAnother = value === '' || value === '.' || value === '..';
      if (!isAnother) expect(Object.keys(documented), `${name}: ${text}`).toContain(String(status));
      else expect(status, text).toBeLessThan(500);
    }
  },
);

test('a consumer with a name that it can’t have is refused with 400', async () => {
  for (const [name, value] of HOSTILE) {
    if (value === 'placeholder' || value === '__proto__') continue;
    const { status, text } = await request('PUT', `/v1/consumers/${value}`, 'key rw');
    expect([status, text.includes('"code":"validation_error"')], `${name}: ${text}`).toEqual([400, true]);
  }
});
