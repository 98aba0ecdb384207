import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentType } from '../../packages/documents/src/index.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilDocumentsRead } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let acme: TestBusiness;
let globex: Awaited<ReturnType<World['member']>>;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.service.business('acme');
  globex = await world.member('otto@globex-ag.test', 'globex-ag', { viewport: { width: 1440, height: 900 } });
});
afterAll(() => world.stop());

const PICTURES = process.env['WAYBILL_TEST_PICTURES'];
const sample = (type: string) => documentType(type)?.samples[0];

async function send(message: object): Promise<{ id: string; thread_id: string }> {
  const { body } = await acme.api.send({ ...('in_reply_to' in message ? {} : { to: 'globex-ag' }), ...message });
  return body;
}

async function opened(thread_id: string): Promise<void> {
  await untilDocumentsRead(world.service);
  await globex.open(`/threads/${thread_id}`);
  await globex.page.getByRole('textbox', { name: 'Note' }).waitFor();
}

const repliesIn = async (threadId: string) =>
  (await acme.api.get(`/threads/${threadId}`)).body.data.filter(
    ({ from }: { from: { party: { handle: string } } }) => from.party.handle === 'globex-ag',
  );
const said = async (id: string) => (await acme.api.get(`/messages/${id}/acknowledgements`)).body.data;
const toolbar = () => globex.page.getByRole('toolbar', { name: 'Thread' });

async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const { page } = globex;
  for (const [width, scheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${PICTURES}/${name}-${width}-${scheme}.png` });
  }
}

async function fits(): Promise<void> {
  const { page, expectAccessible } = globex;
  await page.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await expectAccessible();
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectAccessible();
}

test('the toolbar confirms an order, even below a later note and while its message is folded, and the head shows the state at once', async () => {
  const { page } = globex;
  const { id, thread_id } = await send({ type: 'order', subject: 'An order', json: sample('order') });
  for (const note of ['Thanks!', 'It is urgent.', 'Really.', 'Please.']) await send({ in_reply_to: id, note });
  await opened(thread_id);
  const head = page.getByRole('banner').or(page.locator('header')).filter({ hasText: 'An order' });
  await head.getByText('Ordered').waitFor();
  expect(await page.getByRole('button', { name: 'Confirm', exact: true }).count()).toBe(0);
  await toolbar().getByRole('button', { name: 'Confirm (order)' }).waitFor();
  await picture('toolbar');
  await fits();
  await toolbar().getByRole('button', { name: 'More for this order' }).click();
  await toolbar().getByRole('menuitem', { name: 'Confirm with changes' }).waitFor();
  await picture('toolbar-menu');
  await fits();
  await page.keyboard.press('Escape');
  await toolbar().getByRole('button', { name: 'Confirm (order)' }).click();
  await page.getByText('Accepts the order when sent').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await head.getByText('Confirmed').waitFor();
  expect((await repliesIn(thread_id)).at(-1)).toMatchObject({ in_reply_to: id, type: 'order.confirmation' });
  await toolbar().getByRole('button', { name: 'Create despatch advice (order confirmation)' }).waitFor();
  await picture('confirmed');
  await fits();
});

test('keys and the palette dispute and accept an invoice', async () => {
  const { page } = globex;
  const { id, thread_id } = await send({ type: 'invoice', subject: 'An invoice', json: sample('invoice') });
  await opened(thread_id);
  await toolbar().getByRole('button', { name: 'Accept (invoice)' }).waitFor();
  await page.keyboard.press('d');
  await page.getByRole('dialog', { name: 'Dispute' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).waitFor();
  await page.keyboard.type('accept');
  await page.getByRole('option', { name: 'Accept' }).first().click();
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Accepted').waitFor();
  expect(await said(id)).toMatchObject([{ status: 'accepted' }]);
  await toolbar().getByRole('button', { name: 'Create remittance advice (invoice)' }).waitFor();
});

test('a note has no actions, and a rejected order has none left', async () => {
  const { page } = globex;
  const note = await send({ note: 'Thanks!' });
  await opened(note.thread_id);
  await page.keyboard.press('y');
  expect(
    await toolbar()
      .getByRole('button', { name: /\(|More for/ })
      .count(),
  ).toBe(0);
  const { thread_id } = await send({ type: 'order', subject: 'No order', json: sample('order') });
  await opened(thread_id);
  await toolbar().getByRole('button', { name: 'Confirm (order)' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByLabel('Reason').fill('Sold out.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject this order' }).click();
  await page.locator('header').getByText('Rejected').waitFor();
  await expect
    .poll(() =>
      toolbar()
        .getByRole('button', { name: /\(|More for/ })
        .count(),
    )
    .toBe(0);
});

test('downloads stand behind Print in the menu of a message', async () => {
  const { page } = globex;
  const { thread_id } = await send({ type: 'order', json: sample('order') });
  await opened(thread_id);
  await page.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Download PDF' }).waitFor();
  const items = (await page.getByRole('menuitem').allInnerTexts()).map((text) => text.trim());
  expect(items.slice(2, 7)).toEqual(['Print', 'Download PDF', 'Lines as CSV', 'Lines as Excel', 'UBL (XML)']);
  await picture('menu');
  await fits();
  await page.keyboard.press('Escape');
});

test('Ctrl P prints a thread with messages that are folded on the page', async () => {
  const { page } = globex;
  await page.addInitScript('window.print = () => { window.printed = (window.printed ?? 0) + 1; }');
  const { id, thread_id } = await send({ type: 'order', subject: 'To print', json: sample('order') });
  for (let at = 1; at <= 6; at++) await send({ in_reply_to: id, note: `Line one of note ${at}\nLine two of note ${at}` });
  await opened(thread_id);
  const FOLDED = 'article > div:first-child > button[aria-expanded="false"]';
  const folded = page.locator(`#root ${FOLDED}`);
  expect(await folded.count()).toBe(6);
  expect(await page.getByRole('figure').count()).toBe(0);
  await page.keyboard.press('Control+p');
  await expect.poll(() => page.evaluate<number>('window.printed ?? 0')).toBe(1);
  await page.emulateMedia({ media: 'print' });
  const paper = page.locator('[data-print-sheet]');
  expect(await page.locator('#root').isVisible()).toBe(false);
  await paper.getByText('PO-4711').first().waitFor();
  for (let at = 1; at <= 6; at++) expect(await paper.getByText(`Line two of note ${at}`).isVisible()).toBe(true);
  expect(await paper.locator(FOLDED).count()).toBe(0);
  expect(await paper.locator('[role="status"], [role="toolbar"]').count()).toBe(0);
  expect((await paper.getByRole('button').allInnerTexts()).join(' ')).not.toMatch(/Confirm|Reject|Reply/);
  if (PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: `${PICTURES}/paper.png`, fullPage: true });
    await page.pdf({ path: `${PICTURES}/paper.pdf`, preferCSSPageSize: true });
  }
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await expect.poll(() => paper.count()).toBe(0);
  expect(await folded.count()).toBe(6);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).waitFor();
  await page.keyboard.type('print thread');
  await page.getByRole('option', { name: 'Print thread Ctrl P' }).click();
  await expect.poll(() => page.evaluate<number>('window.printed ?? 0')).toBe(2);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
});

test('selected threads are accepted and confirmed at once; one that fails stops no other, and its retry sends nothing twice', async () => {
  const { page, open } = globex;
  const initech = await world.service.business('initech');
  const orders: { id: string; thread_id: string }[] = [];
  for (let at = 1; at <= 3; at++) orders.push(await send({ type: 'order', subject: `Bulk order ${at}`, json: sample('order') }));
  const invoice = (await initech.api.send({ to: 'globex-ag', type: 'invoice', subject: 'Bulk invoice', json: sample('invoice') })).body;
  await send({ subject: 'Bulk note', note: 'Thanks!' });
  await untilDocumentsRead(world.service);
  await open('/inbox?view=all');
  for (const subject of ['Bulk order 1', 'Bulk order 2', 'Bulk order 3', 'Bulk invoice', 'Bulk note'])
    await page.getByRole('listitem').filter({ hasText: subject }).getByRole('checkbox').check();
  const bar = page.getByRole('toolbar', { name: 'Selected threads' });
  await picture('bulk-bar');
  await fits();
  await bar.getByRole('button', { name: 'Accept' }).click();
  const dialog = page.getByRole('dialog', { name: 'Accept documents' });
  await dialog.getByText('4 of 5 threads can be accepted or confirmed').waitFor();
  const line = (subject: string) => dialog.getByRole('listitem').filter({ hasText: subject });
  expect(await line('Bulk order 1').innerText()).toContain('acme');
  expect(await line('Bulk invoice').innerText()).toMatch(/Accept.*initech/s);
  await picture('bulk-dialog');
  await fits();
  await line('Bulk order 3').getByRole('checkbox').uncheck();
  // The service takes the second order, but the response is lost.
  let isLost = false;
  await page.route('**/v1/messages', async (route) => {
    const request = route.request();
    if (isLost || request.method() !== 'POST' || !request.postData()?.includes(orders[1]?.id ?? '')) return route.continue();
    isLost = true;
    await route.fetch();
    return route.abort('internetdisconnected');
  });
  await dialog.getByRole('button', { name: 'Accept 3' }).click();
  await dialog.getByText('2 of 3 done. 1 failed.').waitFor();
  await line('Bulk order 2').getByText('Couldn’t connect').waitFor();
  await picture('bulk-failed');
  await fits();
  await dialog.getByRole('button', { name: 'Retry 1' }).click();
  await dialog.getByText('3 of 3 done.').waitFor();
  await fits();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.unroute('**/v1/messages');
  const counts = await Promise.all(orders.map(async ({ thread_id }) => (await repliesIn(thread_id)).length));
  expect(counts).toEqual([1, 1, 0]);
  expect((await repliesIn(orders[1]?.thread_id ?? ''))[0]).toMatchObject({ type: 'order.confirmation', json: { status: 'accepted' } });
  await expect.poll(() => said(orders[0]?.id ?? '')).toMatchObject([{ status: 'accepted' }]);
  expect((await initech.api.get(`/messages/${invoice.id}/acknowledgements`)).body.data).toMatchObject([{ status: 'accepted' }]);
  await bar.getByRole('button', { name: 'Accept' }).click();
  await dialog.getByText('1 of 5 threads can be accepted or confirmed').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});
