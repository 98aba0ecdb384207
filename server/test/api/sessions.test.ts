import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEVICE_KNOWN_DAYS } from '../../src/contract/limits.ts';
import { Browser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { codesFor, signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const DAY_MS = 86_400_000;

let service: TestService;
let other: { url: string; stop(): Promise<void> };

beforeAll(async () => {
  service = await startTestService();
  other = await service.sibling();
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const sessionsOf = async (browser: Browser) => (await browser.get('/v1/account/sessions')).body.data;
const statusOf = async (browser: Browser) => (await browser.get('/v1/account')).status;
const remove = (browser: Browser, id = '') => browser.request('DELETE', `/v1/account/sessions${id && `/${id}`}`);

describe('sessions', () => {
  test('are listed with what tells them apart, and which is the one that asks', async () => {
    const laptop = await signInWithCode(service, 'lists@corp.example');
    await signInWithCode(service, 'lists@corp.example');
    const sessions = await sessionsOf(laptop);
    expect(sessions).toHaveLength(2);
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    expect(sessions[0]).toEqual({
      id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      provider: 'email',
      passkey: null,
      address: '127.0.0.1',
      user_agent: 'node',
      current: true,
      created_at: expect.stringMatching(/Z$/),
      last_seen_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
    });
  });

  test('come in pages', async () => {
    const jane = await signInWithCode(service, 'pages@corp.example');
    for (let i = 0; i < 2; i++) await signInWithCode(service, 'pages@corp.example');
    const first = (await jane.get('/v1/account/sessions?limit=2')).body;
    const second = (await jane.get(`/v1/account/sessions?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first.data.length, second.data.length, second.next_cursor]).toEqual([2, 1, null]);
    const kim = await signInWithCode(service, 'kim@corp.example');
    expectInvalid(await kim.get(`/v1/account/sessions?cursor=${first.next_cursor}`), 'cursor');
  });

  test('end one by one, with the next request, in every process', async () => {
    const laptop = await signInWithCode(service, 'ends@corp.example');
    const phone = await signInWithCode(service, 'ends@corp.example');
    const phoneElsewhere = phone.at(other.url);
    expect([await statusOf(phone), await statusOf(phoneElsewhere)]).toEqual([200, 200]);
    const [, { id }] = await sessionsOf(laptop);
    expect((await remove(laptop, id)).status).toBe(204);
    expect([await statusOf(phone), await statusOf(phoneElsewhere), await statusOf(laptop)]).toEqual([401, 401, 200]);
    expectRefusal(await remove(laptop, id), 'not_found');
  });

  test('end all at once but the one that asks', async () => {
    const laptop = await signInWithCode(service, 'all@corp.example');
    const others = [await signInWithCode(service, 'all@corp.example'), await signInWithCode(service, 'all@corp.example')];
    const bystander = await signInWithCode(service, 'bystander@corp.example');
    expect((await remove(laptop.at(other.url))).status).toBe(204);
    expect(await Promise.all([laptop, ...others, bystander].map(statusOf))).toEqual([200, 401, 401, 200]);
  });

  test('end with signing out, and the cookie goes', async () => {
    const jane = await signInWithCode(service, 'out@corp.example');
    const copy = jane.at(other.url);
    expect((await jane.post('/auth/sign-out', undefined)).status).toBe(200);
    expect([...jane.cookies().keys()]).toEqual(['waybill.device']);
    expect(await statusOf(copy)).toBe(401);
  });

  test('of others can’t be ended, nor told from none', async () => {
    const jane = await signInWithCode(service, 'mine@corp.example');
    const mallory = await signInWithCode(service, 'mallory@corp.example');
    const [{ id }] = await sessionsOf(jane);
    const responses = await Promise.all(
      [id, 'ses_01h455vb4pex5vsknk084sn02q', 'usr_01h455vb4pex5vsknk084sn02q', 'x'].map((any) => remove(mallory, any)),
    );
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
    }
    expect(await statusOf(jane)).toBe(200);
  });

  test('last 30 days from the last use, which is noted every ten minutes', async () => {
    const jane = await signInWithCode(service, 'slides@corp.example');
    const daysLeft = async () => (Date.parse((await sessionsOf(jane))[0].expires_at) - Date.now()) / DAY_MS;
    expect(await daysLeft()).toBeCloseTo(30, 1);
    const age = async (days: number) => {
      const [row] = await service.sql<{ id: string; expires_at: Date; updated_at: Date }>(
        "SELECT id, expires_at, updated_at FROM sessions WHERE person_id = (SELECT id FROM people WHERE email = 'slides@corp.example')",
      );
      const earlier = (time?: Date) => new Date(Number(time) - days * DAY_MS);
      await service.sql('UPDATE sessions SET expires_at = $2, updated_at = $3 WHERE id = $1', [
        row?.id,
        earlier(row?.expires_at),
        earlier(row?.updated_at),
      ]);
    };
    await age(20);
    const response = await jane.get('/v1/account');
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^waybill\.session_token=.*; Max-Age=2592000;/)]);
    expect(await daysLeft()).toBeCloseTo(30, 1);
    expect((await jane.get('/v1/account')).headers.getSetCookie()).toEqual([]);
    const before = Date.parse((await sessionsOf(jane))[0].last_seen_at);
    await age(11 / (24 * 60));
    await jane.get('/v1/account');
    expect(Date.parse((await sessionsOf(jane))[0].last_seen_at)).toBeGreaterThanOrEqual(before);
    await age(30);
    expect(await statusOf(jane)).toBe(401);
  });
});

describe('PATCH /v1/account', () => {
  test('changes the name', async () => {
    const jane = await signInWithCode(service, 'name@corp.example');
    const { status, body } = await jane.request('PATCH', '/v1/account', { body: { name: ' Jane Doe ' } });
    expect([status, body.name]).toEqual([200, 'Jane Doe']);
    expect((await jane.get('/v1/account')).body).toEqual(body);
  });

  test.each(['علی\u200cرضا', '👨\u200d👩\u200d👧', '❤\ufe0f', 'क्\u200dष'])('keeps the joiners of %s', async (name) => {
    const jane = await signInWithCode(service, `${encodeURIComponent(name).length}-joined@corp.example`);
    expect((await jane.request('PATCH', '/v1/account', { body: { name } })).body.name).toBe(name);
  });

  test.each([
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(101) },
    { name: 7 },
    { name: null },
    { name: 'a\u0000b' },
    { name: '\u200b\u202e' },
    { name: 'Jane\u202e Doe of Corp' },
    { name: 'Jane\r\nBcc: x@y.example' },
  ])('refuses %j', async (body) => {
    const jane = await signInWithCode(service, `${JSON.stringify(body).length}-name@corp.example`);
    expectInvalid(await jane.request('PATCH', '/v1/account', { body }), 'name');
  });

  test('wants something to change', async () => {
    const jane = await signInWithCode(service, 'nothing@corp.example');
    expectRefusal(await jane.request('PATCH', '/v1/account', { body: {} }), 'validation_error');
  });

  test('takes nothing else', async () => {
    const jane = await signInWithCode(service, 'else@corp.example');
    expectInvalid(await jane.request('PATCH', '/v1/account', { body: { name: 'J', email: 'x@y.example' } }), 'email');
  });
});

describe('a cookie', () => {
  const NAME = 'waybill.session_token';
  const cookieOf = (browser: Browser) => browser.cookies().get(NAME)?.value as string;
  const withCookie = (value: string) => service.anonymous.get('/account', { cookie: `${NAME}=${value}` });

  test('over HTTP is hidden from scripts and from other sites', async () => {
    const jane = await signInWithCode(service, 'http@corp.example');
    expect([...jane.cookies()].map(([name, { attributes }]) => [name, attributes.toSorted()])).toEqual([
      ['waybill.device', ['httponly', `max-age=${DEVICE_KNOWN_DAYS * 86_400}`, 'path=/', 'samesite=lax']],
      [NAME, ['httponly', 'max-age=2592000', 'path=/', 'samesite=lax']],
    ]);
  });

  test('over HTTPS is bound to the host, and never sent in the clear', async () => {
    const port = String(await freePort());
    const sibling = await service.sibling({ PORT: port, PUBLIC_URL: 'https://waybill.example/below' });
    const browser = new Browser(`http://127.0.0.1:${port}`);
    const ask = (path: string, body: object) => browser.post(path, body, { origin: 'https://waybill.example' });
    await ask('/auth/email-otp/send-verification-otp', { email: 'https@corp.example' });
    const [otp] = await codesFor(service, 'https@corp.example');
    await ask('/auth/sign-in/email-otp', { email: 'https@corp.example', otp });
    expect([...browser.cookies()].map(([name, { attributes }]) => [name, attributes.toSorted()])).toEqual([
      ['__Host-waybill.device', ['httponly', `max-age=${DEVICE_KNOWN_DAYS * 86_400}`, 'path=/', 'samesite=lax', 'secure']],
      [`__Host-${NAME}`, ['httponly', 'max-age=2592000', 'path=/', 'samesite=lax', 'secure']],
    ]);
    expect(await statusOf(browser)).toBe(200);
    await sibling.stop();
  });

  test('that was changed anywhere is none', async () => {
    const value = cookieOf(await signInWithCode(service, 'changed@corp.example'));
    expect((await withCookie(value)).status).toBe(200);
    const plain = decodeURIComponent(value);
    const [token, seal] = plain.split('.') as [string, string];
    const changes = [...plain].flatMap((letter, i) =>
      i % 7 === 0 ? [plain.slice(0, i) + (letter === 'A' ? 'B' : 'A') + plain.slice(i + 1)] : [],
    );
    for (const forged of [...changes, token, `${token}.`, `.${seal}`, `${token}.${seal}${seal}`, `${seal}.${token}`, `x${plain}`])
      expectRefusal(await withCookie(encodeURIComponent(forged)), 'unauthorized');
  });

  test.each(['', '%', '%zz', '%00', '.', '..', 'null', '"', '; ; =', 'é', 'a'.repeat(6_000), `${'a'.repeat(32)}.${'b'.repeat(43)}=`])(
    'with %j in it is none',
    async (value) => {
      expectRefusal(await withCookie(Buffer.from(value).toString('latin1')), 'unauthorized');
    },
  );

  test('can’t be made from the database: it has the hash of the token, even where the seal can be forged', async () => {
    const jane = await signInWithCode(service, 'database@corp.example');
    const [token = ''] = decodeURIComponent(cookieOf(jane)).split('.');
    const tables = await service.sql<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables)
      expect(await service.sql(`SELECT 1 FROM ${name} AS r WHERE strpos(r::text, $1) > 0`, [token]), name).toEqual([]);
    const [row] = await service.sql<{ token: string; value: Buffer }>(
      "SELECT s.token, k.value FROM sessions s, service_secrets k WHERE k.name = 'sign-in' ORDER BY s.id DESC LIMIT 1",
    );
    const sealed = (text: string) =>
      encodeURIComponent(
        `${text}.${createHmac('sha256', row?.value.toString('base64') ?? '')
          .update(text)
          .digest('base64')}`,
      );
    expect((await withCookie(sealed(token))).status).toBe(200);
    expectRefusal(await withCookie(sealed(row?.token as string)), 'unauthorized');
  });

  test('is no API key, and an API key is no cookie', async () => {
    const jane = await signInWithCode(service, 'key@corp.example');
    const acme = await service.business('acme');
    expectRefusal(await jane.get('/v1/inbox'), 'unauthorized');
    expectRefusal(await acme.api.get('/account'), 'unauthorized');
  });
});
