import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectProxy, startConnectProxy } from '../../server/test/support/connect-proxy.ts';
import { type NameServer, startNameServer } from '../../server/test/support/name-server.ts';
import { authority, type Receiver, startReceiver, withStatus } from '../../server/test/support/receiver.ts';
import { verifyOwn } from '../../server/test/support/verify-webhook.ts';
import { openWorld, type World } from './support/visitor.ts';

const PUBLIC = '93.184.216.34';

let world: World;
let receiver: Receiver;
let nameServer: NameServer;
let proxy: ConnectProxy;

beforeAll(async () => {
  nameServer = await startNameServer();
  nameServer.set('hooks.acme.test', [PUBLIC]);
  receiver = await startReceiver({ identity: authority.issue(['hooks.acme.test']) });
  proxy = await startConnectProxy();
  proxy.ports.set(`${PUBLIC}:443`, receiver.port);
  world = await openWorld({ DNS_SERVERS: nameServer.address, OUTBOUND_PROXY: proxy.url, WEBHOOK_RETRY_DELAYS_S: '1' });
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
  await receiver.stop();
  await nameServer.stop();
});

test('a failing endpoint is found, paused, corrected, redelivered to, its secret rotated, and what it missed recovered', async () => {
  const { page, open, api, expectAccessible } = await world.member('ann@acme-hooks.test', 'acme-hooks');
  const globex = await world.service.business('globex');
  receiver.respond = (_delivery, response) =>
    response.writeHead(500, { 'content-type': 'text/plain', 'x-node': 'blue-7' }).end('column \u201ctotal\u201d does not exist\u202e');
  const { body: webhook } = await api.post('/webhooks', { url: 'https://hooks.acme.test/in', headers: { Authorization: 'Bearer s3cret' } });
  await globex.api.send({ to: 'acme-hooks', subject: 'Invoice 12', type: 'invoice', json: { total: 12.5, note: "it's" } });

  // The log shows the failed attempt, and the page of the delivery shows why.
  await open(`/webhooks/${webhook.id}`);
  const log = page.getByRole('list', { name: 'Deliveries' });
  await log.getByText('Dropped').waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption('Delivered');
  await page.getByText('No delivery matches these filters.').waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption('Dropped');
  await page.getByRole('combobox', { name: 'Time' }).selectOption('Last hour');
  await log.getByRole('link', { name: /^Dropped/ }).waitFor();
  await expectAccessible();
  await log.getByRole('link', { name: /^Dropped/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Message delivery' }).waitFor();
  const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
  await attempts.first().getByText('column “total” does not exist⟨U+202E⟩').waitFor();
  expect(await attempts.count()).toBe(2);
  await attempts.first().getByText('blue-7').waitFor();
  expect(await attempts.first().getByRole('region', { name: 'Request' }).textContent()).toMatch(
    /POST https:\/\/hooks\.acme\.test\/in.*authorizationhidden/,
  );
  expect(await page.content()).not.toContain('s3cret');
  await expectAccessible();

  // The same request, as a command that a shell runs.
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const command = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(command).toMatch(/^curl 'https:\/\/hooks\.acme\.test\/in' \\\n/);
  const words = execFileSync('sh', ['-c', command.replace(/^curl/, "printf '%s\\n'")], { env: { AUTHORIZATION: 'Bearer mine' } })
    .toString()
    .split('\n');
  expect(words).toContain('authorization: Bearer mine');
  expect(words[words.indexOf('--data-binary') + 1]).toBe(receiver.at('/in')[0]?.body.toString());

  // The webhook is paused while its endpoint is repaired.
  await page.getByRole('link', { name: 'Webhook', exact: true }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  const banner = page.getByRole('region', { name: 'Paused' });
  await banner.waitFor();
  await expectAccessible();

  // The webhook gets another URL, a description, a limit and Ed25519. Its headers stay.
  receiver.respond = withStatus(204);
  await page.getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('dialog', { name: 'Edit webhook' });
  await form.getByRole('textbox', { name: 'URL' }).fill('https://hooks.acme.test/corrected');
  await form.getByRole('textbox', { name: 'Description' }).fill('Ledger import');
  await form.getByRole('textbox', { name: 'Message types' }).fill('invoice\norder.*');
  await form.getByRole('textbox', { name: 'Deliveries per second' }).fill('many');
  await form.getByRole('switch', { name: 'Ed25519 signatures' }).check();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Enter a whole number, or nothing.').waitFor();
  await expectAccessible();
  await form.getByRole('textbox', { name: 'Deliveries per second' }).fill('100');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Ledger import').waitFor();
  await page.getByText(/^whpk_/).waitFor();
  await page.getByText('100 per second').waitFor();
  expect((await api.get(`/webhooks/${webhook.id}`)).body).toMatchObject({ types: ['invoice', 'order.*'], header_names: ['authorization'] });
  await banner.getByRole('button', { name: 'Resume' }).click();
  const resume = page.getByRole('dialog', { name: 'Resume this webhook?' });
  await resume.getByRole('radio', { name: 'Leave them in the inbox' }).check();
  await expectAccessible();
  await resume.getByRole('button', { name: 'Resume webhook' }).click();
  await page.getByText('Active', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Rotate secret…' }).click();
  await expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  const rotated = page.getByRole('dialog', { name: 'Secret rotated' });
  const secret = (await rotated.getByText(/^whsec_/).textContent()) ?? '';
  await expectAccessible();
  await rotated.getByRole('button', { name: 'I saved it' }).click();

  // A redelivery shows that no message was lost.
  await log.getByRole('link', { name: /^Dropped/ }).click();
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('Your endpoint accepted it.').waitFor({ timeout: 60_000 });
  expect(await attempts.count()).toBe(3);
  const [again] = receiver.at('/corrected');
  if (!again) throw new Error('nothing was redelivered');
  expect(again.body.equals(receiver.at('/in')[0]?.body ?? Buffer.alloc(0))).toBe(true);
  expect([verifyOwn(again, secret), verifyOwn(again, webhook.secret)]).toEqual([true, true]);
  expect(again.headers).toMatchObject({ 'waybill-replay': 'true', authorization: 'Bearer s3cret' });

  // After another pause, messages that came meanwhile are recovered when the webhook is resumed.
  const recoveries = page.getByRole('list', { name: 'Recoveries' });
  const subjects = () => receiver.at('/corrected').map(({ body }) => JSON.parse(body.toString()).subject);
  await page.getByRole('link', { name: 'Webhook', exact: true }).click();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await banner.waitFor();
  await globex.api.send({ to: 'acme-hooks', subject: 'Invoice 13', type: 'invoice' });
  await banner.getByRole('button', { name: 'Resume' }).click();
  await resume.getByRole('button', { name: 'Resume webhook' }).click();
  await recoveries.getByText('Completed').waitFor();
  await expect.poll(subjects, { timeout: 60_000 }).toContain('Invoice 13');
  await expectAccessible();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Recover messages…' }).click();
  await page.getByRole('combobox', { name: 'Messages' }).selectOption('All, including delivered');
  await expectAccessible();
  await page.getByRole('button', { name: 'Recover', exact: true }).click();
  await expect.poll(() => recoveries.getByText('Completed').count(), { timeout: 60_000 }).toBe(2);
  await expect.poll(() => subjects().filter((subject) => subject === 'Invoice 13').length, { timeout: 60_000 }).toBe(2);

  // An endpoint that is gone is paused by the service, and every page shows it.
  receiver.respond = withStatus(410);
  await globex.api.send({ to: 'acme-hooks', subject: 'Invoice 14', type: 'invoice' });
  await expect.poll(async () => (await api.get(`/webhooks/${webhook.id}`)).body.pause?.reason, { timeout: 60_000 }).toBe('gone');
  await open('/inbox');
  await page.getByRole('link', { name: /^Webhooks\s*1 needs attention/ }).click();
  await page.getByRole('list', { name: 'Webhooks' }).getByRole('link').click();
  await banner.getByText('the endpoint responded 410 Gone').waitFor();
  await expectAccessible();
});

test('a webhook is told of more events, and the log shows them', async () => {
  const { page, open, api, expectAccessible } = await world.member('eve@acme-events.test', 'acme-events');
  const globex = await world.service.business('globex-events');
  receiver.respond = withStatus(204);
  const { body: webhook } = await api.post('/webhooks', { url: 'https://hooks.acme.test/events' });
  const { body: message } = await globex.api.send({ to: 'acme-events', subject: 'Order 12' });
  await open(`/webhooks/${webhook.id}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const events = page.getByRole('group', { name: 'Events' });
  await events.getByRole('checkbox', { name: 'Threads updated' }).check();
  await events.getByRole('checkbox', { name: 'Messages received' }).uncheck();
  await events.getByRole('checkbox', { name: 'Threads updated' }).click();
  expect(await events.getByRole('checkbox', { name: 'Threads updated' }).isChecked()).toBe(true);
  await expectAccessible();
  await page.getByRole('button', { name: 'Save' }).click();
  // The form has the same words.
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'hidden' });
  await page.getByText('Threads updated', { exact: true }).waitFor();

  await api.patch(`/threads/${message.thread_id}`, { status: 'done' });
  await expect.poll(() => receiver.at('/events').length, { timeout: 60_000 }).toBeGreaterThan(1);
  await page.reload();
  await page
    .getByRole('list', { name: 'Deliveries' })
    .getByRole('link', { name: /Thread updated/ })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Event delivery' }).waitFor();
  await page.getByRole('code').filter({ hasText: /^evt_/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
  await expectAccessible();
});
