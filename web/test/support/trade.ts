import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Hands } from './hands.ts';
import type { Visitor } from './visitor.ts';

/** Texts that a page, a spreadsheet or a printer could take for something else. */
export const FORMULA = `=cmd|'/c calc'!A1`;
export const MARKUP = '<img src=x onerror=alert(1)>';

export interface Trade {
  hands: Hands;
  buyer: Visitor;
  seller: Visitor & { handle: string; displayName: string };
  /** Part of each number, so that walks do not find each other's. */
  name: string;
  /** Called where somebody has something new before them. */
  station(visitor: Visitor, name: string): Promise<void>;
}

const subjectOf = ({ name }: Trade) => `"><script>alert(1)</script> Bearings for ${name}`;
const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
const card = (page: Page, name: string) => page.getByRole('article').filter({ has: figure(page, name) });
const button = (inside: Page | Locator, name: string) => inside.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const cell = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** The buyer writes an order in a form, and reads it in its thread. */
export async function order(trade: Trade): Promise<void> {
  const { hands, buyer, seller, name, station } = trade;
  const { page } = buyer;
  await hands.goTo(page, 'compose');
  await page.getByRole('heading', { name: 'New message' }).waitFor();
  await hands.write(page.getByRole('combobox', { name: 'To' }), seller.handle);
  await page.getByRole('status').getByText(seller.displayName).waitFor();
  await hands.write(page.getByLabel('Subject'), subjectOf(trade));
  await hands.press(button(page, 'Add document'));
  await page.getByRole('combobox', { name: 'Add document' }).and(page.locator(':focus')).waitFor();
  await station(buyer, 'types');
  await page.keyboard.type('order');
  await page.keyboard.press('Enter');
  await hands.write(field(page, 'Number *'), `PO-${name}`);
  expect(await page.getByRole('group', { name: 'Seller' }).getByLabel('Name *').inputValue()).toBe(seller.displayName);
  await hands.write(field(page, 'Currency *'), 'EUR');
  await hands.write(cell(page, 'Description, new line'), `${FORMULA} bearing`);
  await hands.write(cell(page, 'Quantity, line 1'), '200');
  await hands.write(cell(page, 'Price, line 1'), '3.15');
  await hands.write(cell(page, 'Tax rate, line 1'), '19');
  await hands.write(cell(page, 'Description, new line'), `${MARKUP} seal`);
  await hands.write(cell(page, 'Quantity, line 2'), '120');
  await hands.write(cell(page, 'Price, line 2'), '1.245');
  await expect.poll(() => field(page, 'Total').inputValue()).toBe('927.49');
  await station(buyer, 'order-form');
  await hands.send(page);
  await page.getByRole('heading', { name: 'Sent' }).waitFor();
  await station(buyer, 'sent');
  await hands.press(page.getByRole('link', { name: 'Open thread' }));
  await figure(page, `Order PO-${name}`).waitFor();
}

/** The seller reads the order, and confirms it with a smaller quantity. */
export async function confirm(trade: Trade): Promise<void> {
  const { hands, seller, buyer, name, station } = trade;
  const { page } = seller;
  await seller.open('/inbox');
  const row = page.getByRole('link', { name: new RegExp(`Bearings for ${name}`) });
  await row.waitFor();
  await station(seller, 'inbox');
  await hands.press(row);
  const sheet = figure(page, `Order PO-${name}`);
  await sheet.getByText(`${FORMULA} bearing`).waitFor();
  await sheet.getByText(`${MARKUP} seal`).waitFor();
  await sheet.getByText('€927.49').first().waitFor();
  await button(page, 'Confirm with changes').waitFor();
  await station(seller, 'order');
  await hands.press(button(page, 'Confirm with changes'));
  await page.getByText('Accepts the order when sent').waitFor();
  await hands.write(cell(page, 'Quantity, line 2'), '100');
  await expect.poll(() => field(page, 'Total').inputValue()).toBe('897.86');
  await hands.write(field(page, 'Reason'), 'Twenty seals are out of stock.');
  await station(seller, 'confirmation-form');
  await hands.send(page);
  const confirmation = `Confirmation of an order OC-PO-${name}`;
  await figure(page, confirmation).waitFor();
  await card(page, `Order PO-${name}`).getByRole('list', { name: 'Acknowledgements' }).getByText('Accepted').waitFor();
  await figure(buyer.page, confirmation).getByText('Twenty seals are out of stock.').waitFor();
  await station(buyer, 'confirmation');
}

/** The seller despatches from the order, and invoices what was confirmed. */
export async function supply({ hands, seller, buyer, name, station }: Trade): Promise<void> {
  const { page } = seller;
  await hands.press(button(card(page, `Order PO-${name}`), 'Create despatch advice'));
  await expect.poll(() => field(page, 'Number *').inputValue()).toBe(`DN-PO-${name}`);
  await hands.write(cell(page, 'Quantity, line 2'), '100');
  await station(seller, 'despatch-form');
  await hands.send(page);
  await figure(page, `Despatch advice DN-PO-${name}`).waitFor();
  await hands.press(button(card(page, `Confirmation of an order OC-PO-${name}`), 'Create invoice'));
  await hands.write(field(page, 'Number *'), `INV-${name}`);
  await hands.write(field(page, 'Due'), '2999-12-24');
  await station(seller, 'invoice-form');
  await hands.send(page);
  await figure(page, `Invoice INV-${name}`).getByText('€897.86').first().waitFor();
  await figure(buyer.page, `Invoice INV-${name}`).getByText('€897.86').first().waitFor();
  await station(buyer, 'invoice');
}

/** The buyer disputes the seals, and the seller credits them. */
export async function dispute({ hands, seller, buyer, name, station }: Trade): Promise<void> {
  const invoice = `Invoice INV-${name}`;
  await hands.press(button(card(buyer.page, invoice), 'Dispute'));
  const asked = buyer.page.getByRole('dialog');
  await hands.press(asked.getByLabel(/bearing/));
  await hands.write(asked.getByLabel('Reason'), 'Ten seals are dented.');
  await station(buyer, 'dispute-dialog');
  await hands.press(button(asked, 'Continue'));
  await asked.waitFor({ state: 'detached' });
  await buyer.page.getByRole('form', { name: 'Reply' }).getByText('Ten seals are dented.').first().waitFor();
  await station(buyer, 'dispute-form');
  await hands.send(buyer.page);

  const { page } = seller;
  await page.getByRole('article').getByText('Ten seals are dented.').first().waitFor();
  await page.getByRole('article').getByText(`Dispute INV-${name}`).first().waitFor();
  await station(seller, 'dispute');
  await hands.press(button(card(page, invoice), 'Create credit note'));
  const offered = page.getByRole('dialog');
  await hands.press(offered.getByLabel(/bearing/));
  await hands.write(offered.getByLabel('Reason (optional)'), 'Ten dented seals.');
  await hands.press(button(offered, 'Continue'));
  await hands.write(field(page, 'Number *'), `CN-${name}`);
  await hands.write(cell(page, 'Quantity, line 1'), '10');
  await station(seller, 'credit-form');
  await hands.send(page);
  await figure(page, `Credit note CN-${name}`).waitFor();
  await figure(buyer.page, `Credit note CN-${name}`).getByText('€14.82').first().waitFor();
  await station(buyer, 'credit-note');
}
