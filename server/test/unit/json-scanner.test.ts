import { expect, test } from 'vitest';
import { parseJson, scanJson, scanMembers } from '../../src/platform/lossless-json.ts';
import { hardJson } from '../support/hard-json.ts';

const CHARACTERS = [...'{}[]",:0123456789.-+eE\\u \n\ttfnrlsabé\u0001\u00a0\ufeff'];
const SEEDS = [
  ...hardJson.map(([, written]) => written),
  '{"a":1,"b":[1,2,{"c":null}],"d":"x\\u0041\\n"}',
  '[true,false,null,-0.5e+10,1E5,0,1e400,-1e309]',
  '{ "a" : { "b" : [ [ ] , { } ] } , "c" : "é" }',
].filter((text) => text.length < 200);

/** The same on each run. */
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
    // Where a key `\\` has been seen before, V8 13.6 takes the key `"` for it.
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
