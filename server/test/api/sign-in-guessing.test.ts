import { describe, expect, onTestFinished, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { askForCode, codesFor, signInWithCode, wrongCode } from '../support/people.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const VICTIM = 'victim@corp.example';

/** Each test uses up limits, so each has a service of its own. */
async function freshService(): Promise<{ service: TestService; browser: Browser; urls: string[] }> {
  const service = await startTestService();
  const sibling = await service.sibling();
  onTestFinished(async () => {
    await sibling.stop();
    await service.stop();
  });
  return { service, browser: new Browser(service.url), urls: [service.url, sibling.url] };
}

const guess = (url: string, otp: string, email = VICTIM) => new Browser(url).post('/auth/sign-in/email-otp', { email, otp });
const codeOf = async (service: TestService) => (await codesFor(service, VICTIM)).at(-1) as string;
/** As if so much time had gone by. */
const turnBack = (service: TestService, interval: string) =>
  service.sql('UPDATE sign_in_counts SET window_start = window_start - $1::interval', [interval]);

describe('guessing a code', () => {
  test('ends after five wrong ones, and then the right one is of no use either', async () => {
    const { service, browser } = await freshService();
    await askForCode(browser, VICTIM);
    const code = await codeOf(service);
    for (let i = 1; i <= 5; i++) expectRefusal(await guess(service.url, wrongCode(code, i)), 'validation_error');
    for (let i = 0; i < 2; i++) expectRefusal(await guess(service.url, code), 'validation_error');
  });

  test('four wrong ones are forgiven', async () => {
    const { service, browser } = await freshService();
    await askForCode(browser, VICTIM);
    const code = await codeOf(service);
    for (let i = 1; i <= 4; i++) await guess(service.url, wrongCode(code, i));
    expect((await guess(service.url, code)).status).toBe(200);
  });

  test('gets no further with many at once, at several processes', async () => {
    const { service, browser, urls } = await freshService();
    await askForCode(browser, VICTIM);
    const code = await codeOf(service);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => guess(urls[i % urls.length] as string, wrongCode(code, i + 1))));
    expect(answers.filter(({ status }) => status === 200)).toEqual([]);
    // However the guesses met, the code has been judged often enough, or never again.
    for (let i = 0; i < 6; i++) await guess(service.url, wrongCode(code, 100 + i));
    expect((await guess(service.url, code)).status).not.toBe(200);
  });

  test('of one mailbox stops at the codes that it is sent: five in ten minutes, whoever asks', async () => {
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
    const [known, unknown] = refusals.map((answer) => withoutTraces(answer).text.replace(/\d+ s/, 'n s'));
    expect(known).toBe(unknown);
    await turnBack(service, '1 day');
    expect((await askForCode(browser, VICTIM)).status).toBe(200);
  });

  test('in many mailboxes stops at what one address may ask for, whatever it says of itself', async () => {
    const { service, browser } = await freshService();
    const ask = (i: number) =>
      browser.post(
        '/auth/email-otp/send-verification-otp',
        { email: `person-${i}@corp.example` },
        { headers: { 'x-forwarded-for': `198.51.100.${i}`, 'x-waybill-address': `198.51.100.${i}` } },
      );
    for (let i = 0; i < 50; i++) expect((await ask(i)).status).toBe(200);
    expectRefusal(await ask(50), 'rate_limited');
    await turnBack(service, '10 minutes');
    expect((await ask(51)).status).toBe(200);
  });

  test('with many tries stops at what one address may try', async () => {
    const { service } = await freshService();
    const statuses = [];
    for (let i = 0; i < 101; i++) statuses.push((await guess(service.url, '123456', `person-${i}@corp.example`)).status);
    expect(statuses.slice(0, 100).every((status) => status === 400)).toBe(true);
    expect(statuses[100]).toBe(429);
  });
});
