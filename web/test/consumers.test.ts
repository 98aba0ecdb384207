import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let globex: TestBusiness;
beforeAll(async () => {
  world = await openWorld();
  globex = await world.service.business('globex');
});
afterAll(() => world.stop());

test('a consumer is created, watched, repaired and deleted', async () => {
  const { page, open, expectAccessible, api } = await world.member('ann@acme-works.test', 'acme-works');
  await open('/inbox');
  await page.getByRole('link', { name: 'Consumers' }).click();
  await page.getByText('No consumers yet').waitFor();
  await expectAccessible();

  await page.getByRole('button', { name: 'New consumer' }).first().click();
  const form = page.getByRole('dialog', { name: 'New consumer' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Order Workers');
  await form.getByRole('textbox', { name: 'Types' }).fill('order.*, invoice');
  await form.getByRole('textbox', { name: 'Tries' }).fill('1');
  await form.getByRole('radio', { name: 'In order within each thread' }).check();
  await form.getByRole('button', { name: 'Create consumer' }).click();
  await form.getByText('must have at most 64 characters').waitFor();
  await expectAccessible();
  await form.getByRole('textbox', { name: 'Name' }).fill('order-workers');
  await form.getByRole('button', { name: 'Create consumer' }).click();
  await page.getByRole('heading', { name: 'order-workers', level: 1 }).waitFor();
  await page.getByText('Messages of type order.* or invoice, in order within each thread').waitFor();
  expect((await api.get('/consumers/order-workers')).body).toMatchObject({
    ordered: true,
    max_tries: 1,
    filter: { types: ['order.*', 'invoice'] },
  });

  // Leases and parked messages of workers appear without a reload.
  for (const subject of ['Order 1', 'Order 2']) await globex.api.send({ to: 'acme-works', type: 'order.new', subject });
  const lease = () => api.post('/consumers/order-workers/lease', { holder: 'worker-7', limit: 10 });
  const { body } = await lease();
  expect(body.data).toHaveLength(2);
  for (const name of ['Waiting', 'In progress', 'Set aside']) await page.getByText(name, { exact: true }).first().waitFor();
  await page.getByRole('list', { name: 'Workers' }).getByText('worker-7').waitFor();
  await expectAccessible();
  const ids: string[] = body.data.map(({ message }: { message: { id: string } }) => message.id);
  await api.post('/consumers/order-workers/release', { holder: 'worker-7', ids, reason: 'The line items make no sense' });
  const parked = page.getByRole('list', { name: 'Messages set aside' });
  await expect.poll(() => parked.getByText('The line items make no sense').count(), { timeout: 60_000 }).toBe(2);
  await expectAccessible();
  await parked.getByRole('button', { name: `Open ${ids[0]}` }).click();
  await page.getByRole('heading', { name: 'Order 1', level: 1 }).waitFor();
  await page.goBack();
  await parked.getByRole('button', { name: `Drop ${ids[0]}` }).click();
  await parked.getByRole('button', { name: `Try again: ${ids[1]}` }).click();
  await page.getByText('None. A message is set aside').waitFor();
  expect((await lease()).body.data).toMatchObject([{ message: { id: ids[1] }, tries: 1 }]);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Types' }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('All messages, in order').waitFor();
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('radio', { name: 'To the oldest message' }).check();
  await expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await page.getByText('Consumer moved').waitFor();
  expect((await lease()).body.data).toHaveLength(2);

  await page.getByRole('link', { name: 'Consumers' }).first().click();
  await page.getByRole('list', { name: 'Consumers' }).getByText('2 in progress').waitFor();
  await expectAccessible();
  await page.getByRole('link', { name: /order-workers/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete consumer' }).click();
  await page.getByText('No consumers yet').waitFor();
  expect((await api.get('/consumers')).body.data).toEqual([]);
});
