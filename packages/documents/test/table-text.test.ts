import { describe, expect, test } from 'vitest';
import { decimalMarkOf, mapTable, type PasteColumn, parseTable, readDate, readNumber } from '../src/index.ts';

describe('numbers are read as they were meant', () => {
  test.each([
    ['3', '3'],
    ['1.234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1.234.567', '1234567'],
    ['1,234,567.8', '1234567.8'],
    ['1 234,50', '1234.50'],
    ["1'234.50", '1234.50'],
    ['1 234', '1234'],
    ['3,15', '3.15'],
    ['0,125', '0.125'],
    ['0.125', '0.125'],
    ['-12,5', '-12.5'],
    ['−7', '-7'],
    ['+7', '7'],
    ['007', '7'],
    ['€ 12.50', '12.50'],
    ['12,50 EUR', '12.50'],
    ['19 %', '19'],
    ['123456789012345678901234567890.10', '123456789012345678901234567890.10'],
    ['1234.567', '1234.567'],
  ])('%s is %s', (text, number) => {
    expect(readNumber(text)).toEqual({ number });
  });

  test.each(['', 'abc', '1,2,3', '1.2.3', '12,34.5,6', '1,23,456', '=1+1', '1e5', '--1', '5-', '1..2', '.', '٣'])('%s is none', (text) => {
    expect(readNumber(text)).toBeUndefined();
  });

  test('a text that could be two numbers says so, until the mark is known', () => {
    expect(readNumber('1.234')).toEqual({ withPoint: '1.234', withComma: '1234' });
    expect(readNumber('-1,234')).toEqual({ withPoint: '-1234', withComma: '-1.234' });
    expect(readNumber('1.234', 'comma')).toEqual({ number: '1234' });
    expect(readNumber('1.234', 'point')).toEqual({ number: '1.234' });
  });

  test('other numbers of the same table prove the mark, unless they contradict each other', () => {
    expect(decimalMarkOf(['1.234', '3,15', 'x', '4'])).toBe('comma');
    expect(decimalMarkOf(['1,234', '3.15'])).toBe('point');
    expect(decimalMarkOf(['1.234.567'])).toBe('comma');
    expect(decimalMarkOf(['1,234', '12'])).toBeUndefined();
    expect(decimalMarkOf(['3,15', '3.15'])).toBeUndefined();
  });
});

test.each([
  ['2026-11-19', '2026-11-19'],
  ['2026/1/9', '2026-01-09'],
  ['19.11.2026', '2026-11-19'],
  ['03/04/2026', undefined],
  ['31.02.2026', undefined],
  ['soon', undefined],
])('the day %s is %s', (text, day) => {
  expect(readDate(text)).toBe(day);
});

describe('tables are read as spreadsheets write them', () => {
  test.each<[string, string, string[][]]>([
    [
      'tabs',
      'a\tb, c\n1\t2\n',
      [
        ['a', 'b, c'],
        ['1', '2'],
      ],
    ],
    [
      'semicolons',
      'a;b,5\r\n1;2',
      [
        ['a', 'b,5'],
        ['1', '2'],
      ],
    ],
    [
      'commas',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['quoted cells', '"a ""b""\nc"\t2', [['a "b"\nc', '2']]],
    [
      'a quote inside a cell',
      'pipe 3"\t2\n3" pipe\t4',
      [
        ['pipe 3"', '2'],
        ['3" pipe', '4'],
      ],
    ],
    [
      'a quote at the beginning of a cell',
      '"3 pipe\t2\nx\t4',
      [
        ['"3 pipe', '2'],
        ['x', '4'],
      ],
    ],
    [
      'empty lines',
      'a\tb\n\t\n\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'empty cells',
      'a\t\tb\n\t1\t',
      [
        ['a', '', 'b'],
        ['', '1', ''],
      ],
    ],
    ['a byte order mark', '\ufeffa\tb', [['a', 'b']]],
    ['nothing', '', []],
  ])('%s', (_, text, rows) => {
    expect(parseTable(text)).toEqual({ rows, isCut: false });
  });

  test('at most so many rows', () => {
    const { rows, isCut } = parseTable('a\tb\n'.repeat(10_001));
    expect([rows.length, isCut]).toEqual([10_000, true]);
  });
});

const COLUMNS: PasteColumn[] = [
  { name: 'sku', title: 'Article', kind: 'text' },
  { name: 'name', title: 'Description', kind: 'text' },
  { name: 'quantity', title: 'Quantity', kind: 'number' },
  { name: 'price', title: 'Price', kind: 'number' },
  { name: 'day', title: 'Delivery', kind: 'date' },
];
const plain = (text: string, first = 0) =>
  mapTable(text, COLUMNS, first).rows.map((row) => Object.fromEntries(row.map((cell) => [cell.name, cell.text])));

describe('columns are found', () => {
  test('by the headers of the first row, in any order and by other names', () => {
    const pasted = mapTable('Qty\tColour\tDescription\tUnit price\n1.000\tred\tBolt\t1,5', COLUMNS);
    expect(pasted.rows).toEqual([
      [
        { name: 'quantity', text: '1000', isAmbiguous: false },
        { name: 'name', text: 'Bolt', isAmbiguous: false },
        { name: 'price', text: '1.5', isAmbiguous: false },
      ],
    ]);
    expect(pasted.unknown).toEqual(['Colour']);
  });

  test('by position, from the column of the cell, if there are none', () => {
    expect(plain('A-1\tBolt\t3\t1,50\t19.11.2026')).toEqual([
      { sku: 'A-1', name: 'Bolt', quantity: '3', price: '1.50', day: '2026-11-19' },
    ]);
    expect(plain('3\t1.5', 2)).toEqual([{ quantity: '3', price: '1.5' }]);
    expect(mapTable('1\t2\t3\t4', COLUMNS, 2).isCut).toBe(true);
  });

  test('and what is ambiguous stays as it was pasted', () => {
    expect(mapTable('A-1\tBolt\t1.000\t2', COLUMNS).rows[0]?.[2]).toEqual({ name: 'quantity', text: '1.000', isAmbiguous: true });
    expect(mapTable('A-1\tBolt\t1.000\t2,5', COLUMNS).rows[0]?.[2]).toEqual({ name: 'quantity', text: '1000', isAmbiguous: false });
  });

  test('formulas and names that objects have of their own are texts', () => {
    expect(plain('=cmd|calc\t__proto__\t=1+1')).toEqual([{ sku: '=cmd|calc', name: '__proto__', quantity: '=1+1' }]);
    expect(mapTable('constructor\t__proto__\tSKU\tdescription\na\tb\tc\td', COLUMNS).unknown).toEqual(['constructor', '__proto__']);
  });
});
