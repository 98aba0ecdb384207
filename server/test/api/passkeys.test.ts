import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from '../support/authenticator.ts';
import { Browser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { signInAt } from '../support/sign-in-walk.ts';

let idp: IdentityProvider;
let service: TestService;

beforeAll(async () => {
  const port = String(await freePort());
  const url = `http://localhost:${port}`;
  idp = await startIdentityProvider({ serviceUrl: url });
  service = await startTestService({ PORT: port, PUBLIC_URL: url, ...idp.env });
});
afterAll(() => Promise.all([service.stop(), idp.stop()]));

const accountOf = async (browser: Browser) => (await browser.get('/v1/account')).body;

async function add(browser: Browser, key: Authenticator, changed: Record<string, string> = {}) {
  const { challenge, rp } = (await browser.get('/auth/passkey/generate-register-options')).body;
  return browser.post('/auth/passkey/verify-registration', {
    response: key.create({ challenge, rpId: rp.id, origin: service.url, ...changed }),
    name: 'My laptop',
  });
}

async function enter(key: Authenticator, browser = new Browser(service.url), changed: Record<string, string> = {}) {
  const { challenge, rpId } = (await browser.get('/auth/passkey/generate-authenticate-options')).body;
  const response = await browser.post('/auth/passkey/verify-authentication', {
    response: key.get({ challenge, rpId, origin: service.url, ...changed }),
  });
  return { browser, response };
}

describe('a passkey', () => {
  test('is offered where the service has a name', async () => {
    expect((await service.anonymous.get('/sign-in')).body.passkey).toBe(true);
  });

  test('signs in the person who added it, repeatedly, and proves what that sign-in had proved', async () => {
    const jane = await signInWithCode(service, 'jane@corp.example');
    const key = new Authenticator();
    expect((await add(jane, key)).status).toBe(200);
    const before = await accountOf(jane);
    for (let i = 0; i < 2; i++) {
      const { browser, response } = await enter(key);
      expect(response.body, response.text).toEqual({ success: true });
      expect(await accountOf(browser)).toEqual({ ...before, provider: 'email', proves: 'mailbox' });
    }
    const sessions = (await jane.get('/v1/account/sessions')).body.data;
    expect(sessions.map(({ passkey }: { passkey: string | null }) => passkey)).toEqual([null, 'My laptop', 'My laptop']);
  });

  test('shows the provider that vouched for its person, and no more than it did', async () => {
    for (const [email_verified, proves] of [
      [true, 'domain'],
      [false, 'nothing'],
    ] as const) {
      idp.person = { sub: `kim ${proves}`, email: 'kim@corp.example', email_verified };
      const { browser: kim } = await signInAt(service.url, 'oidc');
      const key = new Authenticator();
      await add(kim, key);
      const account = await accountOf((await enter(key)).browser);
      expect(account).toMatchObject({ id: (await accountOf(kim)).id, provider: 'oidc', proves });
    }
  });

  test('is listed, renamed and removed by its person, and then of no use', async () => {
    const jane = await signInWithCode(service, 'lists@corp.example');
    const key = new Authenticator();
    const { id } = (await add(jane, key)).body;
    expect((await jane.get('/auth/passkey/list-user-passkeys')).body).toMatchObject([{ id, name: 'My laptop' }]);
    expect((await jane.post('/auth/passkey/update-passkey', { id, name: 'Old laptop' })).status).toBe(200);
    expect((await jane.get('/auth/passkey/list-user-passkeys')).body).toMatchObject([{ id, name: 'Old laptop' }]);
    expect((await jane.post('/auth/passkey/delete-passkey', { id })).status).toBe(200);
    expect((await jane.get('/auth/passkey/list-user-passkeys')).body).toEqual([]);
    expectRefusal((await enter(key)).response, 'unauthorized');
  });

  test('of others can’t be renamed or removed', async () => {
    const jane = await signInWithCode(service, 'owner@corp.example');
    const key = new Authenticator();
    const { id } = (await add(jane, key)).body;
    const mallory = await signInWithCode(service, 'mallory@corp.example');
    expect((await mallory.get('/auth/passkey/list-user-passkeys')).body).toEqual([]);
    expectRefusal(await mallory.post('/auth/passkey/update-passkey', { id, name: 'Mine' }), 'unauthorized');
    expectRefusal(await mallory.post('/auth/passkey/delete-passkey', { id }), 'unauthorized');
    expect((await enter(key)).response.status).toBe(200);
  });
});

describe('a passkey is not added', () => {
  test('without a session', async () => {
    const nobody = new Browser(service.url);
    expectRefusal(await nobody.get('/auth/passkey/generate-register-options'), 'unauthorized');
    expectRefusal(await nobody.post('/auth/passkey/verify-registration', { response: { id: 'x', response: {} } }), 'unauthorized');
  });

  test('in a session that is older than a day', async () => {
    const jane = await signInWithCode(service, 'stale@corp.example');
    await service.sql(
      "UPDATE sessions SET created_at = now() - interval '25 hours' WHERE person_id = (SELECT id FROM people WHERE email = 'stale@corp.example')",
    );
    expect((await jane.get('/v1/account')).status).toBe(200);
    expectRefusal(await jane.get('/auth/passkey/generate-register-options'), 'forbidden');
  });

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another name', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'AAAA' }],
  ])('for %s', async (_name, changed) => {
    const jane = await signInWithCode(service, 'adds@corp.example');
    expectRefusal(await add(jane, new Authenticator(), changed), 'validation_error');
    expect((await jane.get('/auth/passkey/list-user-passkeys')).body).toEqual([]);
    await service.sql('DELETE FROM sign_in_counts');
  });

  test('twice, to two people', async () => {
    const key = new Authenticator();
    expect((await add(await signInWithCode(service, 'first@corp.example'), key)).status).toBe(200);
    expectRefusal(await add(await signInWithCode(service, 'second@corp.example'), key), 'validation_error');
    expect((await accountOf((await enter(key)).browser)).email).toBe('first@corp.example');
  });

  test('along with a session of its own', async () => {
    const jane = await signInWithCode(service, 'more@corp.example');
    expectInvalid(
      await jane.post('/auth/passkey/verify-registration', { response: { id: 'x', response: {} }, createSession: true }),
      'createSession',
    );
  });
});

describe('a passkey signs nobody in', () => {
  const key = new Authenticator();
  beforeAll(async () => {
    await add(await signInWithCode(service, 'target@corp.example'), key);
  });

  test.each([
    ['at another site', { origin: 'https://evil.example' }],
    ['under another name', { rpId: 'evil.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
  ])('%s', async (_name, changed) => {
    const { browser, response } = await enter(key, undefined, changed);
    expectRefusal(response, 'validation_error');
    expect((await browser.get('/v1/account')).status).toBe(401);
  });

  test('that has another key than it says', async () => {
    const forged = Object.assign(new Authenticator(), { id: key.id });
    expectRefusal((await enter(forged)).response, 'unauthorized');
  });

  test('with a signature that was used before', async () => {
    const browser = new Browser(service.url);
    const { challenge, rpId } = (await browser.get('/auth/passkey/generate-authenticate-options')).body;
    const response = key.get({ challenge, rpId, origin: service.url });
    expect((await browser.post('/auth/passkey/verify-authentication', { response })).status).toBe(200);
    expectRefusal(await browser.post('/auth/passkey/verify-authentication', { response }), 'validation_error');
    await browser.get('/auth/passkey/generate-authenticate-options');
    expectRefusal(await browser.post('/auth/passkey/verify-authentication', { response }), 'validation_error');
  });

  test('from another page', async () => {
    const browser = new Browser(service.url);
    const { challenge, rpId } = (await browser.get('/auth/passkey/generate-authenticate-options')).body;
    const response = key.get({ challenge, rpId, origin: service.url });
    expectRefusal(await browser.post('/auth/passkey/verify-authentication', { response }, { origin: 'https://evil.example' }), 'forbidden');
  });

  test('of which nothing is known of how its person had signed in', async () => {
    await service.sql('UPDATE passkeys SET provider = NULL WHERE credential_id = $1', [key.id]);
    const { browser, response } = await enter(key);
    expectRefusal(response, 'forbidden');
    expect((await browser.get('/v1/account')).status).toBe(401);
  });
});
