import { describe, expect, test } from 'vitest';
import { programFor } from '../../src/json/copy-as.ts';
import { factsOf } from '../../src/json/facts.ts';
import { JsonFault, parseJson } from '../../src/json/parse.ts';
import { previewOf } from '../../src/json/preview.ts';
import { cellOf, isNumeric, tablesOf } from '../../src/json/tables.ts';
import type { JsonTree } from '../../src/json/tree.ts';

function treeOf(text: string): JsonTree {
  const tree = parseJson(text);
  if (tree instanceof JsonFault) throw new Error(tree.message);
  return tree;
}

const ORDER = `{"orderNumber":"PO-4711","currency":"EUR","total":12345678.50,"delivery_date":"2026-03-12","status":"open",
  "customer":{"name":"Acme","order_ref":"X-1"},
  "lines":[{"sku":"A-1","quantity":2,"price":10.50},{"sku":"B-2","quantity":1,"price":3,"note":"green"},{"sku":"C","quantity":9,"price":1}]}`;

describe('facts', () => {
  test('are found by their common names, in order, with every digit', () => {
    expect(factsOf(treeOf(ORDER)).map(({ label, value }) => [label, value])).toEqual([
      ['Order number', 'PO-4711'],
      ['Total', '12,345,678.50 EUR'],
      ['Customer', 'Acme'],
      ['Delivery date', 'Mar 12, 2026'],
      ['Customer order ref', 'X-1'],
      ['Status', 'open'],
    ]);
  });

  test('are none where values are not what their names promise, or the document is short', () => {
    const odd = '{"total":"a lot","due_date":"soon","order":{"deep":true},"a":1,"b":2,"c":3,"d":4,"e":5}';
    expect(factsOf(treeOf(odd))).toEqual([]);
    expect(factsOf(treeOf('{"order":1,"total":2}'))).toEqual([]);
    expect(factsOf(treeOf('[1,2,3,4,5,6,7,8,9]'))).toEqual([]);
  });
});

describe('tables', () => {
  test('are arrays of like objects', () => {
    const tree = treeOf(ORDER);
    const [table] = tablesOf(tree);
    expect(table).toMatchObject({ name: 'lines', columns: ['sku', 'quantity', 'price', 'note'] });
    if (!table) return;
    expect(table.rows).toHaveLength(3);
    const prices = table.rows.map((row) => cellOf(tree, row, 'price')).map((cell) => (cell === undefined ? '' : tree.raw(cell)));
    expect(prices).toEqual(['10.50', '3', '1']);
    expect(table.columns.filter((column) => isNumeric(tree, table, column))).toEqual(['quantity', 'price']);
    expect(table.rows.map((row) => cellOf(tree, row, 'note') !== undefined)).toEqual([false, true, false]);
  });

  test.each(['[1,2,3]', '[{"a":1,"b":2}]', '[{"a":1,"b":2},7]', '[{"a":1,"b":1},{"c":2,"d":2},{"e":3,"f":3}]', '[{"a":1},{"a":2}]'])(
    'are not made of %s',
    (text) => expect(tablesOf(treeOf(text))).toEqual([]),
  );
});

describe('a folded object', () => {
  test('shows what it begins with', () => {
    const tree = treeOf('{"a":1,"b":"two","c":{"d":1},"e":[1,2],"f":[],"g":{}}');
    expect(previewOf(tree, 0)).toBe('{ a: 1, b: "two", c: {…}, e: [2], f: [], g: {} }');
    expect(previewOf(treeOf('[{"sku":"A","q":1},{"sku":"B"},{},[1]]'), 0)).toBe('[ { sku: "A", … }, { sku: "B" }, {}, [1] ]');
  });

  test('however large it is, in one line', () => {
    const tree = treeOf(JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${at}`, 'x'.repeat(1_000)]))));
    expect(previewOf(tree, 0).length).toBeLessThan(400);
    expect(previewOf(tree, 0)).toMatch(/… }$/);
  });
});

describe('a program that sends the same', () => {
  const json = `{"n":12345678901234567890,"s":"it's \`\${x}\` \\n ok"}`;
  test.each(['curl', 'TypeScript', 'Python'] as const)('in %s has the JSON as it was', (language) => {
    const program = programFor(language, json, { to: 'globex/orders', type: 'order' }, 'https://waybill.example');
    expect(program).toContain('https://waybill.example/v1/messages');
    expect(program).toContain('12345678901234567890');
    expect(program).toContain('WAYBILL_KEY');
    expect(program).toMatch(/to\\?":\\?"globex\/orders/);
  });

  test('in curl ends its text with a line that the JSON does not have', () => {
    expect(programFor('curl', '"\nJSON\n"', { to: 'x', type: null }, '')).toMatch(/<<'JSON_'\n[\s\S]*\nJSON_\n$/);
  });

  test('in TypeScript runs as it stands', () => {
    const program = programFor('TypeScript', json, { to: 'x', type: null }, 'http://localhost');
    const literal = /body: ([\s\S]*),\n\}\);/.exec(program)?.[1] ?? '';
    // biome-ignore lint/security/noGlobalEval: the literal is the product
    expect(eval(literal)).toBe(`{"to":"x","json":${json}}`);
  });
});

describe('a trailing comma', () => {
  test.each([
    ['{"a": 1,}', 7, 'Remove the comma before }.'],
    ['[1, 2, ]', 5, 'Remove the comma before ].'],
    ['{"a": [1,\n]}', 8, 'Remove the comma before ].'],
    ['{"a": 1, b: 2}', 9, 'Expected a key in double quotes.'],
    ['[1, b]', 4, 'Not a value. Strings need double quotes.'],
  ])('in %s is what is wrong', (text, at, message) => {
    expect(parseJson(text)).toMatchObject({ at, message });
  });
});
