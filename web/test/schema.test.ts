import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

/** Writes over all that an editor has. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor, exact: true }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const marked = (page: Page, editor: string): Promise<string[]> =>
  page.getByRole('textbox', { name: editor, exact: true }).locator('.cm-problem').allTextContents();

test('a schema is written, tried, saved, judges what comes, and is removed', async () => {
  const { page, open, api, expectAccessible } = await world.member('ann@acme-works.test', 'acme-works');
  const globex = await world.service.business('globex');
  await globex.api.send({ to: 'acme-works', subject: 'Before', json: { quantity: 3 } });
  await open('/schema');
  await page.getByText('No schema yet').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Create schema' }).click();
  const schema = page.getByRole('textbox', { name: 'Schema', exact: true });
  const save = page.getByRole('button', { name: 'Save schema' });
  await schema.waitFor();

  // The sample is the JSON of the newest message, as it was sent.
  await page.getByRole('textbox', { name: 'Sample' }).getByText('"quantity": 3').waitFor();

  // Invalid JSON and an invalid schema are reported at their places, and can't be saved.
  await write(page, 'Schema', '{\n  "type": "object"\n  "required": []\n}');
  const problems = page.getByRole('list', { name: 'Schema problems' });
  await problems.getByText('Expected a comma or }.').waitFor();
  await problems.getByText('Line 3').waitFor();
  expect(await save.isDisabled()).toBe(true);
  await write(page, 'Schema', '{"type": "object", "properties": {"quantity": {"type": "integr"}, "sku": {"minLength": -1}}}');
  await problems.getByText('/properties/quantity/type').first().waitFor();
  await expect.poll(() => marked(page, 'Schema')).toContain('"integr"');
  await page.getByText('Fix the schema to check the sample.').waitFor();
  await expectAccessible();

  // A click in the list goes to the place, where typing fixes it.
  await problems
    .getByRole('button', { name: /properties\/quantity\/type/ })
    .first()
    .click();
  await page.keyboard.insertText('"integer"');
  await expect.poll(() => marked(page, 'Schema')).not.toContain('"integr"');
  // Numbers that no double can hold stay as written.
  const text =
    '{"type": "object", "required": ["sku"],\n  "properties": {"quantity": {"type": "integer", "maximum": 12345678901234567890.0}}}';
  await write(page, 'Schema', text);
  await page.getByText('No problems. Ready to save.').waitFor();

  // A sample that fails, each error at its place, and one that passes.
  await write(page, 'Sample', '{\n  "quantity": "many"\n}');
  await page.getByText('Failed with 2 errors').waitFor();
  const errors = page.getByRole('list', { name: 'Sample errors' });
  await errors.getByRole('button', { name: /Line 2/ }).click();
  await expect.poll(() => marked(page, 'Sample')).toContain('"many"');
  await expectAccessible();
  await page.keyboard.insertText('2, "sku": "A-1"');
  await page.getByText('Passed', { exact: true }).waitFor();

  // Tab indents. After Escape, it leaves the editor.
  await schema.focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(`document.activeElement.closest('[aria-label="Schema"]') === null`)).toBe(true);

  // Leaving asks before changes are lost.
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await expectAccessible();
  await page.getByRole('dialog', { name: 'Discard your changes?' }).getByRole('button', { name: 'Cancel' }).click();
  await save.click();
  await page.getByText('Schema saved.').waitFor();
  expect(await page.getByRole('region', { name: 'Schema' }).textContent()).toBe(text);
  expect((await api.get('/inbox/schema')).text).toContain(`"schema":${text},`);
  await expectAccessible();

  // New messages are validated against the schema.
  await globex.api.send({ to: 'acme-works', subject: 'Unfit', json: { quantity: 'many' } });
  await globex.api.send({ to: 'acme-works', subject: 'Fit', json: { sku: 'A-1' } });
  await open('/inbox');
  await page.getByRole('link', { name: /Unfit.*Needs correction/ }).waitFor();
  expect(await page.getByRole('list', { name: 'Threads' }).getByText('Needs correction').count()).toBe(1);

  await open('/schema');
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Remove schema?' }).getByRole('button', { name: 'Remove schema' }).click();
  await page.getByText('Schema removed').waitFor();
  await page.getByText('No schema yet').waitFor();
  expect((await api.get('/inbox/schema')).body).toEqual({ schema: null, updated_at: null, published: false });

  // Each example can be used as it is, and makes a sample that passes.
  for (const name of ['Order', 'Invoice', 'Several kinds']) {
    await open('/schema');
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await page.getByRole('button', { name: 'Generate sample' }).click();
    await page.getByText('Passed', { exact: true }).waitFor();
  }
}, 600_000);
