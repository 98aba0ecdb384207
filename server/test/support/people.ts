import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';
import { Browser } from './browser.ts';
import type { TestService } from './service.ts';

type Mailed = { id: string; mail: { to: string; text: string } };

/** The mails to the mailbox, newest last: kept, because there is no mail server, or still queued. */
export async function mailsFor({ sql }: Pick<TestService, 'sql'>, email: string): Promise<string[]> {
  const mails = await sql<Mailed>(
    `SELECT DISTINCT ON (id) id, mail
       FROM (SELECT j.payload ->> 'id' AS id, j.payload -> 'mail' AS mail
               FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id WHERE t.identifier = 'send-mail'
             UNION ALL SELECT id::text, mail FROM kept_mails) m ORDER BY id`,
  );
  return mails.filter(({ mail }) => mail.to === email).map(({ mail }) => mail.text);
}

export async function codesFor(service: Pick<TestService, 'sql'>, email: string): Promise<string[]> {
  return (await mailsFor(service, email)).flatMap((text) => /\b\d{6}\b/.exec(text)?.[0] ?? []);
}

export function askForCode(browser: Browser, email: string): Promise<ApiResponse> {
  return browser.post('/auth/email-otp/send-verification-otp', { email });
}

export function wrongCode(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0');
}

/** Signs a person in with a code, in a new browser. */
export async function signInWithCode(
  service: Pick<TestService, 'sql' | 'url'>,
  email: string,
  browser = new Browser(service.url),
): Promise<Browser> {
  expect((await askForCode(browser, email)).status).toBe(200);
  const otp = (await codesFor(service, email)).at(-1);
  const response = await browser.post('/auth/sign-in/email-otp', { email, otp });
  expect(response.status, response.text).toBe(200);
  return browser;
}
