import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinedBy } from '../../server/test/support/businesses.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { threadOf, untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

type Member = Awaited<ReturnType<World['member']>>;

let world: World;
let globex: TestBusiness;
let ann: Member;
let ben: Member;
let agentId: string;
beforeAll(async () => {
  world = await openWorld();
  globex = await world.service.business('globex');
  ann = await world.member('ann@acme-works.test', 'acme-works');
  await ann.api.browser.request('PATCH', '/v1/account', { body: { name: 'Ann' } });
  agentId = (await ann.api.post('/agents', { name: 'Order desk' })).body.id;
  const api = await joinedBy(world.service, ann.api, 'ben@acme-works.test', 'member');
  await api.browser.request('PATCH', '/v1/account', { body: { name: 'Ben' } });
  ben = { ...(await world.signedIn(api)), api };
});
afterAll(() => world.stop());

async function sent(subject: string, note = 'Please confirm.'): Promise<{ id: string; thread_id: string }> {
  const { body } = await globex.api.send({ to: 'acme-works', type: 'order', subject, note });
  await untilIndexed(world.service);
  return body;
}

const row = ({ page }: Member, subject: string) => page.getByRole('link', { name: new RegExp(`${subject}\\b`) });

test('two people work on one inbox: each sees at once what the other has done, and can take back their own', async () => {
  const threads = [];
  for (let at = 1; at <= 5; at++) threads.push(await sent(`Order ${at}`));
  await ann.open('/inbox');
  await ben.open('/inbox');
  await row(ben, 'Order 5').waitFor();
  await expect.poll(() => ann.page.title()).toMatch(/^\(5\) Open/);

  // A thread is marked done by mouse, disappears for both, and comes back with undo.
  await row(ann, 'Order 5').hover();
  await ann.page.getByRole('button', { name: 'Done: Order 5' }).click();
  await row(ann, 'Order 5').waitFor({ state: 'detached' });
  await row(ben, 'Order 5').waitFor({ state: 'detached' });
  await ann.expectAccessible();
  await ann.page.getByRole('button', { name: 'Undo' }).click();
  await row(ann, 'Order 5').waitFor();
  await row(ben, 'Order 5').waitFor();

  // By keyboard, the first row is assigned to the agent and leaves the unassigned.
  await ann.page.keyboard.press('j');
  await row(ann, 'Order 5').and(ann.page.locator(':focus')).waitFor();
  await ann.page.keyboard.press('a');
  await ann.page.getByRole('option', { name: /Order desk/ }).waitFor();
  await ann.expectAccessible();
  await ann.page.keyboard.type('desk');
  await ann.page.keyboard.press('Enter');
  await row(ben, 'Order 5').getByText('Assigned to Order desk').waitFor();
  expect((await threadOf(ann.api, threads[4]?.thread_id ?? '')).assignee).toMatchObject({ kind: 'agent', id: agentId });

  await ann.page.keyboard.press('l');
  await ann.page.keyboard.type('urgent');
  await ann.page.getByRole('option', { name: 'Create label “urgent”' }).waitFor();
  await ann.page.keyboard.press('Enter');
  await ann.page.getByRole('option', { name: 'urgent', exact: true }).waitFor();
  await ann.expectAccessible();
  await ann.page.keyboard.press('Escape');
  await row(ben, 'Order 5').getByText('urgent').waitFor();
});

test('several threads are changed at once', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await row(ann, 'Order 4').waitFor();
  await page.getByRole('checkbox', { name: 'Select Order 4' }).check();
  await page.getByRole('checkbox', { name: 'Select Order 1' }).click({ modifiers: ['Shift'] });
  await page.getByText('4 selected').waitFor();
  await ann.expectAccessible();
  await page.keyboard.press('e');
  await row(ann, 'Order 1').waitFor({ state: 'detached' });
  await row(ben, 'Order 1').waitFor({ state: 'detached' });
  await page.getByText('4 threads: Done').waitFor();
  await page.getByRole('link', { name: 'Done', exact: true }).click();
  await expect.poll(() => page.getByRole('list', { name: 'Threads' }).getByRole('link').count()).toBe(4);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('No threads here').waitFor();
  await expect.poll(async () => (await ann.api.get('/threads?status=done')).body.data).toEqual([]);
});

test('on a phone, rows are selected by a touch, and changed together', async () => {
  const { page, open, expectAccessible } = await world.signedIn(ann.api, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await open('/inbox');
  const box = page.getByRole('checkbox', { name: 'Select Order 4' });
  await box.waitFor();
  // The checkbox shows without hovering over its row.
  expect(await page.evaluate(`getComputedStyle(document.querySelector('[aria-label="Select Order 4"]').closest('label')).opacity`)).toBe(
    '1',
  );
  await box.tap();
  await page.getByRole('checkbox', { name: 'Select Order 3' }).tap();
  await page.getByText('2 selected').waitFor();
  expect(new URL(page.url()).pathname).toBe('/inbox');
  await expectAccessible();
  await page.getByRole('toolbar').getByRole('button', { name: 'Done' }).tap();
  await page.getByText('2 threads: Done').waitFor();
  await page.getByRole('link', { name: /Order 4\b/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).tap();
  await page.getByRole('link', { name: /Order 4\b/ }).tap();
  await page.getByRole('heading', { name: 'Order 4', level: 1 }).waitFor();
});

test('an open thread is read, beside its list or in its place, and leads back to its row', async () => {
  const { page } = ann;
  await sent('Order 6');
  await ann.open('/inbox');
  await row(ann, 'Order 6').click();
  await page.getByRole('heading', { name: 'Order 6', level: 1 }).waitFor();
  // Side by side, the list stays visible and the row is marked as read.
  await expect.poll(() => row(ann, 'Order 6').getAttribute('aria-current')).toBe('page');
  await row(ann, 'Order 6').getByText('Unread').waitFor({ state: 'detached' });
  await ann.expectAccessible();
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Order 5', level: 1 }).waitFor();
  await page.keyboard.press('k');
  await page.getByRole('heading', { name: 'Order 6', level: 1 }).waitFor();
  await page.getByRole('toolbar', { name: 'Thread' }).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('heading', { name: 'Order 5', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(ann, 'Order 6').waitFor();
  await page.keyboard.press('u');
  await row(ann, 'Order 5').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('u');
  await row(ann, 'Order 5').getByText('Unread').waitFor({ state: 'attached' });

  await page.setViewportSize({ width: 390, height: 800 });
  await row(ann, 'Order 4').click();
  await page.getByRole('heading', { name: 'Order 4', level: 1 }).waitFor();
  expect(await page.getByRole('list', { name: 'Threads' }).isVisible()).toBe(false);
  await ann.expectAccessible();
  await page.getByRole('button', { name: 'Back' }).click();
  await row(ann, 'Order 4').and(page.locator(':focus')).waitFor();
  await ann.expectAccessible();
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('a view is saved, shared, renamed and deleted', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await page.getByRole('combobox', { name: 'Filter' }).fill('urg');
  await page.getByRole('option', { name: 'urgent' }).click();
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Hurry');
  await page.getByRole('radio', { name: 'Everybody in my business' }).check();
  await ann.expectAccessible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Hurry', level: 1 }).waitFor();
  await row(ann, 'Order 5').waitFor();
  expect(await page.getByRole('list', { name: 'Threads' }).getByRole('link').count()).toBe(1);
  await ben.open('/inbox');
  await ben.page.getByRole('link', { name: /^Hurry/ }).click();
  await row(ben, 'Order 5').waitFor();
  await ben.page.getByRole('button', { name: 'List actions' }).click();
  expect(await ben.page.getByRole('menuitem', { name: 'Delete view' }).count()).toBe(0);
  // Everybody chooses mails about a view for themselves.
  await ben.page.getByRole('menuitem', { name: 'Mails about this view' }).click();
  await ben.page.getByRole('radio', { name: 'Hourly' }).check();
  await ben.expectAccessible();
  await ben.page.getByRole('button', { name: 'Save', exact: true }).click();
  await ben.page.getByText('Mails about this view come hourly').waitFor();
  await ben.page.getByRole('button', { name: 'List actions' }).click();
  await ben.page.getByRole('menuitem', { name: 'Mails about this view' }).click();
  expect(await ben.page.getByRole('radio', { name: 'Hourly' }).isChecked()).toBe(true);
  await ben.page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'List actions' }).click();
  await page.getByRole('menuitem', { name: 'Rename or share view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('At once');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'At once', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'List actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete view' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click();
  await page.getByText('View deleted').waitFor();
  await expect.poll(() => ben.page.getByRole('link', { name: /^At once|^Hurry/ }).count()).toBe(0);
});

test('the shown list is exported', async () => {
  const { page } = ann;
  await ann.open('/inbox?label=urgent');
  await row(ann, 'Order 5').waitFor();
  for (const [name, content] of [
    ['NDJSON', /^\{"id":"thr_.*Order 5.*\}\n$/],
    ['CSV', /Order 5/],
  ] as const) {
    await page.getByRole('button', { name: 'List actions' }).click();
    await ann.expectAccessible();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    expect((await download).suggestedFilename()).toBe(`threads.${name.toLowerCase()}`);
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    expect(text).toMatch(content);
    expect(text).not.toContain('Order 4');
  }
});

test('? shows all shortcuts', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Mark unread').waitFor();
  await ann.expectAccessible();
});
