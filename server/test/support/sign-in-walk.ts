import { expect } from 'vitest';
import type { ApiResponse } from './api.ts';
import { Browser } from './browser.ts';

const REDIRECTS_MAX = 12;

/** Begins a sign-in, and returns the provider's URL to which it leads. */
export async function beginAt(browser: Browser, provider: string, callbackURL = '/home'): Promise<URL> {
  const response = await browser.post('/auth/sign-in/social', { provider, callbackURL, errorCallbackURL: '/sign-in' });
  expect(response.status, response.text).toBe(200);
  return new URL(response.body.url);
}

/** Follows redirects up to the service's callback, which is not requested yet. */
export async function walkToCallback(browser: Browser, start: URL): Promise<URL> {
  let url = start;
  for (let i = 0; i < REDIRECTS_MAX; i++) {
    const response = await browser.get(url.href);
    expect([302, 303], `${url} ${response.text}`).toContain(response.status);
    url = new URL(response.headers.get('location') as string, url);
    if (url.pathname.includes('/auth/callback/')) return url;
  }
  throw new Error('the walk has no end');
}

/** Signs in at the provider and comes back. The last path shows the result: `/home`, or `/sign-in?error=…`. */
export async function signInAt(
  url: string,
  provider: string,
  browser = new Browser(url),
): Promise<{ browser: Browser; landed: string; response: ApiResponse }> {
  const callback = await walkToCallback(browser, await beginAt(browser, provider));
  const response = await browser.get(callback.href);
  return { browser, landed: response.headers.get('location') ?? response.text, response };
}
