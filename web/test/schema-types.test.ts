import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

const PICTURES = process.env['WAYBILL_PICTURES'];

/** Writes over all that an editor has. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor, exact: true }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

/** Pictures for somebody who looks at them, in both themes and two widths. */
async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const size = page.viewportSize();
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [390, 1440]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${PICTURES}/${name}-${scheme}-${width}.png`, fullPage: true });
    }
  await page.emulateMedia({ colorScheme: 'light' });
  if (size) await page.setViewportSize(size);
}

test('schemas by type are added in one click, edited, published and deleted; own document types are described', async () => {
  const { page, open, api, expectAccessible } = await world.member('ann@acme-works.test', 'acme-works');
  await open('/schema');
  await page.getByText('No schemas by type.').waitFor();
  await page.getByRole('button', { name: 'Add document type' }).click();
  await page.getByRole('menuitem', { name: 'Invoice', exact: true }).click();
  const list = page.getByRole('list', { name: 'Schemas by type' });
  await list.getByText('invoice', { exact: true }).waitFor();
  expect((await api.get('/inbox/schemas/invoice')).body.schema.title).toBe('Invoice');

  // A type that no catalogue has.
  await page.getByRole('button', { name: 'Other type' }).click();
  await page.getByRole('textbox', { name: 'Type' }).fill('gate.report');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Schema of gate.report' }).waitFor();
  await write(page, 'Schema', '{"properties": {"gate": {"enum": ["North", "South"]}, "pallets": {"minimum": 1}}}');
  await page.getByText('No problems. Ready to save.').waitFor();
  await page.getByRole('button', { name: 'Save schema' }).click();
  await list.getByText('gate.report').waitFor();
  await page.getByRole('button', { name: 'Publish schema of gate.report' }).click();
  await list.getByText('Published').waitFor();
  expect((await world.service.anonymous.get('/public/acme-works/schema?type=gate.report')).body.schema).not.toBeNull();

  // An own document type, from one of the catalogue.
  await page.getByRole('button', { name: 'New document type' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Delivery slot <b>');
  await page.getByRole('textbox', { name: 'Type' }).fill('delivery.slot');
  await write(page, 'Schema', '{"properties": {"gate": {"title": "Gate"}, "from": {"title": "Begins at"}}}');
  await page.getByLabel('Labels').getByText('Gate, Begins at').waitFor();
  await write(page, 'Layout', '{"facts": [{"path": "/from"}]}');
  await page.getByLabel('Labels').getByText('Begins at', { exact: true }).waitFor();
  await expectAccessible();
  await picture(page, 'own-type');
  await page.getByRole('button', { name: 'Save document type' }).click();
  const own = page.getByRole('list', { name: 'Your document types' });
  await own.getByText('Delivery slot <b>').waitFor();
  expect((await api.get('/business/document-types/delivery.slot')).body.layout.facts).toEqual([{ path: '/from' }]);
  await expectAccessible();
  await picture(page, 'schemas');

  await page.getByRole('button', { name: 'Edit Delivery slot <b>' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Slot');
  await page.getByRole('button', { name: 'Save document type' }).click();
  await page.getByRole('button', { name: 'Delete Slot' }).click();
  await page.getByRole('button', { name: 'Delete document type' }).click();
  await page.getByText('No document types of your own.').waitFor();
  await page.getByRole('button', { name: 'Delete schema of invoice' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete schema' }).click();
  await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
}, 600_000);

test('a message that failed is replied to with what is wrong', async () => {
  const { page, open, api, expectAccessible } = await world.member('bo@bolt-works.test', 'bolt-works');
  await api.request('PUT', '/inbox/schemas/order', { schema: { properties: { gate: { enum: ['North', 'South'] }, n: { minimum: 1 } } } });
  const globex = await world.service.business('globex');
  const sent = (await globex.api.send({ to: 'bolt-works', type: 'order', subject: 'Order 1', json: { gate: 'West', n: 0 } })).body;
  await open(`/threads/${sent.thread_id}`);
  await page.getByText('Allowed: North, South').filter({ visible: true }).first().waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  const errors = page.getByRole('list', { name: 'Schema errors' });
  await errors.getByText('Allowed: North, South').waitFor();
  await expectAccessible();
  await picture(page, 'failed');
  await page.getByRole('button', { name: 'Reply with what is wrong' }).click();
  const note = page.getByRole('textbox', { name: 'Note' });
  const text =
    'Your message “Order 1” needs correction:\n\n- gate: must be one of the values in the schema (Allowed: North, South)\n- n: must be at least 1\n\nPlease send it again.';
  await expect.poll(() => note.inputValue()).toBe(text);
  // A second press does not write it twice.
  await page.getByRole('button', { name: 'Reply with what is wrong' }).click();
  expect(await note.inputValue()).toBe(text);
  await picture(page, 'correction');
  await page.getByRole('button', { name: /^Send/ }).click();
  await expect.poll(async () => (await globex.api.get(`/threads/${sent.thread_id}`)).body.data.at(-1).note).toBe(text);
}, 600_000);
