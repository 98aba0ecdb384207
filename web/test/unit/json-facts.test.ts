import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factsOf, type JsonFact } from '../../src/json/facts.ts';
import { JsonFault, parseJson } from '../../src/json/parse.ts';
import { cellOf, cellText, isNumeric, tablesOf } from '../../src/json/tables.ts';
import type { JsonTree } from '../../src/json/tree.ts';

function treeOf(json: unknown): JsonTree {
  const tree = parseJson(typeof json === 'string' ? json : JSON.stringify(json));
  if (tree instanceof JsonFault) throw new Error(tree.message);
  return tree;
}

const shown = (facts: readonly JsonFact[]) => facts.map(({ label, value }) => `${label}: ${value}`);
const factsIn = (json: unknown) => shown(factsOf(treeOf(json)));
const ENOUGH = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 };

describe('an amount goes by its own name, and what is payable comes before other amounts', () => {
  test.each<[string, object, string[]]>([
    ['a tax', { tax: { amount: '380.00', rate: 19 } }, ['Tax amount: 380.00']],
    [
      'an invoice with a deposit and shipping',
      { currency: 'EUR', deposit: { amount: '500.00' }, shipping: { price: '20.00' }, payable: '2380.00' },
      ['Payable: 2,380.00 EUR', 'Deposit amount: 500.00 EUR', 'Shipping price: 20.00 EUR'],
    ],
    ['a grand total after a subtotal', { subtotal: 100, grand_total: 119 }, ['Grand total: 119', 'Subtotal: 100']],
    ['the amount due before the total', { total: 119, amount_due: 19 }, ['Amount due: 19', 'Total: 119']],
    [
      'totals in a group',
      { totals: { grand_total: '119.00', net: '100.00', tax_total: '19.00' } },
      ['Grand total: 119.00', 'Tax total: 19.00'],
    ],
    ['an amount with its currency', { total: { amount: 1200, currency: 'USD' } }, ['Total amount: 1,200 USD']],
    ['a value with its currency', { total: { value: '12.50', currency: 'CHF' } }, ['Total: 12.50 CHF']],
    ['all in one object', { invoice: { number: 'R-1', total: 10, ...ENOUGH } }, ['Invoice number: R-1', 'Total: 10']],
    ['one object of several', { order: { total: 10 }, freight: { cost: 3 } }, ['Order total: 10', 'Freight cost: 3']],
    ['an order beside what is payable', { payable: 2380, order: { total: 3000 } }, ['Payable: 2,380', 'Order total: 3,000']],
    [
      'an offer beside what is payable',
      { currency: 'EUR', payable: 2380, offer: { amount: 500 } },
      ['Payable: 2,380 EUR', 'Offer amount: 500 EUR'],
    ],
    ['a quote beside a date', { date: '2026-03-01', quote: { total: 500 } }, ['Date: Mar 1, 2026', 'Quote total: 500']],
    ['a credit note beside a state', { status: 'open', credit_note: { amount: 5 } }, ['Credit note amount: 5', 'Status: open']],
    ['an order beside another number', { number: 'A-1', order: { total: 10 } }, ['Number: A-1', 'Order total: 10']],
    [
      'a document beside what is said about it',
      { _D: 'urn:x', version: '2.1', '@xmlns': 'urn:y', id: 'EVENT-1', order: { number: 'PO-7', total: 10 } },
      ['Order number: PO-7', 'Total: 10'],
    ],
    ['an amount that only repeats its group', { tax: { tax_amount: 4 } }, ['Tax amount: 4']],
    ['a balance in camel case', { AmountDue: '7.00', lateFee: { feeAmount: '2.00' } }, ['Amount due: 7.00', 'Late fee fee amount: 2.00']],
  ])('%s', (_name, json, expected) => expect(factsIn({ ...json, ...ENOUGH })).toEqual(expected));

  test('has the currency of its object or of those around it, never of another one', () => {
    const json = { total: 10, shipping: { amount: 5, currency: 'USD' }, fee: { amount: 1 }, ...ENOUGH };
    expect(factsIn(json)).toEqual(['Total: 10', 'Shipping amount: 5 USD', 'Fee amount: 1']);
    expect(factsIn({ ...json, currency: 'EUR' })).toEqual(['Total: 10 EUR', 'Shipping amount: 5 USD', 'Fee amount: 1 EUR']);
    expect(factsIn({ total: 10, currency: 'EUR', currency_code: 'USD', ...ENOUGH })).toEqual(['Total: 10']);
  });

  test('is called by its whole path where two have one name, and then neither is the total', () => {
    expect(factsIn({ summary: { total: 3 }, totals: { total: 2 }, net_amount: 1, ...ENOUGH })).toEqual([
      'Summary total: 3',
      'Totals total: 2',
    ]);
    expect(factsOf(treeOf('{"total":1,"total":2,"a":1,"b":1,"c":1,"d":1,"e":1}'))).toEqual([]);
  });

  test.each<[string, object]>([
    ['a weight', { weight: { total: 12, gross_total: 13 } }],
    ['a count', { item_count: { total: 12 }, quantity: { amount: 5 } }],
    ['the length of a list', { pagination: { total: 120 } }],
    ['a rate', { tax: 19, vat: 7, discount: 5 }],
    ['cents', { amount_cents: 1200, total_minor: 5 }],
    ['the lines of an order', { lines: [{ amount: 3, total: 4 }], items: { total: 3 } }],
    ['entries of a list', { payments: [{ amount: 3 }] }],
    ['text', { total: 'a lot', payable: '12 EUR', amount: true }],
  ])('is not %s', (_name, json) => expect(factsIn({ ...json, currency: 'EUR', ...ENOUGH })).toEqual([]));

  test('whatever the document: a label has the names on the way to its value and no others, and a value its own digits', () => {
    const wholes = ['invoice', 'order', 'quote', 'offer', 'credit_note'];
    // Members beside a whole that are no facts, whatever their value.
    const harmless = ['tax', 'deposit', 'shipping', 'x', 'name', 'buyer', 'summary'];
    const money = ['total', 'amount', 'payable', 'price', 'netTotal'];
    const name = fc.constantFrom('due_date', ...wholes, ...harmless, ...money);
    const value = fc.oneof(fc.integer(), fc.constantFrom('12.50', '2026-03-01', 'Acme', 'PO-1'));
    const { json } = fc.letrec((tie) => ({
      json: fc.dictionary(
        name,
        fc.oneof({ depthSize: 'small', withCrossShrink: true }, value, tie('json'), fc.array(tie('json'), { maxLength: 2 })),
        { maxKeys: 6 },
      ),
    }));
    const words = (text: string) =>
      text
        .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .split(/[^a-z\d]+/)
        .filter(Boolean);
    fc.assert(
      fc.property(json, (given) => {
        const root = Object.entries(given as object);
        const tree = treeOf({ ...Object.fromEntries(root), ...ENOUGH });
        const isWhole = (first: string | undefined) =>
          root.every(([key, member]) => (key === first ? wholes.includes(key) : harmless.includes(key) && typeof member !== 'object'));
        for (const { node, label, value } of factsOf(tree)) {
          const path = words(tree.pointer(node));
          expect(path).toEqual(expect.arrayContaining(words(label)));
          expect(words(label)).toContain(path.at(-1));
          const [first, ...inside] = tree.pointer(node).split('/').slice(1);
          // Only the one document of all is not named, and a summary of what speaks for itself.
          const said = (inside.length > 0 && isWhole(first) ? inside : [first, ...inside]).filter((key) => key !== 'summary');
          const names = words(said.join('/'));
          if (tree.kind(node) === 'number') {
            expect(words(label)).toEqual(expect.arrayContaining(names));
            expect(value.replaceAll(',', '')).toBe(tree.raw(node));
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});

test('buyer, place of delivery and requested delivery are seen at a glance', () => {
  const order = {
    order_number: 'PO-7',
    order_date: '2026-02-01',
    buyer: { name: 'Kaufhaus Nord', vat_id: 'DE1' },
    supplier: 'Globex',
    ship_to: { name: 'Lager 2', street: 'Hafenstr. 1', city: 'Hamburg', country: 'DE' },
    delivery: { requested_date: '2026-03-01' },
    total: 10,
    lines: [{ sku: 'A', quantity: 1 }],
  };
  expect(factsIn(order)).toEqual([
    'Order number: PO-7',
    'Total: 10',
    'Buyer: Kaufhaus Nord',
    'Supplier: Globex',
    'Delivery requested date: Mar 1, 2026',
    'Ship to: Lager 2, Hafenstr. 1, Hamburg',
    'Order date: Feb 1, 2026',
  ]);
});

const value = (text: unknown, attributes: object = {}) => [{ _: text, ...attributes }];
const party = (name: string) => [{ Party: [{ PartyName: [{ Name: value(name) }], PostalAddress: [{ CityName: value('Köln') }] }] }];
const EUR = { currencyID: 'EUR' };
const UBL = {
  _D: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
  Invoice: [
    {
      ID: value('INV-9'),
      IssueDate: value('2026-03-01'),
      DueDate: value('2026-03-31'),
      DocumentCurrencyCode: value('EUR'),
      OrderReference: [{ ID: value('PO-7') }],
      AccountingSupplierParty: party('Globex'),
      AccountingCustomerParty: party('Acme Works'),
      TaxTotal: [{ TaxAmount: value('380.00', EUR) }],
      LegalMonetaryTotal: [{ LineExtensionAmount: value('2000.00', EUR), PayableAmount: value('2380.00', EUR) }],
      InvoiceLine: [
        {
          ID: value('1'),
          InvoicedQuantity: value(10, { unitCode: 'EA' }),
          LineExtensionAmount: value('2000.00', EUR),
          Item: [{ Name: value('Flour'), ClassifiedTaxCategory: [{ ID: value('S') }] }],
          Price: [{ PriceAmount: value('200.00', EUR) }],
        },
      ],
    },
  ],
};

describe('UBL', () => {
  const expected = [
    'Invoice ID: INV-9',
    'Payable amount: 2,380.00 EUR',
    'Accounting supplier party: Globex',
    'Accounting customer party: Acme Works',
    'Due date: Mar 31, 2026',
    'Order reference ID: PO-7',
    'Issue date: Mar 1, 2026',
    'Tax total tax amount: 380.00 EUR',
    'Line extension amount: 2,000.00 EUR',
  ];
  test('as its JSON syntax says', () => expect(factsIn(UBL)).toEqual(expected));

  test('as XML that a program made JSON of', () => {
    const plain = JSON.parse(
      JSON.stringify(UBL)
        .replaceAll(/\[\{("_":[^}]*)\}\]/g, '{$1}')
        .replaceAll('"_":', '"#text":')
        .replaceAll('"currencyID"', '"@currencyID"'),
    );
    const [{ ID, ...rest }] = plain.Invoice;
    expect(factsIn({ 'ubl:Invoice': { 'cbc:ID': ID['#text'], 'cbc:IssueDate': rest.IssueDate, ...rest, IssueDate: undefined } })).toEqual(
      expected,
    );
  });

  test('has its lines as a table', () => {
    const tree = treeOf(UBL);
    const [table, ...others] = tablesOf(tree);
    expect(others).toEqual([]);
    expect(table?.columns).toEqual(['ID', 'InvoicedQuantity', 'LineExtensionAmount', 'Item', 'Price']);
    const row = table?.rows[0] ?? 0;
    const cells = table?.columns.map((column) => cellText(tree, cellOf(tree, row, column) ?? 0)?.text);
    expect(cells).toEqual(['1', '10 EA', '2000.00 EUR', 'Flour', '200.00 EUR']);
    expect(table?.columns.filter((column) => isNumeric(tree, table, column))).toEqual(['ID', 'InvoicedQuantity', 'LineExtensionAmount']);
  });
});

describe('the lines of an order', () => {
  const line = (fields: number) => Object.fromEntries(Array.from({ length: fields }, (_, at) => [`field_${at}`, at]));

  test.each(['lines', 'items', 'orderLines', 'line_items', 'positions'])('are a table, though it is one: %s', (name) => {
    const [table] = tablesOf(treeOf({ order: 'PO-1', [name]: [{ sku: 'A', quantity: 2 }] }));
    expect(table).toMatchObject({ name, columns: ['sku', 'quantity'], hiddenColumns: 0 });
    expect(table?.rows).toHaveLength(1);
  });

  test('are a table with 11 fields each, and with 60 the first 24 of them', () => {
    expect(tablesOf(treeOf({ lines: [line(11), line(11)] }))[0]).toMatchObject({ hiddenColumns: 0 });
    const [wide] = tablesOf(treeOf({ lines: [line(60), line(60)] }));
    expect(wide?.columns).toHaveLength(24);
    expect(wide?.hiddenColumns).toBe(36);
    expect(tablesOf(treeOf({ lines: [line(101), line(101)] }))).toEqual([]);
  });

  test('come before other lists', () => {
    const list = [line(3), line(3)];
    const tables = tablesOf(treeOf({ contacts: list, payments: list, order: { lines: list } }));
    expect(tables.map(({ name }) => name)).toEqual(['contacts', 'lines']);
  });
});
