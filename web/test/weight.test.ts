import { statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPages } from '../../server/src/platform/processes/web-build.ts';
import { copyMessage } from './support/full-inbox.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

const FIRST_LOAD_MAX_BYTES = 170 * 1024;
const MESSAGES = 100_000;
const QUIET_MS = 150;
const SINCE_THE_LAST_RESPONSE =
  "performance.now() - Math.max(...performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd))";
/** The layout shift as browsers measure it. Up to 0.1 counts as good. */
const MOVED = `new Promise((resolve) => new PerformanceObserver((list, observer) => {
  observer.disconnect();
  resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0));
}).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(() => resolve(0), 100))`;
const MOVED_MAX = 0.02;
const SCROLLER = `document.querySelector('[data-scroll-restoration-id=threads]')`;
/** The rows of a few screens. */
const DRAWN_ROWS_MAX = 80;

let world: World;
let ann: Visitor;
let paths: Record<string, string>;
beforeAll(async () => {
  world = await openWorld({ WEBHOOK_PRIVATE_HOSTS: 'localhost' });
  const member = await world.member('ann@acme-works.test', 'acme-works');
  ann = member;
  const globex = await world.service.business('globex');
  const request = { to: 'acme-works', subject: 'Original', note: 'Please confirm by Friday.', json: { items: [1, 2, 3] } };
  const { body: message } = await globex.api.send(request);
  await copyMessage(world.service, 'Original', MESSAGES);
  const { body: webhook } = await member.api.post('/webhooks', { url: 'http://localhost:1/' });
  paths = { thread: `/threads/${message.thread_id}`, webhook: `/webhooks/${webhook.id}`, receipt: new URL(message.receipt_url).pathname };
});
afterAll(() => world.stop());

describe('the first load of a page takes less than 170 KB of compressed scripts, nothing moves, and axe finds nothing', () => {
  const own = ['inbox', 'compose', 'contacts', 'agents', 'members', 'domains', 'webhooks', 'schema', 'blocks', 'usage'];
  const rest = ['account', 'settings', 'welcome', 'claim', 'sign-in', '@acme-works', 'thread', 'webhook', 'receipt'];
  test.each([...own, ...rest])('%s', async (name) => {
    const scripts = new Set<string>();
    const { page } = ann;
    const note = (request: { url(): string }) => {
      if (request.url().endsWith('.js')) scripts.add(path.basename(request.url()));
    };
    page.on('request', note);
    await ann.open(paths[name] ?? `/${name}`);
    // Waits for requests that the page makes by itself.
    await expect.poll(() => page.evaluate<number>(SINCE_THE_LAST_RESPONSE), { timeout: 60_000 }).toBeGreaterThan(QUIET_MS);
    page.off('request', note);
    const built = await builtPages(() => {});
    // The sizes are those of gzip, which browsers get over plain HTTP. Brotli is smaller.
    const bytes = [...scripts].map((script) => statSync(path.join(built, 'assets', `${script}.gz`)).size);
    expect(await page.evaluate<number>(MOVED)).toBeLessThan(MOVED_MAX);
    await ann.expectAccessible();
    expect(scripts.size).toBeGreaterThan(1);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(FIRST_LOAD_MAX_BYTES);
  });
});

describe('an inbox of 100,000 messages', () => {
  const rows = () => ann.page.getByRole('list', { name: 'Threads' }).getByRole('listitem');

  test('draws no more rows than are seen, however far somebody scrolls', async () => {
    const { page, open } = ann;
    await open('/inbox');
    await page.getByText('Copy 1', { exact: true }).waitFor();
    for (const wanted of [90, 400, 1_200]) {
      const furthest = async () => {
        await page.evaluate(`(${SCROLLER}).scrollTo(0, 1e9)`);
        return Number(
          (
            await page
              .getByText(/^Copy \d+$/)
              .last()
              .innerText()
          ).slice(5),
        );
      };
      await expect.poll(furthest, { timeout: 60_000 }).toBeGreaterThan(wanted);
      expect(await rows().count()).toBeLessThan(DRAWN_ROWS_MAX);
    }
  });

  test('comes back to where it was left', async () => {
    const { page } = ann;
    const scrolled = () => page.evaluate<number>(`(${SCROLLER}).scrollTop`);
    const before = await scrolled();
    expect(before).toBeGreaterThan(10_000);
    await rows().nth(20).getByRole('link').click();
    await page.waitForURL(/threads/);
    await page.goBack();
    await page.waitForURL(/inbox/);
    await expect.poll(scrolled).toBeGreaterThan(before - 2_000);
    // This also works from a page without a list.
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(scrolled).toBeGreaterThan(before - 2_000);
  });

  test('opens about as fast as one of a hundred', async () => {
    const small = await world.member('bob@initech-works.test', 'initech-works');
    const { api } = await world.service.business('hooli');
    for (let at = 0; at < 100; at++) await api.send({ to: 'initech-works', subject: `Copy ${at}` });
    const opening = async ({ page }: Visitor): Promise<number> => {
      const begunAt = performance.now();
      await page.goto('/inbox');
      await page
        .getByText(/^Copy \d+$/)
        .first()
        .waitFor();
      return performance.now() - begunAt;
    };
    const ratios: number[] = [];
    for (let round = 0; round < 5; round++) {
      const [of100000, of100] = [await opening(ann), await opening(small)];
      ratios.push(of100000 / of100);
    }
    expect(ratios.toSorted((a, b) => a - b)[2]).toBeLessThan(2);
  });
});
