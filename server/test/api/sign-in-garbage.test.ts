import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forSigningIn } from '../../src/app.ts';
import { errorCatalogue } from '../../src/contract/errors.ts';
import type { ApiResponse } from '../support/api.ts';
import { Browser } from '../support/browser.ts';
import { CLIENT } from '../support/identity-provider.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTokenForge, type TokenForge } from '../support/token-forge.ts';

let forge: TokenForge;
let service: TestService;
let jane: Browser;

beforeAll(async () => {
  forge = await startTokenForge();
  service = await startTestService({ OIDC_ISSUER: forge.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret });
  jane = await signInWithCode(service, 'jane@corp.example');
});
afterAll(() => Promise.all([service.stop(), forge.stop()]));

/** The service has no internal error and reveals nothing of its internals, and every refusal is in the catalogue. */
function expectManners({ status, text, headers }: ApiResponse): void {
  expect(status, text).toBeLessThan(500);
  expect(headers.get('x-request-id')).toMatch(/^req_/);
  expect(text).not.toMatch(/\n\s+at |node_modules|better-auth|kysely|SELECT |INSERT /i);
  if (status >= 400) {
    const { error } = JSON.parse(text);
    expect(errorCatalogue[error.code as keyof typeof errorCatalogue][0], text).toBe(status);
  }
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'jane@corp.example',
    '123456',
    '/home',
    'oidc',
    '\u0000',
    '\ud800',
    '',
    'sign-in',
    "' OR 1=1 --",
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ),
);
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
const credential = fc.record(
  {
    id: fc.oneof(value, fc.constantFrom('abc', 'YWJj')),
    rawId: value,
    type: fc.oneof(value, fc.constant('public-key')),
    response: fc.oneof(
      value,
      fc.dictionary(
        fc.constantFrom('clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'transports', 'userHandle'),
        value,
      ),
    ),
  },
  { requiredKeys: [] },
);
const names = ['email', 'otp', 'type', 'name', 'provider', 'callbackURL', 'errorCallbackURL', 'id', 'response', '__proto__', 'constructor'];
const body = fc.oneof(
  fc.dictionary(fc.constantFrom(...names), value),
  fc.record({ response: credential, name: fc.constant('x') }, { requiredKeys: ['response'] }),
  fc.jsonValue({ maxDepth: 2 }),
);

test('no body gives a 5xx anywhere, with a session or without', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...forSigningIn.filter(([method]) => method === 'POST')),
      body,
      fc.boolean(),
      async ([method, path], sent, isSignedIn) => {
        // Signing out would end the session that all other requests need, and the first response uses up a challenge.
        if (path === '/auth/sign-out') return;
        if (path.includes('verify-registration')) await jane.get('/auth/passkey/generate-register-options');
        if (path.includes('verify-authentication')) await jane.get('/auth/passkey/generate-authenticate-options');
        const browser = isSignedIn ? jane : new Browser(service.url);
        expectManners(await browser.request(method, path, { body: JSON.stringify(sent) }));
      },
    ),
    { numRuns: 250 },
  );
  expect((await jane.get('/v1/account')).status).toBe(200);
});

test('no query gives a 5xx at the callback', async () => {
  const part = text.map((any) => encodeURIComponent(any.toWellFormed()));
  const pair = fc.tuple(
    fc.constantFrom('code', 'state', 'error', 'error_description', 'iss', 'user', 'device_id', 'x', '%00'),
    fc.oneof(part, fc.constantFrom('%', '%zz', '%00')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { maxLength: 5 }), async (pairs) => {
      const response = await jane.get(`/auth/callback/oidc?${pairs.map(([name, any]) => `${name}=${any}`).join('&')}`);
      expectManners(response);
      if (response.status === 302) expect(new URL(response.headers.get('location') as string).origin).toBe(service.url);
    }),
    { numRuns: 150 },
  );
});

test('no cookie gives a 5xx, nor a session', async () => {
  const letter = fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  });
  const cookie = fc
    .array(
      fc.tuple(
        fc.constantFrom('waybill.session_token', 'waybill.state', 'waybill.passkey_challenge', 'waybill.session_data', 'x', ''),
        letter,
      ),
      { maxLength: 4 },
    )
    .map((pairs) => pairs.map(([name, any]) => `${name}=${any}`).join('; '));
  await fc.assert(
    fc.asyncProperty(
      cookie,
      fc.constantFrom('/v1/account', '/auth/callback/oidc?code=a&state=b', '/auth/passkey/generate-authenticate-options'),
      async (header, path) => {
        const response = await service.anonymous.request('GET', path, { headers: { cookie: header } });
        expectManners(response);
        if (path === '/v1/account') expect(response.status).toBe(401);
      },
    ),
    { numRuns: 150 },
  );
});

describe('what is not in the table is not there', () => {
  test.each([
    ['POST', '/auth/sign-up/email'],
    ['POST', '/auth/sign-in/email'],
    ['GET', '/auth/get-session'],
    ['POST', '/auth/link-social'],
    ['POST', '/auth/update-user'],
    ['POST', '/auth/update-session'],
    ['POST', '/auth/delete-user'],
    ['POST', '/auth/change-email'],
    ['GET', '/auth/list-sessions'],
    ['POST', '/auth/email-otp/verify-email'],
    ['POST', '/auth/email-otp/check-verification-otp'],
    ['POST', '/auth/email-otp/reset-password'],
    ['POST', '/auth/get-access-token'],
    ['GET', '/auth/error'],
    ['GET', '/auth/ok'],
    ['GET', '/auth'],
    ['GET', '/auth/../auth/get-session'],
    ['GET', '/auth//get-session'],
  ])('%s %s', async (method, path) => {
    expectRefusal(await jane.request(method, path, method === 'POST' ? { body: {} } : {}), 'not_found');
  });

  test('and other methods are refused as such', async () => {
    expectRefusal(await jane.get('/auth/sign-in/email-otp'), 'method_not_allowed');
    expectRefusal(await jane.request('PUT', '/v1/account', { body: {} }), 'method_not_allowed');
    expectRefusal(await jane.post('/auth/callback/oidc', {}), 'method_not_allowed');
  });
});
