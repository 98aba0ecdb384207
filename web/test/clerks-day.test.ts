import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { untilDocumentsRead } from '../../server/test/support/threads.ts';
import { type Hands, keyboard, mouse, touch } from './support/hands.ts';
import { confirm, dispute, FORMULA, MARKUP, order, supply, type Trade } from './support/trade.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

/** Slow machines are waited for, up to this. */
const PATIENCE_MS = 120_000;
/** Pictures for people to look at: PICTURES names a folder. */
const PICTURES = process.env['PICTURES'];

/** A cell that a spreadsheet would compute. */
const STARTS_FORMULA = /(^\ufeff?|[,\n])"?=/;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

const WALKS = [
  ['mouse', mouse, { viewport: { width: 1440, height: 900 }, colorScheme: 'light' }],
  ['keyboard', keyboard, { viewport: { width: 1920, height: 1080 }, colorScheme: 'dark' }],
  ['touch', touch, { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true }],
] as const satisfies [string, Hands, BrowserContextOptions][];

test.each(WALKS)('the day of two clerks by %s', async (name, hands, options) => {
  const trade = await begin(name, hands, options);
  const { buyer, seller } = trade;
  onTestFailed(async () => {
    await picture(buyer.page, `${name}-failed-buyer`);
    await picture(seller.page, `${name}-failed-seller`);
  });
  await order(trade);
  await confirm(trade);
  await supply(trade);
  await dispute(trade);
  await print(trade);
  await files(trade);
  await find(trade);
  await Promise.all([buyer.context.close(), seller.context.close()]);
});

/** A person with a business whose name is markup. */
async function clerk(person: string, business: string, walk: string, options: BrowserContextOptions) {
  const handle = `${business}-${walk}`;
  const displayName = `${business} <b>&amp;</b> ${walk}`;
  const visitor = await world.member(`${person}@${handle}.test`, handle, options);
  const changed = await visitor.api.patch('/business', { display_name: displayName });
  expect(changed.status, changed.text).toBe(200);
  visitor.context.setDefaultTimeout(PATIENCE_MS);
  visitor.page.on('dialog', (dialog) => expect.unreachable(`a text was obeyed: ${dialog.message()}`));
  await visitor.page.addInitScript('window.print = () => { window.printed = (window.printed ?? 0) + 1; }');
  await visitor.open('/inbox');
  return { ...visitor, handle, displayName };
}

async function begin(name: string, hands: Hands, options: BrowserContextOptions): Promise<Trade> {
  const [buyer, seller] = await Promise.all([clerk('ann', 'acme', name, options), clerk('otto', 'globex', name, options)]);
  let stations = 0;
  return {
    ...{ hands, buyer, seller, name },
    station: async (visitor, what) => {
      stations++;
      await picture(visitor.page, `${name}-${String(stations).padStart(2, '0')}-${what}`);
      const width = await visitor.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(width, `${what} is as wide as the window`).toBeLessThanOrEqual(0);
      await visitor.expectAccessible();
    },
  };
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
}

const actions = ({ page }: Visitor, name: string) =>
  page
    .getByRole('article')
    .filter({ has: page.getByRole('figure', { name, exact: true }) })
    .getByRole('button', { name: 'Message actions' });

/** The colours of names and chosen tabs on the page. */
function inksOf(page: Page): Promise<string[]> {
  const elements = `document.querySelectorAll('#root bdi, #root [role=tab][aria-selected=true]')`;
  return page.evaluate(`[...new Set([...${elements}].map((one) => getComputedStyle(one).color))].sort()`);
}

/** The invoice goes on paper under the name of its sender, and nothing of the page with it. */
async function print({ hands, buyer, name, station }: Trade): Promise<void> {
  const { page } = buyer;
  await hands.choose(actions(buyer, `Invoice INV-${name}`), 'Print');
  await expect.poll(() => page.evaluate<number>('window.printed ?? 0')).toBe(1);
  const inks = await inksOf(page);
  await page.emulateMedia({ media: 'print' });
  const paper = page.locator('[data-print-sheet]');
  await paper.getByText(`globex <b>&amp;</b> ${name}`).first().waitFor();
  await paper.getByText(`${FORMULA} bearing`).waitFor();
  expect(await page.locator('#root').isVisible()).toBe(false);
  expect(await paper.getByRole('button').count()).toBe(0);
  await paperPicture(page, `${name}-paper-document`);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await expect.poll(() => paper.count()).toBe(0);

  // The whole thread, as the browser's own command prints it. Colours come back in a transition.
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  expect(await page.getByRole('toolbar').filter({ visible: true }).count()).toBe(0);
  expect(
    await page
      .getByRole('button', { name: /^(Dispute|Message actions|Send)$/ })
      .filter({ visible: true })
      .count(),
  ).toBe(0);
  await paperPicture(page, `${name}-paper-thread`);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.emulateMedia({ media: null });
  await expect.poll(() => inksOf(page)).toEqual(inks);
  await station(buyer, 'after-printing');
}

async function paperPicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  writeFileSync(path.join(PICTURES, `${name}.pdf`), await page.pdf({ preferCSSPageSize: true }));
}

/** PDF and CSV: what looks like a formula is text to a spreadsheet. */
async function files({ hands, buyer, name }: Trade): Promise<void> {
  const download = async (item: string) => {
    const [found] = await Promise.all([buyer.page.waitForEvent('download'), hands.choose(actions(buyer, `Invoice INV-${name}`), item)]);
    return readFileSync(await found.path());
  };
  const pdf = await download('Download PDF');
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  if (PICTURES) writeFileSync(path.join(PICTURES, `${name}-download.pdf`), pdf);
  const csv = (await download('Lines as CSV')).toString();
  expect(csv).toContain(`'${FORMULA} bearing`);
  expect(csv).not.toMatch(STARTS_FORMULA);
}

/** The thread is found by the number of a document in it, and the list shows where it stands. */
async function find({ hands, buyer, name, station }: Trade): Promise<void> {
  const { page } = buyer;
  await untilDocumentsRead(world.service);
  await hands.goTo(page, 'search');
  await hands.write(
    page.getByRole('searchbox', { name: 'Search' }).or(page.getByRole('combobox', { name: 'Search' })),
    `number:CN-${name}`,
  );
  const result = page.getByRole('link', { name: new RegExp(`Bearings for ${name}`) }).first();
  await result.waitFor();
  await station(buyer, 'search');
  await hands.press(result);
  await page.getByRole('heading', { name: new RegExp(`Bearings for ${name}`), level: 1 }).waitFor();
  await page.getByRole('list', { name: 'Messages' }).waitFor();
  await station(buyer, 'found');
  await hands.goTo(page, 'inbox');
  await page
    .getByRole('listitem')
    .filter({ hasText: `Bearings for ${name}` })
    .getByText('Credited')
    .waitFor();
  await station(buyer, 'list');
}

test('a type that a stranger describes is shown, and nothing in it is obeyed', async () => {
  const hostile = '=HYPERLINK("https://x.test") <script>alert(1)</script>';
  const stranger = await world.service.business('stranger');
  const row = { type: 'object', properties: { note: { title: hostile, type: 'string' } } };
  const properties = { number: { title: hostile, type: 'string' }, lines: { title: hostile, type: 'array', items: row } };
  const layout = { number: '/number', lines: { path: '/lines', columns: [{ path: '/note' }] } };
  const type = { title: hostile, schema: { type: 'object', properties }, layout, published: true };
  const put = await stranger.api.write('PUT', '/document-types/odd.note', type);
  expect(put.status, put.text).toBe(200);
  const reader = await clerk('eve', 'umbrella', 'odd', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  const json = { number: '=1+1', lines: [{ note: FORMULA }, { note: `\u202e${MARKUP}` }] };
  const { body } = await stranger.api.send({ to: reader.handle, type: 'odd.note', subject: hostile, json });
  await reader.open(`/threads/${body.thread_id}`);
  const sheet = reader.page.getByRole('figure', { name: `${hostile} =1+1` });
  await sheet.getByText(FORMULA).waitFor();
  await sheet.getByText(MARKUP).waitFor();
  expect(await sheet.locator('script, img, a').count()).toBe(0);
  await picture(reader.page, 'odd-type');
  await reader.expectAccessible();
  const csv = await reader.api.get(`/messages/${body.id}/document.csv`);
  expect(csv.text).toContain(`'${FORMULA}`);
  expect(csv.text).not.toMatch(STARTS_FORMULA);
  await reader.context.close();
});
