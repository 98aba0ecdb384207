import { describe, expect, test } from 'vitest';
import { DOCUMENT_TYPES, documentType, UBL_TYPES } from '../../../packages/documents/src/index.ts';
import { countryName } from '../../src/documents/amounts.ts';
import { CATALOGUE } from '../../src/documents/catalogue-names.ts';
import { cellsOf } from '../../src/documents/cells.ts';
import type { Reader } from '../../src/documents/reader.ts';
import type { Part, Sheet, TablePart } from '../../src/documents/sheet.ts';
import { sheetOf } from '../../src/documents/sheet-of.ts';
import { UBL_NAMES } from '../../src/documents/ubl-names.ts';
import { dateText, type Entry, shownText } from '../../src/documents/values.ts';
import { labelOf, unitWord } from '../../src/documents/words.ts';
import { JsonFault, parseJson } from '../../src/json/parse.ts';

function drawn(text: string, type: string | null = null) {
  const tree = parseJson(text);
  if (tree instanceof JsonFault) throw new Error(tree.message);
  return sheetOf(tree, type, type === null ? undefined : documentType(type));
}

const told = (reader: Reader, entries: readonly (Entry | undefined)[]): string[] =>
  entries.flatMap((entry) => (entry ? [`${entry.label}: ${shownText(reader, entry)}`] : []));

function rowsOf(reader: Reader, table: TablePart | undefined): string[][] {
  return (table?.rows ?? []).map((row) => {
    const { cells, details } = cellsOf(reader, table as TablePart, row);
    return [...cells, ...details].map(({ column, entry }) => `${column.label}: ${entry ? shownText(reader, entry) : ''}`);
  });
}

/** All that a sheet shows, as one text. */
function allText(reader: Reader, sheet: Sheet): string {
  const ofParts = (parts: readonly Part[]): string[] =>
    parts.flatMap((part) => {
      if (part.kind === 'entries') return told(reader, part.entries);
      if (part.kind === 'table') return rowsOf(reader, part.table).flat();
      if (part.kind === 'party') return ofParty(part.party);
      return part.kind === 'group' ? [part.label, ...ofParts(part.parts)] : [];
    });
  const ofParty = (party: Sheet['parties'][number]): string[] => [
    party.label,
    party.name ?? '',
    ...party.lines,
    ...told(reader, party.entries),
    ...ofParts(party.rest),
  ];
  const { number, parties, facts, lines, tables, totals, terms, notes, rest } = sheet;
  const entries = told(reader, [number, ...facts, ...totals, ...terms, ...notes]);
  return [
    ...entries,
    ...parties.flatMap(ofParty),
    ...[lines, ...tables].flatMap((one) => rowsOf(reader, one).flat()),
    ...ofParts(rest),
  ].join('\n');
}

test('the names of the catalogue are those of its types', () => {
  expect(CATALOGUE).toEqual(DOCUMENT_TYPES.map(({ type }) => type));
  expect(UBL_NAMES).toEqual(UBL_TYPES);
});

describe('values', () => {
  test('keep every digit', () => {
    const { reader, sheet } = drawn(
      '{"number":"1","currency":"EUR","lines":[],"total":"12345678901234567890.10","net_total":-0.50,"tax_total":"1e3"}',
      'invoice',
    );
    expect(told(reader, sheet.totals)).toEqual(['Net total: -€0.50', 'Tax: 1e3 EUR', 'Total: €12,345,678,901,234,567,890.10']);
  });

  test('are days of the calendar, units, countries and labels', () => {
    expect(['2026-10-21', '2026-02-31', 'soon'].map(dateText)).toEqual(['Oct 21, 2026', '2026-02-31', 'soon']);
    expect(['C62', 'KGM', 'crates', 'constructor'].map(unitWord)).toEqual(['pcs', 'kg', 'crates', 'constructor']);
    expect(['DE', 'de', 'QX'].map(countryName)).toEqual(['Germany', 'de', 'QX']);
    expect([labelOf('orderNumber'), labelOf('buyer', 'vat_id'), labelOf('')]).toEqual(['Order number', 'Buyer VAT ID', 'No name']);
  });
});

describe.each(DOCUMENT_TYPES.map((type) => [type.type, type] as const))('%s', (_, { type, samples, title, schema }) => {
  test('shows every value of its samples, and puts nothing in the rest', () => {
    for (const sample of samples) {
      const { reader, sheet, isTyped } = drawn(JSON.stringify(sample), type);
      expect([isTyped, sheet.title, sheet.rest.length]).toEqual([true, title, 0]);
      const text = allText(reader, sheet);
      const values = JSON.stringify(sample).match(/(?<=:)("[^"]*"|\d+)/g) ?? [];
      const missing = values
        .map((value) => value.replaceAll('"', ''))
        .filter((value) => !text.includes(value) && !/^(\d{4}-\d\d-\d\d|[A-Z]{2}|C62|[a-z.]+|[\d.]{4,})$/.test(value));
      expect(missing).toEqual([]);
    }
  });

  test('is shown by the titles of its schema alone', () => {
    const tree = parseJson(JSON.stringify(samples[0]));
    if (tree instanceof JsonFault) throw new Error(tree.message);
    const { sheet, isTyped } = sheetOf(tree, 'own', { title, schema });
    expect([isTyped, sheet.parties.length > 0, sheet.lines !== undefined]).toEqual([true, true, true]);
  });
});

test('an invoice has its numbers where they belong', () => {
  const { reader, sheet } = drawn(JSON.stringify(documentType('invoice')?.samples[0]), 'invoice');
  expect(told(reader, [sheet.number, sheet.result])).toEqual(['Number: INV-2026-0442', 'Amount due: €1,027.00']);
  expect(sheet.parties.map(({ label, name, lines }) => [label, name, ...lines])).toEqual([
    ['Seller', 'Globex Wälzlager AG', 'Industriering 5', '80331 München', 'Germany'],
    ['Buyer', 'Acme Maschinenbau GmbH', 'Hafenstraße 12', '20457 Hamburg', 'Germany'],
    ['Deliver to', 'Acme, plant 2, gate B', 'Werkstraße 40', '21107 Hamburg', 'Germany'],
  ]);
  expect(rowsOf(reader, sheet.lines)[0]).toEqual([
    ...['Line: 1', 'Article: KL-6204', 'Description: Ball bearing 6204-2RS', 'Quantity: 200 pcs', 'Price: 3.15'],
    ...['Discount: 31.50', 'Tax rate: 19%', 'Total: 598.50', 'Order line: 1'],
  ]);
});

describe('a document that is only partly of its type', () => {
  test.each([
    ['lines that are no list', '{"number":"1","lines":"none","total":"5"}', ['Lines: none', 'Number: 1', 'Total: 5']],
    ['rows that are no objects', '{"number":"1","total":"5","lines":[1,{"name":"x"}]}', ['Name: x', 'Total: 5']],
    ['objects for values', '{"number":{"a":"b"},"currency":["EUR"],"total":{"x":{"y":"z"}},"lines":null}', ['A: b', 'Y: z']],
    [
      'a party as text',
      '{"number":"1","buyer":"Acme","seller":[{"name":"Globex","x":1},{"name":"Hooli","x":2}]}',
      ['Acme', 'Globex', 'Hooli'],
    ],
    ['a key twice', '{"number":"1","number":"2","total":"3"}', ['Number: 2', 'Number: 1']],
    [
      'own properties',
      '{"number":"1","total":"3","lines":[{"name":"x","colour":"red","size":{"w":"4","h":"5"}}],"dock":"7"}',
      ['Colour: red', 'Size w: 4', 'Dock: 7'],
    ],
    [
      'hostile names',
      '{"number":"1","total":"2","lines":[{"__proto__":"p","constructor":"c","\\u202e":"r"}],"__proto__":{"toString":"t"}}',
      [': p', ': c', ': t'],
    ],
  ])('shows what it can: %s', (_, json, wanted) => {
    const { reader, sheet } = drawn(json, 'order');
    const text = allText(reader, sheet);
    for (const one of wanted) expect(text).toContain(one);
  });

  test.each(['null', '1', '"x"', '[]', '{}', '[[1,[2]],{"a":[]}]', '[{"a":1,"b":2},{"a":3,"b":4}]', '{"":{"":{"":1}}}'])(
    'never throws: %s',
    (json) => {
      for (const type of [null, 'invoice', 'unheard.of']) {
        const { reader, sheet } = drawn(json, type);
        expect(typeof allText(reader, sheet)).toBe('string');
      }
    },
  );

  test('is drawn in a moment, however long or deep it is', () => {
    const line = '{"id":"1","name":"Ball bearing","quantity":2,"price":"1.00","total":"2.00","x":{"y":1}}';
    const long = `{"number":"1","currency":"EUR","lines":[${Array.from({ length: 11_000 }, () => line).join()}],"total":"22000.00"}`;
    const deep = `${'{"a":'.repeat(900)}1${'}'.repeat(900)}`;
    const wide = `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":${at}`).join()}}`;
    for (const json of [long, deep, wide, `[${wide},${wide.slice(0, 400_000).replace(/,[^,]*$/, '}')}]`]) {
      const begunAt = performance.now();
      for (const type of [null, 'invoice']) drawn(json, type);
      expect(performance.now() - begunAt).toBeLessThan(20_000);
    }
    expect(drawn(long, 'invoice').sheet.lines?.rows).toHaveLength(11_000);
  });
});

describe('guesses', () => {
  const ORDER = `{"order":{"header":{"orderNo":"PO-1","order_date":"2026-03-01","currency":"EUR"},
    "customer":{"name":"Acme","street":"Hafenstr. 1","zip":"20457","city":"Hamburg","vat_id":"DE1","contact":{"name":"Ann","phone":"1"}},
    "items":[{"sku":"A-1","qty":1200,"price":{"value":"10.50","currency":"EUR"},"item":{"name":"Bolt"}}],
    "deposit":{"amount":"500.00"},"summary":{"net":"100","total_tax":"19","total":1190.5},"grand_total":{"value":"1190.50","currency":"EUR"},
    "transport":{"carrier":{"code":"DHL","name":"DHL Express"},"stops":["HAM","BER"]}}}`;

  test('put values where people look for them, under their own names', () => {
    const { reader, sheet } = drawn(ORDER, 'purchase.order');
    expect(sheet.title).toBe('Purchase order');
    expect(told(reader, sheet.facts)).toEqual(['Order no: PO-1', 'Order date: Mar 1, 2026', 'Currency: EUR']);
    expect(told(reader, sheet.totals)).toEqual([
      ...['Deposit amount: 500.00', 'Summary net: 100', 'Total tax: 19', 'Total: 1,190.5', 'Grand total: €1,190.50'],
    ]);
    expect(sheet.parties.map(({ label, name, lines, entries }) => [label, name, ...lines, ...told(reader, entries)])).toEqual([
      ['Customer', 'Acme', 'Hafenstr. 1', '20457 Hamburg', 'VAT ID: DE1', 'Contact name: Ann', 'Contact phone: 1'],
    ]);
    expect(rowsOf(reader, sheet.lines)).toEqual([['SKU: A-1', 'Qty: 1,200', 'Price: €10.50', 'Item name: Bolt']]);
    const text = allText(reader, sheet);
    for (const one of ['Code: DHL', 'Stops: HAM, BER']) expect(text).toContain(one);
  });

  test('name no currency where the document names two', () => {
    const { reader, sheet } = drawn('{"currency":"EUR","currency_code":"USD","total":"5.00","a":1,"b":[{"c":1,"d":2},{"c":3,"d":4}]}');
    expect(told(reader, [sheet.result])).toEqual(['Total: 5.00']);
  });
});

describe('UBL', () => {
  const party = (name: string) =>
    `{"Party":[{"PartyName":[{"Name":[{"_":"${name}"}]}],"PostalAddress":[{"StreetName":[{"_":"Ring 5"}],"CityName":[{"_":"Bonn"}],"PostalZone":[{"_":"53111"}],"Country":[{"IdentificationCode":[{"_":"DE"}]}]}]}]}`;
  const COMMON = `{"_D":"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2","Invoice":[{"ID":[{"_":"INV-7"}],"IssueDate":[{"_":"2026-03-01"}],"DueDate":[{"_":"2026-03-31"}],
    "DocumentCurrencyCode":[{"_":"EUR"}],"Note":[{"_":"Thanks"}],"AccountingSupplierParty":[${party('Globex')}],"AccountingCustomerParty":[${party('Acme')}],
    "TaxTotal":[{"TaxAmount":[{"_":380.00,"currencyID":"EUR"}],"TaxSubtotal":[{"TaxableAmount":[{"_":2000.00,"currencyID":"EUR"}],"TaxAmount":[{"_":380.00,"currencyID":"EUR"}],"TaxCategory":[{"ID":[{"_":"S"}],"Percent":[{"_":19}]}]}]}],
    "LegalMonetaryTotal":[{"LineExtensionAmount":[{"_":2000.00,"currencyID":"EUR"}],"PayableAmount":[{"_":2380.00,"currencyID":"EUR"}]}],
    "InvoiceLine":[{"ID":[{"_":"1"}],"InvoicedQuantity":[{"_":200,"unitCode":"KGM"}],"LineExtensionAmount":[{"_":2000.00,"currencyID":"EUR"}],"Item":[{"Name":[{"_":"Steel"}]}],"Price":[{"PriceAmount":[{"_":10.00,"currencyID":"EUR"}]}]}]}]}`;
  const unwrappedText = COMMON.replaceAll(/\[\{"_":([^,}]*)\}\]/g, '$1');
  const prefixed = unwrappedText.replaceAll(/"([A-Z]\w+)":(?=\[)/g, '"cac:$1":').replaceAll(/"([A-Z]\w+)":(?!\[)/g, '"cbc:$1":');

  test.each([
    ['the common form of JSON', COMMON],
    ['values without wrappers', unwrappedText],
    ['names with prefixes', prefixed],
  ])('is an invoice: %s', (_, json) => {
    const { reader, sheet } = drawn(json);
    expect(told(reader, [sheet.number, sheet.result])).toEqual(['Number: INV-7', 'Amount due: €2,380.00']);
    expect(sheet.parties.map(({ label, name, lines }) => [label, name, ...lines])).toEqual([
      ['Seller', 'Globex', 'Ring 5', '53111 Bonn', 'Germany'],
      ['Buyer', 'Acme', 'Ring 5', '53111 Bonn', 'Germany'],
    ]);
    expect(told(reader, sheet.facts)).toEqual(['Date: Mar 1, 2026', 'Due: Mar 31, 2026', 'Currency: EUR']);
    expect(rowsOf(reader, sheet.lines)).toEqual([['Line: 1', 'Description: Steel', 'Quantity: 200 kg', 'Price: 10.00', 'Total: 2,000.00']]);
    expect(rowsOf(reader, sheet.tables[0])).toEqual([['Rate: 19%', 'Category: S', 'Net: 2,000.00', 'Tax: 380.00']]);
  });
});
