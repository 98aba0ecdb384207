import { isUtf8 } from 'node:buffer';

export interface WrittenValue {
  raw: Buffer;
  /** The depth of nesting: 0 for a scalar, 1 for `[]`. */
  levels: number;
  numbersFit: boolean;
}

export interface Member extends WrittenValue {
  key: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const FIRST_PRINTABLE = 0x20;
const LETTER_U = 0x75;

/** The largest double has this many digits before the point. */
const DOUBLE_MAX_DIGITS = 309;
/** The digits of the smallest number that is read as Infinity: half a step above the largest double. */
const INFINITE = Buffer.from((2n ** 1024n - 2n ** 970n).toString());
/** Any number with such an exponent is 0 or infinite, unless it has as many zeros. */
const EXPONENT_MAX = 1_000_000_000;
const SHORT_ESCAPES = new Set(Buffer.from('"\\/bfnrt'));
const WORDS = { true: Buffer.from('true'), false: Buffer.from('false'), null: Buffer.from('null') };

/** The value as ECMAScript reads it. Undefined: the bytes are not JSON in UTF-8. */
export function parseJson(bytes: Buffer): { value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/**
 * Scans a JSON text in UTF-8, without the space around it. Undefined: it is not JSON. Nothing is built, so the time is proportional to the bytes,
 * where JSON.parse may take ten times as long for many small arrays or different keys.
 */
export function scanJson(text: Buffer): WrittenValue | undefined {
  if (!isUtf8(text)) return undefined;
  const start = skipSpace(text, 0);
  const found = { levels: 0, numbersFit: true };
  const end = skipValue(text, start, found);
  return end >= 0 && endsAt(text, end) ? { raw: text.subarray(start, end), ...found } : undefined;
}

/** The position of the first byte at which a text stops being JSON in UTF-8, or its length if it ends too early. */
export function faultIn(text: Buffer): number {
  if (!isUtf8(text)) return firstBadByte(text);
  const end = skipValue(text, skipSpace(text, 0), { levels: 0, numbersFit: true });
  return Math.min(text.length, end < 0 ? ~end : skipSpace(text, end));
}

function firstBadByte(text: Buffer): number {
  let good = 0;
  let bad = text.length;
  // A binary search reads each half once. A character has at most four bytes, so one of four adjacent ends is the end of a character,
  // unless a bad byte is before it.
  const goodEnd = (end: number) => [end, end - 1, end - 2, end - 3].find((at) => at > good && isUtf8(text.subarray(good, at)));
  while (bad - good > 4) {
    const middle = (good + bad + 1) >> 1;
    const end = goodEnd(middle);
    if (end === undefined) bad = middle;
    else good = end;
  }
  for (;;) {
    const end = goodEnd(Math.min(good + 4, text.length));
    if (end === undefined) return good;
    good = end;
  }
}

/**
 * The members of an object, in the order written and with repeated keys, up to `membersMax`. The rest is only scanned. Undefined: the text
 * is not JSON in UTF-8.
 */
export function scanMembers(text: Buffer, membersMax: number): Member[] | 'no object' | undefined {
  const start = skipSpace(text, 0);
  if (text[start] !== OPEN_BRACE) return scanJson(text) && 'no object';
  if (!isUtf8(text)) return undefined;
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  if (text[at] === CLOSE_BRACE) return endsAt(text, at + 1) ? members : undefined;
  for (;;) {
    const keyEnd = skipString(text, at);
    const colon = keyEnd < 0 ? keyEnd : skipSpace(text, keyEnd);
    if (text[colon] !== COLON) return undefined;
    const valueStart = skipSpace(text, colon + 1);
    const found = { levels: 0, numbersFit: true };
    const end = skipValue(text, valueStart, found);
    if (end < 0) return undefined;
    if (members.length < membersMax) members.push({ key: keyIn(text, at, keyEnd), raw: text.subarray(valueStart, end), ...found });
    at = skipSpace(text, end);
    if (text[at] === CLOSE_BRACE) return endsAt(text, at + 1) ? members : undefined;
    if (text[at] !== COMMA) return undefined;
    at = skipSpace(text, at + 1);
  }
}

/** Why items end: with the text, or before something else. `fault` is the first byte at which the text stops being JSON in UTF-8. */
export type ItemsEnd = 'end' | 'another shape' | 'too large' | { fault: number };

/**
 * The items of the array in an object that has no other member. The text is scanned as the caller goes on, so that it can take breaks. The scan ends
 * at an item with more than `itemMaxBytes`.
 */
export function* scanItems(text: Buffer, name: string, itemMaxBytes: number): Generator<WrittenValue, ItemsEnd> {
  if (!isUtf8(text)) return { fault: firstBadByte(text) };
  let at = skipSpace(text, 0);
  if (text[at] !== OPEN_BRACE) return 'another shape';
  const keyStart = skipSpace(text, at + 1);
  at = skipKey(text, keyStart);
  if (at < 0 || keyIn(text, keyStart, skipString(text, keyStart)) !== name) return 'another shape';
  at = skipSpace(text, at);
  if (text[at] !== OPEN_BRACKET) return 'another shape';
  at = skipSpace(text, at + 1);
  if (text[at] === CLOSE_BRACKET) return endOfItems(text, at);
  for (;;) {
    const found = { levels: 0, numbersFit: true };
    const room = text.subarray(0, at + itemMaxBytes + 1);
    const end = skipValue(room, at, found);
    if (end < 0) return ~end >= room.length && room.length < text.length ? 'too large' : { fault: ~end };
    yield { raw: text.subarray(at, end), ...found };
    at = skipSpace(text, end);
    if (text[at] !== COMMA) return endOfItems(text, at);
    at = skipSpace(text, at + 1);
  }
}

function endOfItems(text: Buffer, at: number): ItemsEnd {
  if (text[at] !== CLOSE_BRACKET) return { fault: Math.min(at, text.length) };
  const brace = skipSpace(text, at + 1);
  if (text[brace] === COMMA) return 'another shape';
  const end = text[brace] === CLOSE_BRACE ? skipSpace(text, brace + 1) : brace;
  return text[brace] === CLOSE_BRACE && end === text.length ? 'end' : { fault: Math.min(end, text.length) };
}

function keyIn(text: Buffer, start: number, end: number): string {
  const written = text.toString('utf8', start + 1, end - 1);
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
}

function endsAt(text: Buffer, at: number): boolean {
  return skipSpace(text, at) === text.length;
}

function skipSpace(text: Buffer, from: number): number {
  let at = from;
  let byte = text[at] as number;
  while (byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) byte = text[++at] as number;
  return at;
}

/*
 * The functions below return the position after what they skip. Where the text is not JSON, they return the complement (negative) of the position of
 * the first wrong byte.
 */

function skipString(text: Buffer, from: number): number {
  if (text[from] !== QUOTE) return ~from;
  let at = from + 1;
  for (;;) {
    const byte = text[at] as number;
    if (byte === QUOTE) return at + 1;
    // Beyond the end, `byte` is undefined and the comparison false.
    if (!(byte >= FIRST_PRINTABLE)) return ~at;
    if (byte === BACKSLASH) {
      const escaped = text[at + 1];
      if (escaped === LETTER_U) {
        if (!isHex(text[at + 2]) || !isHex(text[at + 3]) || !isHex(text[at + 4]) || !isHex(text[at + 5])) return ~at;
        at += 6;
      } else if (escaped !== undefined && SHORT_ESCAPES.has(escaped)) at += 2;
      else return ~at;
    } else at++;
  }
}

function skipKey(text: Buffer, from: number): number {
  const end = skipString(text, from);
  if (end < 0) return end;
  const colon = skipSpace(text, end);
  return text[colon] === COLON ? colon + 1 : ~colon;
}

function skipValue(text: Buffer, from: number, found: Omit<WrittenValue, 'raw'>): number {
  let at = from;
  let close = 0;
  const around: number[] = [];
  for (;;) {
    at = skipSpace(text, at);
    const byte = text[at];
    if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      around.push(close);
      close = byte === OPEN_BRACKET ? CLOSE_BRACKET : CLOSE_BRACE;
      if (around.length > found.levels) found.levels = around.length;
      at = skipSpace(text, at + 1);
      if (text[at] !== close) {
        if (close === CLOSE_BRACE) at = skipKey(text, at);
        if (at < 0) return at;
        continue;
      }
    } else {
      at = byte === QUOTE ? skipString(text, at) : skipScalar(text, at, found);
      if (at < 0 || close === 0) return at;
      at = skipSpace(text, at);
    }
    while (text[at] === close) {
      at++;
      close = around.pop() as number;
      if (close === 0) return at;
      at = skipSpace(text, at);
    }
    if (text[at] !== COMMA) return ~at;
    at++;
    if (close === CLOSE_BRACE) at = skipKey(text, skipSpace(text, at));
    if (at < 0) return at;
  }
}

function skipScalar(text: Buffer, from: number, found: Omit<WrittenValue, 'raw'>): number {
  const byte = text[from];
  if (byte === MINUS || isDigit(byte)) return skipNumber(text, from, found);
  if (byte === WORDS.true[0]) return skipWord(text, from, WORDS.true);
  if (byte === WORDS.null[0]) return skipWord(text, from, WORDS.null);
  return byte === WORDS.false[0] ? skipWord(text, from, WORDS.false) : ~from;
}

function skipWord(text: Buffer, from: number, word: Buffer): number {
  for (let i = 1; i < word.length; i++) if (text[from + i] !== word[i]) return ~(from + i);
  return from + word.length;
}

function skipNumber(text: Buffer, from: number, found: Omit<WrittenValue, 'raw'>): number {
  const start = text[from] === MINUS ? from + 1 : from;
  let at = skipDigits(text, start);
  const digits = at - start;
  if (digits === 0 || (digits > 1 && text[start] === ZERO)) return ~start;
  if (text[at] === POINT) {
    const fraction = at + 1;
    at = skipDigits(text, fraction);
    if (at === fraction) return ~at;
  }
  const mantissaEnd = at;
  let exponent = 0;
  if (text[at] === 0x65 || text[at] === 0x45) {
    at++;
    const isNegative = text[at] === MINUS;
    if (isNegative || text[at] === PLUS) at++;
    const exponentStart = at;
    at = skipDigits(text, exponentStart);
    if (at === exponentStart) return ~at;
    exponent = (isNegative ? -1 : 1) * numberIn(text, exponentStart, at);
  }
  // Most numbers are too short to be outside of the range.
  if (digits + exponent >= DOUBLE_MAX_DIGITS && !isInRange(text, start, mantissaEnd, digits + exponent)) found.numbersFit = false;
  return at;
}

function numberIn(text: Buffer, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = Math.min(value * 10 + (text[at] ?? ZERO) - ZERO, EXPONENT_MAX);
  return value;
}

/** Whether a number is read as finite. `places`: how many digits are before the point. */
function isInRange(text: Buffer, from: number, to: number, places: number): boolean {
  let at = from;
  let left = places;
  for (; at < to && (text[at] === ZERO || text[at] === POINT); at++) if (text[at] === ZERO) left--;
  if (at === to || left !== DOUBLE_MAX_DIGITS) return at === to || left < DOUBLE_MAX_DIGITS;
  for (let i = 0; i < INFINITE.length; at++) {
    if (text[at] === POINT) continue;
    const digit = at < to ? (text[at] ?? ZERO) : ZERO;
    const limit = INFINITE[i++] ?? ZERO;
    if (digit !== limit) return digit < limit;
  }
  return false;
}

function skipDigits(text: Buffer, from: number): number {
  let at = from;
  while (isDigit(text[at])) at++;
  return at;
}

/** Beyond the end, `byte` is undefined and the comparison false. */
function isDigit(byte: number | undefined): boolean {
  return (byte as number) >= 0x30 && (byte as number) <= 0x39;
}

function isHex(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
