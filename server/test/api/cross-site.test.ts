import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forSigningIn } from '../../src/app.ts';
import { Browser } from '../support/browser.ts';
import { askForCode, codesFor, signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { rows } from '../support/table.ts';

let service: TestService;
let jane: Browser;

beforeAll(async () => {
  service = await startTestService();
  jane = await signInWithCode(service, 'jane@corp.example');
});
afterAll(() => service.stop());

const changing = [
  ...rows.filter(({ auth }) => auth === 'person').map(({ method, url }) => [method, url] as const),
  ...forSigningIn.map(([method, path]) => [method, path] as const),
].filter(([method]) => method !== 'GET');

const elsewhere: [string, () => Record<string, string>][] = [
  ['another site', () => ({ origin: 'https://evil.example' })],
  ['another site that lies about Sec-Fetch-Site', () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })],
  ['a page without an origin', () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' })],
  ['another port', () => ({ origin: service.url.replace(/\d+$/, '1') })],
  ['the same host by another scheme', () => ({ origin: service.url.replace('http:', 'https:') })],
  ['a name that begins alike', () => ({ origin: `${service.url}.evil.example` })],
  ['a subdomain', () => ({ origin: service.url.replace('//', '//x.'), 'sec-fetch-site': 'same-site' })],
  ['nowhere', (): Record<string, string> => ({})],
  ['a link', () => ({ 'sec-fetch-site': 'none' })],
  ['a referrer alone', () => ({ referer: `${service.url}/home` })],
];

describe.each(elsewhere)('a request from %s', (_name, headers) => {
  test.each(changing)('is refused by %s %s', async (method, url) => {
    expectRefusal(await jane.request(method, url, { body: bodyOf(url), headers: headers(), origin: null }), 'forbidden');
    expect((await jane.get('/v1/account')).body.name).toBe('jane');
  });
});

/** A valid body, which would be accepted from the right origin. */
function bodyOf(url: string): unknown {
  if (url === '/v1/account') return { name: 'Changed' };
  if (url.endsWith('send-verification-otp')) return { email: 'jane@corp.example' };
  if (url.endsWith('sign-in/email-otp')) return { email: 'jane@corp.example', otp: '123456' };
  if (url.endsWith('sign-in/social')) return { provider: 'oidc', callbackURL: '/' };
  if (/verify-/.test(url)) return { response: { id: 'x', response: {} } };
  if (/passkey$/.test(url)) return { id: '01890a5d-ac96-774b-bcce-b302099a8057', ...(url.endsWith('update-passkey') && { name: 'x' }) };
  return undefined;
}

test('a request from our own page is taken, by its origin or by what the browser says', async () => {
  const ours: Record<string, string>[] = [{ origin: service.url }, { 'sec-fetch-site': 'same-origin' }];
  for (const headers of ours) {
    const response = await jane.request('PATCH', '/v1/account', { body: { name: 'jane' }, headers, origin: null });
    expect(response.status, response.text).toBe(200);
  }
});

test('nobody is signed in as somebody else by another site', async () => {
  const victim = new Browser(service.url);
  await askForCode(new Browser(service.url), 'attacker@corp.example');
  const otp = (await codesFor(service, 'attacker@corp.example')).at(-1);
  const body = { email: 'attacker@corp.example', otp };
  expectRefusal(await victim.post('/auth/sign-in/email-otp', body, { origin: 'https://evil.example' }), 'forbidden');
  expect(victim.cookies().size).toBe(0);
});

test('no response can be read by another site', async () => {
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await jane.request(method, '/v1/account', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});
