import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { signInWithCode } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { beginAt, signInAt } from '../support/sign-in-walk.ts';
import { startTokenForge, type TokenForge } from '../support/token-forge.ts';

/** Servers on loopback play both providers under their names, with certificates that this process trusts. */

const TENANT = 'b1a5f7de-0c0f-4d2e-9a55-0a2f3c4d5e6f';
const OTHER_TENANT = '11111111-2222-3333-4444-555555555555';

let google: IdentityProvider;
let microsoft: TokenForge;
let service: TestService;

beforeAll(async () => {
  const port = String(await freePort());
  google = await startIdentityProvider({ serviceUrl: `http://127.0.0.1:${port}`, as: 'google', host: 'accounts.google.com' });
  microsoft = await startTokenForge({
    host: 'login.microsoftonline.com',
    path: '/common/v2.0',
    describedAs: 'https://login.microsoftonline.com/{tenantid}/v2.0',
  });
  service = await startTestService({ PORT: port, ...google.env, MICROSOFT_CLIENT_ID: CLIENT.id, MICROSOFT_CLIENT_SECRET: CLIENT.secret });
});
afterAll(() => Promise.all([service.stop(), google.stop(), microsoft.stop()]));

const accountOf = async (browser: Browser) => (await browser.get('/v1/account')).body;
const withGoogle = async (person: IdentityProvider['person']) => {
  google.person = person;
  const { browser, landed } = await signInAt(service.url, 'google');
  expect(landed).toBe('/home');
  return accountOf(browser);
};
const withMicrosoft = async (claims: Record<string, unknown>) => {
  microsoft.next = { claims: { tid: TENANT, iss: `https://login.microsoftonline.com/${TENANT}/v2.0`, ...claims } };
  const { browser, landed } = await signInAt(service.url, 'microsoft');
  return { landed, account: await accountOf(browser) };
};

test('both are offered once they are set up', async () => {
  expect((await service.anonymous.get('/sign-in')).body).toMatchObject({ google: true, microsoft: true, oidc: null });
});

describe('Google', () => {
  test('is asked at its own address, with state, nonce and PKCE', async () => {
    const url = await beginAt(new Browser(service.url), 'google');
    expect(url.origin).toBe('https://accounts.google.com');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(url.searchParams.get(name)).toMatch(/\S{20}/);
    expect(url.searchParams.get('redirect_uri')).toBe(`${service.url}/auth/callback/google`);
  });

  test('vouches for those of an organisation that has its mail there', async () => {
    const known = await accountOf(await signInWithCode(service, 'jane@workspace.example'));
    const account = await withGoogle({
      sub: 'g1',
      email: 'jane@workspace.example',
      email_verified: true,
      hd: 'workspace.example',
      name: 'Jane',
    });
    expect(account).toMatchObject({ id: known.id, email: 'jane@workspace.example', provider: 'google', proves: 'domain' });
  });

  test('knows the holders of its own mailboxes, who prove nothing by it', async () => {
    const known = await accountOf(await signInWithCode(service, 'jane@gmail.com'));
    const account = await withGoogle({ sub: 'g2', email: 'jane@gmail.com', email_verified: true });
    expect(account).toMatchObject({ id: known.id, email: 'jane@gmail.com', provider: 'google', proves: 'nothing' });
  });

  test.each([
    ['elsewhere, which somebody has confirmed once', { email: 'victim@corp.example', email_verified: true }],
    ['elsewhere, as somebody of another organisation', { email: 'victim@corp.example', email_verified: true, hd: 'attacker.example' }],
    ['of the organisation that is not confirmed', { email: 'victim@corp.example', email_verified: false, hd: 'corp.example' }],
    ['of its own that is not confirmed', { email: 'victim@gmail.com', email_verified: false }],
  ])('is no authority on a mailbox %s', async (name, claims) => {
    const victim = await accountOf(await signInWithCode(service, claims.email));
    const account = await withGoogle({ sub: name, ...claims });
    expect(account).toMatchObject({ email: null, proves: 'nothing' });
    expect(account.id).not.toBe(victim.id);
  });
});

describe('Microsoft', () => {
  test('is asked at the address for all tenants, or for the one that is set', async () => {
    const url = await beginAt(new Browser(service.url), 'microsoft');
    expect(url.origin + url.pathname).toBe('https://login.microsoftonline.com/common/v2.0/authorize');
    for (const name of ['state', 'nonce', 'code_challenge']) expect(url.searchParams.get(name)).toMatch(/\S{20}/);
  });

  test('is no authority on any mailbox, whatever it says: a tenant can write any address into its accounts', async () => {
    const victim = await accountOf(await signInWithCode(service, 'ceo@corp.example'));
    for (const [i, claims] of [
      {},
      { email_verified: true },
      { email_verified: true, xms_edov: true, verified_primary_email: ['ceo@corp.example'] },
    ].entries()) {
      const { landed, account } = await withMicrosoft({ sub: `m${i}`, email: 'ceo@corp.example', name: 'CEO', ...claims });
      expect(landed).toBe('/home');
      expect(account).toMatchObject({ email: null, name: 'CEO', provider: 'microsoft', proves: 'nothing' });
      expect(account.id).not.toBe(victim.id);
    }
  });

  test('brings the same person back, and another tenant’s account of the same name is another', async () => {
    const first = await withMicrosoft({ sub: 'same' });
    expect((await withMicrosoft({ sub: 'same' })).account.id).toBe(first.account.id);
    const other = await withMicrosoft({ sub: 'same', tid: OTHER_TENANT, iss: `https://login.microsoftonline.com/${OTHER_TENANT}/v2.0` });
    expect(other.landed).toBe('/home');
    expect(other.account.id).not.toBe(first.account.id);
  });

  test.each([
    ['of a tenant that it does not name', { tid: OTHER_TENANT }],
    ['of no tenant', { tid: undefined }],
    ['of an issuer elsewhere', { tid: 'x', iss: 'https://login.microsoftonline.com/x/v2.0' }],
    ['of an issuer that is no tenant', { iss: 'https://login.microsoftonline.com/common/v2.0' }],
  ])('a token %s signs nobody in', async (_name, claims) => {
    expect((await withMicrosoft({ sub: 'x', ...claims })).landed).toBe('/sign-in?error=unable_to_get_user_info');
  });
});
