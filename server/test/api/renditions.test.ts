import { deflateSync } from 'node:zlib';
import { DOCUMENT_TYPES, documentType, LINES_CHECKED_MAX } from '@waybill/documents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PDF_PAGES_MAX } from '../../src/contract/limits.ts';
import { claimedBy } from '../support/businesses.ts';
import { pdfPages } from '../support/pdf.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService({
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    RATE_LIMIT_PER_BUSINESS_PER_MINUTE: '0',
  });
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const sampleOf = (type: string) => documentType(type)?.samples[0] ?? expect.fail();

async function sent(type: string | undefined, json: unknown, more: object = {}): Promise<{ id: string; receipt_url: string }> {
  const text = JSON.stringify({ to: 'globex', type, ...more }).slice(0, -1);
  const response = await acme.api.send(`${text},"json":${typeof json === 'string' ? json : JSON.stringify(json)}}`);
  expect([response.status, response.text.slice(0, 300)]).toEqual([201, expect.anything()]);
  return response.body;
}

const get = (id: string, form: string, key = globex.secret, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/messages/${id}/document.${form}`, { headers: { authorization: `Bearer ${key}`, ...headers } });

async function pdfOf(id: string) {
  const response = await get(id, 'pdf');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  return pdfPages(await response.arrayBuffer());
}

describe('a PDF', () => {
  test('has all of an invoice as text, exact, with its receipt, for both parties', async () => {
    const { id, receipt_url } = await sent('invoice', sampleOf('invoice'), { subject: 'October', note: 'Grüße, Ελλάδα, Москва, 漢' });
    const { pages, info } = await pdfOf(id);
    const text = pages.join(' ');
    for (const part of [
      ...['Invoice INV-2026-0442', 'Globex Wälzlager AG', 'Hafenstraße 12', 'Ball bearing 6204-2RS', '1 027.00 EUR', '19 %', '1.245'],
      ...['Grüße, Ελλάδα, Москва, □', 'A box (□) stands for', 'DE02120300000000202051', 'October', receipt_url, id],
    ])
      expect(text).toContain(part);
    expect(pages.map((page, i) => page.includes(`${i + 1} of ${pages.length}`))).toEqual(pages.map(() => true));
    expect(info).toMatchObject({ Title: 'Invoice INV-2026-0442', Author: 'The acme company', Subject: 'October', Creator: 'Waybill' });
    const [theirs, ours] = await Promise.all([get(id, 'pdf'), get(id, 'pdf', acme.secret)]);
    expect(Buffer.from(await theirs.arrayBuffer()).equals(Buffer.from(await ours.arrayBuffer()))).toBe(true);
    expect(theirs.headers.get('content-disposition')).toBe(`attachment; filename="${id}.pdf"`);
    expect(Number(theirs.headers.get('ratelimit-cost') ?? 0)).toBeGreaterThanOrEqual(0);
    const etag = theirs.headers.get('etag') ?? '';
    expect((await get(id, 'pdf', globex.secret, { 'if-none-match': etag })).status).toBe(304);
  });

  test.each(DOCUMENT_TYPES.map(({ type }) => type))('draws a sample of %s', async (type) => {
    const sample = sampleOf(type);
    const { pages } = await pdfOf((await sent(type, sample)).id);
    expect(pages.length).toBeLessThanOrEqual(2);
    expect(pages.join(' ')).toContain((sample as { number: string }).number);
  });

  test('repeats the head of a table, and ends after its pages', async () => {
    const lines = Array.from({ length: 120 }, (_, i) => ({ name: `Bolt ${i}`, quantity: i }));
    const { pages } = await pdfOf((await sent('order', { number: '1', currency: 'EUR', lines })).id);
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages.slice(0, -1)) expect(page).toMatch(/Description Quantity/);
    expect(pages.join(' ')).toContain('Bolt 119');
    const cut = await pdfOf((await sent('order', { lines: Array(LINES_CHECKED_MAX).fill({ name: 'x', note: 'y' }) })).id);
    expect(cut.pages.length).toBeLessThanOrEqual(PDF_PAGES_MAX + 2);
    expect(cut.pages.at(-1)).toContain('Not all of the document is here');
  });

  test('draws JSON of an unknown type by honest guesses', async () => {
    const json = {
      buyer: { name: 'Acme', city: 'Rome' },
      ref: 'X-1',
      items: [{ sku: 'A-1', quantity: '3', deep: { er: 1 } }],
      flags: [true, null],
    };
    const text = (await pdfOf((await sent('our.own', json, { subject: 'Sent by hand' })).id)).pages.join(' ');
    for (const part of ['Sent by hand', 'Ref X-1', 'City: Rome', 'Sku Quantity', 'A-1 3', 'Deep › Er: 1', 'Flags 1 Yes'])
      expect(text).toContain(part);
  });

  test.each([
    ['a long text without spaces', `{"note":"${'x'.repeat(1_000_000)}"}`],
    ['controls and bidi', `{"number":"\\u0000\\u202e\\u0007","note":"${'\\u202e\\u0000\\ud800'.repeat(50_000)}"}`],
    ['Chinese', `{"note":"${'漢'.repeat(300_000)}"}`],
    ['many keys', `{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`)}}`],
    ['brackets', '['.repeat(999) + ']'.repeat(999)],
    ['a wide table', `{"lines":[{${Array.from({ length: 20_000 }, (_, i) => `"column ${i}":1`)}}]}`],
    ['huge numbers', '{"total":1e300,"net_total":-0,"tax_total":123456789012345678901234567890}'],
    ['repeated keys', '{"number":"1","number":"2","__proto__":{"x":1}}'],
    ['null', 'null'],
  ])('of a hostile document is bounded or refused: %s', async (_, json) => {
    const { id } = await sent('invoice', json);
    for (const form of ['pdf', 'csv', 'xlsx', 'xml']) {
      const { status } = await get(id, form);
      expect([form, status === 200 || status === 404 || status === 413 ? 'fine' : status]).toEqual([form, 'fine']);
    }
    expect((await get((await sent('order', sampleOf('order'))).id, 'pdf')).status).toBe(200);
  });

  test('has the logo of the sender, and does without a damaged one', async () => {
    const owner = await claimedBy(service, 'ann@printed.test', 'printed');
    const colour = (n: number) => deflateSync(Buffer.alloc(n));
    for (const [data, size] of [
      [colour(8 * (1 + 8 * 4)), 8],
      [Buffer.from('not deflated'), 8],
    ] as const) {
      await owner.patch('/business/drop-page', { logo: pngOf(size, data).toString('base64') });
      const { body } = await owner.post('/messages', { to: 'globex', type: 'order', json: sampleOf('order') });
      const response = await get(body.id, 'pdf');
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer()).includes('/Subtype /Image\n')).toBe(data.length !== 'not deflated'.length);
    }
  });
});

/** A PNG with transparency, whose pixels are as given. */
function pngOf(side: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6], 8);
  const chunk = (name: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, Buffer.from(name), body, Buffer.alloc(4)]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

describe('tables', () => {
  test('CSV has the lines with their labels', async () => {
    const response = await get((await sent('order', { lines: [{ name: '=1+1', quantity: '-5' }] })).id, 'csv');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe("\u{feff}Description,Quantity\r\n'=1+1,-5\r\n");
  });

  test('a spreadsheet has exact numbers, and no formulas', async () => {
    const lines = [{ name: '=1+1', quantity: '0.1', price: '12345678901234567890', total: 3, sku: '0042' }];
    const response = await get((await sent('order', { lines })).id, 'xlsx');
    const book = Buffer.from(await response.arrayBuffer());
    expect([response.status, book.subarray(0, 2).toString()]).toEqual([200, 'PK']);
    const { strFromU8, unzipSync } = await import('fflate');
    const files = Object.entries(unzipSync(book)).map(([name, bytes]) => [name, strFromU8(bytes)] as const);
    const sheet = files.find(([name]) => name.includes('worksheets/sheet1'))?.[1] ?? '';
    const strings = files.map(([, text]) => text).join('');
    expect(sheet).not.toContain('<f>');
    for (const text of ['=1+1', '12345678901234567890', '0042']) expect(strings).toContain(`>${text}<`);
    for (const number of ['0.1', '3']) expect(sheet).toContain(`<v>${number}</v>`);
  });

  test('what has no lines, or too many, has no table', async () => {
    expectRefusal(await globex.api.get(`/messages/${(await sent('order', { number: '1' })).id}/document.csv`), 'not_found');
    const long = await sent('order', { lines: Array(LINES_CHECKED_MAX + 1).fill({ name: 'x' }) });
    expectRefusal(await globex.api.get(`/messages/${long.id}/document.xlsx`), 'not_found');
  });
});

test('the reader’s own type stands before one of the catalogue, in all forms but UBL', async () => {
  const schema = {
    type: 'object',
    properties: {
      number: { title: 'Slot number', type: 'string' },
      pallets: {
        title: 'Pallets',
        type: 'array',
        items: { type: 'object', properties: { weight: { title: 'Weight in kg', type: 'string' } } },
      },
    },
  };
  const layout = { number: '/number', lines: { path: '/pallets', columns: [{ path: '/weight' }] } };
  const put = (type: string) => globex.api.write('PUT', `/document-types/${type}`, { title: 'Delivery slot', schema, layout });
  const { id } = await sent('delivery.slot', { number: 'S-1', pallets: [{ weight: '420' }] });
  const order = await sent('order', { number: 'S-2', pallets: [{ weight: '421' }] });
  expect((await put('delivery.slot')).status).toBe(200);
  expect((await put('order')).status).toBe(200);
  expect(await pdfOf(id)).toMatchObject({ info: { Title: 'Delivery slot S-1' } });
  expect(await pdfOf(order.id)).toMatchObject({ info: { Title: 'Delivery slot S-2' } });
  expect(await (await get(id, 'csv')).text()).toContain('Weight in kg\r\n420');
  expect((await get(id, 'xlsx')).status).toBe(200);
  expect(await (await get(order.id, 'xml')).text()).toContain('S-2');
  // The sender has not described it.
  expect(await (await get(id, 'csv', acme.secret)).text()).toContain('Weight\r\n420');
  expect((await globex.api.request('DELETE', '/v1/document-types/order')).status).toBe(204);
  expect(await pdfOf(order.id)).toMatchObject({ info: { Title: 'Order S-2' } });
});

test('a message without JSON has no document, and strangers see nothing', async () => {
  const { body } = await acme.api.send({ to: 'globex', note: 'hello' });
  const stranger = await service.business('stranger');
  const reader = await service.business('reading', { scope: 'read' });
  for (const form of ['pdf', 'csv', 'xlsx', 'xml']) {
    expectRefusal(await globex.api.get(`/messages/${body.id}/document.${form}`), 'not_found');
    const { id } = await sent('order', sampleOf('order'));
    expectRefusal(await stranger.api.get(`/messages/${id}/document.${form}`), 'not_found');
    expectRefusal(await reader.api.get(`/messages/msg_x/document.${form}`), 'not_found');
    expectRefusal(await service.anonymous.get(`/messages/${id}/document.${form}`), 'unauthorized');
  }
});
