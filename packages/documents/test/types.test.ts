import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { checkDocument, DOCUMENT_TYPES, type DocumentType, documentType, type Item, type Schema, type Table } from '../src/index.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
formats.default(ajv);

const TYPES = DOCUMENT_TYPES.map((type) => [type.type, type] as const);

/** The schema of what a pointer leads to. An array leads on to its rows. */
function schemaAt({ schema }: DocumentType, pointer: string, from: Schema = schema): Schema | undefined {
  let found: Schema | undefined = resolved(schema, from);
  for (const name of pointer.split('/').slice(1)) found = resolved(schema, found?.properties?.[name]);
  return found;
}

function resolved(root: Schema, schema: Schema | undefined): Schema | undefined {
  const { $ref = '', ...own } = schema ?? {};
  const part = (root['$defs'] as Record<string, Schema>)[$ref.replace('#/$defs/', '')];
  return schema && { ...part, ...own };
}

/** Every property of a schema, with the parts that it refers to. */
function propertiesIn(schema: Schema, at = ''): [string, Schema][] {
  const { properties = {}, items, $defs = {} } = schema;
  const parts = Object.entries({ ...properties, ...($defs as Record<string, Schema>) });
  return [
    ...parts.flatMap(([name, one]): [string, Schema][] => [[`${at}/${name}`, one], ...propertiesIn(one, `${at}/${name}`)]),
    ...(items ? propertiesIn(items, `${at}/*`) : []),
  ];
}

const itemsOf = ({ columns, details = [] }: Table): readonly Item[] => [...columns, ...details];

test('the catalogue has the documents of a purchase, in their order', () => {
  expect(DOCUMENT_TYPES.map(({ type }) => type)).toEqual([
    ...['quote.request', 'quote', 'order', 'order.change', 'order.confirmation', 'despatch', 'goods.receipt'],
    ...['invoice', 'credit.note', 'remittance', 'statement', 'certificate'],
  ]);
  for (const name of ['', 'orders', '__proto__', 'constructor']) expect(documentType(name)).toBeUndefined();
  expect(documentType('credit.note')?.title).toBe('Credit note');
});

describe.each(TYPES)('%s', (_, type) => {
  test('has a schema of 2020-12 that its samples meet', () => {
    const validate = ajv.compile(type.schema);
    expect(type.samples.length).toBeGreaterThan(0);
    for (const example of type.samples) expect([validate(example), validate.errors]).toEqual([true, null]);
    const [example = {}] = type.samples;
    for (const name of type.schema.required ?? []) {
      const { [name]: gone, ...rest } = example as Record<string, unknown>;
      expect([name, gone === undefined, validate(rest)]).toEqual([name, false, false]);
    }
  });

  test('has samples without warnings', () => {
    for (const example of type.samples) expect(checkDocument(type, JSON.stringify(example))).toEqual([]);
  });

  test('names each property, and says what it means', () => {
    const all = propertiesIn(type.schema);
    expect(all.length).toBeGreaterThan(20);
    for (const [path, { title, description }] of all) {
      expect([path, title]).toEqual([path, expect.stringMatching(/^\S.{1,40}$/)]);
      expect([path, description]).toEqual([path, expect.stringMatching(/^[A-Z‘].{5,}\.$/)]);
      expect(path).toMatch(/^(\/(\$?[a-z][a-z0-9_]*|\*))+$/);
    }
  });

  test('has a layout of values that its schema has', () => {
    const { number, currency, parties, facts, lines, tables, totals, terms, notes } = type.layout;
    const paths = [number, currency ?? number, ...parties, ...notes, ...[...facts, ...totals, ...terms].map(({ path }) => path)];
    for (const path of paths) expect([path, schemaAt(type, path)?.title]).toEqual([path, expect.any(String)]);
    for (const table of [...(lines ? [lines] : []), ...tables]) {
      const rows = schemaAt(type, table.path)?.items;
      for (const { path } of itemsOf(table))
        expect([table.path, path, schemaAt(type, path, rows)?.title]).toEqual([table.path, path, expect.any(String)]);
    }
  });

  test('has a layout that shows all values of the schema, each once', () => {
    const { number, currency, parties, facts, lines, tables, totals, terms, notes } = type.layout;
    const shown = [
      ...[number, ...(currency ? [currency] : []), ...parties, ...notes],
      ...[...facts, ...totals, ...terms].map(({ path }) => path),
      ...[...(lines ? [lines] : []), ...tables].map(({ path }) => path),
    ];
    expect(shown.toSorted()).toEqual([...new Set(shown)].toSorted());
    const heads = new Set(shown.map((path) => path.split('/')[1]));
    expect(Object.keys(type.schema.properties ?? {}).filter((name) => !heads.has(name))).toEqual([]);
    for (const table of [...(lines ? [lines] : []), ...tables]) {
      const rows = resolved(type.schema, schemaAt(type, table.path)?.items)?.properties ?? {};
      expect(
        itemsOf(table)
          .map(({ path }) => path.slice(1))
          .toSorted(),
      ).toEqual(Object.keys(rows).toSorted());
    }
  });
});

test('the examples are one story: each document names the one that it follows from', () => {
  const example = (type: string) => (documentType(type)?.samples[0] ?? {}) as Record<string, unknown>;
  const number = (type: string) => example(type)['number'];
  expect(example('quote')['request_number']).toBe(number('quote.request'));
  expect(example('order')['quote_number']).toBe(number('quote'));
  for (const type of ['order.change', 'order.confirmation', 'despatch', 'goods.receipt', 'invoice', 'credit.note', 'certificate'])
    expect([type, example(type)['order_number']]).toEqual([type, number('order')]);
  expect(example('goods.receipt')['despatch_number']).toBe(number('despatch'));
  expect(example('invoice')['despatch_number']).toBe(number('despatch'));
  expect(example('credit.note')['invoice_number']).toBe(number('invoice'));
  for (const type of ['remittance', 'statement'])
    expect(JSON.stringify(example(type)['lines'])).toMatch(new RegExp(`${number('invoice')}.*${number('credit.note')}`));
  expect(JSON.stringify(example('statement')['lines'])).toContain(number('remittance'));
});
