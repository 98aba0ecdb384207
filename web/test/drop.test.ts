import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../server/test/support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../../server/test/support/identity-provider.ts';
import { Operator } from '../../server/test/support/operator.ts';
import { signInOn } from './support/sign-in.ts';
import { openWorld, type World } from './support/visitor.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let idp: IdentityProvider;
let world: World;
let shop: Awaited<ReturnType<World['member']>>;
beforeAll(async () => {
  const port = String(await freePort());
  idp = await startIdentityProvider({ serviceUrl: `http://127.0.0.1:${port}` });
  world = await openWorld({ PORT: port, OIDC_NAME: 'Corp login', ...idp.env });
  shop = await world.member('sam@shop-works.test', 'shop');
  const operator = new Operator(world.service);
  await operator.verifyDomain('shop', 'shop-works.test');
  await operator.close();
});
afterAll(async () => {
  await world.stop();
  await idp.stop();
});

test('a stranger with a phone writes, says who they are, attaches a file, and has a receipt', async () => {
  const { page, open, expectAccessible, context } = await world.visitor(PHONE);
  await open('/@shop');
  await page.getByRole('heading', { level: 1, name: 'The shop company' }).waitFor();
  await page.getByText('shop-works.test is verified').waitFor();
  await page.getByLabel('Subject').fill('A question');
  await page.getByLabel('Message').fill('Do you have it in green?');
  expect(await page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(0);
  await page.getByLabel('Files to attach').setInputFiles({ name: 'grün.txt', mimeType: 'text/plain', buffer: Buffer.from('a shade') });
  await page.getByText('They are sent after you sign in.').waitFor();
  await expectAccessible();

  await signInOn(page, world, 'ann@gmail.com');
  await page.getByText('Sending as ann@gmail.com').waitFor();
  await page.getByText('Anyone with its link sees your name, email address').waitFor();
  expect(page.url()).toBe(`${world.service.url}/@shop`);
  expect(await page.getByLabel('Message').inputValue(), 'written before signing in').toBe('Do you have it in green?');
  await page.getByRole('list', { name: 'Chosen files' }).getByText('grün.txt').waitFor();
  await page.getByText('Uploaded').waitFor();
  await expectAccessible();

  // A person whose session has ended meanwhile signs in again and continues.
  const cookies = await context.cookies();
  await context.clearCookies();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in to send' }).waitFor();
  await context.addCookies(cookies);
  await page.reload();
  await page.getByText('Sending as ann@gmail.com').waitFor();
  expect(await page.getByLabel('Message').inputValue(), 'after a reload').toBe('Do you have it in green?');
  await page.getByLabel('Files to attach').setInputFiles({ name: 'grün.txt', mimeType: 'text/plain', buffer: Buffer.from('a shade') });
  await page.getByText('Uploaded').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();

  await page.getByRole('heading', { name: 'Delivered' }).waitFor();
  await page.getByText('Replies are sent to ann@gmail.com').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Copy receipt link' }).click();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByRole('link', { name: 'Open receipt' }).click();
  await page.getByRole('heading', { name: 'A question' }).waitFor();
  expect(page.url()).toBe(link);
  await page.goBack();
  await page.getByText('Sending as').waitFor();
  expect(await page.getByLabel('Message').inputValue(), 'sent, and so gone').toBe('');

  await shop.open('/inbox');
  await shop.page.getByRole('link', { name: /A question/ }).click();
  await shop.page.getByRole('list', { name: 'Messages' }).getByText('Do you have it in green?').waitFor();
  await shop.page.getByRole('button', { name: 'Download grün.txt' }).waitFor();

  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Enter a message or attach a file first').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to send' }).waitFor();
  expect((await shop.api.get('/inbox')).body.data).toHaveLength(1);
});

test('a person who can’t write sees why, and what to do', async () => {
  const { page, open, expectAccessible } = await world.person('ben@ben-works.test', PHONE);
  const heading = (name: string) => page.getByRole('heading', { name }).waitFor();

  const { body: block } = await shop.api.post('/blocks', { email_domain: 'ben-works.test' });
  await open('/@shop');
  await heading('You are blocked');
  await page.getByText('Signed in as ben@ben-works.test').waitFor();
  await expectAccessible();
  expect((await shop.api.request('DELETE', `/blocks/${block.id}`)).status).toBe(204);

  expect((await shop.api.patch('/business', { accepting_drops: false })).status).toBe(200);
  await page.reload();
  await heading('Only businesses can write here');
  expect(await page.getByRole('link', { name: 'Claim a handle' }).getAttribute('href')).toBe('/claim');
  const stranger = await world.visitor(PHONE);
  await stranger.open('/@shop');
  await stranger.page.getByRole('heading', { name: 'Only businesses can write here' }).waitFor();
  await stranger.expectAccessible();
  await shop.open('/@shop');
  await shop.page.getByText('turned off in the settings').waitFor();

  expect((await shop.api.patch('/business', { accepting_drops: true })).status).toBe(200);
  await shop.page.reload();
  await shop.page.getByRole('heading', { name: 'This is your business' }).waitFor();
  await shop.expectAccessible();

  await stranger.page.goto('/@nobody-here');
  await stranger.page.getByRole('heading', { name: 'Handle not found' }).waitFor();
  await stranger.expectAccessible();
});

test('a person who comes back from a provider finds the text, even if the provider proves too little', async () => {
  idp.person = { sub: 'dan', email: 'dan@gmail.com', email_verified: true, name: 'Dan' };
  const { page, open, expectAccessible } = await world.visitor(PHONE);
  await open('/@shop?error=access_denied');
  await page.getByRole('alert').getByText('your provider refused it').waitFor();
  await page.getByLabel('Message').fill('Kept over there and back');
  await page.getByRole('button', { name: 'Continue with Corp login' }).click();
  await page.getByRole('heading', { name: 'Your email address is not verified' }).waitFor();
  expect(page.url()).toBe(`${world.service.url}/@shop`);
  await expectAccessible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to send' }).waitFor();
  expect(await page.getByLabel('Message').inputValue()).toBe('Kept over there and back');
});

test('a member of another business can write as it from the dashboard, or go on as a person', async () => {
  const { page, open, expectAccessible, api } = await world.member('kim@kim-works.test', 'kim-and-co');
  await open('/@SHOP');
  await page.getByText('You are a member of The kim-and-co company').waitFor();
  await expectAccessible();
  await page.getByLabel('Subject').fill('As myself');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('heading', { name: 'Delivered' }).waitFor();
  const [message] = (await shop.api.get('/inbox?from=kim-works.test')).body.data;
  expect(message).toMatchObject({ subject: 'As myself', from: { party: { kind: 'domain', domain: 'kim-works.test' } } });
  await page.getByRole('button', { name: 'New message' }).click();
  await page.getByRole('link', { name: 'Write from the dashboard' }).click();
  await expect.poll(() => page.getByRole('combobox', { name: 'To' }).inputValue()).toBe('shop');
  expect((await api.get('/outbox')).body.data).toHaveLength(0);
});

test('a business makes the page its own: logo, colour and welcome text, with a preview', async () => {
  const { page, open, expectAccessible } = shop;
  await open('/settings');
  const preview = page.getByRole('region', { name: 'Preview of the drop page' });
  await page.getByLabel('Colour').fill('#ffd700');
  await page.getByText('Too light').waitFor();
  await page.getByRole('button', { name: 'Save drop page' }).click();
  await page.getByText('is too light for white text').waitFor();
  await page.getByLabel('Colour').fill('#7a1fd0');
  await page.getByLabel('Welcome text').fill('Shoes since 1911.\nWe reply within a day.');
  await preview.getByText('Shoes since 1911.').waitFor();
  await page.getByRole('button', { name: 'Save drop page' }).click();
  await page.getByText('Drop page saved').waitFor();
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 600, height: 300 } });
  await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png });
  await page.getByText('Logo saved').waitFor();
  await preview.locator('img').waitFor();
  await expectAccessible();
  await page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
  await page.getByText('not an image').waitFor();

  const stranger = await world.visitor(PHONE);
  await stranger.open('/@shop');
  await stranger.page.getByText('We reply within a day.').waitFor();
  await expect.poll(() => stranger.page.evaluate<number>("document.querySelector('main img').naturalWidth")).toBe(192);
  await stranger.expectAccessible();
});
