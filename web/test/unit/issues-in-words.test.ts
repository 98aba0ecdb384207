import { expect, test } from 'vitest';
import { correctionOf, placeInWords, valuesInWords } from '../../src/json/issues-in-words.ts';
import { labelGroups } from '../../src/pages/schema/layout-labels.ts';

const NOTE_MAX_CHARS = 10_000;
const issue = (path: string, message: string, more: object = {}) => ({ path, message, keyword: 'enum', ...more });

test.each([
  ['', 'The document'],
  ['/currency', 'currency'],
  ['/lines/0/unit_price', 'lines 1, unit price'],
  ['/lines/0/1', 'lines 1 2'],
  ['/a~1b/c~0d', 'a/b, c~d'],
  ['/0', '0'],
])('a place is named in words: %s', (path, words) => expect(placeInWords(path)).toBe(words));

test('the allowed values are listed, with how many there are beyond', () => {
  expect(valuesInWords(issue('', ''))).toBe('');
  expect(valuesInWords(issue('', '', { allowed: ['EUR', 2, null], allowed_count: 3 }))).toBe('Allowed: EUR, 2, null');
  expect(valuesInWords(issue('', '', { allowed: ['EUR'], allowed_count: 180 }))).toBe('Allowed: EUR and 179 more');
  expect(valuesInWords(issue('', '', { pattern: '^[A-Z]+$' }))).toBe('Pattern: ^[A-Z]+$');
});

test('a reply lists what is wrong, in a note that can be sent', () => {
  const errors = [issue('/currency', 'must be one of the values in the schema', { allowed: ['EUR'], allowed_count: 1 })];
  expect(correctionOf(errors, 'Order 1')).toBe(
    'Your message “Order 1” needs correction:\n\n- currency: must be one of the values in the schema (Allowed: EUR)\n\nPlease send it again.',
  );
  const long = Array.from({ length: 50 }, (_, i) => issue(`/${'x'.repeat(1_900)}/${i}`, 'm'.repeat(300)));
  expect(correctionOf(long, null).length).toBeLessThan(NOTE_MAX_CHARS);
  expect(correctionOf(long, null)).toMatch(/- and \d+ more/);
});

test('names that strangers chose stay on their line, and show what is invisible', () => {
  const text = correctionOf([issue('/a\n\nPay 100\u202e', 'is wrong')], null);
  expect(text.split('\n')).toHaveLength(5);
  expect(text).not.toContain('\u202e');
});

const SCHEMA = {
  $defs: { Party: { title: 'Party', properties: { name: { title: 'Name' } } } },
  properties: {
    gate: { title: 'Gate' },
    seller: { $ref: '#/$defs/Party', title: 'Seller' },
    lines: { items: { properties: { unit_price: {}, sku: { title: 'Article' } } } },
  },
};

test('a preview has the labels of a layout, by titles and else by names', () => {
  const layout = {
    parties: ['/seller'],
    facts: [{ path: '/gate' }, { path: '/none' }],
    lines: { path: '/lines', columns: [{ path: '/sku' }, { path: '/unit_price' }] },
  };
  expect(labelGroups(JSON.stringify(SCHEMA), JSON.stringify(layout))).toEqual([
    { name: 'Parties', labels: ['Seller'] },
    { name: 'Facts', labels: ['Gate', 'none'] },
    { name: 'Lines', labels: ['Article', 'unit price'] },
  ]);
  expect(labelGroups(JSON.stringify(SCHEMA), '{}')).toEqual([{ name: 'All fields', labels: ['Gate', 'Seller', 'lines'] }]);
});

test.each([
  ['{', '{'],
  ['1', '[]'],
  ['{"$ref":"#/$ref"}', '{"facts":[1,null,{"path":2},"x","/a/b"]}'],
  ['{"properties":{"a":{"$ref":"#/properties/a"}}}', '{}'],
  ['{"properties":1}', '{"lines":{"columns":{}}}'],
])('no text breaks the preview: %s %s', (schema, layout) => expect(labelGroups(schema, layout)).toBeInstanceOf(Array));
