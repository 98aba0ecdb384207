const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** [ and { differ in this bit alone, and so do ] and }. */
const BRACE_BIT = 0x20;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** With their quotes: names of members that somebody asks for. */
const NAME_MIN_CHARS = 6;
const NAME_MAX_CHARS = 64;
/** Members that are read. A document has fewer. */
const MEMBERS_READ_MAX = 5_000;
/** A longer value is no number, date or currency. */
const VALUE_MAX_CHARS = 256;

/**
 * The strings and numbers at the top level of a JSON object, as written, by the folded names of their members. Reads the text once, character by character, without
 * building what is nested in it: a document of strangers may be long, and one who only wants its number must not pay for its lines. The last of repeated
 * names counts. Text that is no object has none; where text is no JSON, the rest is left out.
 */
export function topLevelScalars(text: string, wanted: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let at = afterBetween(text, 0);
  if (text[at] !== '{') return found;
  at = afterBetween(text, at + 1);
  for (let read = 0; text.charCodeAt(at) === QUOTE && read < MEMBERS_READ_MAX; read++, at = afterBetween(text, at)) {
    const nameEnd = endOfString(text, at);
    const length = nameEnd - at;
    const name = length >= NAME_MIN_CHARS && length <= NAME_MAX_CHARS ? foldedName(text.slice(at, nameEnd)) : '';
    const start = afterBetween(text, nameEnd);
    at = endOfValue(text, start);
    if (!wanted.has(name)) continue;
    const isShort = at - start <= VALUE_MAX_CHARS && !'{['.includes(text.charAt(start));
    if (isShort) found.set(name, text.slice(start, at));
    else found.delete(name);
  }
  return found;
}

/** `invoiceNumber`, `Invoice Number` and `invoice_number` are one name. */
function foldedName(written: string): string {
  const name = written.includes('\\') ? unescaped(written) : written.slice(1, -1);
  return name.replaceAll(/[ _-]/g, '').toLowerCase();
}

/** The text of a JSON string. Empty: it is none. */
export function unescaped(written: string): string {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

/** Spaces, line breaks, tabs, commas and colons. */
function isBetween(code: number): boolean {
  return code === 0x20 || code === 0x2c || code === 0x3a || (code >= 0x09 && code <= 0x0d);
}

function afterBetween(text: string, at: number): number {
  let next = at;
  while (isBetween(text.charCodeAt(next))) next++;
  return next;
}

function endOfString(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next++) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) return next + 1;
    if (code === BACKSLASH) next++;
  }
  return text.length;
}

function endOfValue(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return endOfString(text, at);
  let level = 0;
  for (let next = at; next < text.length; ) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) {
      next = endOfString(text, next);
      continue;
    }
    const brace = code | BRACE_BIT;
    if (brace === OPENING_BRACE) level++;
    else if (brace === CLOSING_BRACE && --level <= 0) return level < 0 ? next : next + 1;
    else if (level === 0 && isBetween(code)) return next;
    next++;
  }
  return text.length;
}
