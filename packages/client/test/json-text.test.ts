import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileJson } from '../../../server/test/support/hostile-json.ts';
import { jsonText } from '../../../server/test/support/json-text.ts';
import { JsonText } from '../src/index.ts';
import { endOf } from '../src/json-text.ts';

/** endOf as it was written first: slow, and short enough to be read as correct. */
function endBySearch(text: string, at: number): number {
  if (text[at] === '"') return endOfStringBySearch(text, at);
  if (text[at] !== '{' && text[at] !== '[') return at + text.slice(at).search(/[,}\]\s]|$/);
  const structure = /["{}[\]]/g;
  let level = 0;
  for (let next = at; ; ) {
    structure.lastIndex = next;
    const found = structure.exec(text);
    if (!found) return text.length;
    if (found[0] === '"') next = endOfStringBySearch(text, found.index);
    else {
      next = found.index + 1;
      level += found[0] === '{' || found[0] === '[' ? 1 : -1;
      if (level === 0) return next;
    }
  }
}

function endOfStringBySearch(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** ś and Ž differ from a bracket in their upper bits alone. */
const PIECES = ['{', '}', '[', ']', '"', '\\', '\\"', '\\\\', '\\u0022', ',', ':', ' ', '1', 'a', 'ś', 'ŽŻ', '漢', '\u2028'];
/** Runs are as long as what endOfString reads before it searches, or a little shorter or longer. */
const run = fc
  .tuple(fc.constantFrom(...PIECES), fc.oneof(fc.constant(1), fc.integer({ min: 28, max: 36 })))
  .map(([piece, times]) => piece.repeat(times));
const hostileText = fc.array(run, { maxLength: 30 }).map((runs) => runs.join(''));

const nested = (levels: number, [open, close]: readonly [string, string], inner: string) =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
const deepText = fc
  .tuple(
    fc.constantFrom(1, 2, 999, 1_000),
    fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const, ['{"]}\\"":[', ']}'] as const),
    jsonText,
  )
  .map((parts) => nested(...parts));

describe('the end of a value is found', () => {
  test('in JSON with any strings, escapes and spaces, whatever follows it', () => {
    fc.assert(
      fc.property(jsonText, fc.constantFrom('', ',', ']', '}', '],"a":"'), (text, behind) => {
        expect(endOf(text + behind, 0)).toBe(endBySearch(text + behind, 0));
        if (/^["[{]/.test(text)) expect(endOf(text + behind, 0)).toBe(text.length);
      }),
      { numRuns: 2_000 },
    );
  });

  test('in up to 1,000 levels', () => {
    fc.assert(
      fc.property(deepText, (text) => {
        expect([endOf(text, 0), endBySearch(text, 0)]).toEqual([text.length, text.length]);
      }),
    );
  });

  test('in the largest JSON that takes long to read', () => {
    for (const [name, text] of hostileJson) expect([name, endOf(`${text},"a":[1]}`, 0)]).toEqual([name, text.length]);
  });

  test('at the same place in every text, even if it is not JSON', () => {
    fc.assert(
      fc.property(hostileText, fc.nat(), (text, place) => {
        const at = place % (text.length + 1);
        expect(endOf(text, at)).toBe(endBySearch(text, at));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('a value is taken out of a text', () => {
  test('by its path, and nothing else changes', () => {
    fc.assert(
      fc.property(jsonText, jsonText, jsonText, (before, value, behind) => {
        const around = (one: string) => `{"before":${before},"data":[{"x":${before}}, {"x" : ${one} ,"y":${behind}}],"last":${behind}}`;
        const taken = new JsonText(around(value.trim())).takeOut('data', 1, 'x');
        expect(taken).toEqual({ value: value.trim(), rest: around('null') });
      }),
    );
  });

  test('of several with its key, the first, even if its key is written with escapes', () => {
    expect(new JsonText(' {"b":{"a":0},"\\u0061":1,"a":2}').takeOut('a')).toEqual({
      value: '1',
      rest: ' {"b":{"a":0},"\\u0061":null,"a":2}',
    });
  });

  test.each([
    ['{"data":[]}', 'data', 0],
    ['{"data":[{}]}', 'data', 0, 'message'],
    ['{"a":1}', 'b'],
    ['{"a":{"b":1}}', 'b'],
    ['{"0":1}', 0],
    ['[1]', '0'],
    ['"text"', 0],
    ['null', 'a'],
    ['', 'a'],
  ])('unless it is missing: %s', (text, ...path) => {
    expect(new JsonText(text).takeOut(...path)).toBeUndefined();
  });
});
