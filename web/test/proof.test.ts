import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatBundle, formatVkey, KEY_TYPE, LEAF, leafOf, policyOf, verifierKey, verifyBundle, verifyProof } from '@waybill/proof';
import type { Download } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgedBundle } from '../../packages/proof/test/support/sample.ts';
import { untilLogged } from '../../server/test/support/proofs.ts';
import type { TestBusiness } from '../../server/test/support/service.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

// biome-ignore lint/suspicious/noExplicitAny: an envelope as it came
type Sent = any;

let world: World;
let reader: Visitor;
let globex: TestBusiness;
let sent: Sent;
let vkey: string;

beforeAll(async () => {
  world = await openWorld();
  reader = await world.visitor();
  globex = await world.service.business('globex');
  await world.service.business('acme');
  sent = await send({ subject: 'Order 4711', json: { items: 3 } });
  vkey = (await world.service.anonymous.request('GET', '/.well-known/waybill.json')).body.log.vkey;
});
afterAll(() => world.stop());

const send = async (fields: object): Promise<Sent> => (await globex.api.send({ to: 'acme', ...fields })).body;
const pathOf = ({ receipt_url }: Sent) => new URL(receipt_url).pathname;
const bundleOf = async ({ id }: Sent) => (await untilLogged(() => globex.api.get(`/messages/${id}/proof`))).text;
const forgedProof = async () => formatBundle(await forgedBundle(JSON.parse(await bundleOf(sent)), sent.subject));
const textOf = async (download: Download) => readFileSync(await download.path(), 'utf8');
const drop = (name: string, text: string) =>
  reader.page.getByLabel('File to check').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });

test('a receipt is verified by the log, and its proof is downloaded without a mouse', async () => {
  const { page, open, expectAccessible } = reader;
  await open(pathOf(sent));
  await page.getByText(/^In the log at #\d+$/).waitFor();
  await page.getByText('Verified.', { exact: true }).waitFor();
  // The page names the service whose keys it used, because a page of that service can't prove more.
  await page.getByText(`It is in the log, by the keys that ${new URL(world.service.url).host} publishes.`).waitFor();
  await page.getByText(vkey.split('+').slice(0, 2).join('+'), { exact: true }).waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Download proof' }).focus();
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  expect(download.suggestedFilename()).toBe(`${sent.id}.waybill-proof`);
  const { verdict, contentHash } = await verifyBundle(await textOf(download), { vkeys: [vkey] });
  expect([verdict, contentHash]).toEqual(['verified', sent.content_hash]);
});

test('a proof that somebody has is verified on the page', async () => {
  const { page, expectAccessible } = reader;
  const proof = await bundleOf(sent);
  await drop('order.waybill-proof', proof);
  await page.getByText('Verified: a proof of this message').waitFor();
  await page.getByText('The JSON in the file is that of the message.').waitFor();
  await expectAccessible();
  await drop('other.waybill-proof', await bundleOf(await send({ subject: 'Another' })));
  await page.getByText('No match: a proof of another message').waitFor();
  await drop('order.waybill-proof', proof.replace('{\\"items\\":3}', '{\\"items\\":4}'));
  await page.getByText('Not verified', { exact: true }).waitFor();
  await page.getByText('The JSON in the file is not that of the message.').waitFor();
  await expectAccessible();
  await drop('forged.waybill-proof', await forgedProof());
  await page.getByText('No known key signed the note.').waitFor();
  await page.getByText('Not verified', { exact: true }).waitFor();
  await drop('order.waybill-proof', 'PK');
  await page.getByText('Not a usable proof').waitFor();
});

test('while the log does not have the message yet, the page says so, and goes on by itself', async () => {
  const { page, context, expectAccessible } = await world.visitor({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  let refusals = 2;
  await context.route('**/proof?*', (route) =>
    refusals-- > 0 ? route.fulfill({ status: 202, json: { status: 'pending', retry_after_s: 1 } }) : route.continue(),
  );
  await page.goto(pathOf(sent));
  await page.getByText('Being added to the log.').waitFor();
  await page.getByText('Delivered.', { exact: true }).waitFor();
  expect(await page.getByText('Verified.', { exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Download proof' }).isDisabled()).toBe(true);
  await expectAccessible();
  await page.getByText(/^In the log at #\d+$/).waitFor();
  expect(await page.getByRole('button', { name: 'Download proof' }).isDisabled()).toBe(false);
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

test('a proof of something else, or by another key, does not verify the receipt', async () => {
  const other = await bundleOf(await send({ subject: 'Another' }));
  const { page, context, expectAccessible } = await world.visitor();
  await context.route('**/proof?*', (route) => route.fulfill({ status: 200, body: other }));
  await page.goto(pathOf(sent));
  await page.getByText('Not verified.').waitFor();
  await page.getByText('The proof is of another message.').waitFor();
  expect(await page.getByRole('button', { name: 'Download proof' }).isDisabled()).toBe(true);
  await expectAccessible();
  await context.unrouteAll();
  // A proof that somebody has made of the same receipt, with a key of their own.
  const forged = await forgedProof();
  await context.route('**/proof?*', (route) => route.fulfill({ status: 200, body: forged }));
  await page.reload();
  await page.getByText('No known key signed the note.').waitFor();
  expect(await page.getByText(/^Verified/).count()).toBe(0);
  await context.unrouteAll();
  // A log of the same name with another key.
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const another = formatVkey(verifierKey(vkey.split('+')[0] ?? '', KEY_TYPE.ed25519, raw));
  await context.route('**/.well-known/waybill.json', (route) => route.fulfill({ json: { log: { vkey: another } } }));
  await page.reload();
  await page.getByText('Not verified.').waitFor();
});

test('a message that is older than the log has a receipt without a proof', async () => {
  const older = await send({ subject: 'Long ago' });
  await world.service.sql(`UPDATE messages SET log_batch = NULL, log_slot = NULL WHERE content_hash = '\\x${older.content_hash.slice(7)}'`);
  const { page, expectAccessible } = await world.visitor();
  await page.goto(pathOf(older));
  await page.getByText('Delivered before this service had a log').waitFor();
  await page.getByText('Delivered, without a proof.', { exact: true }).waitFor();
  expect(await page.getByText(/^Verified/).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Download proof' }).count()).toBe(0);
  await expectAccessible();
});

test('of a minimal receipt, the page verifies that its hash is in the log', async () => {
  await world.service.sql("UPDATE parties SET minimal_receipts = true WHERE handle = 'globex'");
  const { page, expectAccessible } = await world.visitor();
  await page.goto(pathOf(sent));
  await page.getByText('Your browser has checked that the content hash is in the log, by the keys that').waitFor();
  await expectAccessible();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download proof' }).click()]);
  expect(download.suggestedFilename()).toBe(`${sent.id}.tlog-proof`);
  await verifyProof(await textOf(download), leafOf(LEAF.message, sent.content_hash), policyOf(vkey));
  await world.service.sql("UPDATE parties SET minimal_receipts = false WHERE handle = 'globex'");
});

test('a party downloads the proof of a message from its thread', async () => {
  const ann = await world.member('ann@acme-works.test', 'acme-works');
  const { body: message } = await globex.api.send({ to: 'acme-works', subject: 'Order 12', json: { items: 12 } });
  const { page, open } = ann;
  await open(`/threads/${message.thread_id}`);
  await page.getByRole('button', { name: 'Message actions' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Download proof' }).click()]);
  expect(download.suggestedFilename()).toBe(`${message.id}.waybill-proof`);
  const text = await textOf(download);
  expect(JSON.parse(text).json).toBe('{"items":12}');
  expect((await verifyBundle(text, { vkeys: [vkey] })).verdict).toBe('verified');
});
