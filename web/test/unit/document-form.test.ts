import { describe, expect, test, vi } from 'vitest';
import { computeTotals, DOCUMENT_TYPES, documentType, editDocument, editJson } from '../../../packages/documents/src/index.ts';
import { beginDocument } from '../../src/pages/messages/documents/begin-document.ts';
import { jsonOf, keepRead, readDocument } from '../../src/pages/messages/documents/document-text.ts';
import { type FormModel, modelOf } from '../../src/pages/messages/documents/form-model.ts';
import { marksOf } from '../../src/pages/messages/documents/form-problems.ts';

const order = documentType('order') ?? expect.fail('no type order');

/** Every pointer that a form has a field for; rows have a star. */
function pathsOf({ facts, totals, terms, groups, grids }: FormModel): string[] {
  const inGroup = (group: (typeof groups)[number]): string[] => [...group.fields.map(({ path }) => path), ...group.groups.flatMap(inGroup)];
  const inGrid = ({ path, columns, details }: (typeof grids)[number]) => [...columns, ...details].map((field) => `${path}/*/${field.path}`);
  return [...[...facts, ...totals, ...terms].map(({ path }) => path), ...groups.flatMap(inGroup), ...grids.flatMap(inGrid)];
}

const leavesOf = (value: unknown, at = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${at}/${Array.isArray(value) ? '*' : name}`))
    : [at];

test.each(DOCUMENT_TYPES.map((type) => [type.type, type] as const))(
  'the form of %s has a field for every value of its samples, once',
  (_, type) => {
    const paths = pathsOf(modelOf(type));
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
    for (const sample of type.samples) {
      expect(leavesOf(sample).filter((path) => !paths.includes(path))).toEqual([]);
      const text = JSON.stringify(sample);
      const { document } = readDocument(text, type.schema, type.title);
      expect(document && marksOf(type.schema, document, type.rules)).toEqual([]);
    }
  },
);

test('without a layout, a form follows the schema', () => {
  const { layout: _, ...bare } = order;
  const model = modelOf(bare);
  expect(model.facts[0]).toMatchObject({ path: '/number', title: 'Number', isRequired: true });
  expect(model.groups.map(({ path }) => path)).toEqual(['/buyer', '/seller', '/deliver_to']);
  expect(model.grids.map(({ path }) => path)).toEqual(['/lines', '/discounts', '/charges', '/taxes']);
});

describe('a schema by a stranger', () => {
  test('that refers to itself has an end', () => {
    const part = { type: 'object', properties: { name: { type: 'string' }, inner: { $ref: '#/$defs/part' } } };
    const model = modelOf({ title: 'Loop', schema: { type: 'object', properties: { part: { $ref: '#/$defs/part' } }, $defs: { part } } });
    expect(pathsOf(model).length).toBeLessThan(10);
  });

  test('has its titles as visible text, and its patterns are not run', () => {
    const evil = { type: 'string', title: '<img src=x onerror=alert(1)>\u202e', pattern: '^(a+)+$' };
    const schema = { type: 'object', properties: { evil } };
    expect(modelOf({ title: 'x'.repeat(500), schema }).title.length).toBeLessThan(100);
    expect(modelOf({ title: 'T', schema }).facts[0]?.title).not.toContain('\u202e');
    const text = JSON.stringify({ evil: `${'a'.repeat(60)}!` });
    const { document } = readDocument(text, schema, 'T');
    expect(document && marksOf(schema, document, [])).toEqual([]);
  });
});

test('what was typed keeps its kind', () => {
  const field = { path: '/n', title: 'N', help: '', kind: 'number', options: [], isRequired: false, isJsonNumber: false } as const;
  expect(jsonOf('2.50', field, undefined)).toBe('"2.50"');
  expect(jsonOf('2.50', { ...field, isJsonNumber: true }, undefined)).toBe('2.50');
  expect(jsonOf('2,5', { ...field, isJsonNumber: true }, undefined)).toBe('"2,5"');
  expect(jsonOf('', field, undefined)).toBeUndefined();
});

test('a new document begins with its day, its sender and its recipient', () => {
  const sides = { own: { handle: 'acme', name: 'Acme GmbH' }, other: { handle: 'globex', name: undefined }, today: '2026-11-19' };
  expect(JSON.parse(beginDocument(order, sides))).toEqual({
    issue_date: '2026-11-19',
    buyer: { name: 'Acme GmbH', handle: 'acme' },
    seller: { handle: 'globex' },
  });
  const invoice = documentType('invoice') ?? expect.fail('no type invoice');
  expect(JSON.parse(beginDocument(invoice, sides)).seller).toEqual({ name: 'Acme GmbH', handle: 'acme' });
});

test('an edit of a document with a thousand lines reads only what it changes', () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => ({
    id: String(at + 1),
    name: `Article ${at}`,
    quantity: '3',
    price: '1.25',
    tax_rate: '19',
  }));
  const text = computeTotals(order, JSON.stringify({ currency: 'EUR', lines }, null, 2));
  const { document } = readDocument(text, order.schema, order.title);
  const before = { text, document: document ?? expect.fail() };
  const edit = { path: '/lines/500/quantity', value: '"4"' };
  // Each string of a text that is read is one call of JSON.parse.
  const reads = vi.spyOn(JSON, 'parse');
  try {
    const written = editDocument(order, before, [edit]);
    keepRead(written);
    const read = readDocument(written.text, order.schema, order.title);
    expect(read.document).toBe(written.document);
    expect(marksOf(order.schema, written.document, order.rules).map(({ path }) => path)).not.toContain('/total');
    expect(reads.mock.calls.length).toBeLessThan(100);
    expect(written.text).toBe(computeTotals(order, editJson(text, [edit]), text));
    expect(reads.mock.calls.length).toBeGreaterThan(10_000);
  } finally {
    reads.mockRestore();
  }
});
