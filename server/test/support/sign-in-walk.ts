import { expect } from 'vitest';
import type { Answered } from './api.ts';
import { Browser } from './browser.ts';

const REDIRECTS_MAX = 12;

/** The address at the provider to which a sign-in leads. */
export async function beginAt(browser: Browser, provider: string, callbackURL = '/home'): Promise<URL> {
  const answer = await browser.post('/auth/sign-in/social', { provider, callbackURL, errorCallbackURL: '/sign-in' });
  expect(answer.status, answer.text).toBe(200);
  return new URL(answer.body.url);
}

/** Goes where it is sent, up to the service's callback, which is not asked for yet. */
export async function walkToCallback(browser: Browser, start: URL): Promise<URL> {
  let url = start;
  for (let i = 0; i < REDIRECTS_MAX; i++) {
    const answer = await browser.get(url.href);
    expect([302, 303], `${url} ${answer.text}`).toContain(answer.status);
    url = new URL(answer.headers.get('location') as string, url);
    if (url.pathname.includes('/auth/callback/')) return url;
  }
  throw new Error('the walk has no end');
}

/** Signs in at the provider and comes back. Where it ends tells how it went: `/home`, or `/sign-in?error=…`. */
export async function signInAt(
  url: string,
  provider: string,
  browser = new Browser(url),
): Promise<{ browser: Browser; landed: string; answer: Answered }> {
  const callback = await walkToCallback(browser, await beginAt(browser, provider));
  const answer = await browser.get(callback.href);
  return { browser, landed: answer.headers.get('location') ?? answer.text, answer };
}
