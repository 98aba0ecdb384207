import { foldCase } from './names.ts';

/** Letters of other scripts, and digits, that look like these Latin letters. */
const DRAWN_AS: Record<string, string> = {
  a: 'аα',
  b: 'в',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еєε',
  g: 'ɡ',
  h: 'һн',
  i: 'іıι',
  j: 'ј',
  k: 'кκ',
  l: '1ӏ|',
  m: 'м',
  n: 'ηп',
  o: '0оο',
  p: 'рρ',
  q: 'ԛ',
  s: 'ѕ',
  t: 'тτ',
  u: 'υ',
  v: 'ѵν',
  w: 'ԝω',
  x: 'хχ',
  y: 'уγ',
};

const LATIN = new Map(Object.entries(DRAWN_AS).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)));
const ACCENTED = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;

export function foldLookAlikes(name: string): string {
  return [...bareOf(name)].map((character) => LATIN.get(character) ?? character).join('');
}

function bareOf(name: string): string {
  return foldCase(name.normalize('NFKC')).normalize('NFKD').replace(ACCENTED, '');
}

/** Equal for names that look alike: ignores case, spaces, punctuation, accents and invisible characters. */
export function nameKeyOf(name: string): string {
  const key = foldLookAlikes(name)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
    .normalize('NFC');
  // A name of signs alone has no letters to compare.
  return key === '' ? bareOf(name) : key;
}
