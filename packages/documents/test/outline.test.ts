import { describe, expect, test } from 'vitest';
import {
  csvOf,
  DOCUMENT_TYPES,
  documentType,
  type Fact,
  LINES_CHECKED_MAX,
  type Outline,
  outlineDocument,
  rawText,
  shownText,
} from '../src/index.ts';

const outlined = (type: string | undefined, json: unknown) =>
  outlineDocument(type === undefined ? undefined : documentType(type), typeof json === 'string' ? json : JSON.stringify(json)) ??
  expect.fail();

/** Every value that an outline has, as it was sent. */
function valuesOf(outline: Outline): string[] {
  const texts = (facts: readonly Fact[]) => facts.map(({ value }) => rawText(value));
  const { number, currency, parties, facts, lines, tables, totals, terms, notes, more } = outline;
  return [
    ...[number, currency].filter((one) => one !== undefined),
    ...parties.flatMap(({ name, handle, address, facts: own }) => [name ?? '', handle ?? '', ...address, ...texts(own)]),
    ...texts([...facts, ...totals, ...terms, ...notes, ...more]),
    ...[...(lines ? [lines] : []), ...tables].flatMap(({ rows }) =>
      rows.flatMap(({ cells, details }) => [...cells.flatMap((cell) => (cell === undefined ? [] : rawText(cell))), ...texts(details)]),
    ),
  ];
}

function scalarsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(scalarsIn);
  return value === null ? [] : [String(value)];
}

test.each(DOCUMENT_TYPES.map((type) => [type.type, type] as const))('%s: an outline has every value of the samples', (name, type) => {
  for (const sample of type.samples) {
    const outline = outlined(name, sample);
    const shown = valuesOf(outline).join('\n');
    for (const value of scalarsIn(sample)) expect(shown).toContain(value);
    expect(outline).toMatchObject({ title: type.title, number: (sample as { number: string }).number, more: [], isCut: false });
    const guessed = valuesOf(outlined(undefined, sample)).join('\n');
    for (const value of scalarsIn(sample)) expect(guessed).toContain(value);
  }
});

test('what the layout does not name is shown last, below its own name', () => {
  const outline = outlined('invoice', {
    number: 7,
    colour: 'red',
    payment: { account: 'DE02', swift: 'X' },
    seller: { name: 'A', address: { city: 'Rome', planet: 'Mars' }, rating: 5 },
    lines: [{ name: 'x', pallet: { id: 9 } }, 'free text', null],
    total: { nested: true },
  });
  const labelled = (facts: readonly Fact[]) => facts.map(({ label, value }) => `${label}: ${rawText(value)}`);
  expect(labelled(outline.more)).toEqual(['Colour: red', 'Payment › Swift: X', 'Total › Nested: true']);
  expect(labelled(outline.terms)).toEqual(['Account: DE02']);
  expect(labelled(outline.parties[0]?.facts ?? [])).toEqual(['Address › City: Rome', 'Address › Planet: Mars', 'Rating: 5']);
  expect(outline.lines?.rows.map(({ details }) => labelled(details))).toEqual([['Pallet › Id: 9'], ['Value: free text'], []]);
});

test('any JSON has an outline, by honest guesses', () => {
  expect(outlined(undefined, '[{"a":1},{"b":2}]').lines).toMatchObject({ columns: [{ label: 'A' }, { label: 'B' }] });
  expect(outlined(undefined, '5').more).toMatchObject([{ label: 'Value' }]);
  expect(valuesOf(outlined(undefined, '{"a":{"b":[1,2,{"c":"x"}]},"items":[{"sku":"A-1","quantity":3}]}'))).toEqual([
    '1',
    '2',
    'x',
    'A-1',
    '3',
  ]);
  expect(outlineDocument(undefined, '{')).toBeUndefined();
  expect(outlineDocument(undefined, '['.repeat(2_000))).toBeUndefined();
  for (const json of ['null', '[]', '{}', '{"__proto__":{"constructor":1},"lines":{"0":1}}', `${'{"a":'.repeat(990)}1${'}'.repeat(990)}`])
    expect(outlined('order', json).isCut).toBe(false);
});

test('a guess puts values where the page of a thread has them', () => {
  const order = {
    header: { orderNo: 'PO-1', order_date: '2026-03-01' },
    customer: { name: 'Acme', city: 'Hamburg' },
    pallets: [{ kg: 420 }, { kg: 80 }],
    hooks: [{ a: 1 }, { b: 2 }, { c: 3 }],
    items: [{ sku: 'A-1', qty: 1200, item: { name: 'Bolt' } }],
    grand_total: '1190.50',
    summary: { net: '100', total_tax: '19' },
    remarks: 'Please deliver to the second gate.',
  };
  const outline = outlined(undefined, { order });
  const labelled = (facts: readonly Fact[]) => facts.map(({ label, value }) => `${label}: ${rawText(value)}`);
  expect(labelled(outline.facts)).toEqual(['Order No: PO-1', 'Order date: 2026-03-01']);
  expect(labelled(outline.totals)).toEqual(['Total tax: 19', 'Grand total: 1190.50']);
  expect(labelled(outline.notes)).toEqual(['Remarks: Please deliver to the second gate.']);
  expect(outline.parties).toMatchObject([{ title: 'Customer', name: 'Acme' }]);
  expect(outline.lines).toMatchObject({ title: 'Items', columns: [{ label: 'Sku' }, { label: 'Qty' }] });
  expect(labelled(outline.lines?.rows[0]?.details ?? [])).toEqual(['Item › Name: Bolt']);
  expect(outline.tables).toMatchObject([{ title: 'Pallets', columns: [{ label: 'Kg' }], rows: [{}, {}] }]);
  expect(labelled(outline.more)).toEqual([
    'Order › Hooks 1 › A: 1',
    'Order › Hooks 2 › B: 2',
    'Order › Hooks 3 › C: 3',
    'Order › Summary › Net: 100',
  ]);
  const part = outlined(undefined, { total: '5', order });
  expect([part.lines, labelled(part.totals)]).toEqual([undefined, ['Total: 5']]);
});

test('numbers keep their digits, and amounts get those of the currency', () => {
  const { totals } = outlined('invoice', '{"currency":"EUR","net_total":1234567.5,"total":"12345678901234567890.123","tax_total":"x"}');
  expect(totals.map(({ value, format }) => shownText(value, format, 'EUR').replaceAll('\u{a0}', ' '))).toEqual([
    ...['1 234 567.50', 'x', '12 345 678 901 234 567 890.123'],
  ]);
  expect(shownText('19', 'percent')).toBe('19\u{a0}%');
  expect(shownText('4711')).toBe('4711');
  expect(shownText('5', 'money', 'JPY')).toBe('5');
});

test('an outline of a hostile document is bounded', () => {
  const rows = Array(LINES_CHECKED_MAX + 5).fill('{"name":"x"}');
  expect(outlined('order', `{"lines":[${rows.join()}]}`)).toMatchObject({ isCut: true, lines: { rows: { length: LINES_CHECKED_MAX } } });
  const names = Array.from({ length: 50_000 }, (_, i) => `"n${i}":1`);
  const { isCut, more } = outlined('order', `{${names.join()}}`);
  expect([isCut, more.length < 25_000]).toEqual([true, true]);
});

describe('CSV', () => {
  const csv = (lines: unknown) => csvOf(outlined('order', { lines }).lines ?? expect.fail());

  test('has the labels, all values of each line, and numbers as they were sent', () => {
    expect(
      csv([
        { id: '1', name: 'Bolt, "M8"', quantity: '200', price: '3.150', colour: 'blue' },
        { name: 'Nut', note: 'a\nb' },
      ]),
    ).toBe('\u{feff}Line,Description,Quantity,Price,Colour,Note\r\n1,"Bolt, ""M8""",200,3.150,blue,\r\n,Nut,,,,"a\nb"\r\n');
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+49 40 1', "'+49 40 1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-1+2', "'-1+2"],
    ['-5', '-5'],
    ['-5.25', '-5.25'],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['a;=1', '"a;=1"'],
    ["=cmd|'/c calc'!A0,\"", '"\'=cmd|\'/c calc\'!A0,"""'],
    ['a\u0000b\ud800', 'a\u{fffd}b\u{fffd}'],
  ])('a cell %j is written as %j', (name, cell) => {
    expect(csv([{ name }])).toBe(`\u{feff}Description\r\n${cell}\r\n`);
  });

  test('a label is as harmless as a cell', () => {
    expect(csv([{ name: 'x', '=1+1': 2 }])).toBe("\u{feff}Description,'=1+1\r\nx,2\r\n");
  });
});
