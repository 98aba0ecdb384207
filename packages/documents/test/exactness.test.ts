import { describe, expect, test } from 'vitest';
import { checkDocument, documentType, LINES_CHECKED_MAX, minorDigits, WARNINGS_MAX } from '../src/index.ts';

const order = documentType('order') ?? expect.fail();
const invoice = documentType('invoice') ?? expect.fail();
const BOTH = [invoice, documentType('statement') ?? expect.fail()];
/** Kernels count processor time in steps. */
const TICKS_MS = 20;
const rows = (count: number, row: (i: number) => string) => Array.from({ length: count }, (_, i) => row(i)).join();
const codes = (json: string) => checkDocument(order, json).map(({ path, code }) => `${path} ${code}`);

function expectBounded(warnings: readonly unknown[]): void {
  expect(warnings.length).toBeLessThanOrEqual(WARNINGS_MAX);
  expect(JSON.stringify(warnings).length).toBeLessThan(WARNINGS_MAX * 1_000);
}

describe('numbers are exact:', () => {
  test('0.1 + 0.2 is 0.3', () => {
    expect(codes('{"lines":[{"total":0.1},{"total":0.2}],"lines_total":0.3}')).toEqual([]);
    expect(codes('{"lines":[{"total":0.1},{"total":0.2}],"lines_total":0.30000000000000004}')).toEqual(['/lines_total lines_total']);
  });

  test('of twelve digits behind the point, the last one counts', () => {
    expect(codes('{"lines":[{"total":"0.000000000001"},{"total":1}],"lines_total":"1.000000000001"}')).toEqual([]);
    expect(codes('{"lines":[{"total":"0.000000000001"},{"total":1}],"lines_total":"1.000000000002"}')).toEqual([
      '/lines_total lines_total',
    ]);
  });

  test('of thirty digits, the last one counts', () => {
    const total = '123456789012345678901234567890';
    expect(codes(`{"lines":[{"total":${total}}],"lines_total":"${total}"}`)).toEqual([]);
    expect(codes(`{"lines":[{"total":${total}}],"lines_total":${total.replace(/0$/, '1')}}`)).toEqual(['/lines_total lines_total']);
  });

  test('the currency says how amounts are rounded', () => {
    const line = (currency: string, total: string) =>
      codes(`{"currency":"${currency}","lines":[{"quantity":3,"price":"0.3335","total":"${total}"}]}`);
    expect([line('EUR', '1.00'), line('EUR', '1.01'), line('EUR', '1.02')]).toEqual([[], [], ['/lines/0/total line_total']]);
    expect(codes('{"currency":"EUR","lines":[{"quantity":3,"price":"0.33","total":"1.00"}]}'), 'nothing was rounded').toEqual([
      '/lines/0/total line_total',
    ]);
    expect([line('KWD', '1.001'), line('KWD', '1.003')]).toEqual([[], ['/lines/0/total line_total']]);
    expect([line('JPY', '1'), line('JPY', '3')]).toEqual([[], ['/lines/0/total line_total']]);
    expect([minorDigits('JPY'), minorDigits('TND'), minorDigits('CLF'), minorDigits('USD'), minorDigits('__proto__')]).toEqual([
      0, 3, 4, 2, 2,
    ]);
  });
});

describe('what strangers send is checked within bounds:', () => {
  const line = '{"id":"1","name":"x","quantity":1,"price":1,"total":2,"tax_rate":1}';
  const hostile: [name: string, json: string][] = [
    ['nothing', ''],
    ['half of a document', '{"lines":[{"total":1'],
    ['a text', '"order"'],
    ['a number', '1e400'],
    ['an array', `[${line}]`],
    ['1,000 levels', `{"lines":${'['.repeat(990)}${']'.repeat(990)}}`],
    ['1,000,000 levels', `{"lines":${'['.repeat(1_000_000)}`],
    ['exponents', `{"lines":[{"quantity":1e400,"price":1e-999999999,"total":1}],"total":-1e308,"payable":1e${'9'.repeat(400)}}`],
    ['a million digits', `{"lines":[{"total":${'9'.repeat(1_000_000)}}],"lines_total":"${'9'.repeat(1_000_000)}"}`],
    ['keys of prototypes', '{"__proto__":{"lines":[1]},"constructor":{"prototype":1},"lines":[{"__proto__":{"total":1},"toString":1}]}'],
    ['repeated keys', '{"total":1,"total":2,"lines":[{"total":1,"total":"x"}]}'],
    ['null everywhere', '{"lines":[null,1,"x",[],{}],"taxes":[null],"charges":[null],"payment":null,"currency":null}'],
  ];

  test.each(hostile)('%s', (_, json) => {
    for (const type of BOTH) expectBounded(checkDocument(type, json));
  });

  const long: [name: string, json: (count: number) => string][] = [
    ['lines', (count) => `{"lines":[${rows(count, () => line)}]}`],
    ['taxes', (count) => `{"lines":[${line}],"taxes":[${rows(count, (i) => `{"rate":${i},"net":1,"tax":9}`)}]}`],
    ['rates', (count) => `{"taxes":[],"lines":[${rows(count, (i) => `{"tax_rate":${i},"total":1}`)}]}`],
    ['properties', (count) => `{${rows(count, (i) => `"p${i}":1e999`)}}`],
    ['properties of a line', (count) => `{"lines":[{${rows(count, (i) => `"p${i}":${i}`)}}]}`],
  ];

  test.each(long)('four times as many %s take no more than ten times as long', (_, json) => {
    const ms = (count: number) => {
      const text = json(count);
      const start = process.cpuUsage();
      for (const type of BOTH) expectBounded(checkDocument(type, text));
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    // The first run compiles. Time that grew with the square would be sixteen times as long.
    ms(LINES_CHECKED_MAX / 4);
    const [few, many] = [ms(LINES_CHECKED_MAX / 4), ms(LINES_CHECKED_MAX)];
    expect(many).toBeLessThan(10 * few + TICKS_MS);
  });

  test('a longer list is named, and its sums are not compared', () => {
    const lines = (count: number) => Array.from({ length: count }, () => '{"total":1}').join();
    expect(codes(`{"lines":[${lines(LINES_CHECKED_MAX)}],"lines_total":1}`)).toEqual(['/lines_total lines_total']);
    expect(codes(`{"lines":[${lines(LINES_CHECKED_MAX + 1)}],"lines_total":1}`)).toEqual(['/lines list_too_long']);
  });

  test('a number with too many digits is named', () => {
    expect(codes('{"lines":[{"total":1e400}],"lines_total":1}')).toEqual(['/lines/0/total number_too_long']);
  });

  test('names of properties are escaped in paths', () => {
    expect(codes('{"a/b~c":1e400}')).toEqual(['/a~1b~0c number_too_long']);
  });
});
