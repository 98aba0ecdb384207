import { afterAll, beforeAll, expect, test } from 'vitest';
import { wrongCode } from '../../server/test/support/people.ts';
import { copy, pasted } from './support/clipboard.ts';
import { signInOn } from './support/sign-in.ts';
import { lastCode, openWorld, type World } from './support/visitor.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

const EMAIL = 'ann@acme-works.test';

test('a stranger signs in, claims a handle, sends a first message, and leaves with a line that sends the next', async () => {
  await world.service.business('globex');
  const { page, open, expectAccessible } = await world.visitor();

  await open('/');
  await page.getByRole('heading', { name: 'Sign in to Waybill' }).waitFor();
  await page.getByLabel('Email').and(page.locator(':focus')).waitFor();
  await page.keyboard.type(EMAIL);
  await expectAccessible();
  expect(await page.getByRole('button', { name: 'passkey' }).count(), 'an IP address can have none').toBe(0);
  await page.getByRole('button', { name: 'Sign in with a one-time code' }).click();
  await page.getByLabel('Code').waitFor();
  const code = await lastCode(world, EMAIL);
  await page.getByLabel('Code').pressSequentially(wrongCode(code));
  await page.getByText('Wrong code').waitFor();
  await expectAccessible();
  const kept = page.getByRole('link', { name: '/dev/mail' });
  expect([await kept.getAttribute('href'), await kept.getAttribute('target')]).toEqual(['/dev/mail', '_blank']);
  expect(await page.getByRole('button', { name: 'Resend code in' }).isDisabled()).toBe(true);
  // The code is copied with the spaces that some mails have.
  await copy(page, ` ${code.slice(0, 3)} ${code.slice(3)} `);
  await page.getByLabel('Code').press('ControlOrMeta+V');

  await page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
  await page.getByLabel('Business name').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Demo');
  await page.getByText('This handle is reserved').waitFor();
  await page.getByLabel('Handle').fill('x');
  await page.getByText('Use 2 to 32').waitFor();
  await page.getByLabel('Handle').fill('Globex');
  await page.getByText('This handle is taken').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Claim @globex' }).click();
  await page.getByRole('button', { name: 'Claim @globex', disabled: false }).waitFor();
  await page.getByLabel('Business name').fill('Acme Works');
  await page.getByLabel('Handle').fill('Acme Works');
  await page.getByText('@acme-works is available').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Claim @acme-works' }).click();

  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  // The steps for people come before the steps for programs.
  await expect
    .poll(() => page.getByRole('heading', { level: 2 }).allInnerTexts())
    .toEqual(['Invite colleagues', 'Write to a partner', 'Send a test order as JSON', 'Create an agent and a key', 'Send from a program']);
  await page.getByRole('button', { name: 'Create agent and key' }).waitFor();
  await expectAccessible();
  await page.getByLabel('JSON').fill('{"order": 1001, "price": 18.50');
  await page.getByRole('button', { name: 'Send to @demo' }).click();
  await page.getByText('Invalid JSON').waitFor();
  await page.getByLabel('JSON').fill('{"order": 9007199254740993, "price": 18.50}');
  await page.getByRole('button', { name: 'Send to @demo' }).click();
  const receipt = page.getByRole('link', { name: '/r/rcpt_' });
  expect((await world.service.anonymous.get(`/receipts/${(await receipt.innerText()).split('/r/')[1]}`)).status).toBe(200);
  const [sent] = await world.service.sql<{ json: string }>('SELECT json::text AS json FROM messages');
  expect(sent?.json).toBe('{"order": 9007199254740993, "price": 18.50}');
  await page.getByRole('heading', { name: 'Send a test order as JSON (done)' }).waitFor();

  await page.getByRole('button', { name: 'Create agent and key' }).click();
  await page.getByText('It is shown only once').waitFor();
  await page.getByRole('button', { name: 'Copy command' }).click();
  await page.getByRole('heading', { name: 'All set' }).waitFor();
  await expectAccessible();
  const line = await pasted(page);
  expect((await run(line)).status, line).toBe(201);
  await page.getByText('My program sent a message').waitFor();
  await page.reload();
  await page.getByText('My program already has a key').waitFor();
  expect(await page.getByText('wb_').count()).toBe(0);

  await page.getByRole('link', { name: /^Open/ }).click();
  await page.getByRole('list', { name: 'Threads' }).getByText('Order 1002').waitFor();
  await page.getByRole('button', { name: 'ann', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to Waybill' }).waitFor();
  await open('/outbox');
  await page.getByRole('heading', { name: 'Sign in to Waybill' }).waitFor();
});

test('settings hold, for the business and for the browser, and no link leads away after signing in', async () => {
  const { page, open, expectAccessible } = await world.visitor();
  await open('/sign-in?next=/settings');
  await signInOn(page, world, 'kim@initech.test');
  await page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
  for (const elsewhere of ['https://elsewhere.example/', '//elsewhere.example', '/\\elsewhere.example', '/sign-in']) {
    await open(`/sign-in?${new URLSearchParams({ next: elsewhere })}`);
    await page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
    expect(page.url()).toBe(`${world.service.url}/claim`);
  }
  await page.getByLabel('Business name').fill('Initech');
  await page.getByText('@initech is available').waitFor();
  await page.getByRole('button', { name: 'Claim @initech' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await open('/sign-in?next=/settings');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();

  await page.getByRole('link', { name: 'Show first steps' }).waitFor();
  await page.getByLabel('Name').fill('Initech AG');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Initech AG' }).waitFor();
  await page.getByRole('switch', { name: 'Accept messages from people without a handle' }).click();
  await page.getByText('Only people you replied to can write').waitFor();
  await expect
    .poll(async () => (await world.service.anonymous.get('/public/initech')).body)
    .toMatchObject({ display_name: 'Initech AG', accepting_drops: false });
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await page.getByRole('switch', { name: 'Keyboard shortcuts' }).click();
  await expectAccessible();
  await page.reload();
  expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await page.keyboard.press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('switch', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('heading', { name: 'Settings' }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();

  await open('/account');
  await page.getByText('Passkeys need a domain name').waitFor();
});

/** Runs the command line as a shell would. */
function run(line: string): Promise<Response> {
  const [, url = ''] = /^curl (\S+)/.exec(line) ?? [];
  const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value] as [string, string]);
  return fetch(url, { method: 'POST', headers, body: /-d '([^']+)'/.exec(line)?.[1] ?? null });
}
