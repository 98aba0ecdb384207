import type { Item, Table } from './document-type.ts';
import { date, decimal, list, longText, object, text } from './properties.ts';
import type { Properties, Schema } from './schema.ts';

/** What is ordered, sent or invoiced, and how many of it. `quantity` is the element of UBL, whose name differs by document. */
export function itemLine(quantity: string, meaning: string): Properties {
  return {
    id: text('Line', 'Number of the line, which no other line has.', { en: 'BT-126', ubl: 'cbc:ID' }),
    sku: text('Article', 'The seller’s number of the article.', { en: 'BT-155', ubl: 'cac:Item/cac:SellersItemIdentification/cbc:ID' }),
    buyer_sku: text('Buyer’s article', 'The buyer’s number of the article.', {
      en: 'BT-156',
      ubl: 'cac:Item/cac:BuyersItemIdentification/cbc:ID',
    }),
    gtin: text('GTIN', 'Number of the article under its bar code.', {
      en: 'BT-157',
      ubl: 'cac:Item/cac:StandardItemIdentification/cbc:ID',
    }),
    name: text('Description', 'Name of the article or service.', { en: 'BT-153', ubl: 'cac:Item/cbc:Name' }),
    details: longText('Details', 'What the name does not say.', { en: 'BT-154', ubl: 'cac:Item/cbc:Description' }),
    quantity: decimal('Quantity', meaning, { en: 'BT-129', ubl: quantity }),
    unit: text('Unit', 'Unit of the quantity: a code of UN/ECE Recommendation 20 such as C62 (one) or KGM, or a word.', {
      en: 'BT-130',
      ubl: `${quantity}/@unitCode`,
    }),
    note: longText('Note', 'What else the reader should know of the line.', { en: 'BT-127', ubl: 'cbc:Note' }),
  };
}

/** A line with a price. Its total is quantity × price, less the discount, plus the charge. */
export function pricedLine(quantity: string, meaning: string): Properties {
  return {
    ...itemLine(quantity, meaning),
    price: decimal('Price', 'Price of one unit without tax.', { en: 'BT-146', ubl: 'cac:Price/cbc:PriceAmount' }),
    price_quantity: decimal('Price per', 'How many units the price is for, if not for one: 100 for a price per hundred.', {
      en: 'BT-149',
      ubl: 'cac:Price/cbc:BaseQuantity',
    }),
    discount: decimal('Discount', 'Amount that the line costs less.', { en: 'BT-136', ubl: 'cac:AllowanceCharge/cbc:Amount' }),
    charge: decimal('Charge', 'Amount that the line costs more.', { en: 'BT-141', ubl: 'cac:AllowanceCharge/cbc:Amount' }),
    tax_rate: decimal('Tax rate', 'Percentage of the tax on the line.', {
      en: 'BT-152',
      ubl: 'cac:Item/cac:ClassifiedTaxCategory/cbc:Percent',
    }),
    total: decimal('Total', 'Quantity × price, less discount, plus charge, without tax.', { en: 'BT-131', ubl: 'cbc:LineExtensionAmount' }),
  };
}

export const promisedDate = date('Delivery', 'Day on which the seller delivers the line.', {
  ubl: 'cac:Delivery/cac:PromisedDeliveryPeriod/cbc:EndDate',
});

export const orderLine = text('Order line', 'Number of the line in the order.', { en: 'BT-132', ubl: 'cac:OrderLineReference/cbc:LineID' });

export function lines(required: readonly string[], properties: Properties, ubl: string): Schema {
  const line = object('Line', 'An article or a service.', required, properties);
  return list('Lines', 'What it is about, a line for each article or service.', line, { ubl });
}

export const QUANTITY: readonly Item[] = [{ path: '/quantity', format: 'quantity' }, { path: '/unit' }];
const ITEM: readonly Item[] = [{ path: '/id' }, { path: '/sku' }, { path: '/name' }, ...QUANTITY];
const ITEM_DETAILS: readonly Item[] = [{ path: '/details' }, { path: '/buyer_sku' }, { path: '/gtin' }, { path: '/note' }];

export function itemTable(columns: readonly Item[] = [], details: readonly Item[] = []): Table {
  return { path: '/lines', columns: [...ITEM, ...columns], details: [...ITEM_DETAILS, ...details] };
}

export function pricedTable(columns: readonly Item[] = [], details: readonly Item[] = []): Table {
  const priced: Item[] = [
    { path: '/price', format: 'money' },
    { path: '/discount', format: 'money' },
    { path: '/tax_rate', format: 'percent' },
    { path: '/total', format: 'money' },
  ];
  const rare: Item[] = [
    { path: '/price_quantity', format: 'quantity' },
    { path: '/charge', format: 'money' },
  ];
  return itemTable([...columns, ...priced], [...rare, ...details]);
}
