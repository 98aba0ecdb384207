import { isUtf8 } from 'node:buffer';

/** One member of a JSON object, with the bytes its value was written in. */
export interface Member {
  key: string;
  raw: Buffer;
  /** How deep the value is nested: 0 for a scalar, 1 for `[]`. */
  levels: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The value as ECMAScript reads it, or undefined when the bytes are not JSON in UTF-8. */
export function parseJson(bytes: Buffer): { value: unknown } | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) };
  } catch {
    return undefined;
  }
}

/** The members of an object that parseJson has accepted, in the order written, repeated keys included. */
export function membersOf(object: Buffer): Member[] {
  const members: Member[] = [];
  let at = skipSpace(object, 0) + 1;
  for (;;) {
    at = skipSpace(object, at);
    if (object[at] === CLOSE_BRACE) return members;
    if (object[at] === COMMA) at = skipSpace(object, at + 1);
    const keyEnd = skipString(object, at);
    const quoted = object.toString('utf8', at, keyEnd);
    const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
    at = skipSpace(object, keyEnd);
    if (object[at] !== COLON) throw new Error('not an object that JSON.parse has accepted');
    at = skipSpace(object, at + 1);
    const { end, levels } = skipValue(object, at);
    members.push({ key, raw: object.subarray(at, end), levels });
    at = end;
  }
}

/** A value that parseJson has accepted, without the space around it. */
export function valueIn(text: Buffer): Omit<Member, 'key'> {
  const start = skipSpace(text, 0);
  const { end, levels } = skipValue(text, start);
  return { raw: text.subarray(start, end), levels };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(text: Buffer, from: number): number {
  let at = from;
  while (isSpace(text[at])) at++;
  return at;
}

function skipString(text: Buffer, from: number): number {
  let at = from + 1;
  while (text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function skipValue(text: Buffer, from: number): { end: number; levels: number } {
  let at = from;
  let depth = 0;
  let levels = 0;
  do {
    const byte = text[at];
    if (byte === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) levels = Math.max(levels, ++depth);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (depth === 0) return { end: skipScalar(text, at), levels };
    at++;
  } while (depth > 0);
  return { end: at, levels };
}

/** A number, true, false or null ends where the object goes on. */
function skipScalar(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== COMMA && text[at] !== CLOSE_BRACE && !isSpace(text[at])) at++;
  return at;
}
