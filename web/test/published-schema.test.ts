import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LETTERS } from './support/composer.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

/** Writes over all that the editor has, as a person does. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'JSON' }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const marked = (page: Page) => page.getByRole('textbox', { name: 'JSON' }).locator('.cm-problem').allTextContents();

test('one publishes the schema, and the other sees errors before sending, in a new message and in a reply', async () => {
  const ann = await world.member('ann@acme-works.test', 'acme-works');
  const bob = await world.member('bob@globex-works.test', 'globex-works');
  await ann.api.request('PUT', '/inbox/schema', {
    schema: { type: 'object', required: ['sku'], properties: { quantity: { type: 'integer' } } },
  });

  // The schema is not published, so the page says nothing about it.
  const { page } = bob;
  await bob.open('/compose');
  await page.getByRole('combobox', { name: 'To' }).fill('acme-works');
  await page.getByRole('button', { name: 'Add JSON' }).click();
  const checked = page.waitForResponse((response) => response.url().includes('/v1/schema-check'));
  await write(page, '{"quantity": "many"}');
  await checked;
  const { body } = await bob.api.post('/schema-check?to=acme-works', { json: { quantity: 'many' } });
  expect(body.validation.status).toBe('not_applicable');
  await page.getByText('Valid JSON, 20 bytes').waitFor();
  expect(await page.getByText('by the schema of').count()).toBe(0);

  await ann.open('/schema');
  await ann.page.getByText('Only you see the schema.').waitFor();
  await ann.page.getByRole('switch', { name: 'Publish the schema' }).check();
  await ann.page.getByText('Anyone can read the schema').waitFor();
  await ann.expectAccessible();
  await ann.page.reload();
  await expect.poll(() => ann.page.getByRole('switch', { name: 'Publish the schema' }).isChecked()).toBe(true);

  await write(page, '{"quantity": "few"}');
  await page.getByText('2 errors by the schema of @acme-works. You can still send it.').waitFor();
  await expect.poll(() => marked(page)).toContain('"few"');
  await page
    .getByRole('list', { name: 'Schema errors' })
    .getByRole('button', { name: /quantity/ })
    .waitFor();
  await bob.expectAccessible();
  await write(page, '{"quantity": 3, "sku": "A-1"}');
  await page.getByText('Matches the schema of @acme-works.').waitFor();
  expect(await marked(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('heading', { name: 'Sent' }).waitFor();

  // A reply goes to the same inbox.
  await page.getByRole('link', { name: 'Open thread' }).click();
  await page.getByLabel('Note').click();
  await page.getByRole('button', { name: 'Add JSON' }).click();
  await write(page, '[]');
  await page.getByText('1 error by the schema of @acme-works.').waitFor();
  // A click on an error leads into the JSON, where keys are no shortcuts.
  await page.getByRole('list', { name: 'Schema errors' }).getByRole('button').first().click();
  await page.keyboard.type(LETTERS);
  await expect.poll(() => page.getByRole('textbox', { name: 'JSON' }).textContent()).toContain(LETTERS);
  expect(new URL(page.url()).pathname).toMatch(/^\/threads\//);
});
