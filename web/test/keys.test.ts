import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

/** That of toasts with a button. */
const SHOWN_MS = 10_000;

let world: World;
let ann: Visitor;
beforeAll(async () => {
  world = await openWorld();
  ann = await world.member('ann@acme-works.test', 'acme-works');
  const { api } = await world.service.business('globex');
  await api.send({ to: 'acme-works', subject: 'Order 1' });
  await ann.open('/inbox');
});
afterAll(() => world.stop());

const focused = () => ann.page.evaluate<string>('document.activeElement.textContent');
const press = (...keys: string[]) => keys.reduce((before, key) => before.then(() => ann.page.keyboard.press(key)), Promise.resolve());

test('letters move to the next item of a menu that begins with them; keys of the browser stay the browser’s', async () => {
  const { page } = ann;
  const button = page.getByRole('button', { name: 'ann', exact: true });
  await button.focus();
  await press('ArrowDown');
  // The menu is called what its button is called.
  await page.getByRole('menu', { name: 'ann', exact: true }).waitFor();
  await expect.poll(focused).toBe('Account');
  await press('k');
  expect(await focused()).toContain('Keyboard shortcuts');
  await press('d');
  expect(await focused()).toBe('Documentation');
  await press('End', 'x');
  expect(await focused()).toBe('Sign out');

  await page.evaluate("addEventListener('keydown', (event) => setTimeout(() => { kept = !event.defaultPrevented; }), true)");
  for (const key of ['F2', 'Control+c', 'Alt+ArrowDown']) {
    await page.evaluate('kept = undefined');
    await press(key);
    await expect.poll(() => page.evaluate('kept'), { message: key }).toBe(true);
    expect(await focused()).toBe('Sign out');
  }
  await press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  expect(await focused()).toBe('ann');
});

test('a dialog gives the focus back to what opened it', async () => {
  const { page } = ann;
  const button = page.getByRole('button', { name: 'ann', exact: true });
  await button.focus();
  await press('ArrowDown');
  await expect.poll(focused).toBe('Account');
  await press('k', 'Enter');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('ann');
});

test('a picker says that it finds nothing', async () => {
  const { page } = ann;
  await press('j', 'a');
  const picker = page.getByRole('dialog');
  await picker.getByRole('option').first().waitFor();
  expect(await picker.getByRole('status').textContent()).toBe('');
  await page.keyboard.type('zzz');
  await picker.getByRole('status').getByText('No member or agent by that name').waitFor();
  await ann.expectAccessible();
  await press('Escape');
  await picker.waitFor({ state: 'detached' });
});

test('what can be undone stays while somebody is about to undo it', async () => {
  const { page } = ann;
  await page.getByRole('link', { name: /Order 1/ }).hover();
  await page.getByRole('button', { name: 'Done: Order 1' }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.focus();
  await page.waitForTimeout(SHOWN_MS + 2_000);
  expect(await focused()).toBe('Undo');
  await press('Tab');
  await undo.waitFor({ state: 'detached' });
});
