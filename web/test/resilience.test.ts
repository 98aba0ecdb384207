import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invitationToken } from '../../server/test/support/businesses.ts';
import { signInOn } from './support/sign-in.ts';
import { openWorld, type World } from './support/visitor.ts';

type Member = Awaited<ReturnType<World['member']>>;

let world: World;
let ann: Member;
beforeAll(async () => {
  world = await openWorld();
  ann = await world.member('ann@acme-works.test', 'acme-works');
});
afterAll(() => world.stop());

const POLL = { timeout: 60_000 };
const AWAY = /Couldn’t connect\. Retrying|You are offline/;

test('what is typed after the shortcut for a new message is its recipient', async () => {
  const { page } = ann;
  await ann.open('/inbox');
  await page.keyboard.type('cgoogle');
  await page.getByRole('heading', { name: 'New message' }).waitFor();
  await expect.poll(() => page.getByRole('combobox', { name: 'To' }).inputValue()).toBe('google');
  await page.keyboard.type('-x');
  expect(await page.getByRole('combobox', { name: 'To' }).inputValue()).toBe('google-x');
  expect(new URL(page.url()).pathname).toBe('/compose');
});

test('a recipient that is missing or unknown is said once, at its field, which has the focus', async () => {
  const { page } = ann;
  await ann.open('/compose');
  const to = page.getByRole('combobox', { name: 'To' });
  await to.fill('');
  await page.getByRole('textbox', { name: 'Note' }).fill('Hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Enter a recipient.').waitFor();
  await to.and(page.locator(':focus')).waitFor();
  expect(await to.getAttribute('aria-invalid')).toBe('true');
  await to.fill('nobody-has-this');
  await page.getByRole('textbox', { name: 'Note' }).focus();
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => to.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByRole('alert').count()).toBe(0);
  await to.and(page.locator(':focus')).waitFor();
  await ann.expectAccessible();
});

test('a path that does not exist is a page that says so', async () => {
  await ann.open('/nope');
  await ann.page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await ann.expectAccessible();
});

test('without a network, navigation stays in the app and goes on when the network is back', async () => {
  const { page, context } = await world.member('off@acme-lines.test', 'acme-lines');
  await page.goto('/inbox');
  await page.getByText('No messages yet').waitFor();
  await context.setOffline(true);
  await page.getByRole('status').getByText(AWAY).waitFor();
  await page.getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
  await expect.poll(() => page.getByText(AWAY).count()).toBe(0);
});

test('a service that is away is announced, and what failed is loaded when it is back', async () => {
  const { page } = await world.member('away@acme-away.test', 'acme-away');
  await page.goto('/inbox');
  await page.getByText('No messages yet').waitFor();
  await page.route(/\/(v1\/|healthz)/, (route) => route.abort('internetdisconnected'));
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText(AWAY).waitFor();
  await page.unroute(/\/(v1\/|healthz)/);
  await page.getByText('Messages this month').or(page.getByRole('meter').first()).first().waitFor();
  await expect.poll(() => page.getByText(AWAY).count()).toBe(0);
});

test('of hidden pages none listens, or one for all that show desktop notifications', async () => {
  const { context } = await world.member('tabs@acme-tabs.test', 'acme-tabs');
  // A browser without windows neither hides pages nor grants notifications.
  await context.addInitScript(`
    Object.defineProperty(document, 'visibilityState', { get: () => (window.isHidden ? 'hidden' : 'visible') });
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });`);
  const listening = new Set<Request>();
  context.on('request', (request) => void (request.url().endsWith('/v1/events') && listening.add(request)));
  context.on('requestfailed', (request) => void listening.delete(request));
  const isListening = (page: Page) => [...listening].some((request) => request.frame().page() === page);
  const pages = await Promise.all(Array.from({ length: 3 }, () => context.newPage()));
  const show = (page: Page, isShown: boolean) =>
    page.evaluate(`window.isHidden = ${!isShown}; document.dispatchEvent(new Event('visibilitychange'))`);
  for (const page of pages) {
    await page.goto('/inbox');
    await page.getByText('No messages yet').waitFor();
  }
  await expect.poll(() => pages.filter(isListening).length, POLL).toBe(3);
  for (const page of pages) await show(page, false);
  await expect.poll(() => listening.size, POLL).toBe(0);

  await pages[0]?.evaluate(`localStorage.setItem('waybill.desktop', 'on')`);
  for (const page of pages) await show(page, false);
  await expect.poll(() => listening.size, POLL).toBe(1);
  const listener = pages.find(isListening);
  if (listener) await show(listener, true);
  // It holds its own while it is seen, and another page listens for the hidden ones.
  await expect.poll(() => pages.filter(isListening).length, POLL).toBe(2);
  expect(listening.size).toBe(2);
});

test('a dialog with fields begins in the first of them, and one that asks at Cancel', async () => {
  const { page } = ann;
  await ann.open('/members');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Email' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

test('a session that ends while somebody writes is said, and the draft is there after signing in', async () => {
  const email = 'draft@acme-drafts.test';
  const { page, api } = await world.member(email, 'acme-drafts');
  await page.goto('/compose');
  await page.getByRole('combobox', { name: 'To' }).fill('acme-works');
  await page.getByRole('textbox', { name: 'Note' }).fill('Half a letter');
  await api.browser.post('/auth/sign-out', {});
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Your session has ended').waitFor();
  await signInOn(page, world, email);
  await page.getByRole('heading', { name: 'New message' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Half a letter');
});

test('an invitation says who invites before signing in', async () => {
  await ann.api.browser.request('PATCH', '/v1/account', { body: { name: 'Ann Example' } });
  expect((await ann.api.post('/invitations', { email: 'new@acme-works.test', role: 'member' })).status).toBe(201);
  const guest = await world.visitor();
  await guest.open(`/invitations/${await invitationToken(world.service, 'new@acme-works.test')}`);
  await expect.poll(() => guest.page.getByRole('main').innerText()).toMatch(/Ann Example invites you to join/);
  await guest.expectAccessible();
  expect(await guest.page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('new@acme-works.test');
  await signInOn(guest.page, world, 'new@acme-works.test');
  await guest.page.getByRole('button', { name: 'Accept invitation' }).click();
  await guest.page.getByRole('heading', { name: 'Inbox' }).waitFor();
});

test('from a thread, u returns to its row', async () => {
  const { page } = ann;
  const { api } = await world.service.business('robots');
  for (let at = 0; at < 5; at++) await api.send({ to: 'acme-works', subject: `Letter ${at}` });
  await ann.open('/inbox');
  await page.getByRole('link', { name: /Letter 2/ }).click();
  await page.getByRole('heading', { name: 'Letter 2', level: 1 }).waitFor();
  await page.keyboard.press('u');
  await page
    .getByRole('link', { name: /Letter 2/ })
    .and(page.locator(':focus'))
    .waitFor();
});

test('the link of a notice leads to its thread, also when a handle must be claimed first', async () => {
  const { page, open } = await world.person('solo@solo-works.test');
  const path = '/threads/thr_00000000000000000000000000';
  await open(path);
  await page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
  await page.getByText('it opens next').waitFor();
  await page.getByRole('textbox', { name: 'Business name' }).fill('Solo Works');
  await page.getByRole('button', { name: 'Claim @solo-works' }).click();
  await page.getByText('Thread not found').waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
});
