import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentType } from '../../packages/documents/src/index.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let acme: TestBusiness;
let globex: Awaited<ReturnType<World['member']>>;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.service.business('acme');
  globex = await world.member('otto@globex-ag.test', 'globex-ag');
});
afterAll(() => world.stop());

const PICTURES = process.env['WAYBILL_TEST_PICTURES'];

async function received(type: string): Promise<{ id: string; thread_id: string }> {
  const json = documentType(type)?.samples[0];
  const { body } = await acme.api.send({ to: 'globex-ag', type, subject: `The ${type}`, json });
  await untilIndexed(world.service);
  await globex.open(`/threads/${body.thread_id}`);
  await globex.page.getByRole('button', { name: 'Add type and subject' }).or(globex.page.getByLabel('Note')).first().waitFor();
  return body;
}

async function repliesIn(threadId: string) {
  const { data } = (await acme.api.get(`/threads/${threadId}`)).body;
  return data.slice(1);
}

const said = async (id: string) => (await acme.api.get(`/messages/${id}/acknowledgements`)).body.data;

async function picture(name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const { page } = globex;
  await page
    .getByRole('button', { name: /^(Confirm|Dispute|Send)$/ })
    .last()
    .scrollIntoViewIfNeeded();
  for (const [width, scheme] of [
    [390, 'light'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 1_000 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${PICTURES}/${name}-${width}-${scheme}.png` });
  }
}

test('an order is confirmed with a change by keyboard alone, and the other side has confirmation and acknowledgement', async () => {
  const { page, expectAccessible } = globex;
  const { id, thread_id } = await received('order');
  await page.getByRole('button', { name: 'Confirm with changes', exact: true }).waitFor();
  await expectAccessible();
  await picture('order');
  await page.keyboard.press('Y');
  await page.getByText('Accepts the order when sent').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.keyboard.type('The bearings come a week later.');
  await expectAccessible();
  await picture('confirm');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Accepted').first().waitFor();
  const [reply] = await repliesIn(thread_id);
  expect(reply).toMatchObject({
    ...{ in_reply_to: id, type: 'order.confirmation', subject: 'Confirmation of an order OC-PO-4711' },
    ...{ note: 'The bearings come a week later.', json: { status: 'changed', order_number: 'PO-4711', total: '1014.54' } },
  });
  expect(await said(id)).toMatchObject([{ status: 'accepted', reason: null }]);
});

test('an order is rejected with a reason, in one request', async () => {
  const { page, expectAccessible } = globex;
  const { id, thread_id } = await received('order');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Reject this order' }).click();
  await dialog.getByText('Say why').waitFor();
  await expectAccessible();
  await dialog.getByLabel('Reason').fill('Sold out.');
  await picture('reject');
  await dialog.getByRole('button', { name: 'Reject this order' }).click();
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Rejected').waitFor();
  expect((await repliesIn(thread_id))[0]).toMatchObject({ type: 'order.confirmation', json: { status: 'rejected', reason: 'Sold out.' } });
  expect(await said(id)).toMatchObject([{ status: 'rejected', reason: 'Sold out.' }]);
  expect(await page.getByRole('button', { name: 'Confirm', exact: true }).count()).toBe(0);
});

test('a line of an invoice is disputed, and the invoice stays open', async () => {
  const { page, expectAccessible } = globex;
  const { id, thread_id } = await received('invoice');
  await page.getByRole('button', { name: 'Dispute', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/Shaft seal/).uncheck();
  await dialog.getByLabel(/Handbook/).uncheck();
  await dialog.getByLabel('Reason').fill('Four are dented.');
  await expectAccessible();
  await picture('dispute');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(async () => (await repliesIn(thread_id)).length).toBe(1);
  const [reply] = await repliesIn(thread_id);
  expect(reply).toMatchObject({ type: 'invoice.dispute', json: { reason: 'Four are dented.', lines: [{ invoice_line: '1' }] } });
  expect(await said(id)).toEqual([]);
});

test('the acknowledgement can be left out, and a draft is not replaced without a question', async () => {
  const { page } = globex;
  const { id, thread_id } = await received('order');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('button', { name: 'Send without the acknowledgement' }).click();
  await page.getByText('Accepts the order when sent').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Confirm with changes', exact: true }).click();
  await page.getByRole('dialog', { name: 'Replace your draft?' }).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(async () => (await repliesIn(thread_id)).length).toBe(1);
  expect((await repliesIn(thread_id))[0].json.status).toBe('accepted');
  expect(await said(id)).toEqual([]);
});

test('a document of another type has Accept and Reject, which say nothing more', async () => {
  const { page, open } = globex;
  const { body } = await acme.api.send({ to: 'globex-ag', type: 'measurement', json: { value: 1 } });
  await untilIndexed(world.service);
  await open(`/threads/${body.thread_id}`);
  await page.getByRole('button', { name: 'Accept', exact: true }).click();
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Accepted').waitFor();
  await page.getByRole('button', { name: 'Mark as processed', exact: true }).click();
  await page.getByRole('list', { name: 'Acknowledgements' }).getByText('Processed').waitFor();
  expect((await said(body.id)).map(({ status }: { status: string }) => status)).toEqual(['accepted', 'processed']);
  expect(await repliesIn(body.thread_id)).toEqual([]);
});

test('the seller credits an invoice that it sent, and a note can be neither accepted nor rejected', async () => {
  const { page, open, api } = globex;
  const json = documentType('invoice')?.samples[0];
  const sent = (await api.post('/messages', { to: 'acme', type: 'invoice', json })).body;
  await untilIndexed(world.service);
  await open(`/threads/${sent.thread_id}`);
  await page.getByRole('button', { name: 'Create credit note', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(async () => (await repliesIn(sent.thread_id)).length).toBe(1);
  expect((await repliesIn(sent.thread_id))[0]).toMatchObject({
    type: 'credit.note',
    json: { invoice_number: 'INV-2026-0442', total: '1027.00' },
  });

  const note = (await acme.api.send({ to: 'globex-ag', note: 'Thanks!' })).body;
  await untilIndexed(world.service);
  await open(`/threads/${note.thread_id}`);
  await page.getByText('Thanks!').first().waitFor();
  await page.getByLabel('Note').waitFor();
  expect(await page.getByRole('button', { name: /^(Accept|Reject)$/ }).count()).toBe(0);
});
