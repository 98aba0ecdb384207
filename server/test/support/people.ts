import { expect } from 'vitest';
import type { Answered } from './api.ts';
import { Browser } from './browser.ts';
import type { TestService } from './service.ts';

type Mailed = { to: string; text: string };

/** Every code that was mailed to the mailbox, the newest last. */
export async function codesFor({ sql }: Pick<TestService, 'sql'>, email: string): Promise<string[]> {
  const jobs = await sql<{ payload: Mailed }>(
    `SELECT j.payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
      WHERE t.identifier = 'send-mail' ORDER BY j.id`,
  );
  return jobs.filter(({ payload }) => payload.to === email).map(({ payload }) => /\d{6}/.exec(payload.text)?.[0] ?? '');
}

export function askForCode(browser: Browser, email: string): Promise<Answered> {
  return browser.post('/auth/email-otp/send-verification-otp', { email });
}

/** Another code than this one. */
export function wrongCode(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0');
}

/** Signs somebody in with a code, in a browser of their own. */
export async function signInWithCode(
  service: Pick<TestService, 'sql' | 'url'>,
  email: string,
  browser = new Browser(service.url),
): Promise<Browser> {
  expect((await askForCode(browser, email)).status).toBe(200);
  const otp = (await codesFor(service, email)).at(-1);
  const answer = await browser.post('/auth/sign-in/email-otp', { email, otp });
  expect(answer.status, answer.text).toBe(200);
  return browser;
}
