import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { beginAt, signInAt, walkToCallback } from '../support/sign-in-walk.ts';

let idp: IdentityProvider;
let service: TestService;

beforeAll(async () => {
  const port = String(await freePort());
  idp = await startIdentityProvider({ serviceUrl: `http://127.0.0.1:${port}` });
  service = await startTestService({ PORT: port, OIDC_NAME: 'Corp login', ...idp.env });
});
afterAll(() => Promise.all([service.stop(), idp.stop()]));

const accountOf = async (browser: Browser) => (await browser.get('/v1/account')).body;
const signIn = async (person: IdentityProvider['person']) => {
  idp.person = person;
  const { browser, landed } = await signInAt(service.url, 'oidc');
  expect(landed).toBe('/home');
  return accountOf(browser);
};

describe('an OpenID Connect provider', () => {
  test('is offered under its name; those that are not set up are not', async () => {
    expect((await service.anonymous.get('/sign-in')).body).toEqual({
      email: true,
      google: false,
      microsoft: false,
      oidc: { name: 'Corp login' },
      passkey: false,
      mails_at: '/dev/mail',
    });
    for (const provider of ['google', 'microsoft', 'github', '__proto__', '']) {
      const browser = new Browser(service.url);
      expectRefusal(await browser.post('/auth/sign-in/social', { provider, callbackURL: '/' }), 'not_found');
      expectRefusal(await browser.get(`/auth/callback/${provider || 'x'}?code=1&state=2`), 'not_found');
    }
  });

  test('is asked with state, nonce and PKCE, for nothing but who it is', async () => {
    const url = await beginAt(new Browser(service.url), 'oidc');
    expect(url.origin + url.pathname).toBe(`${idp.issuer}/auth`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${service.url}/auth/callback/oidc`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^.{32}$/),
      nonce: expect.stringMatching(/^.{32}$/),
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  test('signs people in, and vouches for those of its own domains', async () => {
    const account = await signIn({ sub: 'jane', email: 'Jane@Corp.example', email_verified: true, name: 'Jane\r\nBcc: x\u202edoe ' });
    expect(account).toMatchObject({ email: 'jane@corp.example', name: 'Jane Bcc: x doe', provider: 'oidc', proves: 'domain' });
    expect((await signIn({ sub: 'jane', email: 'jane@corp.example', email_verified: true })).id).toBe(account.id);
  });

  test('proves nothing about a consumer’s mailbox', async () => {
    const account = await signIn({ sub: 'consumer', email: 'consumer@gmail.com', email_verified: true, name: 'C' });
    expect(account).toMatchObject({ email: null, provider: 'oidc', proves: 'nothing' });
  });

  test('nor about one that the operator calls a consumer’s', async () => {
    const port = String(await freePort());
    const other = await startIdentityProvider({ serviceUrl: `http://127.0.0.1:${port}` });
    const sibling = await service.sibling({ PORT: port, CONSUMER_MAIL_DOMAINS: 'everybody.example', ...other.env });
    other.person = { sub: 'any', email: 'any@everybody.example', email_verified: true };
    const { browser } = await signInAt(sibling.url, 'oidc');
    expect(await accountOf(browser)).toMatchObject({ email: null, proves: 'nothing' });
    await Promise.all([sibling.stop(), other.stop()]);
  });

  test('leaves none of its tokens behind', async () => {
    await signIn({ sub: 'tokens', email: 'tokens@corp.example', email_verified: true });
    const rows = await service.sql('SELECT access_token, refresh_token, id_token FROM sign_in_accounts');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Object.values(row)).toEqual([null, null, null]);
  });
});

describe.each([
  ['tells the address on request only', { inToken: false }],
  ['wants the secret in the body', { authentication: 'client_secret_post' as const }],
])('a provider that %s', (_name, options) => {
  test('works as well', async () => {
    const port = String(await freePort());
    const other = await startIdentityProvider({ serviceUrl: `http://127.0.0.1:${port}`, ...options });
    const sibling = await service.sibling({ PORT: port, ...other.env });
    other.person = { sub: 'kim', email: `kim-${port}@corp.example`, email_verified: true, name: 'Kim' };
    const { browser, landed } = await signInAt(sibling.url, 'oidc');
    expect(landed).toBe('/home');
    expect(await accountOf(browser)).toMatchObject({ email: `kim-${port}@corp.example`, name: 'Kim', proves: 'domain' });
    await Promise.all([sibling.stop(), other.stop()]);
  });
});

describe('nobody is taken over', () => {
  test('by an address that the provider does not call verified, whether or not its holder is known', async () => {
    const victim = await signInWithCode(service, 'victim@corp.example');
    const { id } = await accountOf(victim);
    for (const email_verified of [false, undefined, 'true', 1, null]) {
      const account = await signIn({ sub: `attacker ${email_verified}`, email: 'victim@corp.example', email_verified, name: 'Victim' });
      expect(account).toMatchObject({ email: null, proves: 'nothing' });
      expect(account.id).not.toBe(id);
    }
    expect((await accountOf(victim)).id).toBe(id);
  });

  test('by having been there first: the holder of the mailbox gets an account of their own', async () => {
    const squatter = await signIn({ sub: 'squatter', email: 'late@corp.example', email_verified: false });
    const holder = await accountOf(await signInWithCode(service, 'late@corp.example'));
    expect(holder.id).not.toBe(squatter.id);
    expect((await signIn({ sub: 'squatter', email: 'late@corp.example', email_verified: false })).id).toBe(squatter.id);
  });

  test('by a provider that is no authority on consumers’ mailboxes', async () => {
    const holder = await accountOf(await signInWithCode(service, 'holder@gmail.com'));
    const account = await signIn({ sub: 'holder', email: 'holder@gmail.com', email_verified: true });
    expect(account.id).not.toBe(holder.id);
    expect(account.email).toBeNull();
  });

  test('but who is vouched for by the domain is the one who is known by that mailbox', async () => {
    const known = await accountOf(await signInWithCode(service, 'both@corp.example'));
    const account = await signIn({ sub: 'both', email: 'both@corp.example', email_verified: true });
    expect(account).toMatchObject({ id: known.id, provider: 'oidc', proves: 'domain' });
    expect(await accountOf(await signInWithCode(service, 'both@corp.example'))).toMatchObject({ id: known.id, proves: 'mailbox' });
  });

  test('when an account moves to another mailbox, it stays the person it was and proves nothing of either', async () => {
    const before = await signIn({ sub: 'mover', email: 'before@corp.example', email_verified: true });
    await signInWithCode(service, 'after@corp.example');
    const after = await signIn({ sub: 'mover', email: 'after@corp.example', email_verified: true });
    expect(after).toMatchObject({ id: before.id, email: 'before@corp.example', proves: 'nothing' });
    const unverified = await signIn({ sub: 'mover', email: 'before@corp.example', email_verified: false });
    expect(unverified).toMatchObject({ id: before.id, proves: 'nothing' });
  });

  test('when the service is led to another provider, whose names for people mean others', async () => {
    const here = await signIn({ sub: '1', email: 'one@corp.example', email_verified: true });
    const port = String(await freePort());
    const other = await startIdentityProvider({ serviceUrl: `http://127.0.0.1:${port}` });
    const sibling = await service.sibling({ PORT: port, ...other.env });
    other.person = { sub: '1', email: 'uno@other.example', email_verified: true };
    const { browser } = await signInAt(sibling.url, 'oidc');
    expect((await accountOf(browser)).id).not.toBe(here.id);
    await Promise.all([sibling.stop(), other.stop()]);
  });
});

describe('coming back from the provider', () => {
  const person = { sub: 'back', email: 'back@corp.example', email_verified: true };
  const errorOf = (location: string | null) => new URL(location ?? '', service.url).searchParams.get('error');
  const isSignedIn = async (browser: Browser) => (await browser.get('/v1/account')).status === 200;

  test('works once', async () => {
    idp.person = person;
    const browser = new Browser(service.url);
    const callback = await walkToCallback(browser, await beginAt(browser, 'oidc'));
    expect((await browser.get(callback.href)).headers.get('location')).toBe('/home');
    expect(errorOf((await browser.get(callback.href)).headers.get('location'))).toBe('state_mismatch');
  });

  test('works in the browser that went there only, so that nobody signs others in as themselves', async () => {
    idp.person = person;
    const attacker = new Browser(service.url);
    const callback = await walkToCallback(attacker, await beginAt(attacker, 'oidc'));
    const victim = new Browser(service.url);
    expect(errorOf((await victim.get(callback.href)).headers.get('location'))).toBe('state_mismatch');
    expect(await isSignedIn(victim)).toBe(false);
    await beginAt(victim, 'oidc');
    expect(errorOf((await victim.get(callback.href)).headers.get('location'))).toBe('state_mismatch');
    expect(await isSignedIn(victim)).toBe(false);
  });

  test.each([
    ['without anything', ''],
    ['with a state that is none', '?code=x&state=nothing'],
    ['with a refusal', '?error=access_denied'],
  ])('%s leads to the page for signing in, and to no session', async (_name, search) => {
    const browser = new Browser(service.url);
    const response = await browser.get(`/auth/callback/oidc${search}`);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(new RegExp(`^${service.url}/sign-in\\?error=\\w+$`));
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('with two codes is refused', async () => {
    expectRefusal(await new Browser(service.url).get('/auth/callback/oidc?code=a&code=b&state=c&state=d'), 'validation_error');
  });

  test('with a code that the provider does not know leads back with an error', async () => {
    idp.person = person;
    const browser = new Browser(service.url);
    const callback = await walkToCallback(browser, await beginAt(browser, 'oidc'));
    callback.searchParams.set('code', 'made-up');
    expect((await browser.get(callback.href)).headers.get('location')).toBe('/sign-in?error=invalid_code');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('late is too late', async () => {
    idp.person = person;
    const browser = new Browser(service.url);
    const callback = await walkToCallback(browser, await beginAt(browser, 'oidc'));
    await service.sql(`UPDATE verifications SET value = jsonb_set(value::jsonb, '{expiresAt}', '1')::text WHERE value LIKE '{%'`);
    expect((await browser.get(callback.href)).headers.get('location')).toBe('/sign-in?error=state_mismatch');
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe('after signing in nobody is led elsewhere', () => {
  test.each([
    'https://evil.example/',
    'http://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '/%0d%0aLocation:/x\r\n',
    ' /home',
    '',
  ])('not by callbackURL %j', async (url) => {
    const browser = new Browser(service.url);
    for (const field of ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL']) {
      const response = await browser.post('/auth/sign-in/social', { provider: 'oidc', callbackURL: '/home', [field]: url });
      expectRefusal(response, 'validation_error');
      expect(response.body.error.details[0].path).toBe(`/${field}`);
    }
  });

  test('and nothing more can be slipped in', async () => {
    for (const extra of [
      { idToken: { token: 'x' } },
      { scopes: ['admin'] },
      { additionalParams: { prompt: 'none' } },
      { additionalData: {} },
    ]) {
      const response = await new Browser(service.url).post('/auth/sign-in/social', { provider: 'oidc', callbackURL: '/home', ...extra });
      expectRefusal(response, 'validation_error');
    }
  });
});
