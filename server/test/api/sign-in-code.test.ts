import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { askForCode, codesFor, signInWithCode, wrongCode } from '../support/people.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;

beforeAll(async () => {
  service = await startTestService();
  browser = new Browser(service.url);
});
afterAll(() => service.stop());

/** Enters a code in the browser that has requested it. */
const enter = (email: string, otp: string | undefined) => browser.post('/auth/sign-in/email-otp', { email, otp });
const newest = async (email: string) => (await codesFor(service, email)).at(-1) as string;

describe('a one-time code', () => {
  test('signs in the holder of the mailbox, and says so', async () => {
    const jane = await signInWithCode(service, 'jane@corp.example');
    const { status, body } = await jane.get('/v1/account');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
      email: 'jane@corp.example',
      name: 'jane',
      provider: 'email',
      proves: 'mailbox',
      notification_mail: 'at_once',
      created_at: expect.stringMatching(/Z$/),
      businesses: [],
    });
  });

  test('brings the same person back, however the mailbox is written', async () => {
    const first = await signInWithCode(service, 'kim@muenchen.example');
    const again = new Browser(service.url);
    expect((await askForCode(again, ' KIM@Muenchen.Example. ')).status).toBe(200);
    const otp = await newest('kim@muenchen.example');
    expect((await again.post('/auth/sign-in/email-otp', { email: 'Kim@MUENCHEN.example', otp })).status).toBe(200);
    expect((await again.get('/v1/account')).body.id).toBe((await first.get('/v1/account')).body.id);
  });

  test('reaches domains that are not written in ASCII, top-level ones too', async () => {
    expect((await askForCode(browser, 'jane@münchen.рф')).status).toBe(200);
    const [otp] = await codesFor(service, 'jane@xn--mnchen-3ya.xn--p1ai');
    expect((await enter('jane@MÜNCHEN.рф', otp)).status).toBe(200);
  });

  test('has six digits and is good for ten minutes', async () => {
    await askForCode(browser, 'ten@corp.example');
    expect(await newest('ten@corp.example')).toMatch(/^\d{6}$/);
    const [row] = await service.sql<{ seconds: number }>(
      "SELECT extract(epoch FROM expires_at - created_at)::float AS seconds FROM verifications WHERE identifier LIKE '%ten@corp.example'",
    );
    expect(row?.seconds).toBeCloseTo(600, 0);
    await service.sql("UPDATE verifications SET expires_at = now() - interval '1 second' WHERE identifier LIKE '%ten@corp.example'");
    expectRefusal(await enter('ten@corp.example', await newest('ten@corp.example')), 'validation_error');
  });

  test('is good once', async () => {
    await askForCode(browser, 'once@corp.example');
    const otp = await newest('once@corp.example');
    expect((await enter('once@corp.example', otp)).status).toBe(200);
    expectRefusal(await enter('once@corp.example', otp), 'validation_error');
  });

  test('is good once, however many come with it at the same moment', async () => {
    await askForCode(browser, 'race@corp.example');
    const otp = await newest('race@corp.example');
    const responses = await Promise.all(Array.from({ length: 10 }, () => enter('race@corp.example', otp)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('is good for its own mailbox only', async () => {
    await askForCode(browser, 'mine@corp.example');
    await askForCode(browser, 'theirs@corp.example');
    const [mine, theirs] = [await newest('mine@corp.example'), await newest('theirs@corp.example')];
    if (mine !== theirs) expectRefusal(await enter('theirs@corp.example', mine), 'validation_error');
    expect((await enter('theirs@corp.example', theirs)).status).toBe(200);
  });

  test('is worth nothing once a newer one was sent', async () => {
    await askForCode(browser, 'newer@corp.example');
    await askForCode(browser, 'newer@corp.example');
    const [older, newer] = await codesFor(service, 'newer@corp.example');
    if (older !== newer) expectRefusal(await enter('newer@corp.example', older), 'validation_error');
    expect((await enter('newer@corp.example', newer)).status).toBe(200);
  });

  test('is good in the browser that asked for it only', async () => {
    const [jane, other] = [new Browser(service.url), new Browser(service.url)];
    await askForCode(jane, 'bound@corp.example');
    const otp = await newest('bound@corp.example');
    expectInvalid(await other.post('/auth/sign-in/email-otp', { email: 'bound@corp.example', otp }), 'otp');
    await askForCode(other, 'elsewhere@corp.example');
    expectRefusal(await other.post('/auth/sign-in/email-otp', { email: 'bound@corp.example', otp }), 'validation_error');
    for (const value of ['', 'x', 'A'.repeat(32), 'ä', `${'A'.repeat(32)}; waybill.device=${'B'.repeat(32)}`]) {
      other.setCookie('waybill.device', encodeURI(value));
      expectRefusal(await other.post('/auth/sign-in/email-otp', { email: 'bound@corp.example', otp }), 'validation_error');
    }
    expect((await jane.post('/auth/sign-in/email-otp', { email: 'bound@corp.example', otp })).status).toBe(200);
  });

  test('is stored as a hash that can’t be turned back without the service’s secret', async () => {
    await askForCode(browser, 'stored@corp.example');
    const otp = await newest('stored@corp.example');
    const [row] = await service.sql<{ value: string }>("SELECT value FROM verifications WHERE identifier LIKE '%stored@corp.example'");
    const plainHashes = (['hex', 'base64', 'base64url'] as const).map((form) => createHash('sha256').update(otp).digest(form));
    for (const readable of [otp, ...plainHashes]) expect(row?.value).not.toContain(readable);
  });

  test('shows no script the token of the session that it opens', async () => {
    const jane = new Browser(service.url);
    await askForCode(jane, 'token@corp.example');
    const response = await jane.post('/auth/sign-in/email-otp', { email: 'token@corp.example', otp: await newest('token@corp.example') });
    expect(response.body).toEqual({ success: true });
    expect([...jane.cookies().keys()].sort()).toEqual(['waybill.device', 'waybill.session_token']);
  });
});

describe('an onlooker can’t tell', () => {
  beforeAll(() => signInWithCode(service, 'known@corp.example'));

  test('from asking for a code, who is known', async () => {
    const known = await askForCode(browser, 'known@corp.example');
    const unknown = await askForCode(browser, 'stranger@corp.example');
    expect(withoutTraces(known)).toEqual(withoutTraces(unknown));
    expect(known.status).toBe(200);
  });

  test('from a wrong code, who is known or has asked for one', async () => {
    const responses = [
      await enter('known@corp.example', wrongCode(await newest('known@corp.example'))),
      await enter('stranger@corp.example', wrongCode(await newest('stranger@corp.example'))),
      await enter('never-asked@corp.example', '123456'),
    ];
    for (const response of responses) {
      expectRefusal(response, 'validation_error');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as (typeof responses)[number]));
    }
  });
});

describe('a request for a code is refused', () => {
  test.each([
    '',
    'jane',
    'jane@',
    '@corp.example',
    'jane@corp',
    'ja ne@corp.example',
    'jane@corp.example\r\nBcc: x@y.example',
    'a@b@c.example',
    'jane@1.2.3.4',
    'jane@unproven.invalid',
    'jane\u0000@corp.example',
  ])('for %j, which is no mailbox', async (email) => {
    expectInvalid(await askForCode(browser, email), 'email');
  });

  test.each([{}, { email: 7 }, { email: null }, { email: ['jane@corp.example'] }, { email: { $ne: '' } }])('for %j', async (body) => {
    expectInvalid(await browser.post('/auth/email-otp/send-verification-otp', body), 'email');
  });

  test('for anything but signing in', async () => {
    for (const type of ['forget-password', 'change-email', 'email-verification'])
      expectInvalid(await browser.post('/auth/email-otp/send-verification-otp', { email: 'jane@corp.example', type }), 'type');
  });

  test('when it is not JSON, or too large', async () => {
    expectRefusal(await browser.post('/auth/email-otp/send-verification-otp', '{'), 'invalid_json');
    expectRefusal(
      await browser.post('/auth/email-otp/send-verification-otp', 'email=jane@corp.example', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      'unsupported_media_type',
    );
    expectRefusal(await browser.post('/auth/email-otp/send-verification-otp', { email: 'x'.repeat(70_000) }), 'json_too_large');
  });
});
