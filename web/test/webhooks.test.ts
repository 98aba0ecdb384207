import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../server/src/contract/ids.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../../server/test/support/receiver.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  // A failed attempt is tried once more, soon.
  world = await openWorld({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '1' });
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

async function sums(chart: Locator): Promise<number[]> {
  const rows = await chart.getByRole('row').allTextContents();
  const cells = await chart.getByRole('cell').allTextContents();
  const columns = cells.length / (rows.length - 1);
  return Array.from({ length: columns }, (_, column) =>
    cells.filter((_, cell) => cell % columns === column).reduce((sum, text) => sum + Number(text), 0),
  );
}

test('a webhook is created, tested, followed through failures, and deleted', async () => {
  const { page, open, expectAccessible } = await world.member('ann@acme-works.test', 'acme-works');
  const globex = await world.service.business('globex');
  await open('/webhooks');
  await page.getByText('No webhooks yet').waitFor();
  await expectAccessible();

  // Refusals appear at the field that they are about.
  await page.getByRole('button', { name: 'New webhook' }).first().click();
  const form = page.getByRole('dialog', { name: 'New webhook' });
  await form.getByRole('textbox', { name: 'URL' }).fill('https://10.0.0.1/hook');
  await form.getByRole('radio', { name: 'Messages to one segment' }).check();
  await form.getByRole('textbox', { name: 'Segment' }).fill('globex/orders');
  await form.getByRole('button', { name: 'Create webhook' }).click();
  await form.getByText('names the handle globex, but yours is acme-works').waitFor();
  await expectAccessible();
  await form.getByRole('textbox', { name: 'Segment' }).fill('acme-works/orders');
  await form.getByRole('button', { name: 'Create webhook' }).click();
  await form.getByText(/The URL can't be used/).waitFor();
  expect(await form.getByRole('textbox', { name: 'URL' }).getAttribute('aria-invalid')).toBe('true');
  await form.getByRole('textbox', { name: 'URL' }).fill(receiver.url('/orders'));
  await page.keyboard.press('Enter');

  // The secret is shown once, and the dialog can't be closed by accident.
  const secretDialog = page.getByRole('dialog', { name: 'Webhook created' });
  const secret = (await secretDialog.getByText(/^whsec_/).textContent()) ?? '';
  await page.keyboard.press('Escape');
  await secretDialog.getByText('Have you saved it?').waitFor();
  await expectAccessible();
  await secretDialog.getByRole('button', { name: 'Copy secret' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await secretDialog.getByRole('button', { name: 'I saved it' }).click();

  await page.getByRole('heading', { level: 1, name: 'localhost' }).waitFor();
  await page.getByText('Messages to acme-works/orders').waitFor();
  await page.getByText('No deliveries yet').waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText(/Test delivered: HTTP 204/).waitFor();
  const [delivered] = await receiver.received(1);
  expect(delivered?.headers['waybill-event']).toBe('message.test');

  // A message fails, is retried and dropped. The log follows without a reload.
  receiver.respond = withStatus(503);
  await globex.api.send({ to: 'acme-works/orders', subject: 'Order 4711', json: { sku: 'A-1' } });
  await page.reload();
  const log = page.getByRole('list', { name: 'Deliveries' });
  await log.getByText('Dropped').waitFor();
  expect(await log.getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(/^DroppedOrder 4711 · The globex company · attempt 2503 · .*responded with 503/),
    expect.stringMatching(/^DeliveredTest204 · /),
  ]);

  const attempts = page.getByRole('figure', { name: 'Attempts' });
  await attempts.getByText('3 attempts in the last 24 hours: 33% delivered, 2 failed.').waitFor();
  await attempts.getByText('Show as table').click();
  expect(await sums(attempts)).toEqual([1, 2]);
  await page.getByRole('radio', { name: '30 days' }).check();
  await attempts.getByText(/3 attempts in the last 30 days/).waitFor();
  expect(await attempts.getByRole('row').count()).toBe(31);
  expect(await sums(attempts)).toEqual([1, 2]);
  await page.getByRole('figure', { name: 'Response time' }).locator('svg').waitFor();
  await expectAccessible();

  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Test failed: responded with 503 instead of a status from 200 to 299').waitFor();

  await log.getByRole('link', { name: /^Dropped/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Message delivery' }).waitFor();
  // The first attempt has ended, and the page shows the time of its retry.
  await page.getByText(/^Failed, retry at \d/).waitFor();
  await page.getByRole('link', { name: 'Order 4711' }).click();
  await page.waitForURL(/\/threads\/thr_/);

  // The list shows the state of the webhook, which is then deleted.
  await page.goto('/webhooks');
  await page.getByText('25% delivered in 24 h').waitFor();
  await expectAccessible();
  await page.getByRole('link', { name: /\/orders/ }).click();
  await page.waitForURL(/\/webhooks\/wh_/);
  const address = page.url();
  await page.getByRole('button', { name: 'More actions' }).click();
  await expectAccessible();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expectAccessible();
  await page.getByRole('dialog', { name: 'Delete this webhook?' }).getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
  await page.goto(address);
  await page.getByRole('alert').getByText('The webhook was not found.').waitFor();
}, 600_000);

test('the list says what each webhook receives, and what it is for', async () => {
  const { page, open, api, expectAccessible } = await world.member('kim@listed-works.test', 'listed-works');
  const add = async (path: string, more: object) =>
    expect((await api.post('/webhooks', { url: receiver.url(path), ...more })).status).toBe(201);
  await add('/all', {});
  await add('/erp', { types: ['order', 'order.*'], description: 'Orders for the ERP' });
  await add('/desk', { target: 'desk', types: ['invoice'] });
  await add('/team', { events: ['thread.updated', 'schema.failed'] });
  await open('/webhooks');
  const row = (path: string) => page.getByRole('listitem').filter({ hasText: path });
  await row('/all').getByText('All messages', { exact: true }).waitFor();
  await row('/erp').getByText('Orders for the ERP').waitFor();
  await row('/erp').getByText('Messages of types order, order.*').waitFor();
  await row('/desk').getByText('Messages to listed-works/desk of type invoice').waitFor();
  await row('/team').getByText('Schema failed, Threads updated').waitFor();
  await expectAccessible();
  await row('/erp').click();
  await page.getByText('Messages of types order, order.*').waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Recover messages…' }).click();
  expect(await page.getByRole('dialog').getByRole('combobox', { name: 'Messages' }).locator('option').allTextContents()).toEqual([
    'Not delivered yet',
    'Dropped after the last attempt, or 410',
    'Never attempted',
    'All, including delivered',
  ]);
  await expectAccessible();
}, 600_000);

test('a webhook that is paused says why, and is resumed', async () => {
  const { page, open, api, expectAccessible } = await world.member('bob@pause-works.test', 'pause-works');
  const globex = await world.service.business('globex-pause');
  receiver.respond = withStatus(500);
  const { body: webhook } = await api.post('/webhooks', { url: receiver.url('/paused') });
  for (let i = 0; i < 50; i++) await globex.api.send({ to: 'pause-works' });
  await expect.poll(async () => (await api.get(`/webhooks/${webhook.id}`)).body.active, { timeout: 60_000 }).toBe(false);
  await open('/webhooks');
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('link', { name: /\/paused/ }).click();
  const banner = page.getByRole('region', { name: 'Paused' });
  await banner.getByText(/all of its many attempts failed/).waitFor();
  await expectAccessible();
  receiver.respond = withStatus(204);
  await banner.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Resume webhook' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  expect(await banner.count()).toBe(0);
}, 600_000);

test('a recovery says how many messages it has left to their retry', async () => {
  const { page, open, api, expectAccessible } = await world.member('lea@retry-works.test', 'retry-works');
  const { body: webhook } = await api.post('/webhooks', { url: receiver.url('/retried') });
  // Messages that are retried in an hour: the service of these tests retries after a second.
  await world.service.sql(
    `INSERT INTO webhook_recoveries (party_id, webhook_id, id, selection, state, first, last, position, total, done, queued, retrying, created_at, ended_at)
     SELECT party_id, id, gen_random_uuid(), 'undelivered', 'completed', 0, 4096, 4096, 5, 5, 0, 3, now(), now() FROM webhooks WHERE id = $1`,
    [parseId('wh', webhook.id)],
  );
  await open(`/webhooks/${webhook.id}`);
  await page.getByRole('list', { name: 'Recoveries' }).getByText('0 messages queued, 3 still being retried').waitFor();
  await expectAccessible();
}, 600_000);
