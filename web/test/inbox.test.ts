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

const send = (at: number) =>
  globex.api.send({
    to: 'acme-works',
    type: at % 3 ? 'order' : 'invoice',
    subject: `Order ${at}`,
    note: 'Please confirm by Friday.',
    json: { at },
  });

test('an inbox is read, narrowed and walked through by keys, and what arrives does not move what is being read', async () => {
  const { page, open, expectAccessible } = await world.member('ann@acme-works.test', 'acme-works');
  await open('/inbox');
  await page.getByText('No messages yet').waitFor();
  await expectAccessible();
  await page.getByRole('link', { name: 'Outbox' }).click();
  await page.getByText('No messages sent yet').waitFor();
  await expectAccessible();

  for (let at = 0; at < 60; at++) await send(at);
  await page.goBack();
  const newest = page.getByRole('link', { name: /Order 59/ });
  await newest.waitFor();
  await expectAccessible();

  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'From' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('textbox', { name: 'Type' }).fill('invoice');
  await newest.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /Order 57/ }).waitFor();
  expect(page.url()).toContain('?type=invoice');
  await expectAccessible();
  await page.getByRole('textbox', { name: 'Type' }).fill('nothing of the kind');
  await page.getByText('No results').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await newest.waitFor();

  for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
  await newest.and(page.locator(':focus')).waitFor();

  await page.mouse.wheel(0, 1_000);
  const older = page.getByRole('link', { name: /Order 30/ });
  await older.waitFor();
  const placeBefore = (await older.boundingBox())?.y;
  for (const at of [60, 61, 62]) await send(at);
  const pill = page.getByRole('button', { name: '3 new' });
  await pill.waitFor();
  expect((await older.boundingBox())?.y).toBe(placeBefore);
  await expectAccessible();
  await pill.click();
  await page.getByRole('link', { name: /Order 62/ }).waitFor();

  // At the top, what arrives is simply there.
  await send(63);
  await page.getByRole('link', { name: /Order 63/ }).waitFor();
});

test('lists are read without JSON; that of a message is read once, when the message is opened', async () => {
  const { page, open } = await world.member('eve@large.test', 'large-inbox');
  await globex.api.send({ to: 'large-inbox', subject: 'Large one', json: { text: 'x'.repeat(500_000) } });
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url().replace(/^.*\/v1\//, '')));
  const bodies = () => asked.filter((url) => url.startsWith('messages/'));
  await open('/inbox');
  const row = page.getByRole('link', { name: /Large one/ });
  await row.waitFor();
  expect(bodies()).toEqual([]);
  await row.click();
  await expect.poll(() => bodies().length, { timeout: 60_000 }).toBe(1);
  // A new arrival reads summaries alone, and the JSON of what is opened by it.
  await globex.api.send({ to: 'large-inbox', subject: 'Another' });
  await page.goBack();
  await page.getByRole('link', { name: /Another/ }).waitFor();
  expect(bodies()).toHaveLength(1);
  const lists = asked.filter((url) => /^(inbox|outbox|threads)/.test(url));
  expect(lists.length).toBeGreaterThan(1);
  expect(lists.filter((url) => !url.includes('include=summary'))).toEqual([]);
});
