import { JSON_MAX_BYTES } from '../../src/contract/limits.ts';

/** Repeats the unit up to the largest size of a payload. */
function filled(unit: string, [open, close]: [string, string] = ['[', ']']): string {
  const times = Math.floor((JSON_MAX_BYTES - 1) / (unit.length + 1));
  return `${open}${Array(times).fill(unit).join(',')}${close}`;
}

function keys(count: number, keyOf: (i: number) => string): string {
  return `{${Array.from({ length: count }, (_, i) => `"${keyOf(i)}":1`).join(',')}}`;
}

/** Returns the same texts on each run, in no order. */
const scattered = (i: number) => ((i * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0');

export const plainJson = JSON.stringify(
  Array.from({ length: 9_000 }, (_, i) => ({
    sku: `A-${i}`,
    quantity: i % 7,
    price: 19.99,
    text: 'a line of an order, as people write them',
  })),
);

/** Payloads within the limits that take long to parse, to sort or to write. */
export const hostileJson: [name: string, written: string][] = [
  ['arrays of 999 levels', filled('['.repeat(998) + ']'.repeat(998))],
  ['objects of 999 levels', filled(`${'{"a":'.repeat(998)}1${'}'.repeat(998)}`)],
  ['68,000 keys in no order', keys(68_000, scattered)],
  ['keys that look like indices', keys(70_000, (i) => String((i * 7_919) % 999_983))],
  ['keys with a long beginning in common', keys(1_000, (i) => 'x'.repeat(1_000) + scattered(i))],
  ['the empty key, again and again', filled('"":1', ['{', '}'])],
  ['objects that have no key in common', `[${Array.from({ length: 45_000 }, (_, i) => `{"k${i}":1,"a":2}`).join(',')}]`],
  ['objects whose keys are out of order', filled('{"1":1,"0":2,"__proto__":3}')],
  ['empty objects', filled('{}')],
  ['numbers with an exponent', filled('1e-7')],
  ['numbers at the end of a double', filled('1e308')],
  ['digits', filled('1')],
  ['halves of surrogate pairs', filled('"\\ud800"')],
  ['one text of escapes', `"${'\\u0000'.repeat(170_000)}"`],
];
