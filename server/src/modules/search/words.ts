/**
 * Words of texts, folded as sql/search/search_words.sql folds those of documents: a query finds a document only if both agree.
 * search-words.test.ts compares the two.
 */

/** A longer word is cut, in documents as well. */
const WORD_MAX_CHARS = 64;
/** A letter such as U+FDFA is 18 when it is decomposed. A cut word of Korean, each letter of which is three, is kept whole. */
const DECOMPOSED_MAX_CHARS = 256;

const SEPARATORS =
  '\\u0000-\\u001e\\u0020-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7\\u2000-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d\\u30fb\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\ufeff\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\ufff0-\\uffff';
/** In scripts without spaces, each character is a word. */
const SINGLE =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3021-\\u302f\\u3031-\\u303c\\u3041-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\uff66-\\uff9f\\u{1b000}-\\u{1b16f}\\u{20000}-\\u{3ffff}';
const WORD = new RegExp(`[${SINGLE}]|[^${SEPARATORS}${SINGLE}]+`, 'gu');
const MARKS = /[\u0300-\u036f]/g;
const LEFT_OVER_SEPARATORS = '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f\\u2000-\\u206f';
const LEFT_OVER = new RegExp(`[${LEFT_OVER_SEPARATORS}]`, 'g');

const UPPER = 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЂЄЅІЈЉЊЋЏҐØøŁłĐđÐðŦŧıÆŒẞ';
const LOWER = 'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяёђєѕіјљњћџґoollddddttiæœß';
const TWO_LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe' };
const FOLDED = new Map([...UPPER].map((letter, i) => [letter, [...LOWER][i] ?? letter]));
const FOLDABLE = new RegExp(`[${UPPER}${Object.keys(TWO_LETTERS).join('')}]`, 'g');

export interface Word {
  folded: string;
  start: number;
  end: number;
}

export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const folded = fold(word);
    if (folded !== '') yield { folded, start: index, end: index + word.length };
  }
}

function fold(word: string): string {
  const lower = cut(lowerAscii(word));
  if (Buffer.byteLength(lower) === lower.length) return lower;
  const decomposed = firstChars(lower.normalize('NFKD').replace(MARKS, ''), DECOMPOSED_MAX_CHARS);
  const folded = lowerAscii(decomposed).replace(FOLDABLE, (letter) => {
    const small = FOLDED.get(letter) ?? letter;
    return TWO_LETTERS[small] ?? small;
  });
  return cut(folded.normalize('NFKC').replace(LEFT_OVER, ''));
}

/** Lowers ASCII letters only. Other letters have a table, because PostgreSQL's handling of them depends on its locale. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function cut(word: string): string {
  return firstChars(word, WORD_MAX_CHARS);
}

/** The first code points of a text, without looking at more of it. */
function firstChars(text: string, chars: number): string {
  if (text.length <= chars) return text;
  let at = 0;
  for (let i = 0; i < chars && at < text.length; i++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, at);
}
