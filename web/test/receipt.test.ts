import { createHash } from 'node:crypto';
import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encode } from 'uqr';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalJson } from '../../server/src/contract/canonical-json.ts';
import { temporaryFolder } from '../../server/test/support/process.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

const HOSTILE = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>&amp;</h1></main>';
const JSON_TEXT = '{"b": {"z": 1.0, "a": [1, 2]}, "big": 12345678901234567890, "1": "é", "__proto__": null}';
const PDF = Buffer.from('%PDF not really');

let world: World;
let reader: Visitor;
let address: string;
// biome-ignore lint/suspicious/noExplicitAny: an envelope as it came
let sent: any;
beforeAll(async () => {
  world = await openWorld();
  reader = await world.visitor();
  const globex = await world.service.business('globex');
  await world.service.business('acme');
  const form = new FormData();
  form.set('to', 'acme');
  form.set('type', 'order');
  form.set('subject', HOSTILE);
  form.set('note', `${HOSTILE}\nsecond line`);
  form.set('json', JSON_TEXT);
  form.set('file', new Blob([PDF], { type: 'application/pdf' }), 'plan.pdf');
  const response = await fetch(`${world.service.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${globex.secret}`, 'idempotency-key': 'order-7' },
    body: form,
  });
  sent = await response.json();
  expect(response.status, JSON.stringify(sent)).toBe(201);
  address = new URL(sent.receipt_url).pathname;
});
afterAll(() => world.stop());

const result = () => reader.page.getByRole('status');
const checkFile = (name: string, buffer: Buffer) =>
  reader.page.getByLabel('File to check').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });

test('a receipt says what was delivered, when, from whom to whom, and that it is verified', async () => {
  const { page, open, expectAccessible } = reader;
  await open(address);
  await page.getByRole('heading', { name: HOSTILE }).waitFor();
  await page.getByText(`${HOSTILE}\nsecond line`).waitFor();
  await page.getByText('Verified.', { exact: true }).waitFor();
  for (const shown of [
    sent.id,
    sent.thread_id,
    sent.content_hash,
    sent.json_sha256,
    sent.json_bytes_sha256,
    sent.files[0].sha256,
    'order-7',
  ])
    await page.getByText(shown, { exact: true }).locator('visible=true').waitFor();
  await page.getByText(sent.received_at.replace('T', ' ').replace('Z', ' UTC')).waitFor();
  await page.getByText('Only its API key is verified').waitFor();
  expect(await page.getByText('12345678901234567890').count()).toBe(0);
  await expectAccessible();
});

test('its QR code is that of the link, dark on white with a light margin', async () => {
  const code = reader.page.getByRole('img', { name: 'QR code of the link to this receipt' });
  const { size, data } = encode(sent.receipt_url, { ecc: 'M', border: 2 });
  expect(await code.getAttribute('viewBox')).toBe(`0 0 ${size} ${size}`);
  const dark = [...((await code.locator('path').getAttribute('d')) ?? '').matchAll(/M(\d+) (\d+)h1v1h-1z/g)];
  expect(dark.map(([, x, y]) => `${x} ${y}`)).toEqual(data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : []))));
  const fills = `[...document.querySelectorAll('svg[aria-label^="QR code of"] *')].map((shape) => getComputedStyle(shape).fill)`;
  expect(await reader.page.evaluate<string[]>(fills)).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
});

test('anyone sees whether the JSON is the one that was delivered, in whatever order of keys', async () => {
  const { page, expectAccessible } = reader;
  const box = page.getByLabel('Or paste JSON');
  await box.fill('{"1":"\\u00e9","__proto__":null,"big":12345678901234567890,"b":{"a":[1,2],"z":1}}');
  await result().getByText('Match: this JSON was delivered').waitFor();
  await result().getByText('It was written in another way').waitFor();
  await expectAccessible();
  await box.fill(`${JSON_TEXT}\n`);
  await result().getByText('it was sent byte for byte like this').waitFor();
  await box.fill(JSON_TEXT.replace('"big": 12345678901234567890', '"big": 1, "big": 12345678901234567891'));
  await result().getByText('It was written in another way').waitFor();
  await box.fill(JSON_TEXT.replace('[1, 2]', '[2, 1]'));
  await result().getByText('No match: this JSON was not delivered').waitFor();
  await box.fill('{"b": {');
  await result().getByText('Not valid JSON').waitFor();
  await box.fill('');
  await expect.poll(() => result().getByText('Not valid JSON').count()).toBe(0);
  await checkFile('order.json', Buffer.from(JSON.stringify(JSON.parse(JSON_TEXT), null, 4)));
  await result().getByText('Match: this JSON was delivered').waitFor();
});

test('and whether a file is, however large', async () => {
  const { page, expectAccessible } = reader;
  await checkFile('renamed.bin', PDF);
  await result().getByText('Identical to plan.pdf').waitFor();
  await checkFile('plan.pdf', Buffer.from('%PDF not reallY'));
  await result().getByText('No match: this file was not delivered').waitFor();
  await expectAccessible();

  const large = path.join(temporaryFolder(), 'large.bin');
  writeFileSync(large, '');
  truncateSync(large, 300 * 1024 * 1024);
  await page.getByLabel('File to check').setInputFiles(large);
  const progress = page.getByRole('progressbar', { name: 'Check of large.bin' });
  await progress.waitFor();
  await expectAccessible();
  const first = Number(await progress.getAttribute('aria-valuenow'));
  await expect.poll(async () => Number(await progress.getAttribute('aria-valuenow'))).toBeGreaterThan(first);
  await page.getByRole('button', { name: 'Stop' }).click();
  await progress.waitFor({ state: 'detached' });
  truncateSync(large, 40 * 1024 * 1024);
  await page.getByLabel('File to check').setInputFiles(large);
  await result().getByText('No match: this file was not delivered').waitFor();
  const hash = createHash('sha256')
    .update(Buffer.alloc(40 * 1024 * 1024))
    .digest('hex');
  await page.getByText(`sha256:${hash}`).waitFor();
});

test('of a sender with minimal receipts it says who, when and the hashes, and still compares', async () => {
  const { page, expectAccessible } = await world.visitor();
  await world.service.sql("UPDATE parties SET minimal_receipts = true WHERE handle = 'globex'");
  await page.goto(address);
  await page.getByText('The sender shows only the parties, the time and the hashes.').waitFor();
  for (const shown of [sent.id, sent.content_hash, sent.json_sha256, sent.json_bytes_sha256, sent.files[0].sha256])
    await page.getByText(shown, { exact: true }).locator('visible=true').waitFor();
  for (const hidden of [HOSTILE, 'plan.pdf', 'order-7', 'Your browser computed']) expect(await page.getByText(hidden).count()).toBe(0);
  await expectAccessible();
  await page.getByLabel('File to check').setInputFiles({ name: 'a.bin', mimeType: 'application/octet-stream', buffer: PDF });
  await page.getByText('Match: this file was delivered').waitFor();
  await world.service.sql("UPDATE parties SET minimal_receipts = false WHERE handle = 'globex'");
});

test('a receipt that says something else than what was delivered is not verified', async () => {
  const { page, expectAccessible, context } = await world.visitor({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await page.goto(address);
  await page.getByText('Verified.', { exact: true }).waitFor();
  const alter = async (change: (receipt: typeof sent) => unknown) => {
    await context.unroute('**/v1/receipts/*');
    await context.route('**/v1/receipts/*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response: response, json: change(await response.json()) });
    });
    await page.reload();
  };
  await alter((receipt) => ({ ...receipt, note: 'Something else' }));
  await page.getByText('Not verified.').waitFor();
  await expectAccessible();
  // Large files are hashed after delivery, when content_hash is what it is. The log has no such hash.
  const older = { error: { code: 'not_logged', message: 'There is no proof.', request_id: 'req_' } };
  await context.route('**/proof?*', (route) => route.fulfill({ status: 404, json: older }));
  await alter(({ content_hash: _, ...receipt }) => ({ ...receipt, content_hash: hashAtDelivery(receipt) }));
  await page.getByText('The hash of the largest file was computed after delivery').waitFor();
  await context.unrouteAll();

  await page.reload();
  await page.getByRole('button', { name: 'Print certificate' }).click();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.getByRole('region', { name: 'Certificate of verification' }).waitFor();
  expect(await page.getByRole('button', { name: 'Print certificate' }).isVisible()).toBe(false);
  expect(await page.getByText('Verified.', { exact: true }).isVisible()).toBe(false);
  expect(await page.getByText('Compare your copy').isVisible()).toBe(false);
  expect(await page.evaluate<string>('getComputedStyle(document.body).color'), 'dark on white').toBe('rgb(23, 24, 28)');

  await page.emulateMedia({ media: 'screen' });
  await page.goto('/r/rcpt_nothing');
  await page.getByRole('heading', { name: 'Receipt not found' }).waitFor();
  await expectAccessible();
});

function hashAtDelivery(receipt: typeof sent): string {
  const { id, thread_id, in_reply_to, from, to, type, subject, note, json_sha256, json_bytes_sha256, received_at } = receipt;
  const files = receipt.files.map((file: object) => ({ ...file, sha256: null }));
  const hashes = { json_sha256, json_bytes_sha256 };
  const text = canonicalJson({ id, thread_id, in_reply_to, from, to, type, subject, note, ...hashes, files, received_at });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
