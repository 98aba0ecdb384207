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
  await page.getByRole('link', { name: 'Sent' }).click();
  await page.getByText('No messages sent yet').waitFor();
  await expectAccessible();

  await page.getByRole('link', { name: /^Needs correction/ }).waitFor();
  // The name of this business has “ord” inside.
  await (await world.service.business('nordens')).api.send({ to: 'acme-works', subject: 'Hello' });
  for (let at = 0; at < 60; at++) await send(at);
  await page.goBack();
  const newest = page.getByRole('link', { name: /Order 59/ });
  await newest.waitFor();
  await expectAccessible();

  const filter = page.getByRole('combobox', { name: 'Filter' });
  await page.keyboard.press('f');
  await filter.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('invoi');
  await page.getByRole('option', { name: 'invoice', exact: true }).waitFor();
  await expectAccessible();
  await page.keyboard.press('Enter');
  await newest.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /Order 57/ }).waitFor();
  expect(page.url()).toContain('type=invoice');
  await expectAccessible();
  // Only existing values are offered.
  await filter.fill('invoices of mars');
  await page.getByRole('option').first().waitFor({ state: 'detached' });
  await open('/inbox?type=mars');
  await page.getByText('No results').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await newest.waitFor();
  // Names that begin with the text come before names that have it inside.
  await page.keyboard.press('f');
  await filter.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('ord');
  await page.getByRole('option', { name: /@nordens/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove filter Type' }).waitFor();
  expect(page.url()).toContain('type=order');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  // The displayed name can be typed.
  await filter.fill('globex comp');
  await page.getByRole('option', { name: /@globex/ }).click();
  await page.getByRole('button', { name: 'Remove filter With' }).waitFor();
  await newest.waitFor();
  expect(page.url()).toContain('with=globex');
  await page.getByRole('button', { name: 'Remove filter With' }).click();

  for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
  await newest.and(page.locator(':focus')).waitFor();

  await page.mouse.move(700, 500);
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

  // At the top of the list, new threads appear at once.
  await send(63);
  await page.getByRole('link', { name: /Order 63/ }).waitFor();
});

test('lists are read without JSON; that of a message is read once, when the message is opened', async () => {
  const { page, open } = await world.member('eve@large.test', 'large-inbox');
  await globex.api.send({ to: 'large-inbox', subject: 'Large one', json: { text: 'x'.repeat(500_000) } });
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url().replace(/^.*\/v1\//, '')));
  const bodies = () => asked.filter((url) => /^messages\/\w+$/.test(url));
  await open('/inbox');
  const row = page.getByRole('link', { name: /Large one/ });
  await row.waitFor();
  expect(bodies()).toEqual([]);
  await row.click();
  await expect.poll(() => bodies().length, { timeout: 60_000 }).toBe(1);
  // A new arrival reads only summaries, and the JSON of the message that it opens.
  await globex.api.send({ to: 'large-inbox', subject: 'Another' });
  await page.goBack();
  await page.getByRole('link', { name: /Another/ }).waitFor();
  expect(bodies()).toHaveLength(1);
  const lists = asked.filter((url) => /^(inbox|outbox|threads)/.test(url));
  expect(lists.length).toBeGreaterThan(1);
  // A list of threads has no JSON, and a thread is read without it.
  expect(lists.filter((url) => /^threads\/thr_\w+\?/.test(url) && !url.includes('include=summary'))).toEqual([]);
});

test('the scripts of a page are loaded together with the account, not after it', async () => {
  const { page, open } = await world.member('kim@early.test', 'early-scripts');
  await open('/inbox');
  const script = page.waitForRequest(/\/mailbox-[\w-]+\.js$/, { timeout: 0 });
  await page.route('**/v1/account', async (route) => {
    await script;
    await route.continue();
  });
  await page.reload();
  await page.getByText('No messages yet').waitFor();
});

test('links to the lists of messages that there were lead to the same threads', async () => {
  const { page, open, api } = await world.member('old@links.test', 'old-links');
  expect((await api.post('/agents', { name: 'Order desk', segment: 'orders' })).status).toBe(201);
  const sent = await globex.api.send({ to: 'old-links/orders', type: 'order', subject: 'To the desk' });
  expect(sent.status, sent.text).toBe(201);
  await open('/inbox?from=globex&to=orders&type=order');
  await page.getByRole('link', { name: /To the desk/ }).waitFor();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/All/);
  await page.getByRole('button', { name: 'Remove filter Segment' }).waitFor();
  await open('/outbox?type=order');
  await page.getByText('No results').waitFor();
  expect(page.url()).toContain('view=sent');
});

test('a list is narrowed to days, which are typed or chosen from a calendar by mouse or keys', async () => {
  const { page, open, expectAccessible } = await world.member('bea@cobalt-works.test', 'cobalt-works');
  await globex.api.send({ to: 'cobalt-works', subject: 'Of today' });
  await open('/inbox?since=2026-02-10');
  const row = page.getByRole('link', { name: /Of today/ });
  await row.waitFor();
  const field = page.getByRole('textbox', { name: 'Since' });
  const since = () => new URL(page.url()).searchParams.get('since')?.replaceAll('"', '');

  await field.fill('2026-02-30');
  await page.getByText('There is no such day').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(since()).toBe('2026-02-10');
  await expectAccessible();
  await field.fill('2026-01-31');
  await expect.poll(since).toBe('2026-01-31');

  // The last day of January, a month later, a week and a day back, the start of that week.
  await field.press('ArrowDown');
  const calendar = page.getByRole('dialog', { name: 'Choose a day: Since' });
  await calendar.getByText('January 2026').waitFor();
  await page.getByRole('button', { name: 'Saturday, January 31, 2026' }).and(page.locator(':focus')).waitFor();
  await expectAccessible();
  for (const [key, day] of [
    ['PageDown', 'Saturday, February 28, 2026'],
    ['ArrowUp', 'Saturday, February 21, 2026'],
    ['ArrowLeft', 'Friday, February 20, 2026'],
    ['Home', 'Monday, February 16, 2026'],
    ['Shift+PageUp', 'Sunday, February 16, 2025'],
    ['ArrowRight', 'Monday, February 17, 2025'],
    ['End', 'Sunday, February 23, 2025'],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole('button', { name: day }).and(page.locator(':focus')).waitFor();
  }
  await page.keyboard.press('Enter');
  await expect.poll(since).toBe('2025-02-23');
  await calendar.waitFor({ state: 'detached' });
  const button = page.getByRole('button', { name: 'Choose a day: Since' });
  await button.and(page.locator(':focus')).waitFor();

  await button.click();
  await calendar.getByRole('button', { name: 'Previous month' }).click();
  await calendar.getByRole('button', { name: 'Thursday, January 30, 2025' }).click();
  await expect.poll(since).toBe('2025-01-30');
  await button.click();
  await calendar.waitFor();
  await page.keyboard.press('Escape');
  await calendar.waitFor({ state: 'detached' });
  await button.click();
  await calendar.waitFor();
  await row.focus();
  await calendar.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove filter Since' }).click();
  await expect.poll(since).toBeUndefined();

  // On a phone, the calendar is within the window.
  await page.setViewportSize({ width: 390, height: 800 });
  await open('/inbox?since=2026-02-10&until=2099-12-31');
  await page.getByRole('button', { name: 'Choose a day: Until' }).click();
  const box = await page.getByRole('dialog', { name: 'Choose a day: Until' }).boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  await expectAccessible();
});
