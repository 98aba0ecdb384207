import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 740 };
/** One page of each kind. */
const KINDS = ['/docs', '/docs/first-message', '/docs/receive-orders-by-webhook', '/docs/errors', '/docs/limits', '/docs/changelog'];
const REFERENCE = ['/docs/reference', '/docs/reference/postMessages', '/docs/reference/getThreads', '/docs/reference/putObjectsId'];
const SCROLLS_SIDEWAYS = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

describe.each([
  ['light', DESKTOP],
  ['dark', PHONE],
] as const)('every kind of page, %s', (colorScheme, viewport) => {
  test.each([...KINDS, ...REFERENCE, '/docs/reference/objects', '/docs/no-such-page'])(
    '%s has nothing that axe finds, and fits',
    async (address) => {
      const { context, page, open, expectAccessible } = await world.visitor({ colorScheme, viewport });
      await open(address);
      await expectAccessible();
      expect(await page.evaluate<boolean>(SCROLLS_SIDEWAYS)).toBe(false);
      await context.close();
    },
  );
});

test('the documents are read from the first on, also on a phone, where the list of pages unfolds', async () => {
  const { context, page, open } = await world.visitor({ viewport: PHONE });
  await open('/docs');
  await page.getByRole('main').getByRole('link', { name: 'First message' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'First message' }).waitFor();
  expect(await page.getByRole('main').innerText()).toContain(world.service.url);
  await page.getByRole('button', { name: 'Pages' }).click();
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Large files' }).click();
  await page.getByRole('heading', { level: 1, name: 'Large files' }).waitFor();
  await context.close();
});

describe('search', () => {
  const results = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option');

  test.each(['/', 'Control+k'])('opens with %s, and is used with the keyboard alone', async (key) => {
    const { context, page, open, expectAccessible } = await world.visitor({ viewport: DESKTOP });
    await open('/docs');
    await page.keyboard.press(key);
    const field = page.getByRole('combobox', { name: 'Search the documentation' });
    await field.waitFor();
    await page.keyboard.type('idempot');
    await expect.poll(() => results(page).count()).toBeGreaterThan(3);
    await expectAccessible();
    const second = await results(page).nth(1).getAttribute('href');
    await page.keyboard.press('ArrowDown');
    expect(await field.getAttribute('aria-activedescendant')).toBe('search-result-1');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname + url.hash === second);
    await context.close();
  });

  test('finds endpoints by path, errors by code, and words with a typo; says when there is nothing', async () => {
    const { context, page, open } = await world.visitor({ viewport: DESKTOP });
    await open('/docs');
    await page.getByRole('button', { name: /^Search/ }).click();
    const field = page.getByRole('combobox');
    const firstOf = async (words: string) => {
      await field.fill(words);
      await expect.poll(() => results(page).count()).toBeGreaterThan(0);
      return (await results(page).evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute('href')))).join(' ');
    };
    expect(await firstOf('/v1/schema-check')).toContain('/docs/reference/postSchemaCheck');
    expect(await firstOf('quota_exceeded')).toContain('/docs/errors#quota_exceeded');
    expect(await firstOf('recieve webhook')).toContain('webhook');
    await field.fill('zzzzzzzz');
    await page.getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    expect(await field.isVisible()).toBe(false);
    await context.close();
  });
});

test('code is copied as it is, with the address of the service', async () => {
  const { context, page, open } = await world.visitor({ viewport: DESKTOP });
  await open('/docs/reference/getMe');
  await page.getByRole('button', { name: 'Copy curl' }).click();
  await page.getByText('Copied').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(`curl -s ${world.service.url}/v1/me \\\n  -H "Authorization: Bearer $KEY"`);
  await context.close();
});

describe('trying a request', () => {
  test('uses the reader’s own key, which stays in the tab', async () => {
    const acme = await world.service.business('acme');
    const { context, page, open, expectAccessible } = await world.visitor({ viewport: DESKTOP });
    await open('/docs/reference/getMe');
    await page.getByRole('textbox', { name: 'Key' }).fill(acme.secret);
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().endsWith('/v1/me')),
      page.getByRole('button', { name: 'Send request' }).click(),
    ]);
    expect(request.headers()['authorization']).toBe(`Bearer ${acme.secret}`);
    expect(request.headers()['cookie']).toBeUndefined();
    await page.getByText(/^200 · /).waitFor();
    expect(await page.getByRole('region', { name: 'Response' }).innerText()).toContain('"handle": "acme"');
    await expectAccessible();
    // The next page of the same tab has the key. Another tab does not, and nothing else stores the key.
    await open('/docs/reference/getInbox');
    expect(await page.getByRole('textbox', { name: 'Key' }).inputValue()).toBe(acme.secret);
    expect(await page.evaluate<string>('JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain(acme.secret);
    const other = await context.newPage();
    await other.goto('/docs/reference/getInbox');
    await other.getByRole('button', { name: 'Send request' }).waitFor();
    expect(await other.getByRole('textbox', { name: 'Key' }).inputValue()).toBe('');
    await context.close();
  });

  test('sends what the form says, and shows what the service refuses', async () => {
    const globex = await world.service.business('globex');
    const { context, page, open } = await world.visitor({ viewport: DESKTOP });
    await open('/docs/reference/postMessages');
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill(globex.secret);
    await page.getByRole('textbox', { name: 'Body' }).fill('{"to":"demo","note":"Tried"}');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText(/^201 · /).waitFor();
    await page.getByRole('textbox', { name: 'Body' }).fill('{"too":"demo"}');
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText(/^400 · /).waitFor();
    expect(await page.getByRole('region', { name: 'Response' }).innerText()).toContain('validation_error');
    const sent = (await globex.api.get('/outbox')).body.data;
    expect(sent.map(({ note }: { note: string }) => note)).toEqual(['Tried']);
    await open('/docs/reference/getMessagesId');
    await page.getByRole('textbox', { name: /^id/ }).fill(sent[0].id);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText(/^200 · /).waitFor();
    await context.close();
  });
});

test('tabs show one language at a time, chosen by mouse or arrow, and remembered', async () => {
  const { context, page, open, expectAccessible } = await world.visitor({ viewport: DESKTOP });
  await open('/docs/verify-ed25519');
  const shown = () => page.locator('.tabs > :not([hidden]) > .code > figcaption').allInnerTexts();
  const selected = (name: string) => page.getByRole('tab', { name }).getAttribute('aria-selected');
  expect((await shown()).join()).toContain('Node');
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Node', 'Python', 'Go', 'Java']);
  await page.getByRole('tab', { name: 'Node' }).focus();
  await page.keyboard.press('ArrowRight');
  expect([await selected('Node'), await selected('Python')]).toEqual(['false', 'true']);
  expect((await shown()).join()).toMatch(/^Python/);
  await page.getByRole('tab', { name: 'Go' }).click();
  expect(await page.getByRole('tabpanel', { name: 'Go' }).innerText()).toContain('package waybill');
  await expectAccessible();
  await open('/docs/receive-orders-by-webhook');
  expect(await selected('Go')).toBe('true');
  await context.close();
});

test('the theme is chosen for the documentation and the app together', async () => {
  const { context, page, open, expectAccessible } = await world.visitor({ viewport: DESKTOP, colorScheme: 'light' });
  await open('/docs/first-message');
  const paper = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await paper();
  await page.getByRole('button', { name: 'Change between light and dark' }).click();
  expect(await paper()).not.toBe(light);
  await expectAccessible();
  expect(await page.evaluate<string>("localStorage.getItem('waybill.theme')")).toBe('dark');
  await open('/docs/limits');
  await expect.poll(paper).not.toBe(light);
  await context.close();
});

describe('without script', () => {
  test('every page is read: text, all languages, fields, and the list of pages', async () => {
    const { context, page, open } = await world.visitor({ javaScriptEnabled: false, viewport: PHONE });
    await open('/docs/reference/postMessages');
    const text = await page.getByRole('main').innerText();
    expect(text).toContain(`curl -s ${world.service.url}/v1/messages`);
    expect(text).toContain('Idempotency-Key');
    expect(await page.getByRole('button', { name: /Copy|Search|Send request/ }).count()).toBe(0);
    await page.getByText('Fields of files').first().click();
    await page.getByRole('button', { name: 'Pages' }).click();
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Errors' }).click();
    await page.getByRole('heading', { level: 1, name: 'Errors' }).waitFor();
    await context.close();
  });
});

test('on paper there is the text and nothing around it', async () => {
  const { context, page, open } = await world.visitor({ viewport: DESKTOP, colorScheme: 'dark' });
  await open('/docs/reference/getMe');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.getByRole('banner').isVisible()).toBe(false);
  expect(await page.getByRole('navigation', { name: 'Documentation' }).isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Send request' }).isVisible()).toBe(false);
  expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  await context.close();
});

test('mails that are kept can be read', async () => {
  const { page, open, expectAccessible } = await world.person('reader@initech.test');
  await open('/dev/mail');
  await page.getByText('open the link that Waybill printed').waitFor();
  await expectAccessible();
  await open(world.service.keptMailsAt);
  await page.getByText('reader@initech.test').first().waitFor();
  await expectAccessible();
});
