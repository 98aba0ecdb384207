import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { canonicalBytes } from '../../src/platform/json/canonical-bytes.ts';
import { scanJson } from '../../src/platform/json/lossless-json.ts';
import { hardJson } from '../support/hard-json.ts';

const canonical = (text: string) => canonicalBytes(Buffer.from(text)).toString('utf8');

/** Keys that sort differently as UTF-8, as UTF-16 and as written, and keys that engines treat specially. */
const KEYS = [
  '',
  'a',
  'aa',
  'b',
  'B',
  '"',
  '\\',
  '/',
  '\u007f',
  '\n',
  'é',
  'ö',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '𐀀',
  '0',
  '10',
  '9',
  '__proto__',
];
const keys = fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'binary', maxLength: 4 }));
const numbers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));

/** JSON text with whitespace, escapes and number forms that JSON.stringify does not write, and with repeated keys. */
const { value: texts } = fc.letrec<{ value: string; string: string }>((tie) => ({
  string: fc.tuple(keys, fc.integer({ min: 0, max: 3 })).map(([text, style]) => written(text, style)),
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(
      'true',
      'false',
      'null',
      '-0',
      '0.0',
      '1e2',
      '1E+2',
      '12.50',
      '1e21',
      '1e-7',
      '123456789012345678901',
      '9007199254740993',
    ),
    numbers.map((number) => JSON.stringify(number)),
    tie('string'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[ ${items.join('\t,\n')}]`),
    fc
      .array(fc.tuple(tie('string'), tie('value')), { maxLength: 24 })
      .map((members) => `{${members.map(([k, v]) => ` ${k} :\r\n${v}`).join(',')} }`),
  ),
}));

function written(text: string, style: number): string {
  const plain = JSON.stringify(text);
  if (style === 0) return plain;
  if (style === 1) return plain.replaceAll('/', '\\/');
  const escaped = Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
  return `"${style === 2 ? escaped : escaped.toUpperCase().replaceAll('\\U', '\\u')}"`;
}

/** The expected form is written from JSON.parse, which may read a key wrongly. */
const expected = (text: string) => canonicalJson(JSON.parse(text));

describe('the canonical form made from bytes', () => {
  test.each(hardJson.filter(([, text]) => scanJson(Buffer.from(text))?.numbersFit))('of %s is that of the value', (_, text) => {
    expect(canonical(text)).toBe(expected(text));
  });

  test('of any text is that of the value', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // JSON.parse may read a key with a backslash wrongly.
        fc.pre(!/"\\(\\|"|u0022|u005c)" :/i.test(text));
        expect(canonical(text)).toBe(expected(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test('of what is canonical already is the same, and stays so', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = canonical(text);
        expect(scanJson(Buffer.from(once))?.raw.length).toBe(Buffer.byteLength(once));
        expect(canonical(once)).toBe(once);
      }),
      { numRuns: 1_000 },
    );
  });

  test('does not depend on what was read before', () => {
    JSON.parse('{"}":1,"\\\\":2}');
    expect(canonical('{"}":1,"\\"":2}')).toBe('{"\\"":2,"}":1}');
  });

  test('has room for numbers that are longer than they were written', () => {
    const text = `[${Array(500).fill('1e20').join()}]`;
    expect(canonical(text)).toBe(`[${Array(500).fill('100000000000000000000').join()}]`);
  });

  test('of the deepest text is found', () => {
    const text = `${'{"b":1,"a":'.repeat(990)}0${'}'.repeat(990)}`;
    expect(canonical(text)).toBe(`${'{"a":'.repeat(990)}0${',"b":1}'.repeat(990)}`);
  });
});
