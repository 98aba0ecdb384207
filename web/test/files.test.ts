import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorld, type World } from './support/visitor.ts';

type Member = Awaited<ReturnType<World['member']>>;

let world: World;
let ann: Member;
let bob: Member;
beforeAll(async () => {
  world = await openWorld();
  [ann, bob] = await Promise.all([
    world.member('ann@acme-works.test', 'acme-works'),
    world.member('bob@globex-works.test', 'globex-works'),
  ]);
});
afterAll(() => world.stop());

const WHILE = { timeout: 60_000 };

test('files are looked at without being opened, details are a click away, and a message can be duplicated', async () => {
  const { page } = ann;
  const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');
  await ann.open('/compose?to=globex-works');
  await page.getByRole('textbox', { name: 'Subject' }).fill('With files');
  await page.getByText('The globex-works company').waitFor();
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'lines.csv', mimeType: 'text/csv', buffer: Buffer.from('sku,quantity\nA-1,2') },
    { name: 'dot.png', mimeType: 'image/png', buffer: PNG },
    { name: 'not.png', mimeType: 'image/png', buffer: Buffer.from('<svg onload="window.ran = true">') },
  ]);
  await expect.poll(() => page.getByText('Uploaded').count()).toBe(3);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Open thread' }).click();
  await page
    .getByText(/^CSV · /)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Preview lines.csv' }).click();
  await page.getByRole('cell', { name: 'A-1' }).waitFor();
  await page.getByRole('button', { name: 'Preview dot.png' }).click();
  await page.getByRole('img', { name: 'dot.png' }).waitFor();
  expect(await page.getByRole('img', { name: 'dot.png' }).getAttribute('src')).toMatch(/^data:image\/png;base64,/);
  await page.getByRole('button', { name: 'Preview not.png' }).click();
  await page.getByText('No preview').waitFor();
  await page.getByRole('button', { name: 'Download all' }).waitFor();
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Copy content hash' }).waitFor();
  await ann.expectAccessible();
  expect(await page.evaluate("'ran' in window")).toBe(false);

  await page.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('heading', { name: 'New message' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'To' }).inputValue()).toBe('globex-works');
  await page.getByRole('button', { name: 'Templates' }).click();
  await page.getByRole('menuitem', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Monthly files');
  await page.getByRole('button', { name: 'Save template' }).click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('Something else');
  await page.getByRole('button', { name: 'Templates' }).click();
  await page.getByRole('menuitem', { name: 'Monthly files' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe('With files');
  await ann.expectAccessible();
});

function pdfOf(lines: readonly string[]): Buffer {
  const kids = lines.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1); this.ran = true)>>>>',
    `<</Type/Pages/Count ${lines.length}/Kids[${kids}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...lines.flatMap((line, at) => {
      const content = `BT /F1 24 Tf 30 100 Td (${line}) Tj ET`;
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + at * 2} 0 R>>`,
        `<</Length ${content.length}>>stream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${table}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}

test('a PDF is drawn in a frame without an origin, which reaches nothing', async () => {
  const { page } = ann;
  await ann.open('/compose?to=globex-works');
  await page.getByRole('textbox', { name: 'Subject' }).fill('With a PDF');
  await page.getByText('The globex-works company').waitFor();
  await page.getByLabel('Files to attach').setInputFiles([
    { name: 'invoice.pdf', mimeType: 'application/pdf', buffer: pdfOf(['Invoice 4711', 'Second page']) },
    { name: 'not.pdf', mimeType: 'application/pdf', buffer: Buffer.from('<html><script>window.ran = true</script>') },
    { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 and no more') },
  ]);
  await expect.poll(() => page.getByText('Uploaded').count()).toBe(3);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Open thread' }).click();

  await page.getByRole('button', { name: 'Preview invoice.pdf' }).click();
  const frame = page.frameLocator('iframe[title="Preview of invoice.pdf"]');
  await frame.getByRole('img', { name: 'Page 1 of 2. Invoice 4711' }).waitFor(WHILE);
  await frame.getByRole('img', { name: 'Page 2 of 2. Second page' }).waitFor(WHILE);
  const drawing = page.frames().find((one) => one.url().endsWith('/pdf.html'));
  const inFrame = (script: string) => drawing?.evaluate<unknown>(script);
  // Something other than white is on the page.
  const INK = `(() => {
    const canvas = document.querySelector('canvas');
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value < 100);
  })()`;
  await expect.poll(() => inFrame(INK), WHILE).toBe(true);
  expect(await inFrame('origin')).toBe('null');
  expect(await inFrame(`(() => { try { return parent.document.title } catch { return 'refused' } })()`)).toBe('refused');
  expect(await inFrame(`(() => { try { return document.cookie } catch { return 'refused' } })()`)).toBe('refused');
  await ann.expectAccessible();

  await page.getByRole('button', { name: 'Preview not.pdf' }).click();
  await page.getByText('No preview: the file is not what its name says.').waitFor(WHILE);
  await page.getByRole('button', { name: 'Preview broken.pdf' }).click();
  await page.getByText('No preview: the file can’t be drawn.').waitFor(WHILE);
  await page.getByRole('button', { name: 'Hide invoice.pdf' }).click();
  await expect.poll(() => page.locator('iframe').count()).toBe(0);
  expect(await page.evaluate("'ran' in window")).toBe(false);
});

test('a refusal of the file store is shown, and a retry announces the file again', async () => {
  const { page } = ann;
  await ann.open('/compose?to=globex-works');
  let announcements = 0;
  page.on('request', (request) => request.url().endsWith('/v1/uploads') && announcements++);
  const STORE = /\/objects\//;
  await page.route(STORE, (route) => route.fulfill({ status: 403, contentType: 'text/xml', body: '<Error/>' }));
  await page.getByLabel('Files to attach').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
  await page.getByText('Upload refused by the file store (HTTP 403). Try again.').waitFor();
  await page.unroute(STORE);
  await page.getByRole('button', { name: 'Retry a.txt' }).click();
  await page.getByText('Uploaded').waitFor();
  expect(announcements).toBe(2);
});

describe('a large file', () => {
  const MB = 1_048_576;
  const folder = mkdtempSync(path.join(tmpdir(), 'waybill-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is paused, resumed, outlives a broken connection, and arrives as it was', async () => {
    const { page, context } = ann;
    const bytes = randomBytes(40 * MB);
    const file = path.join(folder, 'scan.tiff');
    writeFileSync(file, bytes);
    const network = await context.newCDPSession(page);
    const limit = (uploadThroughput: number, offline = false) =>
      network.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput });
    const begun: string[] = [];
    const whole: string[] = [];
    const partOf = (url: string) => new URL(url).searchParams.get('part');
    page.on('request', (request) => request.method() === 'PUT' && begun.push(partOf(request.url()) ?? ''));
    page.on('requestfinished', (request) => request.method() === 'PUT' && whole.push(partOf(request.url()) ?? ''));

    await ann.open('/compose?to=globex-works');
    await network.send('Network.enable');
    await limit(8 * MB);
    await page.getByLabel('Files to attach').setInputFiles(file);
    const bar = page.getByRole('progressbar', { name: 'Upload of scan.tiff' });
    await page.getByText(/\d+% · .*\/s · .* left/).waitFor();
    await expect.poll(() => whole.length, WHILE).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Pause scan.tiff' }).click();
    await page.getByText(/Paused at \d+%/).waitFor();
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(100);
    await ann.expectAccessible();
    const arrived = new Set(whole);
    begun.length = 0;

    // Leaving would lose the file, so the page asks.
    await page.getByRole('link', { name: /^Open/ }).click();
    await page
      .getByRole('dialog', { name: /Leave while/ })
      .getByRole('button', { name: 'Cancel' })
      .click();

    await page.getByRole('button', { name: 'Resume scan.tiff' }).click();
    await expect.poll(() => begun.length, WHILE).toBeGreaterThan(0);
    await limit(-1, true);
    await page.getByText('Couldn’t connect. Retrying…').waitFor();
    await limit(-1);
    await page.getByText('Uploaded').waitFor();
    expect(begun.filter((part) => arrived.has(part))).toEqual([]);

    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Sent' }).waitFor();
    const [delivered] = (await bob.api.get('/inbox?limit=1')).body.data;
    expect(delivered.files).toMatchObject([
      { filename: 'scan.tiff', size_bytes: bytes.length, sha256: `sha256:${createHash('sha256').update(bytes).digest('hex')}` },
    ]);
  });
});
