import { describe, expect, onTestFinished, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { askForCode, codesFor, mailsFor, signInWithCode, wrongCode } from '../support/people.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const VICTIM = 'victim@corp.example';

/** Each test uses up limits, so it has its own service. The service trusts X-Forwarded-For. */
async function freshService(): Promise<{ service: TestService; browser: Browser; urls: string[] }> {
  const service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' });
  const sibling = await service.sibling({ TRUSTED_PROXIES: '127.0.0.1' });
  onTestFinished(async () => {
    await sibling.stop();
    await service.stop();
  });
  return { service, browser: new Browser(service.url), urls: [service.url, sibling.url] };
}

const from = (network: string) => ({ headers: { 'x-forwarded-for': network } });
const ask = (browser: Browser, network: string, email = VICTIM) =>
  browser.post('/auth/email-otp/send-verification-otp', { email }, from(network));
const guess = (browser: Browser, otp: string, network = '127.0.0.1', email = VICTIM) =>
  browser.post('/auth/sign-in/email-otp', { email, otp }, from(network));
const codeOf = async (service: TestService) => (await codesFor(service, VICTIM)).at(-1) as string;
/** Moves times back by the interval. */
const turnBack = (service: TestService, interval: string) =>
  service.sql('UPDATE sign_in_counts SET window_start = window_start - $1::interval', [interval]);

describe('guessing a code', () => {
  test('ends after five wrong ones, and then the right one is of no use either', async () => {
    const { service, browser } = await freshService();
    await askForCode(browser, VICTIM);
    const code = await codeOf(service);
    for (let i = 1; i <= 5; i++) expectRefusal(await guess(browser, wrongCode(code, i)), 'validation_error');
    for (let i = 0; i < 2; i++) expectRefusal(await guess(browser, code), 'validation_error');
  });

  test('four wrong ones are forgiven', async () => {
    const { service, browser } = await freshService();
    await askForCode(browser, VICTIM);
    const code = await codeOf(service);
    for (let i = 1; i <= 4; i++) await guess(browser, wrongCode(code, i));
    expect((await guess(browser, code)).status).toBe(200);
  });

  test('gets no further with many at once, at several processes', async () => {
    const { service, browser, urls } = await freshService();
    await askForCode(browser, VICTIM);
    const code = await codeOf(service);
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, i) => guess(browser.at(urls[i % urls.length] as string), wrongCode(code, i + 1))),
    );
    expect(responses.filter(({ status }) => status === 200)).toEqual([]);
    // Six more guesses use up the tries, however the concurrent ones were counted.
    for (let i = 0; i < 6; i++) await guess(browser, wrongCode(code, 100 + i));
    expect((await guess(browser, code)).status).not.toBe(200);
  });

  test('of one mailbox stops at the codes that a network may ask for: five in ten minutes, for all browsers together', async () => {
    const { service, browser, urls } = await freshService();
    for (let i = 0; i < 5; i++) expect((await askForCode(new Browser(urls[i % 2] as string), VICTIM)).status).toBe(200);
    const refused = await askForCode(browser, VICTIM);
    expectRefusal(refused, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(600);
    expect(await codesFor(service, VICTIM)).toHaveLength(5);
    expect((await askForCode(browser, 'other@corp.example')).status).toBe(200);
    await turnBack(service, '10 minutes');
    expect((await askForCode(browser, VICTIM)).status).toBe(200);
  });

  test('and twenty a day, whether somebody is known there or not', async () => {
    const { service, browser } = await freshService();
    await signInWithCode(service, VICTIM);
    const refusals = [];
    for (const email of [VICTIM, 'stranger@corp.example']) {
      const sent = (await codesFor(service, email)).length;
      for (let i = sent; i < 20; i++) {
        if (i % 5 === 0) await turnBack(service, '10 minutes');
        expect((await askForCode(browser, email)).status).toBe(200);
      }
      await turnBack(service, '10 minutes');
      const refused = await askForCode(browser, email);
      expectRefusal(refused, 'rate_limited');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600);
      refusals.push(refused);
    }
    const [known, unknown] = refusals.map((response) => withoutTraces(response).text.replace(/\d+ s/, 'n s'));
    expect(known).toBe(unknown);
    await turnBack(service, '1 day');
    expect((await askForCode(browser, VICTIM)).status).toBe(200);
  });

  test('in many mailboxes stops at what one address may ask for, whatever it says of itself', async () => {
    const service = await startTestService();
    onTestFinished(() => service.stop());
    const browser = new Browser(service.url);
    const another = (i: number) =>
      browser.post(
        '/auth/email-otp/send-verification-otp',
        { email: `person-${i}@corp.example` },
        { headers: { 'x-forwarded-for': `198.51.100.${i}`, 'x-waybill-address': `198.51.100.${i}` } },
      );
    for (let i = 0; i < 50; i++) expect((await another(i)).status).toBe(200);
    expectRefusal(await another(50), 'rate_limited');
    await turnBack(service, '10 minutes');
    expect((await another(51)).status).toBe(200);
  });

  test('with many tries stops at what one address may try', async () => {
    const { browser } = await freshService();
    const statuses = [];
    for (let i = 0; i < 101; i++) statuses.push((await guess(browser, '123456', '127.0.0.1', `person-${i}@corp.example`)).status);
    expect(statuses.slice(0, 100).every((status) => status === 400)).toBe(true);
    expect(statuses[100]).toBe(429);
  });
});

describe('a stranger keeps nobody out', () => {
  const HOME = '203.0.113.7';
  const AWAY = '198.51.100.9';
  const strangers = (i: number) => `192.0.2.${i + 1}`;

  /** Requests as many codes as possible from these networks, each time with a new browser. */
  async function flood(service: TestService, networks: string[]): Promise<number[]> {
    const statuses = [];
    for (const network of networks) for (let i = 0; i < 6; i++) statuses.push((await ask(new Browser(service.url), network)).status);
    return statuses;
  }
  const signIn = async (service: TestService, browser: Browser, network: string) => {
    const asked = await ask(browser, network);
    return asked.status === 200 ? (await guess(browser, await codeOf(service), network)).status : asked.status;
  };

  test('by asking for codes of the mailbox from another network', async () => {
    const { service, browser } = await freshService();
    expect((await flood(service, [strangers(0)])).at(-1)).toBe(429);
    expect(await signIn(service, browser, HOME)).toBe(200);
  });

  test('by wrong guesses and newer codes, not even while the code is on its way', async () => {
    const { service, browser, urls } = await freshService();
    await ask(browser, HOME);
    const code = await codeOf(service);
    const stranger = new Browser(service.url);
    await ask(stranger, strangers(0));
    const guesses = [stranger, new Browser(urls[1] as string)].flatMap((one) =>
      Array.from({ length: 20 }, (_, i) => guess(one, wrongCode(code, i + 1), strangers(i % 3))),
    );
    const [entered] = await Promise.all([guess(browser, code, HOME), ...guesses]);
    expect(entered.status, entered.text).toBe(200);
  });

  test('nor out of a known browser or network when all that strangers may ask for in a day is used up', async () => {
    const { service, browser } = await freshService();
    expect(await signIn(service, browser, HOME)).toBe(200);
    const statuses = await flood(
      service,
      Array.from({ length: 9 }, (_, i) => strangers(i)),
    );
    // The first time, the owner counted as a stranger as well.
    expect(statuses.filter((status) => status === 200)).toHaveLength(39);
    const refused = await ask(new Browser(service.url), AWAY);
    expectRefusal(refused, 'rate_limited');
    expect(refused.body.error.message).toMatch(/used before, or with a passkey/);
    expect(await signIn(service, browser, AWAY)).toBe(200);
    expect(await signIn(service, new Browser(service.url), HOME)).toBe(200);
    await turnBack(service, '1 day');
    expect(await signIn(service, new Browser(service.url), AWAY)).toBe(200);
  });

  test('nor out of a new browser and network: mails of a flood bring a link, with codes that nobody else uses up', async () => {
    const { service } = await freshService();
    const networks = Array.from({ length: 9 }, (_, i) => strangers(i));
    await flood(service, networks.slice(0, 1));
    const linked = async () => (await mailsFor(service, VICTIM)).filter((text) => text.includes('/sign-in#'));
    // A person who has mistyped may request a few codes.
    expect(await linked()).toEqual([]);
    await flood(service, networks.slice(1));
    const mails = await linked();
    expect(mails).toHaveLength(35);
    const link = /\S+\/sign-in#\S+/.exec(mails[0] ?? '')?.[0] ?? '';
    const { email, pass } = Object.fromEntries(new URLSearchParams(new URL(link).hash.slice(1)));
    expect(email).toBe(VICTIM);
    const askWith = (browser: Browser, network: string, given: object) =>
      browser.post('/auth/email-otp/send-verification-otp', { email: VICTIM, ...given }, from(network));
    const browser = new Browser(service.url);
    for (const refused of [{}, { pass: '' }, { pass: 'x'.repeat(24) }])
      expectRefusal(await askWith(browser, AWAY, refused), 'rate_limited');
    expect((await askWith(browser, AWAY, { pass })).status).toBe(200);
    expect((await guess(browser, await codeOf(service), AWAY)).status).toBe(200);
    // The link has limits too, and works only for its own mailbox.
    const more = await Promise.all(Array.from({ length: 5 }, () => askWith(new Browser(service.url), strangers(20), { pass })));
    expect(more.filter(({ status }) => status === 200)).toHaveLength(4);
    const other = { email: 'other@corp.example', pass };
    const asked = [];
    for (let i = 0; i < 6; i++) asked.push((await askWith(new Browser(service.url), strangers(21), other)).status);
    expect(asked).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('nor one who shares the network, out of a known browser', async () => {
    const { service, browser } = await freshService();
    expect(await signIn(service, browser, HOME)).toBe(200);
    expect((await flood(service, [HOME])).at(-1)).toBe(429);
    for (let i = 0; i < 50; i++) await ask(new Browser(service.url), HOME, `person-${i}@corp.example`);
    for (let i = 0; i < 101; i++) await guess(new Browser(service.url), '123456', HOME);
    expectRefusal(await ask(new Browser(service.url), HOME, 'other@corp.example'), 'rate_limited');
    expect(await signIn(service, browser, HOME)).toBe(200);
  });

  test('and a known browser has its own limits, and is known for its own mailbox', async () => {
    const { service, browser } = await freshService();
    expect(await signIn(service, browser, HOME)).toBe(200);
    await turnBack(service, '10 minutes');
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await ask(browser, strangers(i))).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    await flood(service, [strangers(7)]);
    for (let i = 0; i < 5; i++) await ask(browser, strangers(7), 'other@corp.example');
    expectRefusal(await ask(browser, strangers(7), 'other@corp.example'), 'rate_limited');
  });
});
