import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { builtPages } from '../../../server/src/platform/processes/web-build.ts';
import { CHROMIUM_MISSING, chromiumPath } from '../../../server/test/chromium.ts';
import type { Browser as CookieJar } from '../../../server/test/support/browser.ts';
import { claimedBy } from '../../../server/test/support/businesses.ts';
import type { MemberApi } from '../../../server/test/support/member.ts';
import { codesFor, signInWithCode } from '../../../server/test/support/people.ts';
import { startTestService, type TestService } from '../../../server/test/support/service.ts';

export interface World {
  service: TestService;
  /** A person with a separate window who has not signed in. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>;
  /** A person who has signed in by other means. With a handle, the person has claimed it. */
  member(email: string, handle: string, options?: BrowserContextOptions): Promise<Visitor & { api: MemberApi }>;
  signedIn(api: MemberApi, options?: BrowserContextOptions): Promise<Visitor>;
  person(email: string, options?: BrowserContextOptions): Promise<Visitor & { jar: CookieJar }>;
  stop(): Promise<void>;
}

export interface Visitor {
  page: Page;
  context: BrowserContext;
  open(path: string): Promise<void>;
  /** axe finds no violation on the page as it is now. */
  expectAccessible(): Promise<void>;
}

export async function openWorld(env: Record<string, string> = {}): Promise<World> {
  const [service, browser] = await Promise.all([startTestService(env, 'all', await builtPages(() => {})), launchBrowser()]);
  const complaints: string[] = [];
  const open = async (options: BrowserContextOptions = {}): Promise<Visitor> => {
    const context = await browser.newContext({
      baseURL: service.url,
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    const page = await context.newPage();
    context.on('page', (another) => listen(another, complaints));
    listen(page, complaints);
    return {
      page,
      context,
      open: async (path) => {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
      },
      expectAccessible: () => expectAccessible(page),
    };
  };
  const withCookies = async (jar: CookieJar, options: BrowserContextOptions = {}) => {
    const visitor = await open(options);
    await visitor.context.addCookies([...jar.cookies()].map(([name, { value }]) => ({ name, value, url: service.url, httpOnly: true })));
    return visitor;
  };
  return {
    service,
    visitor: open,
    member: async (email, handle, options) => {
      const api = await claimedBy(service, email, handle);
      return { ...(await withCookies(api.browser, options)), api };
    },
    signedIn: (api, options) => withCookies(api.browser, options),
    person: async (email, options) => {
      const jar = await signInWithCode(service, email);
      return { ...(await withCookies(jar, options)), jar };
    },
    stop: async () => {
      await browser.close();
      await service.stop();
      expect(complaints).toEqual([]);
    },
  };
}

export async function lastCode({ service }: World, email: string): Promise<string> {
  await expect.poll(async () => (await codesFor(service, email)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  return (await codesFor(service, email)).at(-1) as string;
}

export function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(CHROMIUM_MISSING);
  // Chromium refuses to run as root without --no-sandbox, and containers often run as root. It only opens our own pages.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-software-rasterizer', '--disable-extensions'],
  });
}

/**
 * Nothing may be written to the console. Chromium itself writes there when the API refuses something or the network is down, which tests
 * provoke. The pages show those failures.
 */
function listen(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    if (!/^Failed to load resource: (the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
}

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    // The legacy mode ignores frames of other sites, and takes half the time. axe can't reach the PDF frame, because it has no origin.
    .setLegacyMode(true)
    .exclude('iframe[sandbox]')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`).join('\n')}`),
  ).toEqual([]);
}
