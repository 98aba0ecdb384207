import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 800 };
const LONG = Array.from({ length: 60 }, (_, line) => ({ sku: `SKU-${line}`, quantity: line, price: '1.00', unit: 'pc' }));

let world: World;
let ann: Awaited<ReturnType<World['member']>>;
let globex: Awaited<ReturnType<World['service']['business']>>;
let threads: string[];
beforeAll(async () => {
  world = await openWorld();
  ann = await world.member('ann@acme-works.test', 'acme-works', { viewport: DESKTOP });
  globex = await world.service.business('globex');
  threads = [];
  for (let at = 0; at < 65; at++) {
    const request = { to: 'acme-works', type: 'order', subject: `Order ${at}`, note: 'Please confirm.', json: { order: at, lines: LONG } };
    threads.push((await globex.api.send(request)).body.thread_id);
  }
  await untilIndexed(world.service);
});
afterAll(() => world.stop());

/** The type of an order, in whose place a narrow row has the state once the document is read. */
const badge = (row: Locator) => row.getByText(/^order(ed)?$/i).last();
const rows = (page: Page) => page.getByRole('list', { name: 'Threads' }).locator('[data-thread]');

async function rowsInSight(page: Page): Promise<number> {
  const boxes = await Promise.all((await rows(page).all()).map((row) => row.boundingBox()));
  const height = page.viewportSize()?.height ?? 0;
  return boxes.filter((box) => box && box.y >= 0 && box.y + box.height <= height).length;
}

test('beside a thread, 14 rows are seen in a window of 1440 × 900, each with its type or state', async () => {
  await ann.open(`/threads/${threads[64]}`);
  await rows(ann.page).first().waitFor();
  expect(await rowsInSight(ann.page)).toBeGreaterThanOrEqual(14);
  const [row, type] = await Promise.all([rows(ann.page).first().boundingBox(), badge(rows(ann.page).first()).boundingBox()]);
  expect((type?.y ?? 0) + (type?.height ?? 0)).toBeLessThanOrEqual((row?.y ?? 0) + (row?.height ?? 0));
  await ann.expectAccessible();
});

test('a link to a thread shows its row in the list, wherever that is', async () => {
  const { page } = ann;
  await ann.open(`/threads/${threads[3]}`);
  const row = page.locator(`[data-thread="${threads[3]}"]`);
  await row.waitFor();
  const inSight = async () => {
    const box = await row.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= DESKTOP.height;
  };
  await expect.poll(inSight).toBe(true);
});

test('j moves the focus with the thread that it opens', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await rows(page).first().waitFor();
  await page.keyboard.press('j');
  await page.locator(`[data-thread="${threads[64]}"]`).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Order 64', level: 1 }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Order 63', level: 1 }).waitFor();
  await page.locator(`[data-thread="${threads[63]}"]`).and(page.locator(':focus')).waitFor();
});

test.each([
  ['wide', '/inbox'],
  ['narrow', ''],
])('the actions of a %s row do not cover its type or state', async (_name, path) => {
  const { page } = ann;
  await ann.open(path || `/threads/${threads[64]}`);
  const row = rows(page).nth(1);
  await row.hover();
  const done = page.getByRole('button', { name: 'Done: Order 63' });
  await done.waitFor();
  const [actions, type] = await Promise.all([done.locator('..').boundingBox(), badge(row).boundingBox()]);
  if (!actions || !type) throw new Error('They are not drawn.');
  const isApart = actions.x >= type.x + type.width || actions.y >= type.y + type.height || actions.y + actions.height <= type.y;
  expect(isApart, JSON.stringify({ actions, type })).toBe(true);
});

test('one confirmation is shown at a time; the one before comes back while it can be undone', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  for (const subject of ['Order 10', 'Order 11']) {
    await page.getByRole('combobox', { name: 'Filter' }).waitFor();
    const row = page.getByRole('link', { name: new RegExp(`${subject}\\b`) });
    for (let tries = 0; tries < 100 && (await row.count()) === 0; tries++)
      await page.mouse.move(900, 500).then(() => page.mouse.wheel(0, 400));
    await row.hover();
    await page.getByRole('button', { name: `Mark read: ${subject}` }).click();
  }
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.waitFor();
  expect(await undo.count()).toBe(1);
  await undo.click();
  await expect.poll(() => undo.count()).toBe(1);
});

describe('at 200 % zoom', () => {
  test('most of the window is for the message', async () => {
    const { page, open, expectAccessible } = await world.signedIn(ann.api, { viewport: { width: 720, height: 450 } });
    await open(`/threads/${threads[64]}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('tree', { name: 'JSON' }).waitFor();
    await page.mouse.move(360, 225);
    await page.mouse.wheel(0, 250);
    const share = async () =>
      page.evaluate<number>(
        `[...Array(44).keys()].filter((at) => document.elementFromPoint(360, 5 + at * 10)?.closest('[aria-label=Messages]')).length / 44`,
      );
    await expect.poll(share).toBeGreaterThan(0.8);
    await expectAccessible();
    await page.context().close();
  });
});

/** The elements that hide some of their text below or beside them. */
const clippedIn = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('main *')].filter((one) => {
      const { overflowX, overflowY } = getComputedStyle(one);
      return (overflowY !== 'visible' && one.scrollHeight > one.clientHeight + 2) || (overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 2);
    }).map((one) => one.outerHTML.slice(0, 80))`,
  );

describe('on paper', () => {
  test('a thread is its messages, whole, with nothing to press', async () => {
    const { page, open } = await world.signedIn(ann.api, { viewport: DESKTOP, colorScheme: 'dark' });
    await open(`/threads/${threads[64]}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('tree', { name: 'JSON' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    await page.locator('pre').getByText('"SKU-59"').waitFor();
    for (const gone of ['Done', 'Reply', 'Copy JSON', 'Expand all', 'Download JSON', 'Accept', 'New message'])
      expect(
        await page
          .getByRole('button', { name: gone, exact: true })
          .or(page.getByRole('link', { name: gone, exact: true }))
          .count(),
        gone,
      ).toBe(0);
    expect(await page.getByRole('list', { name: 'Threads' }).count()).toBe(0);
    // The table has all its lines, and nothing is cut off.
    expect(await page.getByRole('region', { name: 'Table lines' }).getByRole('row').count()).toBe(LONG.length + 1);
    expect(await clippedIn(page)).toEqual([]);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await page.getByRole('tree', { name: 'JSON' }).waitFor();
    await page.context().close();
  });

  test.each([
    ['A4', 718, 24],
    ['half of it', 340, 8],
  ])('%s, %d pixels wide, has %d columns and long facts within its width, and every character of them', async (_name, width, count) => {
    const remark = `Deliver ${'x'.repeat(284)} on time`;
    const columns = Object.fromEntries(Array.from({ length: count - 1 }, (_, at) => [`column_${at}`, at * 1_000]));
    const json = { buyer: `Kaufhaus ${'Nord'.repeat(12)}`, order_number: 'PO-1', lines: [{ remark, ...columns }] };
    const { thread_id } = (await globex.api.send({ to: 'acme-works', subject: 'A wide order', json })).body;
    const { page, open } = await world.signedIn(ann.api, { viewport: { width, height: 1_000 } });
    await open(`/threads/${thread_id}`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByRole('tree', { name: 'JSON' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    await page.getByRole('cell', { name: remark }).waitFor();
    await page.getByRole('button', { name: json.buyer }).waitFor();
    expect(await page.getByRole('columnheader').count()).toBe(count);
    expect(await clippedIn(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.context().close();
  });
});

test('the toolbar of JSON is one line at 1440 pixels, and each icon has a tooltip', async () => {
  const { page } = ann;
  await ann.open(`/threads/${threads[64]}`);
  await page.getByRole('tab', { name: 'JSON' }).click();
  const figure = page.getByRole('figure', { name: 'JSON' });
  await figure.getByRole('textbox', { name: 'Search JSON' }).fill('SKU');
  const names = ['Previous match', 'Next match', 'Expand all', 'Collapse all', 'Copy as a program', 'Copy JSON', 'Download JSON'];
  const tops: number[] = [];
  for (const name of names) {
    const button = figure.getByRole('button', { name, exact: true });
    expect(await button.getAttribute('title')).toBe(name);
    tops.push((await button.boundingBox())?.y ?? -1);
  }
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(4);
  await ann.expectAccessible();
});

test('on a phone, rows have two lines and nothing scrolls sideways', async () => {
  const visitor: Visitor = await world.signedIn(ann.api, { viewport: PHONE });
  await visitor.open('/inbox');
  await rows(visitor.page).first().waitFor();
  expect((await rows(visitor.page).first().boundingBox())?.height).toBeLessThan(60);
  expect(await visitor.page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(false);
  await visitor.expectAccessible();
  await visitor.context.close();
});

describe('the language of the browser', () => {
  const [clock, exact] = [{ timeStyle: 'short' }, { dateStyle: 'medium', timeStyle: 'medium' }] as const;
  test.each(['de-DE', 'en-US', 'en-GB', 'ja-JP'])('formats times and numbers: %s', async (locale) => {
    const { page, open } = await world.signedIn(ann.api, { viewport: DESKTOP, locale, timezoneId: 'UTC' });
    await open('/inbox');
    const time = rows(page).first().locator('time');
    await time.waitFor();
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const written = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(at);
    expect(await time.textContent()).toBe(written(clock));
    expect(await time.getAttribute('title')).toBe(written(exact));
    await open('/usage');
    const { messages } = (await ann.api.get('/usage?days=1')).body;
    await page
      .getByText(`of ${new Intl.NumberFormat(locale).format(messages.limit)}`)
      .first()
      .waitFor();
    await page.context().close();
  });
});
