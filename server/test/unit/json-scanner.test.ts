import { isUtf8 } from 'node:buffer';
import { expect, test } from 'vitest';
import { invalidJson } from '../../src/platform/json/json-fault.ts';
import { faultIn, parseJson, scanJson, scanMembers } from '../../src/platform/json/lossless-json.ts';
import { hardJson } from '../support/hard-json.ts';

const CHARACTERS = [...'{}[]",:0123456789.-+eE\\u \n\ttfnrlsabé\u0001\u00a0\ufeff'];
const SEEDS = [
  ...hardJson.map(([, written]) => written),
  '{"a":1,"b":[1,2,{"c":null}],"d":"x\\u0041\\n"}',
  '[true,false,null,-0.5e+10,1E5,0,1e400,-1e309]',
  '{ "a" : { "b" : [ [ ] , { } ] } , "c" : "é" }',
].filter((text) => text.length < 200);

/** A random generator with a seed, so that each run has the same numbers. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function damaged(text: string, random: (below: number) => number): string {
  const characters = [...text];
  for (let i = random(4); i > 0; i--) {
    const character = CHARACTERS[random(CHARACTERS.length)] as string;
    characters.splice(random(characters.length + 1), random(2), ...(random(3) > 0 ? [character] : []));
  }
  return characters.join('');
}

test('what is looked through is JSON exactly where JSON.parse says so', () => {
  const random = numbersFrom(8785);
  let valid = 0;
  for (let i = 0; i < 60_000; i++) {
    const text = damaged(SEEDS[i % SEEDS.length] as string, random);
    const bytes = Buffer.from(text);
    const parsed = parseJson(bytes);
    const scanned = scanJson(bytes);
    const members = scanMembers(bytes, 1_000);
    expect([scanned !== undefined, members !== undefined], text).toEqual([parsed !== undefined, parsed !== undefined]);
    // After a key `\\`, V8 13.6 reads the key `"` wrongly.
    if (parsed && Array.isArray(members) && !text.includes('\\'))
      expect(new Set(members.map(({ key }) => key)), text).toEqual(new Set(Object.keys(parsed.value as object)));
    if (parsed) valid++;
  }
  expect(valid).toBeGreaterThan(5_000);
});

test('bytes that are not UTF-8 are not JSON', () => {
  for (const text of ['"\xff"', '{"a":"\xc3"}', '\xef\xbb\xbf1']) {
    const bytes = Buffer.from(text, 'latin1');
    expect([scanJson(bytes), scanMembers(bytes, 10)]).toEqual([undefined, undefined]);
  }
});

test('the first byte that does not fit is found', () => {
  const random = numbersFrom(3629);
  for (let i = 0; i < 20_000; i++) {
    const text = Buffer.from(Array.from({ length: random(30) }, () => ['a', 'é', '漢', '😀'][random(4)]).join(''));
    const at = random(text.length + 1);
    const broken = [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xe6], [0xf0, 0x9f]][random(5)] as number[];
    const bytes = Buffer.concat([text.subarray(0, at), Buffer.from(broken), text.subarray(at)]);
    const good = Array.from({ length: bytes.length + 1 }, (_, end) => end).findLast((end) => isUtf8(bytes.subarray(0, end)));
    if (!isUtf8(bytes)) expect(faultIn(bytes), bytes.toString('hex')).toBe(good);
  }
});

test.each([
  ['', 1, 1, 0],
  ['{"a":', 1, 6, 5],
  ['{"a":1,}', 1, 8, 7],
  ['\n\n  {"é":tru}', 3, 11, 13],
  ['1 2', 1, 3, 2],
  ['{\r\n"a" 1}', 2, 5, 7],
  ['"line\nbreak"', 1, 6, 5],
])('the refusal of %j says line, character and byte, and shows nothing of it', (text, line, column, offset) => {
  const { code, details } = invalidJson(Buffer.from(text), '/json');
  expect([code, details]).toEqual(['invalid_json', [{ path: '/json', message: expect.any(String), line, column, offset }]]);
  expect(details?.[0]?.message).toMatch(/^line \d+, column \d+: it (ends too early|is not JSON in UTF-8 from here on)$/);
});

test('numbers beyond a double are found, however they are written', () => {
  const fits = (text: string) => scanJson(Buffer.from(text))?.numbersFit;
  for (const text of ['1e400', '-1e400', '[0,1e309]', '{"a":{"b":1.8e308}}', `1${'0'.repeat(309)}`, '1e99999999999999999999', '0.001e312'])
    expect(fits(text), text).toBe(false);
  for (const text of [
    '1e308',
    '1.7976931348623157e308',
    '0e400',
    '-0e999999999999',
    '1e-400',
    `0.${'9'.repeat(400)}`,
    '"1e400"',
    '9'.repeat(300),
  ])
    expect(fits(text), text).toBe(true);
});

test('numbers near the end of a double are judged as ECMAScript reads them', () => {
  const digits = String(2n ** 1024n - 2n ** 970n);
  const integers = [
    digits,
    ...[1, 5, 16, 17, 18, 200, 308].flatMap((n) => [`${digits.slice(0, n)}9`, `${digits.slice(0, n)}0`, digits.slice(0, n)]),
  ];
  const texts = integers.flatMap((text) => {
    const exponent = 309 - text.length;
    return [
      text.padEnd(309, '0'),
      `${text}e${exponent}`,
      `-${text}e${exponent}`,
      `${text[0]}.${text.slice(1)}0e308`,
      `0.${text}e309`,
      `0.000${text}E+00312`,
      `${text}e${exponent - 1}`,
      `${text}e${exponent + 1}`,
    ];
  });
  for (const text of texts) expect([text, scanJson(Buffer.from(text))?.numbersFit]).toEqual([text, Number.isFinite(Number(text))]);
});
