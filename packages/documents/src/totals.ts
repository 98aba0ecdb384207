import type { Item, Table } from './document-type.ts';
import { decimal, list, partOf } from './properties.ts';
import type { Properties } from './schema.ts';

/** Discounts, charges, taxes and the totals of a document. `total` is the element of UBL that holds the totals, whose name differs by document. */
export function totals(total: string): Properties {
  const amount = (title: string, meaning: string, en: string, element: string) =>
    decimal(title, meaning, { en, ubl: `${total}/${element}` });
  return {
    discounts: list(
      'Discounts',
      'Discounts on the whole document, each without tax.',
      partOf('adjustment', 'Discount', 'A discount on the whole document.'),
      { en: 'BG-20', ubl: 'cac:AllowanceCharge with cbc:ChargeIndicator false' },
    ),
    charges: list(
      'Charges',
      'Charges on the whole document such as freight, each without tax.',
      partOf('adjustment', 'Charge', 'A charge on the whole document.'),
      { en: 'BG-21', ubl: 'cac:AllowanceCharge with cbc:ChargeIndicator true' },
    ),
    lines_total: amount('Subtotal', 'Sum of the totals of all lines.', 'BT-106', 'cbc:LineExtensionAmount'),
    discount_total: amount('Discounts', 'Sum of `discounts`.', 'BT-107', 'cbc:AllowanceTotalAmount'),
    charge_total: amount('Charges', 'Sum of `charges`.', 'BT-108', 'cbc:ChargeTotalAmount'),
    net_total: amount('Net total', 'Subtotal, less discounts, plus charges.', 'BT-109', 'cbc:TaxExclusiveAmount'),
    taxes: list('Taxes', 'The tax of each rate.', partOf('tax', 'Tax', 'The tax of one rate.'), {
      en: 'BG-23',
      ubl: 'cac:TaxTotal/cac:TaxSubtotal',
    }),
    tax_total: decimal('Tax', 'Sum of the taxes of all rates.', { en: 'BT-110', ubl: 'cac:TaxTotal/cbc:TaxAmount' }),
    total: amount('Total', 'Net total plus tax.', 'BT-112', 'cbc:TaxInclusiveAmount'),
  };
}

/** What an invoice or a credit note can't do without. */
export const BILL_REQUIRED = [
  ...['number', 'issue_date', 'currency', 'seller', 'buyer', 'lines'],
  ...['lines_total', 'net_total', 'taxes', 'tax_total', 'total', 'payable'],
];

/** What is left to pay, of an invoice or a credit note. */
export function payable(): Properties {
  const amount = (title: string, meaning: string, en: string, element: string) =>
    decimal(title, meaning, { en, ubl: `cac:LegalMonetaryTotal/${element}` });
  return {
    prepaid: amount('Prepaid', 'What was paid before.', 'BT-113', 'cbc:PrepaidAmount'),
    rounding: amount('Rounding', 'What rounds the amount to pay, such as to five cents.', 'BT-114', 'cbc:PayableRoundingAmount'),
    payable: amount('Amount due', 'Total, less what was prepaid, plus rounding.', 'BT-115', 'cbc:PayableAmount'),
  };
}

const money = (path: string): Item => ({ path, format: 'money' });

export const TOTALS: readonly Item[] = ['/lines_total', '/discount_total', '/charge_total', '/net_total', '/tax_total', '/total'].map(
  money,
);

export const PAYABLE: readonly Item[] = ['/prepaid', '/rounding', '/payable'].map(money);

const ADJUSTMENT: readonly Item[] = [{ path: '/reason' }, { path: '/tax_rate', format: 'percent' }, money('/amount')];

export const ADJUSTMENTS: readonly Table[] = [
  { path: '/discounts', columns: ADJUSTMENT },
  { path: '/charges', columns: ADJUSTMENT },
];

export const TAXES: Table = {
  path: '/taxes',
  columns: [{ path: '/rate', format: 'percent' }, money('/net'), money('/tax')],
  details: [{ path: '/category' }, { path: '/exemption_reason' }],
};
