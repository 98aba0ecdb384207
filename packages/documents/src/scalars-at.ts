const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** [ and { differ in this bit alone, and so do ] and }. */
const BRACE_BIT = 0x20;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** With its quotes. Nobody asks for a longer name. */
const NAME_MAX_CHARS = 64;
/** Members that are read. A document has fewer. */
const MEMBERS_READ_MAX = 5_000;
/** A longer value is no number, date or currency. */
const VALUE_MAX_CHARS = 256;

/** What to look for, by folded pointers. */
export class Wanted {
  readonly values: ReadonlySet<string>;
  /** Objects with something that is wanted. */
  readonly above: ReadonlySet<string>;

  constructor(values: Iterable<string>) {
    this.values = new Set(values);
    this.above = new Set([...this.values].flatMap((pointer) => parentsOf(pointer)));
  }
}

function parentsOf(pointer: string): string[] {
  const parents: string[] = [];
  for (let at = pointer.lastIndexOf('/'); at > 0; at = pointer.lastIndexOf('/', at - 1)) parents.push(pointer.slice(0, at));
  return parents;
}

/**
 * The strings and numbers at some places of a JSON object, as written, by their folded pointers. Reads the text once, character by character, without
 * building what is nested in it: a document of strangers may be long, and one who only wants its number must not pay for its lines. The last of repeated
 * names counts. Text that is no object has none; where text is no JSON, the rest is left out.
 */
export function scalarsAt(text: string, wanted: Wanted): Map<string, string> {
  const reader = new ScalarReader(text, wanted);
  const start = afterBetween(text, 0);
  if (text[start] === '{') reader.readObject(start, '');
  return reader.found;
}

class ScalarReader {
  readonly found = new Map<string, string>();
  readonly #text: string;
  readonly #wanted: Wanted;
  #left = MEMBERS_READ_MAX;

  constructor(text: string, wanted: Wanted) {
    this.#text = text;
    this.#wanted = wanted;
  }

  /** Returns the end of the object, or of what is read of it. */
  readObject(start: number, path: string): number {
    const text = this.#text;
    let at = afterBetween(text, start + 1);
    while (text.charCodeAt(at) === QUOTE) {
      if (--this.#left < 0) return text.length;
      const nameEnd = endOfString(text, at);
      const pointer = nameEnd - at <= NAME_MAX_CHARS ? `${path}/${foldedName(text.slice(at, nameEnd))}` : '';
      at = this.#readMember(afterBetween(text, nameEnd), pointer);
      at = afterBetween(text, at);
    }
    return at + 1;
  }

  #readMember(start: number, pointer: string): number {
    if (this.#wanted.above.has(pointer)) {
      for (const found of this.found.keys()) if (found === pointer || found.startsWith(`${pointer}/`)) this.found.delete(found);
      if (this.#text[start] === '{') return this.readObject(start, pointer);
    }
    const end = endOfValue(this.#text, start);
    if (!this.#wanted.values.has(pointer)) return end;
    const isShort = end - start <= VALUE_MAX_CHARS && !'{['.includes(this.#text.charAt(start));
    if (isShort) this.found.set(pointer, this.#text.slice(start, end));
    else this.found.delete(pointer);
    return end;
  }
}

/** `/Head/invoice_number` as `/head/invoicenumber`. */
export function foldedPointer(pointer: string): string {
  return pointer.replaceAll(/[ _-]/g, '').toLowerCase();
}

/** `invoiceNumber`, `Invoice Number` and `invoice_number` are one name. */
function foldedName(written: string): string {
  const name = written.includes('\\') ? unescaped(written) : written.slice(1, -1);
  const step = /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
  return foldedPointer(step);
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
