import { describe, expect, test } from 'vitest';
import { DOCUMENT_TYPES, layoutFor, layoutFromSchema, type Schema, schemaAt } from '../src/index.ts';

const text = (title: string, more: object = {}): Schema => ({ title, type: 'string', ...more });
const party: Schema = { type: 'object', properties: { name: text('Name'), city: text('City') } };

const RENTAL: Schema = {
  title: 'Rental of a machine',
  type: 'object',
  properties: {
    note: text('Remarks', { maxLength: 4_000 }),
    rental_no: text('Rental number'),
    begins: text('Begins', { format: 'date' }),
    ccy: text('Currency'),
    lessor: party,
    depot: { title: 'Depot', type: 'object', properties: { code: text('Code') } },
    net_amount: { title: 'Net', type: 'number' },
    grand_total: { title: 'To pay', $ref: '#/$defs/decimal' },
    vat: { title: 'VAT', type: 'number' },
    payment_terms: text('Payment terms'),
    machines: {
      title: 'Machines',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: text('Machine'),
          days: { type: 'integer', title: 'Days' },
          price: { type: 'number', title: 'Price' },
          story: text('Story', { maxLength: 900 }),
        },
      },
    },
    stops: { title: 'Stops', type: 'array', items: party },
    tags: { type: 'array', items: { type: 'string' } },
  },
  $defs: { decimal: { type: ['string', 'number'], pattern: '^-?[0-9]+$' } },
};

describe('a layout from a schema', () => {
  test('puts each property where its kind stands', () => {
    expect(layoutFromSchema(RENTAL)).toEqual({
      number: '/rental_no',
      currency: '/ccy',
      parties: ['/lessor'],
      facts: [{ path: '/begins' }],
      lines: {
        path: '/machines',
        columns: [{ path: '/id' }, { path: '/days' }, { path: '/price', format: 'money' }],
        details: [{ path: '/story' }],
      },
      tables: [{ path: '/stops', columns: [{ path: '/name' }, { path: '/city' }] }],
      totals: [
        { path: '/net_amount', format: 'money' },
        { path: '/vat', format: 'money' },
        { path: '/grand_total', format: 'money' },
      ],
      terms: [{ path: '/payment_terms' }],
      notes: ['/note'],
    });
  });

  test.each(DOCUMENT_TYPES.map((type) => [type.type, type] as const))(
    'finds in %s the number, currency, parties and lines that its own has',
    (_, { schema, layout }) => {
      const made = layoutFromSchema(schema);
      expect([made.number, made.currency, made.lines?.path]).toEqual([layout.number, layout.currency, layout.lines?.path]);
      expect(made.parties.toSorted()).toEqual(layout.parties.filter((path) => schemaAt(schema, path)?.properties?.['name']).toSorted());
    },
  );

  test.each([
    ['{}', {}],
    ['a list', { properties: [] }],
    [
      'references to each other',
      {
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
        properties: { x: { $ref: '#/$defs/a' }, y: { $ref: 'https://elsewhere.example' } },
      },
    ],
    ['itself inside', { properties: { again: { $ref: '#' }, list: { type: 'array', items: { $ref: '#' } } } }],
    [
      'values that are no schemas',
      { properties: { a: true, b: null, c: 'x', __proto__: { type: 'string' }, 'a/b~c': { type: 'string', title: 7 } } },
    ],
    ['many properties', { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, { type: 'string' }])) }],
  ])('is made of any schema: %s', (_, schema) => {
    const made = layoutFromSchema(schema as Schema);
    expect(made.facts.length).toBeLessThanOrEqual(300);
    for (const { path } of made.facts) expect(path).toMatch(/^\//);
  });

  test('is used where the layout has another form, or names nothing that the schema has', () => {
    const own = { number: '/x', parties: [], facts: [{ path: '/begins' }], tables: [], totals: [], terms: [], notes: [] };
    expect(layoutFor(RENTAL, own)).toBe(own);
    for (const bad of [
      undefined,
      null,
      7,
      {},
      { ...own, facts: ['/begins'] },
      { ...own, lines: 4 },
      { ...own, facts: [{ path: '/other' }] },
    ])
      expect(layoutFor(RENTAL, bad)).toEqual(layoutFromSchema(RENTAL));
  });
});
