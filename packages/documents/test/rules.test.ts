import { expect, test } from 'vitest';
import { checkDocument, documentType, type Warning } from '../src/index.ts';

type Edit = Record<string, unknown>;
type Row = [name: string, type: string, edit: Edit, path: string, code: string, message: string | RegExp];

/** The first example of a type with some values replaced. Undefined takes a value out. */
function check(type: string, edit: Edit): Warning[] {
  const known = documentType(type) ?? expect.fail(`no type ${type}`);
  const document = structuredClone(known.samples[0]) as Record<string, unknown>;
  for (const [pointer, value] of Object.entries(edit)) {
    const names = pointer.split('/').slice(1);
    const last = names.pop() ?? '';
    const parent = names.reduce((part, name) => part[name] as Record<string, unknown>, document);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return checkDocument(known, JSON.stringify(document));
}

const broken: Row[] = [
  [
    'a line that is not quantity × price',
    'order',
    { '/lines/1/price': '1.25' },
    '/lines/1/total',
    'line_total',
    'Expected 150.00 (quantity × price), not 149.40.',
  ],
  [
    'a line whose discount is forgotten',
    'order',
    { '/lines/0/discount': '31.05' },
    '/lines/0/total',
    'line_total',
    'Expected 598.95 (quantity × price − discount), not 598.50.',
  ],
  [
    'a line with a charge',
    'order',
    { '/lines/1/charge': 5 },
    '/lines/1/total',
    'line_total',
    'Expected 154.40 (quantity × price + charge), not 149.40.',
  ],
  [
    'a price for a hundred',
    'order',
    { '/lines/1/price_quantity': 100 },
    '/lines/1/total',
    'line_total',
    'Expected 1.49 (quantity × price), not 149.40.',
  ],
  [
    'a line number that another line has',
    'order',
    { '/lines/2/id': '1' },
    '/lines/2/id',
    'line_repeated',
    'Another line has the same number.',
  ],
  [
    'a sum that is not that of the lines',
    'order',
    { '/lines_total': '837.61', '/net_total': '861.61', '/total': '1014.55' },
    '/lines_total',
    'lines_total',
    'Expected 837.60 (sum of the lines), not 837.61.',
  ],
  [
    'a sum of charges',
    'order',
    { '/charge_total': '25.00', '/net_total': '862.60', '/total': '1015.54' },
    '/charge_total',
    'charge_total',
    'Expected 24.00 (sum of the charges), not 25.00.',
  ],
  [
    'a sum of discounts',
    'order',
    { '/discount_total': '1.00', '/net_total': '860.60', '/total': '1013.54' },
    '/discount_total',
    'discount_total',
    'Expected 0.00 (sum of the discounts), not 1.00.',
  ],
  [
    'a net total',
    'order',
    { '/net_total': '837.60', '/total': '990.54' },
    '/net_total',
    'net_total',
    'Expected 861.60 (subtotal − discounts + charges), not 837.60.',
  ],
  [
    'a tax on the wrong sum',
    'order',
    { '/taxes/0/net': '747.90', '/taxes/0/tax': '142.10', '/tax_total': '148.38', '/total': '1009.98' },
    '/taxes/0/net',
    'tax_base',
    'Expected 771.90 (sum of what is taxed at 19 %), not 747.90.',
  ],
  [
    'a tax that is not net × rate',
    'invoice',
    { '/taxes/1/tax': '4.26', '/tax_total': '158.02', '/total': '1027.07', '/payable': '1027.07' },
    '/taxes/1/tax',
    'tax_amount',
    'Expected 4.19 (7 % of 59.8), not 4.26.',
  ],
  [
    'a rate that the taxes do not have',
    'credit.note',
    { '/lines/0/tax_rate': '16', '/taxes/0/net': '0', '/taxes/0/tax': '0', '/tax_total': '0', '/total': '11.97', '/payable': '11.97' },
    '/lines/0/tax_rate',
    'tax_rate',
    'The taxes have no row for 16 %.',
  ],
  [
    'a sum of taxes',
    'invoice',
    { '/tax_total': '157.96', '/total': '1027.01', '/payable': '1027.01' },
    '/tax_total',
    'tax_total',
    'Expected 157.95 (sum of the taxes), not 157.96.',
  ],
  ['a total', 'quote', { '/total': '1014.55' }, '/total', 'total', 'Expected 1014.54 (net total + tax), not 1014.55.'],
  [
    'an amount due',
    'invoice',
    { '/prepaid': '27.00' },
    '/payable',
    'payable',
    'Expected 1000.00 (total − prepaid + rounding), not 1027.00.',
  ],
  [
    'a line in another currency',
    'invoice',
    { '/lines/1/currency': 'USD' },
    '/lines/1/currency',
    'currency',
    'Expected EUR, the currency of the document.',
  ],
  [
    'a day before another one',
    'invoice',
    { '/due_date': '2026-10-20' },
    '/due_date',
    'date_order',
    'Expected 2026-10-21 (issue date) or later, not 2026-10-20.',
  ],
  ['an offer that ended before it began', 'quote', { '/valid_until': '2025-11-06' }, '/valid_until', 'date_order', /or later/],
  ['an invoice for no order', 'invoice', { '/order_number': undefined }, '', 'reference_missing', 'The document has no order number.'],
  [
    'a credit note for no invoice',
    'credit.note',
    { '/invoice_number': null },
    '',
    'reference_missing',
    'The document has no invoice number.',
  ],
  [
    'a receipt of more than was despatched',
    'goods.receipt',
    { '/lines/1/despatched_quantity': 149 },
    '/lines/1/despatched_quantity',
    'despatched_quantity',
    'Expected 150 (received + missing), not 149.',
  ],
  [
    'more rejected than received',
    'goods.receipt',
    { '/lines/0/rejected_quantity': 201 },
    '/lines/0/rejected_quantity',
    'rejected_quantity',
    'Expected at most 200, which is what arrived.',
  ],
  [
    'a payment without its discount',
    'remittance',
    { '/lines/0/discount': undefined },
    '/lines/0/paid',
    'paid',
    'Expected 1027.00 (amount − discount), not 1006.46.',
  ],
  ['a sum of payments', 'remittance', { '/total': '1006.46' }, '/total', 'total', 'Expected 992.22 (sum of what is paid), not 1006.46.'],
  [
    'a balance',
    'statement',
    { '/lines/1/balance': '1012.67', '/lines/2/balance': '20.45', '/lines/3/credit': '20.45' },
    '/lines/1/balance',
    'balance',
    'Expected 1012.76 (balance before + debit − credit), not 1012.67.',
  ],
  [
    'a closing balance',
    'statement',
    { '/closing_balance': 1 },
    '/closing_balance',
    'closing_balance',
    'Expected 0.00 (balance of the last line), not 1.00.',
  ],
  [
    'an entry of another month',
    'statement',
    { '/lines/0/date': '2026-09-30' },
    '/lines/0/date',
    'outside_period',
    'The day is not in the period of the statement.',
  ],
  [
    'a value below its limit',
    'certificate',
    { '/results/1/value': '59.9' },
    '/results/1/value',
    'out_of_limits',
    'Expected at least 60, not 59.9.',
  ],
  [
    'a value above its limit',
    'certificate',
    { '/results/0/value': '20.0001' },
    '/results/0/value',
    'out_of_limits',
    'Expected at most 20, not 20.0001.',
  ],
];

test.each(broken)('%s', (_, type, edit, path, code, message) => {
  const expected = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(check(type, edit)).toEqual([{ path, code, message: expected }]);
});

const accepted: [name: string, type: string, edit: Edit][] = [
  ['JSON numbers in place of strings', 'order', { '/lines/0/price': 3.15, '/lines/0/total': 598.5, '/total': 1014.54 }],
  ['a line that was rounded down', 'order', { '/lines/1/price': '1.24504' }],
  ['a tax that was rounded for each line', 'order', { '/taxes/0/tax': '146.67', '/tax_total': '152.95', '/total': '1014.55' }],
  [
    'a discount on the whole order',
    'order',
    {
      '/discounts': [{ amount: '10.00', tax_rate: '19' }],
      '/discount_total': '10.00',
      '/net_total': '851.60',
      '/taxes/0/net': '761.90',
      '/taxes/0/tax': '144.76',
      '/tax_total': '151.04',
      '/total': '1002.64',
    },
  ],
  ['an amount that is rounded to five cents', 'invoice', { '/rounding': '0.05', '/payable': '1027.05' }],
  ['lines without totals', 'order', { '/lines/0/total': undefined, '/lines/1/total': undefined }],
  [
    'an order without prices',
    'order',
    { '/lines/0/price': undefined, '/lines/0/total': undefined, '/lines_total': undefined, '/net_total': undefined, '/taxes': undefined },
  ],
  ['the same rate, written in two ways', 'order', { '/taxes/0/rate': '19.00', '/lines/1/tax_rate': 19 }],
  ['an amount that is no number: the schema says so', 'order', { '/total': 'much' }],
  ['lines that are no list: the schema says so', 'certificate', { '/lines': { length: 1e9 }, '/results': 'none' }],
];

test.each(accepted)('%s gets no warning', (_, type, edit) => expect(check(type, edit)).toEqual([]));
