import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinedBy } from '../../server/test/support/businesses.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

type Member = Awaited<ReturnType<World['member']>>;

let world: World;
let globex: TestBusiness;
let ann: Member;
let ben: Member;
let order: { id: string; thread_id: string };
beforeAll(async () => {
  world = await openWorld();
  globex = await world.service.business('globex');
  ann = await world.member('ann@acme-works.test', 'acme-works');
  await ann.api.browser.request('PATCH', '/v1/account', { body: { name: 'Ann Example' } });
  await ann.api.post('/agents', { name: 'Order desk' });
  const api = await joinedBy(world.service, ann.api, 'ben@acme-works.test', 'member');
  await api.browser.request('PATCH', '/v1/account', { body: { name: 'Ben Example' } });
  ben = { ...(await world.signedIn(api)), api };
  order = (await globex.api.send({ to: 'acme-works', subject: 'Order 4711', note: 'Twice the flour.' })).body;
  await untilIndexed(world.service);
});
afterAll(() => world.stop());

test('a comment with a mention is told to the colleague, who finds it in the thread; the other party gets nothing', async () => {
  await ben.open('/inbox');
  const { page } = ann;
  await ann.open(`/threads/${order.thread_id}`);
  await page.keyboard.press('m');
  const text = page.getByRole('textbox', { name: 'Comment' });
  await text.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Is there enough flour, @be');
  await page.getByRole('option', { name: 'Ben Example' }).waitFor();
  await ann.expectAccessible();
  await page.keyboard.press('Enter');
  await expect.poll(() => text.inputValue()).toBe('Is there enough flour, @Ben Example ');
  await page.keyboard.type('?');
  await page.keyboard.press('Control+Enter');
  const comment = page.getByRole('article', { name: 'Comment by Ann Example' });
  await comment.getByText('Only your business sees this').waitFor();
  await comment.getByText('@Ben Example', { exact: true }).waitFor();
  await ann.expectAccessible();

  const bell = ben.page.getByRole('button', { name: 'Notifications, 1 unread' });
  await bell.waitFor();
  await bell.click();
  await ben.page.getByRole('button', { name: /Ann Example mentioned you.*Order 4711/ }).waitFor();
  await ben.expectAccessible();
  await ben.page.getByRole('button', { name: /Ann Example mentioned you/ }).click();
  await ben.page.getByRole('article', { name: 'Comment by Ann Example' }).getByText('Is there enough flour').waitFor();
  await ben.page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();

  // A reply appears live. The comment is neither in the reply nor in the other party's envelope.
  await ben.page.keyboard.press('r');
  await ben.page.keyboard.type('Yes, it ships tomorrow.');
  await ben.page.keyboard.press('Control+Enter');
  await page.getByRole('list', { name: 'Messages' }).getByText('Yes, it ships tomorrow.').waitFor();
  expect((await globex.api.get(`/threads/${order.thread_id}`)).text).not.toContain('enough flour');
});

test('an assignment is told, on the desktop too if the person wants it, and all can be marked as read', async () => {
  const { page } = ben;
  await page.addInitScript(`
    window.shown = [];
    document.hasFocus = () => false;
    window.Notification = class {
      static permission = 'default';
      static async requestPermission() { return (this.permission = 'granted'); }
      constructor(title, { body }) { window.shown.push([title, body]); }
    };
  `);
  await ben.open('/inbox');
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  await ben.expectAccessible();
  await page.keyboard.press('Escape');
  const me = (await ben.api.browser.get('/v1/account')).body.id;
  await ann.api.patch(`/threads/${order.thread_id}`, { assignee: me });
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).waitFor();
  await globex.api.send({ to: 'acme-works', subject: 'Order 4712', note: 'Secret note' });
  await expect
    .poll(() => page.evaluate('window.shown'), { timeout: 20_000 })
    .toEqual([
      ['Ann Example assigned a thread to you', 'Order 4711'],
      ['The globex company', 'Order 4712'],
    ]);
  await page.getByRole('button', { name: /^Notifications/ }).click();
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  await ben.expectAccessible();
});
