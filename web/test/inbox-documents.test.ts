import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilDocumentsRead } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let globex: TestBusiness;
beforeAll(async () => {
  world = await openWorld();
  globex = await world.service.business('globex');
});
afterAll(() => world.stop());

const WIDE = { width: 1440, height: 900 };

async function sendAll(): Promise<void> {
  const send = (message: object) => globex.api.send({ to: 'acme-works', ...message });
  await send({
    type: 'invoice',
    subject: 'Bearings',
    json: { number: 'INV-442', payable: '12345678.90', currency: 'EUR', due_date: '2020-11-20' },
  });
  await send({ type: 'invoice', subject: 'Seals', json: { number: 'INV-443', payable: '99.5', currency: 'USD', due_date: '2999-12-24' } });
  const order = (await send({ type: 'order', subject: 'Handbooks', json: { number: 'PO-4711', total: '480' } })).body;
  await globex.api.send({ in_reply_to: order.id, note: 'Please confirm.' });
  await send({ subject: 'Greetings', note: 'No document at all.' });
  await send({ type: 'remittance', subject: 'Paid bill', json: { number: '‮PAY-1', total: '7' } });
  await untilDocumentsRead(world.service);
}

test('the inbox shows number, total, due date and state, sorts and filters by them, and keeps them in a view', async () => {
  const { page, open, expectAccessible } = await world.member('ann@acme-works.test', 'acme-works', { viewport: WIDE });
  await sendAll();
  await open('/inbox');
  const row = (subject: string) => page.getByRole('listitem').filter({ hasText: subject });
  await row('Bearings').getByText('INV-442').waitFor();
  await row('Bearings').getByText('12,345,678.90').waitFor();
  await row('Bearings').getByText('Overdue since').waitFor({ state: 'attached' });
  await row('Bearings').getByText('Invoiced').waitFor();
  await row('Handbooks').getByText('Ordered').waitFor();
  expect(await row('Seals').getByText('Overdue since').count()).toBe(0);
  // What nobody sees is no part of a number.
  expect(await row('Paid bill').getByText('PAY-1').count()).toBe(0);
  await expectAccessible();

  const subjects = async () =>
    (await page.locator('[data-thread]').allInnerTexts()).map((text) => /Bearings|Seals|Handbooks|Greetings|Paid bill/.exec(text)?.[0]);
  const sortBy = page.getByRole('group', { name: 'Sort by' });
  await sortBy.getByRole('button', { name: 'Total' }).click();
  await expect.poll(subjects).toEqual(['Bearings', 'Handbooks', 'Seals', 'Paid bill']);
  await expectAccessible();
  await sortBy.getByRole('button', { name: 'Total' }).click();
  await expect.poll(subjects).toEqual(['Paid bill', 'Seals', 'Handbooks', 'Bearings']);
  await sortBy.getByRole('button', { name: 'Due' }).click();
  await expect.poll(subjects).toEqual(['Bearings', 'Seals']);
  await page.getByRole('button', { name: 'Remove filter Sorted by' }).click();
  await expect.poll(async () => (await subjects()).length).toBe(5);

  const filter = page.getByRole('combobox', { name: 'Filter' });
  await page.keyboard.press('f');
  await filter.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('overd');
  await page.getByRole('option', { name: 'Overdue' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(subjects).toEqual(['Bearings']);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await filter.fill('po-4711');
  await page.getByRole('option', { name: 'Document number' }).click();
  await expect.poll(subjects).toEqual(['Handbooks']);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await filter.fill('invoiced');
  await page.getByRole('option', { name: 'Invoiced' }).click();
  await expect.poll(subjects).toEqual(['Seals', 'Bearings']);
  await expectAccessible();

  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('To pay');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'To pay' }).waitFor();
  await expect.poll(subjects).toEqual(['Seals', 'Bearings']);

  // A new state shows without a reload.
  const invoice = (await globex.api.get('/threads?number=INV-443')).body.data[0];
  await globex.api.send({
    in_reply_to: invoice.last_message.id,
    type: 'credit.note',
    json: { number: 'CN-1', payable: '99.5', currency: 'USD' },
  });
  await expect.poll(subjects, { timeout: 20_000 }).toEqual(['Bearings']);
});

test('in a narrow window, the state stays a badge, and the address takes the filters', async () => {
  const { page, open, expectAccessible } = await world.member('bob@initech-works.test', 'initech-works', {
    viewport: { width: 390, height: 800 },
  });
  await globex.api.send({ to: 'initech-works', type: 'order', subject: 'Small', json: { number: 'PO-1', total: '5' } });
  await untilDocumentsRead(world.service);
  await open('/inbox?number=PO-1&total_min=5&due_before=7d');
  await page.getByText('No results').waitFor();
  await page.getByText('Due before:').waitFor();
  await open('/inbox?number=PO-1&total_min=5');
  await page.getByRole('listitem').getByText('Ordered').waitFor();
  await page.getByText('Total from:').waitFor();
  await expectAccessible();
  await open('/inbox?document_state=nonsense');
  await page.getByRole('alert').first().waitFor();
});

test('a search finds threads by number, state, total and due date, and corrects other values', async () => {
  const { page, open } = await world.member('eve@umbrella-works.test', 'umbrella-works', { viewport: WIDE });
  await globex.api.send({ to: 'umbrella-works', type: 'order', subject: 'Findable', json: { number: 'PO-77', total: '1500' } });
  await untilDocumentsRead(world.service);
  await open(`/search?q=${encodeURIComponent('number:po-77 state:ordered total:>1000')}`);
  await page.getByText('Findable').first().waitFor();
  await open(`/search?q=${encodeURIComponent('total:many')}`);
  await page.getByText('total: takes an amount').waitFor();
});
