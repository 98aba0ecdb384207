import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentType, toUbl } from '../../packages/documents/src/index.ts';
import { copy } from './support/clipboard.ts';
import { type Composer, openComposer } from './support/composer.ts';

let composer: Composer;
let page: Page;
beforeAll(async () => {
  composer = await openComposer();
  page = composer.page;
});
afterAll(() => composer.world.stop());
beforeEach(() => composer.open('/compose'));

const field = (name: string) => page.getByLabel(name, { exact: true });
const cell = (name: string) => page.getByRole('textbox', { name, exact: true });
const focused = () => page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName');

/** The JSON of the draft, as the tab of the JSON has it. */
async function draftText(): Promise<string> {
  const stored = await page.evaluate<string>(`Object.entries(sessionStorage).find(([key]) => key.includes('.draft.'))?.[1] ?? '{}'`);
  return JSON.parse(stored).json ?? '';
}
const draft = async () => JSON.parse((await draftText()) || '{}');

/** Begins a document by keys alone: opens the list, and types what it is. */
async function begin(type: string): Promise<void> {
  await page.getByRole('button', { name: 'Add document' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Add document' }).waitFor();
  await page.keyboard.type(type);
  await page.keyboard.press('Enter');
  await field('Number *').waitFor();
}

test('an order is written by keyboard alone, from nothing to sent, and is what the JSON says', async () => {
  await page.keyboard.type('globex');
  await page.getByText('No messages yet').or(page.getByText('First contact')).or(page.getByText('message so far')).first().waitFor();
  await begin('order');
  expect(await draft()).toMatchObject({ buyer: { name: expect.any(String), handle: 'acme-works' }, seller: { handle: 'globex' } });
  // The focus is in the first field of the form.
  await page.keyboard.type('PO-4711');
  await expect.poll(() => field('Number *').inputValue()).toBe('PO-4711');
  for (let presses = 0; presses < 20 && (await focusedPointer()) !== '/currency'; presses++) await page.keyboard.press('Tab');
  await page.keyboard.type('EUR');
  await cell('Description, new line').focus();
  await page.keyboard.type('Ball bearing');
  await page.keyboard.press('Tab');
  await page.keyboard.type('200');
  await page.keyboard.press('Tab');
  await page.keyboard.type('C62');
  await page.keyboard.press('Tab');
  await page.keyboard.type('3,15');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('19');
  // Enter goes on below the cell in which the run of Tabs began.
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('Description, new line');
  await page.keyboard.type('Shaft seal');
  await page.keyboard.press('Tab');
  await page.keyboard.type('120');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.245');
  const expected = {
    number: 'PO-4711',
    currency: 'EUR',
    lines: [
      { id: '1', name: 'Ball bearing', quantity: '200', unit: 'C62', price: '3.15', tax_rate: '19', total: '630.00' },
      { id: '2', name: 'Shaft seal', quantity: '120', price: '1.245', tax_rate: '19', total: '149.40' },
    ],
    ...{ lines_total: '779.40', net_total: '779.40', tax_total: '148.09', total: '927.49' },
    taxes: [{ rate: '19', net: '779.40', tax: '148.09' }],
  };
  await expect.poll(draft).toMatchObject(expected);
  const text = await draftText();
  expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2));
  await composer.ann.expectAccessible();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Sent' }).waitFor();
  const { body } = await composer.ann.api.get('/outbox');
  const { body: message } = await composer.ann.api.get(`/messages/${body.data[0].id}`);
  expect(message).toMatchObject({ type: 'order', json: JSON.parse(text) });
});

const focusedPointer = () => page.evaluate<string>('document.activeElement?.getAttribute("data-pointer") ?? ""');

describe('lines are a table', () => {
  test('of which twenty are pasted from a spreadsheet, and doubtful numbers are marked', async () => {
    await begin('order');
    await cell('Line, new line').focus();
    const rows = Array.from({ length: 20 }, (_, at) => `A-${at}\tArticle ${at}\t${at === 3 ? '1.000' : at + 1}\t2`);
    await copy(page, ['SKU\tDescription\tQty\tUnit price', ...rows].join('\n'));
    await page.keyboard.press('Control+v');
    await page.getByText('20 lines pasted.').waitFor();
    const { lines } = await draft();
    expect(lines).toHaveLength(20);
    expect(lines[19]).toEqual({ id: '20', sku: 'A-19', name: 'Article 19', quantity: '20', price: '2', total: '40.00' });
    await page.getByText('1 number such as 1.000 could be read in two ways:').waitFor();
    await page.getByRole('button', { name: 'Comma is decimal' }).click();
    await expect.poll(async () => (await draft()).lines[3].total).toBe('2000.00');
  });

  test('in which arrows move, and Alt moves and deletes lines', async () => {
    await begin('order');
    await cell('Description, new line').focus();
    for (const name of ['First', 'Second', 'Third']) {
      await page.keyboard.type(name);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Description, line 3');
    await page.keyboard.press('Alt+ArrowUp');
    expect(await focused()).toBe('Description, line 2');
    const names = async () => (await draft()).lines.map((line: { name: string }) => line.name);
    expect(await names()).toEqual(['First', 'Third', 'Second']);
    await page.keyboard.press('Alt+Delete');
    expect(await names()).toEqual(['First', 'Second']);
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Quantity, line 2');
  });

  test('that draws what is in sight of a thousand', async () => {
    await begin('order');
    await cell('Line, new line').focus();
    await copy(page, ['Description\tQty\tPrice', ...Array.from({ length: 1_000 }, (_, at) => `Article ${at}\t1\t2.50`)].join('\n'));
    await page.keyboard.press('Control+v');
    await page.getByText('1,000 lines pasted.').waitFor();
    expect(await page.getByRole('table', { name: 'Lines' }).getByRole('row').count()).toBeLessThan(40);
    await cell('Price, line 1').fill('3.50');
    await expect.poll(async () => (await draft()).total).toBe('2501.00');
  });
});

describe('form and JSON stay in step', () => {
  const OWN = `{"x_ref":  1.0, "number":"A","issue_date":"2026-10-12","big": 12345678901234567890,\n "buyer":{"name":"Acme"},"lines":[{"name":"Bolt","quantity":2.50}]}`;

  test('and what the form does not know stays as it was written', async () => {
    await begin('order');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.getByRole('textbox', { name: 'JSON' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(OWN);
    await expect.poll(draftText).toBe(OWN);
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await field('Number *').fill('B');
    await expect.poll(draftText).toBe(OWN.replace('"A"', '"B"'));
    await page.getByText('Also in the JSON, and kept as it is: x_ref, big').waitFor();
    await cell('Price, line 1').fill('3');
    await expect.poll(draftText).toContain('"quantity":2.50,"price":"3","total":"7.50"');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await expect.poll(() => composer.json().textContent()).toContain('7.50');
  });

  test.each([
    ['[1]', 'The form needs a JSON object.'],
    ['{"items":[]}', 'This JSON has no field of the form “Order”.'],
    ['{"lines":{}}', '“lines” has another shape than the form expects.'],
    ['{"number":', 'This is not JSON yet, so the form can’t show it.'],
  ])('and the form says why it can’t show %s', async (text, reason) => {
    await begin('order');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    await page.getByRole('textbox', { name: 'JSON' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
    await page.getByText(reason).waitFor();
    expect(await page.getByRole('button', { name: 'Form', exact: true }).isDisabled()).toBe(true);
  });

  test('a total that somebody wrote stays, and says what was expected', async () => {
    await begin('order');
    await cell('Quantity, new line').fill('3');
    await cell('Price, line 1').fill('2');
    await expect.poll(() => field('Total *').or(field('Total')).inputValue()).toBe('6.00');
    await field('Total').fill('7');
    await page.getByText('Expected 6.00 (net total + tax), not 7.00.').first().waitFor();
    await cell('Quantity, line 1').fill('4');
    await page.getByText('Expected 8.00 (net total + tax), not 7.00.').first().waitFor();
    expect((await draft()).total).toBe('7');
  });
});

test('a draft that something else filled in opens as a form, also after a reload, and stays in its thread', async () => {
  const json = '{"number":"INV-1","currency":"EUR","lines":[{"name":"Bolt","quantity":1}]}';
  await composer.openOrder();
  const filled = JSON.stringify({ type: 'invoice', subject: 'Invoice', json });
  await page.evaluate(`sessionStorage.setItem('waybill.draft.acme-works.${composer.order.thread_id}', ${JSON.stringify(filled)})`);
  await page.reload();
  await composer.title('Order of initech');
  await page.getByRole('textbox', { name: 'Note' }).click();
  await expect.poll(() => field('Number *').inputValue()).toBe('INV-1');
  await cell('Price, line 1').fill('2');
  await expect.poll(() => field('Total *').inputValue()).toBe('2.00');
  await page.getByRole('link', { name: /Order of globex/ }).click();
  await composer.title('Order of globex');
  await page.keyboard.press('r');
  await composer.note().waitFor();
  expect(await field('Number *').count()).toBe(0);
});

test('a file that is dropped or chosen fills the form, and asks before it replaces something', async () => {
  const sample = JSON.stringify(documentType('invoice')?.samples[0]);
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const choose = (name: string, text: string) => page.getByLabel('File with the document').setInputFiles(file(name, text));
  await begin('order');
  await field('Number *').fill('PO-1');
  await choose('lines.csv', 'Description,Quantity,Unit price\nBolt,2,3.50\n');
  await expect.poll(draft).toMatchObject({ number: 'PO-1', lines: [{ name: 'Bolt', quantity: '2' }] });
  await choose('odd.xml', '<a/>');
  await page.getByText('The XML is no order, invoice or credit note of UBL 2.1, but a.').waitFor();
  await composer.ann.expectAccessible();
  await page.getByRole('button', { name: 'Attach instead' }).click();
  await page.getByRole('list', { name: 'Chosen files' }).getByText('odd.xml').waitFor();
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(toUbl('invoice', sample) ?? '')}], 'invoice.xml'));
    transfer.items.add(new File(['as agreed'], 'terms.txt'));
    return transfer;
  })()`);
  await page.getByRole('region', { name: 'Order' }).dispatchEvent('drop', { dataTransfer: transfer });
  await page.getByText('Replace all of this document with the file?').waitFor();
  await page.getByRole('list', { name: 'Chosen files' }).getByText('terms.txt').waitFor();
  expect(await draft()).toMatchObject({ number: 'PO-1' });
  const folder = process.env['SHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/drop.png`, fullPage: true });
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByRole('region', { name: 'Invoice' }).waitFor();
  expect(await draft()).toMatchObject({ number: 'INV-2026-0442', total: '1027.00' });
});

test('a document begins with a file', async () => {
  await page.getByRole('button', { name: 'Add document' }).click();
  const lines = { name: 'lines.csv', mimeType: 'text/csv', buffer: Buffer.from('Description,Quantity\nBolt,2\n') };
  await page.getByLabel('File with the document').setInputFiles(lines);
  await page.getByRole('region', { name: 'Order' }).waitFor();
  expect(await draft()).toMatchObject({ lines: [{ name: 'Bolt', quantity: '2' }] });
});

test('a type of the business has a form, too', async () => {
  const properties = { number: { title: 'Slot number', type: 'string' }, gate: { title: 'Gate', enum: ['North', 'South'] } };
  const type = { title: 'Delivery slot', schema: { type: 'object', required: ['number'], properties } };
  expect((await composer.ann.api.request('PUT', '/document-types/delivery.slot', type)).status).toBe(200);
  await page.getByRole('button', { name: 'Add document' }).click();
  await page.getByRole('combobox', { name: 'Add document' }).fill('delivery slot');
  await page.getByRole('option', { name: /^Delivery slot/ }).waitFor();
  await page.keyboard.press('Enter');
  await field('Slot number *').fill('S-1');
  await field('Gate').selectOption('South');
  await expect.poll(draft).toEqual({ number: 'S-1', gate: 'South' });
  await composer.ann.expectAccessible();
});

test('Escape closes the calendar and leaves the form, and keys outside of fields do nothing', async () => {
  await composer.openOrder();
  await page.keyboard.press('r');
  await begin('invoice');
  await field('Due').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('dialog', { name: /Due/ }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'JSON', exact: true }).focus();
  await page.keyboard.type('eujk');
  expect(await field('Number *').isVisible()).toBe(true);
  await composer.ann.expectAccessible();
});

/** Pictures for people to look at: FORM_PICTURES names a folder. */
const PICTURES = process.env['FORM_PICTURES'];
test.runIf(PICTURES).each([
  [390, 'light'],
  [390, 'dark'],
  [1440, 'light'],
  [1440, 'dark'],
] as const)('at %i px, %s', async (width, colorScheme) => {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme });
  await begin('order');
  await field('Currency *').fill('eu');
  await cell('Line, new line').focus();
  await copy(
    page,
    'SKU\tDescription\tQty\tUnit price\tVAT\nKL-6204\tBall bearing 6204-2RS\t200\t3.15\t19\nWD-25407\tShaft seal\t1.000\t1.245\t19',
  );
  await page.keyboard.press('Control+v');
  await field('Total').fill('7');
  await page.screenshot({ path: path.join(PICTURES ?? '', `form-${width}-${colorScheme}.png`), fullPage: true });
  expect(readFileSync(path.join(PICTURES ?? '', `form-${width}-${colorScheme}.png`)).length).toBeGreaterThan(0);
  await composer.ann.expectAccessible();
  await page.setViewportSize({ width: 1280, height: 800 });
});
