import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_MISSING, chromiumPath, ensureChromium } from '../server/test/chromium.ts';
import { signInWithKeptCode } from '../server/test/support/kept-code.ts';
import type { Reader } from './read-pages.ts';
import type { ServiceUnderTest } from './service-process.ts';

/** Measures inboxes in a browser: opened, scrolled and searched, in turns. */
const ROUNDS = 7;
const SCROLLED_THREADS = 250;
const WHEEL_PX = 900;

const STEPS = [
  ['opened, ms', open] as const,
  [`${SCROLLED_THREADS} threads scrolled, ms`, scroll] as const,
  ['searched, ms', search] as const,
];

export async function measureInboxPages(service: ServiceUnderTest, readers: Record<string, Reader>): Promise<void> {
  if (!ensureChromium(process.env['WAYBILL_TEST_INSTALL'])) throw new Error(CHROMIUM_MISSING);
  const browser = await chromium.launch({ executablePath: chromiumPath() as string, args: ['--no-sandbox'] });
  try {
    const contexts = new Map<string, BrowserContext>();
    for (const [name, reader] of Object.entries(readers)) {
      const url = `http://127.0.0.1:${service.port}`;
      const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
      const person = await joined(service, url, reader);
      await context.addCookies([...person.cookies()].map(([cookie, { value }]) => ({ name: cookie, value, url })));
      contexts.set(name, context);
    }
    const times = new Map<string, number[]>();
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, context] of contexts) {
        const page = await context.newPage();
        for (const [step, run] of STEPS) {
          const startedAt = performance.now();
          await run(page);
          const ms = performance.now() - startedAt;
          times.set(`${name} ${step}`, [...(times.get(`${name} ${step}`) ?? []), ms]);
        }
        await page.close();
      }
    const medians = (name: string) => Object.fromEntries(STEPS.map(([step]) => [step, medianOf(times.get(`${name} ${step}`) ?? [])]));
    console.table(Object.fromEntries([...contexts.keys()].map((name) => [name, medians(name)])));
  } finally {
    await browser.close();
  }
}

const medianOf = (times: number[]) => Math.round(times.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN);

async function joined(service: ServiceUnderTest, url: string, { id }: Reader) {
  const email = `reader-${id}@example.com`;
  const person = await signInWithKeptCode(url, email, (text, values) => service.sql.query(text, values));
  await service.sql.query(`INSERT INTO members (party_id, person_id, role) SELECT $1, id, 'owner' FROM people WHERE email = $2`, [
    id,
    email,
  ]);
  return person;
}

async function open(page: Page): Promise<void> {
  await page.goto('/inbox?view=all');
  await page.locator('[data-thread]').first().waitFor();
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 500);
  const seen = new Set<string | null>();
  while (seen.size < SCROLLED_THREADS) {
    await page.mouse.wheel(0, WHEEL_PX);
    for (const id of await page.evaluate<string[]>(`[...document.querySelectorAll('[data-thread]')].map((row) => row.dataset.thread)`))
      seen.add(id);
  }
}

async function search(page: Page): Promise<void> {
  await page.goto('/search?q=subject');
  await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor();
}
