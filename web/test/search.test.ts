import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../server/test/support/process.ts';
import { holdSearchIndex } from '../../server/test/support/search.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let world: World;
let globex: TestBusiness;
let ann: Awaited<ReturnType<World['member']>>;
beforeAll(async () => {
  world = await openWorld();
  globex = await world.service.business('globex');
  ann = await world.member('ann@acme-works.test', 'acme-works');
  const send = (request: object) => globex.api.send({ to: 'acme-works', ...request });
  await send({ type: 'order', subject: 'Order PO-4814', json: { lines: [{ name: 'Steel bolts' }] } });
  await send({ type: 'invoice', subject: 'Invoice 12', note: 'For the steel of last week.' });
  const { body: first } = await send({ subject: 'Delivery on Friday' });
  await send({ in_reply_to: first.id, note: 'Rather on Monday.' });
  await untilIndexed(world.service);
  await until(async () => (await ann.api.get('/search?q=steel')).body.data.length === 2);
});
afterAll(() => world.stop());

test('what was typed is found and marked, operators are suggested, and a result leads to its message', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await page.keyboard.type('/steel');
  const field = page.getByRole('combobox', { name: 'Search' });
  await expect.poll(() => field.inputValue()).toBe('steel');
  const results = page.getByRole('list', { name: 'Results' });
  await results.getByRole('link').first().waitFor();
  expect(await results.getByRole('link').count()).toBe(2);
  expect(await results.locator('mark').allInnerTexts()).toEqual(['steel', 'Steel']);
  await ann.expectAccessible();

  await page.keyboard.type(' ty');
  await page.getByRole('option', { name: /^type:/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await ann.expectAccessible();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'type:invoice' }).click();
  await expect.poll(() => field.inputValue()).toBe('steel type:invoice ');
  await expect.poll(() => results.getByRole('link').count()).toBe(1);
  expect(page.url()).toContain('/search?q=');
  await page.reload();
  await results.getByRole('link', { name: /Invoice 12/ }).click();
  await page.getByRole('heading', { name: 'Invoice 12', level: 1 }).waitFor();

  // A reply is listed with the subject of its thread.
  await page.goBack();
  await field.fill('monday');
  await results.getByRole('link', { name: /Delivery on Friday.*Rather on Monday/ }).waitFor();
  await field.fill('nothing like this');
  await page.getByText('Check the spelling').waitFor();
  await ann.expectAccessible();
  // The page names unknown operators.
  await field.fill('is:nonsense foo:bar');
  await page.getByText('is: takes open, done or unread, not nonsense. foo: is not a search operator.').waitFor();
  await ann.expectAccessible();
});

test('line breaks in excerpts are spaces', async () => {
  const { page } = ann;
  await globex.api.send({ to: 'acme-works', subject: 'Two lines', note: 'Zinc plates\nfor the roof\r\nand the gutter' });
  await until(async () => (await ann.api.get('/search?q=zinc')).body.data.length === 1);
  for (const query of ['zinc', 'two']) {
    await ann.open(`/search?q=${query}`);
    const found = page.getByRole('list', { name: 'Results' }).getByRole('link', { name: /Two lines/ });
    await found.getByText('for the roof').waitFor();
    expect(await found.innerText()).not.toContain('U+000');
  }
});

test('a first search whose index takes longer says that it is incomplete, and shows the results as they come', async () => {
  const { page, open, expectAccessible } = await world.member('new@late-works.test', 'late-works');
  await globex.api.send({ to: 'late-works', subject: 'Copper pipes' });
  const index = await holdSearchIndex(world.service);
  await open('/search?q=copper');
  const note = page.getByText('These results are incomplete');
  await note.waitFor();
  await expectAccessible();
  await index.goOn();
  await page
    .getByRole('list', { name: 'Results' })
    .getByRole('link', { name: /Copper pipes/ })
    .waitFor();
  await note.waitFor({ state: 'detached' });
});

test('Ctrl-K does what can be done here, and goes to pages, contacts and results', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await page.getByRole('link', { name: /PO-4814/ }).click();
  await page.getByRole('heading', { name: 'Order PO-4814', level: 1 }).waitFor();
  const commands = page.getByRole('combobox', { name: 'Commands' });
  const command = async (typed: string, option: RegExp) => {
    await page.keyboard.press('Control+k');
    await commands.waitFor();
    await page.keyboard.type(typed);
    await page.getByRole('option', { name: option }).waitFor();
    await ann.expectAccessible();
    await page.getByRole('option', { name: option }).click();
  };
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: /^Mark unread/ }).waitFor();
  await page.keyboard.press('Escape');
  await commands.waitFor({ state: 'detached' });
  await command('done', /^Done\s*e$/);
  await expect.poll(async () => (await ann.api.get('/threads?status=done')).body.data.length).toBe(1);
  await command('usage', /^Usage/);
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  await command('globex', /@globex/);
  await page.getByRole('button', { name: 'Remove filter With' }).waitFor();
  await command('bolts', /^Search for/);
  await page
    .getByRole('list', { name: 'Results' })
    .getByRole('link', { name: /PO-4814/ })
    .waitFor();
  await page.getByRole('combobox', { name: 'Search' }).focus();
  await page.keyboard.press('Control+k');
  await commands.waitFor();
  await page.keyboard.press('Escape');
  await commands.waitFor({ state: 'detached' });
});
