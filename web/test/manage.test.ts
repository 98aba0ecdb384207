import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../../server/test/support/api.ts';
import { joinedBy } from '../../server/test/support/businesses.ts';
import { type NameServer, startNameServer } from '../../server/test/support/name-server.ts';
import { signInWithCode } from '../../server/test/support/people.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { untilIndexed } from '../../server/test/support/threads.ts';
import { openWorld, type World } from './support/visitor.ts';

let names: NameServer;
let world: World;
let ann: Awaited<ReturnType<World['member']>>;
let globex: TestBusiness;

beforeAll(async () => {
  names = await startNameServer();
  world = await openWorld({ DNS_SERVERS: names.address });
  ann = await world.member('ann@acme-works.test', 'acme-works');
  globex = await world.service.business('globex');
});
afterAll(async () => {
  await world.stop();
  await names.stop();
});

test('an agent gets a key that works until it is revoked', async () => {
  const { page, open, expectAccessible } = ann;
  await open('/agents');
  await page.getByText('No agents yet').waitFor();
  await expectAccessible();

  await page.getByRole('button', { name: 'New agent' }).first().click();
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expectInvalid('Name', '1');
  await page.getByLabel('Name').fill('Orders');
  await page.getByLabel('Description').fill('Takes orders from the shop.');
  await page.getByLabel('Segment').fill('no segment');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expectInvalid('Segment', 'letters, digits and hyphens');
  await expectAccessible();
  await page.getByLabel('Segment').fill('Orders');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.getByRole('button', { name: 'Copy address acme-works/orders' }).click();
  expect(await copied()).toBe('acme-works/orders');

  await page.getByRole('button', { name: 'Create key for Orders' }).click();
  await expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Key created' });
  await shown.getByRole('button', { name: 'Copy key' }).click();
  await expectAccessible();
  // Neither Escape nor the close button closes the dialog.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await shown.getByRole('button', { name: 'Close' }).click();
  await shown.getByText('Have you saved it?').waitFor();
  const secret = await copied();
  await shown.getByRole('button', { name: 'Copy command' }).click();
  expect(await copied()).toBe(`curl -s ${world.service.url}/v1/me -H 'Authorization: Bearer ${secret}'`);
  await shown.getByRole('button', { name: 'I saved it' }).click();

  const keyed = new Api(world.service.url, secret);
  expect((await keyed.send({ to: 'globex', subject: 'With the new key' })).status).toBe(201);
  // Uses are recorded at intervals, so that requests do not pay for it.
  await world.service.sql('UPDATE api_keys SET last_used_at = now() WHERE last_used_at IS NULL');
  await page.reload();
  const keys = page.getByRole('list', { name: 'Keys of Orders' });
  await keys.getByText('Read and write').waitFor();
  await keys.getByText(/last used/).waitFor();
  await expectAccessible();
  await keys.getByRole('button', { name: 'Revoke' }).click();
  await expectAccessible();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('1 revoked key').waitFor();
  expect((await keyed.get('/me')).status).toBe(401);

  await page.getByRole('button', { name: 'Edit Orders' }).click();
  await page.getByLabel('Name').fill('Shop');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Shop' }).waitFor();
});

test('a domain is pending until its record is found, and can be given up', async () => {
  const { page, open, expectAccessible } = ann;
  await open('/domains');
  await page.getByRole('button', { name: 'Add domain' }).first().click();
  await page.getByRole('textbox', { name: 'Domain' }).fill('gmail.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
  await expectInvalid('Domain', 'gives mailboxes to anybody');
  await expectAccessible();
  await page.getByRole('textbox', { name: 'Domain' }).fill('acme-works.test');
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('Pending').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Copy name' }).click();
  const name = await copied();
  await page.getByRole('button', { name: 'Copy value' }).click();
  const value = await copied();

  await page.getByRole('button', { name: 'Check now: acme-works.test' }).click();
  await page.getByText('Record not found').waitFor();
  names.set(name, { txt: [value] });
  await page.getByRole('button', { name: 'Check now: acme-works.test' }).click();
  await page.getByText(/Verified .*, record last found/).waitFor();
  await expectAccessible();

  // The owner chooses who may send for the business from the domain. The outbox marks senders who are not members.
  const senders = page.getByLabel('Who can send as your business from acme-works.test');
  const kim = await signInWithCode(world.service, 'kim@acme-works.test');
  const kimWrites = () => kim.post('/v1/drops', { to: 'globex', subject: 'From the workshop' });
  expect((await kimWrites()).status).toBe(201);
  await senders.selectOption('Members only');
  await expect.poll(async () => (await ann.api.get('/domains')).body.data[0].senders).toBe('members');
  expect((await kimWrites()).body.error.code).toBe('forbidden');
  await page.reload();
  await expect.poll(() => senders.inputValue()).toBe('members');
  await expectAccessible();
  await open('/outbox');
  const row = page.getByRole('link', { name: /From the workshop/ });
  await row.getByText('Sent by a non-member').waitFor();
  await row.click();
  await page.getByText('Not a member').waitFor();
  await expectAccessible();
  await open('/domains');

  await world.service.sql(`UPDATE domain_requests SET missing_since = now() - interval '30 hours'`);
  await page.reload();
  await page.getByText('Record missing since').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Check now: acme-works.test' }).click();
  await page.getByText(/Verified .*, record last found/).waitFor();

  await page.getByRole('button', { name: 'Remove acme-works.test' }).click();
  await page.getByText('To use the domain again, verify it again').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText('No domains yet').waitFor();
  expect((await ann.api.get('/business')).body.verified_domains).toEqual([]);
});

test('contacts appear by themselves, are added, found, labelled, archived and blocked', async () => {
  const { page, open, expectAccessible } = ann;
  await globex.api.send({ to: 'acme-works', type: 'order', subject: 'Twelve chairs' });
  const dora = await signInWithCode(world.service, 'dora@shop.example');
  expect((await dora.post('/v1/drops', { to: 'acme-works', note: 'Do you deliver?' })).status).toBe(201);
  await open('/contacts');
  const rows = page.getByRole('list', { name: 'Contacts' });
  await rows.getByRole('link', { name: /globex.*1 in/ }).waitFor();
  await expectAccessible();

  await page.getByRole('button', { name: 'Add contact' }).click();
  await page.getByLabel('Handle, domain').fill('nobody-at-all');
  await page.getByRole('button', { name: 'Save contact' }).click();
  await expectInvalid('Handle, domain', 'No business has claimed');
  await expectAccessible();
  await page.getByLabel('Handle, domain').fill('supplier@gmail.com');
  await page.getByLabel('Label').fill('Our cabinet maker');
  await page.getByRole('button', { name: 'Save contact' }).click();
  await rows.getByText('Our cabinet maker').waitFor();

  await page.getByLabel('Search contacts').fill('GLOB');
  await expect.poll(() => rows.getByRole('listitem').count()).toBe(1);
  await page.getByLabel('Search contacts').fill('not to be found');
  await page.getByText('No results').waitFor();
  await page.getByRole('button', { name: 'Clear search' }).click();
  expect(await rows.getByRole('link', { name: 'Write to @globex' }).getAttribute('href')).toBe('/compose?to=globex');

  await rows.getByRole('link', { name: /The globex company/ }).click();
  await page.getByText('1 received').waitFor();
  const threads = page.getByRole('list', { name: 'Threads' });
  await threads.getByRole('link', { name: /Twelve chairs/ }).waitFor();
  await expectAccessible();
  await page.getByLabel('Label').fill('Chairs');
  await page.getByLabel('Notes').fill('Orders before noon.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Chairs', level: 1 }).waitFor();
  await page.reload();
  await expect.poll(() => page.getByLabel('Notes').inputValue()).toBe('Orders before noon.');
  expect(new URL(page.url()).pathname).toBe('/contacts/globex');
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Restore' }).waitFor();
  await page.getByRole('link', { name: 'Contacts' }).last().click();
  await rows.waitFor();
  expect(await rows.getByText('Chairs').count()).toBe(0);
  await page.getByLabel('Show').selectOption('Archived');
  await rows.getByText('Chairs').waitFor();
  await page.getByLabel('Show').selectOption('All');

  // The contact that wrote last comes first. In order of date, it is the contact that was added last.
  const first = () => rows.getByRole('listitem').first().textContent();
  expect((await dora.post('/v1/drops', { to: 'acme-works', note: 'Hello?' })).status).toBe(201);
  await untilIndexed(world.service);
  await open('/contacts');
  await expect.poll(first).toContain('shop.example');
  await page.getByLabel('Sort by').selectOption('Newest contact');
  await expect.poll(first).toContain('Our cabinet maker');
  await page.getByLabel('Sort by').selectOption('Name');
  const names = () => rows.getByRole('listitem').locator('.font-medium').allInnerTexts();
  await expect.poll(async () => (await names()).length > 1 && (await names()).join() === (await names()).toSorted().join()).toBe(true);

  await rows.getByRole('link', { name: /shop\.example/ }).click();
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByRole('dialog', { name: 'Block shop.example?' }).waitFor();
  await expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByText('Blocked', { exact: true }).waitFor();
  const refused = await dora.post('/v1/drops', { to: 'acme-works', note: 'Again' });
  expect([refused.status, refused.body.error.code]).toEqual([403, 'sender_blocked']);
  await page.getByRole('button', { name: 'Unblock', exact: true }).click();
  await page.getByRole('dialog', { name: 'Unblock shop.example?' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Unblock', exact: true }).click();
  await page.getByRole('button', { name: 'Block', exact: true }).waitFor();
  expect((await dora.post('/v1/drops', { to: 'acme-works', note: 'Once more' })).status).toBe(201);

  // A published schema is on the page of its business.
  await globex.api.write('PUT', '/inbox/schema', { schema: { title: 'Order of chairs' } });
  await globex.api.patch('/inbox/schema', { published: true });
  await open('/contacts/globex');
  await page.getByRole('region', { name: 'Schema' }).getByText('"Order of chairs"').waitFor();
  await expectAccessible();
});

test('people, domains and businesses are blocked and unblocked', async () => {
  const { page, open, expectAccessible } = ann;
  const finn = await signInWithCode(world.service, 'finn@gmail.com');
  const write = () => finn.post('/v1/drops', { to: 'acme-works', note: 'Buy now' });
  expect((await write()).status).toBe(201);
  await open('/blocks');
  await page.getByText('No blocks').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Add block' }).first().click();
  await page.getByRole('textbox', { name: 'Domain' }).fill('nonsense domain');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await expectInvalid('Domain', 'such as example.com');
  await page.getByRole('radio', { name: 'A person or mailbox' }).check();
  await page.getByLabel('Sender').selectOption({ label: 'finn (finn@gmail.com)' });
  await expectAccessible();
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByRole('listitem').getByText('finn@gmail.com').waitFor();
  expect((await write()).body.error.code).toBe('sender_blocked');
  await expectAccessible();
  await page.getByRole('button', { name: 'Unblock finn' }).click();
  await page.getByRole('button', { name: 'Unblock', exact: true }).click();
  await page.getByText('No blocks').waitFor();
  expect((await write()).status).toBe(201);

  await page.getByRole('button', { name: 'Add block' }).first().click();
  await page.getByRole('radio', { name: 'A business' }).check();
  await page.getByRole('textbox', { name: 'Handle' }).fill('globex');
  await expectAccessible();
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByRole('listitem').getByText('Business and everyone who writes for it').waitFor();
  expect((await globex.api.send({ to: 'acme-works' })).body.error.code).toBe('sender_blocked');
  await page.getByRole('button', { name: 'Unblock globex' }).click();
  await page.getByRole('button', { name: 'Unblock', exact: true }).click();
  await page.getByText('No blocks').waitFor();
  expect((await globex.api.send({ to: 'acme-works' })).status).toBe(201);
});

test('a business chooses what its receipts show, and the composer says so before it sends', async () => {
  const { page, open, expectAccessible } = ann;
  const receipt = async () => {
    const { receipt_url } = (await ann.api.post('/messages', { to: 'globex', subject: 'A secret sale' })).body;
    return (await (await fetch(`${receipt_url}`.replace('/r/', '/v1/receipts/'))).text()).includes('A secret sale');
  };
  await open('/compose');
  await page.getByText('sees the sender, type, subject, note and file names').waitFor();
  expect(await receipt()).toBe(true);
  await open('/settings');
  const minimal = page.getByRole('switch', { name: 'Minimal receipts' });
  await minimal.check();
  await expect.poll(async () => (await ann.api.get('/business')).body.receipts).toBe('minimal');
  await page.getByText('sees only the parties, the time and the hashes').waitFor();
  await expectAccessible();
  expect(await receipt()).toBe(false);
  await open('/compose');
  await page.getByText('sees only the parties, the time and the hashes').waitFor();
  await expectAccessible();
  await open('/settings');
  await minimal.uncheck();
  await expect.poll(async () => (await ann.api.get('/business')).body.receipts).toBe('full');
  expect(await receipt()).toBe(true);
});

test('a business publishes its agent card', async () => {
  const { page, open, expectAccessible } = ann;
  const isPublished = async () => (await fetch(`${world.service.url}/@acme-works/.well-known/agent-card.json`)).ok;
  await open('/settings');
  await page.getByRole('switch', { name: 'Publish an agent card' }).check();
  await page.getByText('/@acme-works/.well-known/agent-card.json').waitFor();
  await expectAccessible();
  await expect.poll(isPublished).toBe(true);
});

test('usage shows what was sent and received, as a drawing and as a table', async () => {
  const { page, open, expectAccessible } = ann;
  expect((await ann.api.post('/uploads', { filename: 'a.txt', content_type: 'text/plain', size_bytes: 2_048 })).status).toBe(201);
  expect((await ann.api.post('/messages', { to: 'globex', subject: 'To be counted' })).status).toBe(201);
  expect((await globex.api.send({ to: 'acme-works', subject: 'This too' })).status).toBe(201);
  await open('/usage');
  const { usage } = (await ann.api.get('/me')).body;
  const meter = page.getByRole('meter', { name: 'Messages this month' });
  await expect.poll(() => meter.getAttribute('value')).toBe(String(usage.messages.used));
  await page.getByRole('meter', { name: 'Uploads today' }).waitFor({ state: 'attached' });
  await page.getByText('Messages today (new business)').waitFor();
  const messages = page.getByRole('figure', { name: 'Messages' });
  await messages.locator('svg').waitFor();
  await messages.getByText('Show as table').click();
  const { received } = (await ann.api.get('/usage?days=1')).body.days[0];
  await expect
    .poll(() => messages.getByRole('row').last().getByRole('cell').allTextContents())
    .toEqual([String(usage.messages.used), String(received)]);
  expect(await messages.getByRole('row').count()).toBe(31);
  await page.getByLabel('Period').selectOption('Last 90 days');
  await expect.poll(() => messages.getByRole('row').count()).toBe(91);
  await page.getByRole('figure', { name: 'Uploads' }).getByText('2.0 KB uploaded in the last 90 days.').waitFor();
  await expectAccessible();
});

test('a member without the rights is told so, and sees no buttons for it', async () => {
  expect((await ann.api.post('/agents', { name: 'Stock' })).status).toBe(201);
  const { browser } = await joinedBy(world.service, ann.api, 'ben@acme-works.test', 'member');
  const { page, open, expectAccessible, context } = await world.visitor();
  await context.addCookies([...browser.cookies()].map(([name, { value }]) => ({ name, value, url: world.service.url, httpOnly: true })));
  await open('/agents');
  await page.getByText('Only admins and owners can create agents and keys').waitFor();
  await page.getByRole('heading', { name: 'Stock' }).waitFor();
  expect(await page.getByRole('button', { name: /New agent|Keys|Create key/ }).count()).toBe(0);
  await expectAccessible();
  await open('/domains');
  await page.getByText('Only admins and owners can add, check and remove domains').waitFor();
  await page.getByText('No domains yet').waitFor();
  expect(await page.getByRole('button', { name: /Add/ }).count()).toBe(0);
  await expectAccessible();
});

const copied = () => ann.page.evaluate<string>('navigator.clipboard.readText()');

/** The field has its error, also for screen readers. */
async function expectInvalid(label: string, text: string): Promise<void> {
  const field = ann.page.getByRole('dialog').getByRole('textbox', { name: label });
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  await ann.page.getByRole('dialog').getByText(text).first().waitFor();
}
