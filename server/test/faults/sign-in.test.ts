import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { CLIENT } from '../support/identity-provider.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts';
import { askForCode, signInWithCode } from '../support/people.ts';
import { startProcess } from '../support/process.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTokenForge, type TokenForge } from '../support/token-forge.ts';

let postgres: OwnPostgres;
let forge: TokenForge;
let service: TestService;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  forge = await startTokenForge();
  service = await startTestService({
    DATABASE_URL: await postgres.createDatabase(),
    OIDC_ISSUER: forge.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  });
});
afterAll(async () => {
  await service.stop();
  await postgres.stop();
  await forge.stop();
});

test('a session that ends in one process has ended in another, and outlives both', async () => {
  const env = { DATABASE_URL: service.databaseUrl };
  const [one, two] = await Promise.all([startProcess({ env }), startProcess({ env })]);
  const laptop = await signInWithCode({ sql: service.sql, url: one.url }, 'processes@corp.example');
  const phone = await signInWithCode({ sql: service.sql, url: two.url }, 'processes@corp.example');
  const statuses = () => Promise.all([phone, phone.at(one.url)].map(async (browser) => (await browser.get('/v1/account')).status));
  expect(await statuses()).toEqual([200, 200]);
  expect((await laptop.request('DELETE', '/v1/account/sessions')).status).toBe(204);
  expect(await statuses()).toEqual([401, 401]);
  await Promise.all([one.stop('SIGKILL'), two.stop('SIGKILL')]);
  expect((await laptop.at(service.url).get('/v1/account')).status).toBe(200);
});

test('while the database can’t be reached, sign-in responds with 503 and nobody is signed out', async () => {
  const jane = await signInWithCode(service, 'jane@corp.example');
  const nobody = new Browser(service.url);
  await postgres.halt();
  expectRefusal(await jane.get('/v1/account'), 'unavailable');
  expectRefusal(await jane.request('DELETE', '/v1/account/sessions'), 'unavailable');
  expectRefusal(await askForCode(nobody, 'kim@corp.example'), 'unavailable');
  expectRefusal(await nobody.post('/auth/sign-in/email-otp', { email: 'kim@corp.example', otp: '123456' }), 'unavailable');
  expectRefusal(await nobody.post('/auth/sign-in/social', { provider: 'oidc', callbackURL: '/home' }), 'unavailable');
  expectRefusal(await nobody.get('/auth/passkey/generate-authenticate-options'), 'unavailable');
  await postgres.restart();
  await expect.poll(async () => (await jane.get('/v1/account')).status).toBe(200);
  expect((await signInWithCode(service, 'kim@corp.example')).cookies().has('waybill.session_token')).toBe(true);
});
