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
  await page.getByLabel('E-mail').fill(EMAIL);
  await expectAccessible();
  expect(await page.getByRole('button', { name: 'passkey' }).count(), 'an IP address can have none').toBe(0);
  await page.getByRole('button', { name: 'Continue with a code' }).click();
  await page.getByLabel('Code').waitFor();
  const code = await lastCode(world, EMAIL);
  await page.getByLabel('Code').pressSequentially(wrongCode(code));
  await page.getByText('This is not the code').waitFor();
  await expectAccessible();
  const kept = page.getByRole('link', { name: '/dev/mail' });
  expect([await kept.getAttribute('href'), await kept.getAttribute('target')]).toEqual(['/dev/mail', '_blank']);
  expect(await page.getByRole('button', { name: 'Send a new code in' }).isDisabled()).toBe(true);
  // As it is copied from some mails.
  await copy(page, ` ${code.slice(0, 3)} ${code.slice(3)} `);
  await page.getByLabel('Code').press('ControlOrMeta+V');

  await page.getByRole('heading', { name: 'Claim a handle' }).waitFor();
  await page.getByLabel('Name of your business').fill('Demo');
  await page.getByText('kept for the service itself').waitFor();
  await page.getByLabel('Handle').fill('x');
  await page.getByText('A handle has 2 to 32').waitFor();
  await page.getByLabel('Handle').fill('Globex');
  await page.getByText('Somebody has claimed this handle already').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Claim @globex' }).click();
  await page.getByRole('button', { name: 'Claim @globex', disabled: false }).waitFor();
  await page.getByLabel('Name of your business').fill('Acme Works');
  await page.getByLabel('Handle').fill('Acme Works');
  await page.getByText('@acme-works is free').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Claim @acme-works' }).click();

  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await page.getByRole('button', { name: 'Make agent and key' }).waitFor();
  await expectAccessible();
  await page.getByLabel('JSON').fill('{"order": 1001, "price": 18.50');
  await page.getByRole('button', { name: 'Send to @demo' }).click();
  await page.getByText('This is no JSON').waitFor();
  await page.getByLabel('JSON').fill('{"order": 9007199254740993, "price": 18.50}');
  await page.getByRole('button', { name: 'Send to @demo' }).click();
  const receipt = page.getByRole('link', { name: '/r/rcpt_' });
  expect((await world.service.anonymous.get(`/receipts/${(await receipt.innerText()).split('/r/')[1]}`)).status).toBe(200);
  const [sent] = await world.service.sql<{ json: string }>('SELECT json::text AS json FROM messages');
  expect(sent?.json).toBe('{"order": 9007199254740993, "price": 18.50}');
  await page.getByRole('heading', { name: 'Send a first message (done)' }).waitFor();

  await page.getByRole('button', { name: 'Make agent and key' }).click();
  await page.getByText('it is shown this once').waitFor();
  await page.getByRole('button', { name: 'Copy the line' }).click();
  await page.getByRole('heading', { name: 'That is all it takes' }).waitFor();
  await expectAccessible();
  const line = await pasted(page);
  expect((await run(line)).status, line).toBe(201);
  await page.getByText('My program has sent a message').waitFor();
  await page.reload();
  await page.getByText('My program has one already').waitFor();
  expect(await page.getByText('wb_').count()).toBe(0);

  await page.getByRole('link', { name: 'Inbox', exact: true }).click();
  await page.getByRole('list', { name: 'Messages' }).getByText('Order 1002').waitFor();
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
  await page.getByLabel('Name of your business').fill('Initech');
  await page.getByText('@initech is free').waitFor();
  await page.getByRole('button', { name: 'Claim @initech' }).click();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await open('/sign-in?next=/settings');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();

  await page.getByRole('link', { name: 'Show first steps' }).waitFor();
  await page.getByLabel('Name').fill('Initech AG');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Initech AG' }).waitFor();
  await page.getByRole('switch', { name: 'Anybody can write in' }).click();
  await page.getByText('Closed: of people without a handle').waitFor();
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
  await page.getByText('Passkeys belong to a name').waitFor();
});

/** What a shell would make of the line. */
function run(line: string): Promise<Response> {
  const [, url = ''] = /^curl (\S+)/.exec(line) ?? [];
  const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [name, value] as [string, string]);
  return fetch(url, { method: 'POST', headers, body: /-d '([^']+)'/.exec(line)?.[1] ?? null });
}
