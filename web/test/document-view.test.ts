import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOCUMENT_TYPES, documentType } from '../../packages/documents/src/index.ts';
import { openWorld, type Visitor, type World } from './support/visitor.ts';

let world: World;
let ann: Awaited<ReturnType<World['member']>>;
let globex: Awaited<ReturnType<World['service']['business']>>;
beforeAll(async () => {
  world = await openWorld();
  ann = await world.member('ann@acme-works.test', 'acme-works', { viewport: { width: 1440, height: 900 } });
  globex = await world.service.business('globex');
});
afterAll(() => world.stop());

const sent = async (request: object): Promise<{ id: string; thread_id: string }> => {
  const response = await globex.api.send({ to: 'acme-works', ...request });
  expect(response.status, response.text).toBe(201);
  return response.body;
};
const openThread = ({ open }: Visitor, { thread_id }: { thread_id: string }) => open(`/threads/${thread_id}`);
const invoice = () => documentType('invoice')?.samples[0] ?? {};
const widthOf = ({ page }: Visitor) => page.evaluate<number>('document.documentElement.scrollWidth');
const shot = async ({ page }: Visitor, name: string) => {
  const folder = process.env['SHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
};

describe('each type of the catalogue is a sheet', () => {
  test.each(DOCUMENT_TYPES.map((type) => [type.type, type] as const))('%s', async (type, { samples, title }) => {
    const [json = {}] = samples;
    await openThread(ann, await sent({ type, subject: title, json }));
    const number: unknown = Object.entries(json).find(([name]) => name === 'number')?.[1];
    const sheet = ann.page.getByRole('figure', { name: `${title} ${number}` });
    await sheet.waitFor();
    expect(await sheet.getByRole('table').count()).toBeGreaterThan(0);
    expect(await sheet.getByText('to check').count()).toBe(0);
    await ann.expectAccessible();
    await shot(ann, `type-${type}`);
  });
});

test('an invoice fits a phone, a desk and a wide screen, in both themes', async () => {
  const message = await sent({ type: 'invoice', subject: 'Invoice', json: invoice() });
  for (const [width, colorScheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1440, 'dark'],
    [1920, 'light'],
  ] as const) {
    const reader = await world.signedIn(ann.api, { viewport: { width, height: 900 }, colorScheme });
    await openThread(reader, message);
    const sheet = reader.page.getByRole('figure', { name: 'Invoice INV-2026-0442' });
    await sheet.getByText('€1,027.00').first().waitFor();
    await sheet.getByText('200 pcs').waitFor();
    expect(await widthOf(reader)).toBeLessThanOrEqual(width);
    await reader.expectAccessible();
    await shot(reader, `invoice-${width}-${colorScheme}`);
    await reader.context.close();
  }
});

test('numbers and days are those of the browser’s language, and words are English', async () => {
  const reader = await world.signedIn(ann.api, { locale: 'de-DE' });
  await openThread(reader, await sent({ type: 'invoice', json: { ...invoice(), total: '12345678901234567890.10' } }));
  const sheet = reader.page.getByRole('figure', { name: 'Invoice INV-2026-0442' });
  await sheet.getByText('12.345.678.901.234.567.890,10').waitFor();
  await sheet.getByText('21. Okt. 2026').waitFor();
  await sheet.getByText('Amount due').first().waitFor();
  await reader.context.close();
});

test('the tabs are operated by keys, and the choice holds for messages that are opened later', async () => {
  const { page } = ann;
  await openThread(ann, await sent({ type: 'invoice', json: invoice() }));
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await tab('Document').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tree', { name: 'JSON' }).waitFor();
  expect(await tab('JSON').getAttribute('aria-selected')).toBe('true');
  await tab('JSON').and(page.locator(':focus')).waitFor();
  await ann.expectAccessible();
  await openThread(ann, await sent({ type: 'order', json: { a: 1 } }));
  await page.getByRole('tree', { name: 'JSON' }).waitFor();
  await tab('JSON').focus();
  await page.keyboard.press('Home');
  await page.getByRole('tabpanel', { name: 'Document' }).getByText('1', { exact: true }).waitFor();
});

test('what the rules find is said, at its value and above, and refuses nothing', async () => {
  const { page } = ann;
  await openThread(ann, await sent({ type: 'invoice', json: { ...invoice(), total: '1014.55' } }));
  await page.getByText('2 values to check').click();
  expect(await page.getByText(/^Expected 1027\.00 \(net total \+ tax\), not 1014\.55\.$/).count()).toBeGreaterThanOrEqual(2);
  await ann.expectAccessible();
  await shot(ann, 'warning');
});

test('10,000 lines are drawn in parts, and all of them on paper', async () => {
  const { page } = ann;
  const lines = Array.from({ length: 10_000 }, (_, at) => ({ id: String(at), name: `Part ${at}`, quantity: 1 }));
  await openThread(ann, await sent({ type: 'order', json: { number: 'PO-1', issue_date: '2026-10-12', currency: 'EUR', lines } }));
  const table = page.getByRole('table', { name: 'Lines' });
  await table.waitFor();
  expect(await table.getByRole('row').count()).toBe(51);
  await page.getByRole('button', { name: 'Show 500 more' }).click();
  expect(await table.getByRole('row').count()).toBe(551);
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  expect(await page.evaluate<number>(`document.querySelectorAll('[data-document] tbody').length`)).toBe(10_000);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
});

describe('a type that businesses describe themselves', () => {
  const schema = (label: string) => ({ type: 'object', properties: { number: { title: label }, gate: { title: `${label} gate` } } });
  const put = (title: string) => ({ title, schema: schema(title), layout: { facts: [{ path: '/gate' }] }, published: true });

  test('is shown by the own description of the reader, before one of the catalogue, until it is deleted', async () => {
    const { page, api } = ann;
    expect((await api.request('PUT', '/document-types/quote', put('Our quote'))).status).toBe(200);
    const message = await sent({ type: 'quote', json: { number: 'Q-1', gate: 'North' } });
    await openThread(ann, message);
    await page.getByRole('figure', { name: 'Our quote Q-1' }).getByText('Our quote gate').waitFor();
    await ann.expectAccessible();
    await shot(ann, 'own-type');
    expect((await api.request('DELETE', '/document-types/quote')).status).toBe(204);
    await openThread(ann, message);
    await page.getByRole('figure', { name: 'Quote Q-1' }).waitFor();
  });

  test('is shown by the one that its sender publishes, if nobody else knows it, which is asked for once', async () => {
    const { page } = ann;
    expect((await globex.api.write('PUT', '/document-types/gate.slot', put('Gate slot'))).status).toBe(200);
    const asked: string[] = [];
    const note = (request: { url(): string }) => void (request.url().includes('document-types') && asked.push(request.url()));
    page.on('request', note);
    await openThread(ann, await sent({ type: 'gate.slot', json: { number: 'S-1', gate: 'North' } }));
    await page.getByRole('figure', { name: 'Gate slot S-1' }).getByText('Gate slot gate').waitFor();
    asked.length = 0;
    for (const number of ['N-1', 'N-2']) {
      await openThread(ann, await sent({ type: 'not.described', json: { number, gate: 'A' } }));
      await page.getByRole('tabpanel', { name: 'Document' }).getByText(number).first().waitFor();
    }
    page.off('request', note);
    // Each opening is a load of the page, which asks for each once.
    expect(asked.map((url) => new URL(url).pathname).toSorted()).toEqual([
      ...['/v1/business/document-types', '/v1/business/document-types'],
      ...['/v1/public/globex/document-types/not.described', '/v1/public/globex/document-types/not.described'],
    ]);
  });
});

test('the menu of a message downloads its document', async () => {
  const { page } = ann;
  const items = ['Download PDF', 'Lines as CSV', 'Lines as Excel', 'UBL (XML)'];
  const message = await sent({ type: 'invoice', json: invoice() });
  await openThread(ann, message);
  for (const [at, item] of items.entries()) {
    await page.getByRole('button', { name: 'Message actions' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: item }).click()]);
    expect(download.suggestedFilename()).toBe(`${message.id}.${['pdf', 'csv', 'xlsx', 'xml'][at]}`);
  }
  await openThread(ann, await sent({ type: 'quote', json: { number: 'Q-1' } }));
  await page.getByRole('button', { name: 'Message actions' }).click();
  await page.getByRole('menuitem', { name: 'Lines as CSV' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'UBL (XML)' }).count()).toBe(0);
  await ann.expectAccessible();
  await shot(ann, 'menu');
  await page.getByRole('menuitem', { name: 'Lines as CSV' }).click();
  await page.getByText('The document has no lines.').waitFor();
});

describe('other JSON', () => {
  test('UBL has its parties, lines and totals', async () => {
    const party = (name: string) => ({
      'cac:Party': { 'cac:PartyName': { 'cbc:Name': name }, 'cac:PostalAddress': { 'cbc:CityName': 'Bonn' } },
    });
    const amount = (text: string) => ({ '#text': text, '@currencyID': 'EUR' });
    const json = {
      Invoice: {
        ...{ 'cbc:ID': 'INV-7', 'cbc:IssueDate': '2026-03-01', 'cbc:DocumentCurrencyCode': 'EUR', 'cbc:ProfileID': 'peppol' },
        ...{ 'cac:AccountingSupplierParty': party('Globex'), 'cac:AccountingCustomerParty': party('Acme') },
        'cac:LegalMonetaryTotal': { 'cbc:PayableAmount': amount('2380.00') },
        'cac:InvoiceLine': {
          'cbc:ID': '1',
          'cbc:InvoicedQuantity': { '#text': '2', '@unitCode': 'KGM' },
          'cac:Item': { 'cbc:Name': 'Steel' },
        },
      },
    };
    await openThread(ann, await sent({ json }));
    const sheet = ann.page.getByRole('figure', { name: 'Invoice INV-7' });
    for (const text of ['€2,380.00', 'Globex', '2 kg', 'peppol']) await sheet.getByText(text).first().waitFor();
    await ann.expectAccessible();
    await shot(ann, 'ubl');
  });

  test('is shown by guesses, whole, and nothing in it acts', async () => {
    const { page } = ann;
    const wide = Object.fromEntries(Array.from({ length: 28 }, (_, at) => [`field_${at}`, at * 1_000]));
    const json = {
      ...{
        po_number: 'PO-9',
        order_date: '2026-03-01',
        currency: 'USD',
        total: '2380.00',
        note: '<img src=x onerror=alert(1)> =cmd|x',
        'na\u202eme': 'r',
      },
      ...{
        buyer: { name: 'Acme', street: 'Main St 1', city: 'Austin', state: 'TX', zip: '78701', country: 'US' },
        tax: { amount: '380.00' },
      },
      ...{
        lines: [wide],
        shipment: {
          legs: [
            { from: 'HAM', to: 'NYC' },
            { from: 'NYC', to: 'AUS' },
          ],
          box: { size: { w: 1, h: 2 } },
        },
      },
    };
    await openThread(ann, await sent({ type: 'purchase.order', json }));
    const sheet = page.getByRole('figure', { name: 'Purchase order' });
    for (const text of ['$2,380.00', 'Austin, TX 78701', 'United States', 'Field 27', 'NYC', 'PO-9'])
      await sheet.getByText(text).first().waitFor();
    const scrolls = `[...document.querySelectorAll('[data-document] [role=group]')].some((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate<boolean>(scrolls)).toBe(true);
    expect(await widthOf(ann)).toBeLessThanOrEqual(1440);
    await ann.expectAccessible();
    await shot(ann, 'guess');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await widthOf(ann)).toBeLessThanOrEqual(390);
    await shot(ann, 'guess-390');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test.each(['"text"', '[]', '{}', '[[1,[2]],{"a":[]}]', '{"number":{"a":1},"lines":"none","total":[1]}'])(
    '%s has something to show',
    async (json) => {
      await openThread(ann, await sent({ type: 'invoice', note: 'odd', json: JSON.parse(json) }));
      await ann.page.getByRole('tabpanel', { name: 'Document' }).getByRole('figure').waitFor();
      await ann.expectAccessible();
    },
  );
});

describe('on paper', () => {
  test('a message is its document under the name of its sender, without the page around it', async () => {
    const { page } = ann;
    await page.addInitScript('window.print = () => { window.printed = (window.printed ?? 0) + 1; }');
    await openThread(ann, await sent({ type: 'invoice', subject: 'Invoice', json: { ...invoice(), total: '1014.55' } }));
    await page.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem', { name: 'Print' }).click();
    await expect.poll(() => page.evaluate<number>('window.printed ?? 0')).toBe(1);
    await page.emulateMedia({ media: 'print' });
    const paper = page.locator('[data-print-sheet]');
    expect(await paper.isVisible()).toBe(true);
    expect(await page.locator('#root').isVisible()).toBe(false);
    expect(await paper.getByRole('button').count()).toBe(0);
    await paper.getByText('globex', { exact: false }).first().waitFor();
    await shot(ann, 'paper');
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.length).toBeGreaterThan(5_000);
    await page.emulateMedia({ media: 'screen' });
    // The end of printing brings the page back.
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await expect.poll(() => paper.count()).toBe(0);
  });

  test('the palette prints it, too', async () => {
    const { page } = ann;
    await openThread(ann, await sent({ type: 'order', subject: 'Order 4711', json: documentType('order')?.samples[0] }));
    await page.getByRole('figure', { name: 'Order PO-4711' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('print order');
    await page.getByRole('option', { name: 'Print order Order 4711' }).click();
    await expect.poll(() => page.evaluate<number>('window.printed ?? 0')).toBe(1);
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  });
});
