import { describe, expect, test } from 'vitest';
import { checkDocument, computeTotals, DOCUMENT_TYPES, documentType, editJson, orderIn } from '../src/index.ts';

const order = documentType('order') ?? expect.fail('no type order');
const [sample = {}] = order.samples;
const SAMPLE = JSON.stringify(sample, null, 2);
const COMPUTED = ['lines_total', 'charge_total', 'net_total', 'taxes', 'tax_total', 'total'];

/** The document after some edits, each followed by its totals, as a form makes them. */
function written(edits: [path: string, value: unknown][], from = '', type = order): string {
  return edits.reduce((before, [path, value]) => {
    const edited = editJson(before, [{ path, value: value === undefined ? undefined : JSON.stringify(value) }], orderIn(type.schema));
    return computeTotals(type, edited, before);
  }, from);
}
const read = (json: string) => JSON.parse(json);

describe.each(DOCUMENT_TYPES.flatMap((type) => type.samples.map((one) => [type.type, type, one] as const)))('%s', (_name, type, one) => {
  test('computed again, a sample stays as it is', () => {
    for (const text of [JSON.stringify(one), JSON.stringify(one, null, 2)]) {
      expect(computeTotals(type, text)).toBe(text);
      expect(computeTotals(type, text, text)).toBe(text);
    }
  });

  test('without its totals, a sample gets the same ones', () => {
    const bare = computeTotals(type, JSON.stringify(without(one, COMPUTED)));
    const wanted = without(one, []);
    const sameTaxes = (value: Record<string, unknown>) => ({
      ...value,
      ...(value['taxes'] ? { taxes: (value['taxes'] as object[]).map((row) => ({ ...row, category: 'S' })) } : {}),
    });
    expect(sameTaxes(read(bare))).toEqual(sameTaxes(wanted));
    expect(checkDocument(type, bare)).toEqual([]);
  });
});

function without(document: object, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));
}

describe('while a document is written', () => {
  const LINE: [string, unknown][] = [
    ['/currency', 'EUR'],
    ['/lines/0/name', 'Bearing'],
    ['/lines/0/quantity', '200'],
    ['/lines/0/price', '3.15'],
  ];

  test('totals appear when they can be known, in the order of the schema', () => {
    expect(read(written(LINE.slice(0, 3)))).toEqual({ currency: 'EUR', lines: [{ name: 'Bearing', quantity: '200' }] });
    expect(read(written(LINE))).toEqual({
      currency: 'EUR',
      lines: [{ name: 'Bearing', quantity: '200', price: '3.15', total: '630.00' }],
      ...{ lines_total: '630.00', net_total: '630.00', total: '630.00' },
    });
    const taxed = written([...LINE, ['/lines/0/tax_rate', '1'], ['/lines/0/tax_rate', '19']]);
    expect(read(taxed)).toMatchObject({ taxes: [{ rate: '19', net: '630.00', tax: '119.70' }], tax_total: '119.70', total: '749.70' });
    const names = Object.keys(order.schema.properties ?? {});
    expect(Object.keys(read(taxed))).toEqual(names.filter((name) => name in read(taxed)));
  });

  test('they appear when all lines come at once, and go with the last one', () => {
    const lines = [
      { name: 'A', quantity: 2, price: '1.10' },
      { name: 'B', quantity: 1, price: '0.05' },
    ];
    const pasted = written([['/lines', lines]], '{"currency":"EUR"}');
    expect(read(pasted)).toMatchObject({ lines_total: '2.25', net_total: '2.25', total: '2.25' });
    expect(written([['/lines', undefined]], pasted)).toBe('{"currency":"EUR"}');
  });

  test('they follow each change, and go when nobody knows them', () => {
    const changed = written([['/lines/1/quantity', 150]], SAMPLE);
    expect(read(changed)).toMatchObject({ lines_total: '874.95', net_total: '898.95', tax_total: '160.04', total: '1058.99' });
    expect(read(changed).taxes[0]).toEqual({ rate: '19', category: 'S', net: '809.25', tax: '153.76' });
    const begun = read(written([['/lines/3/name', 'Grease']], SAMPLE));
    expect(begun.total).toBeUndefined();
    expect(begun.taxes).toEqual([
      { rate: '19', category: 'S' },
      { rate: '7', category: 'S' },
    ]);
    const finished = written(
      [
        ['/lines/3/tax_rate', '19'],
        ['/lines/3/quantity', 1],
        ['/lines/3/price', '10'],
      ],
      JSON.stringify(begun),
    );
    expect(checkDocument(order, finished)).toEqual([]);
    expect(read(finished).total).toBe('1026.44');
    expect(written([['/lines/3', undefined]], finished)).toBe(JSON.stringify(read(written([['/lines/3', undefined]], finished))));
    expect(read(written([['/lines/3', undefined]], finished))).toEqual(sample);
  });

  test('what somebody wrote by hand stays, and is marked', () => {
    const byHand = written(
      [
        ['/lines/0/total', '600.00'],
        ['/lines/0/quantity', '201'],
      ],
      SAMPLE,
    );
    expect(read(byHand).lines[0].total).toBe('600.00');
    expect(checkDocument(order, byHand)).toEqual([
      { path: '/lines/0/total', code: 'line_total', message: 'Expected 601.65 (quantity × price − discount), not 600.00.' },
    ]);
    expect(
      read(
        written(
          [
            ['/lines/0/total', '601.65'],
            ['/lines/0/quantity', '202'],
          ],
          byHand,
        ),
      ).lines[0].total,
    ).toBe('604.80');
  });

  test('what somebody took out stays out', () => {
    const left = read(
      written(
        [
          ['/tax_total', undefined],
          ['/lines/0/quantity', '201'],
        ],
        SAMPLE,
      ),
    );
    expect(left.tax_total).toBeUndefined();
    expect(left.lines[0].total).toBe('601.65');
  });

  test('numbers stay numbers, and exact', () => {
    const text =
      '{"currency":"JPY","lines":[{"quantity":3,"price":0.1,"total":0},{"quantity":1,"price":1e2,"total":100}],"lines_total":100}';
    expect(written([['/lines/0/quantity', 30]], text)).toBe(
      text.replace('"quantity":3,', '"quantity":30,').replace('"total":0', '"total":3').replace('_total":100', '_total":103'),
    );
  });
});

test('a document of a thousand lines is computed in time', () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => ({
    id: String(at + 1),
    sku: `A-${at}`,
    name: `Article ${at}`,
    quantity: '3',
    unit: 'C62',
    price: '1.25',
    tax_rate: '19',
  }));
  const text = computeTotals(order, JSON.stringify({ currency: 'EUR', lines }, null, 2));
  const begin = process.cpuUsage();
  let now = text;
  for (let at = 0; at < 10; at++) now = written([[`/lines/${at * 99}/price`, '1.30']], now);
  const { user, system } = process.cpuUsage(begin);
  expect(checkDocument(order, now)).toEqual([]);
  expect((user + system) / 10_000).toBeLessThan(150);
});

test('text that is no object stays as it is', () => {
  for (const text of ['', '[', '[]', '12', '{"lines":3}', '{"lines":[1,null,"x"]}', '{"taxes":{"rate":1}}', '"x"'])
    expect(computeTotals(order, text, text)).toBe(text);
});
