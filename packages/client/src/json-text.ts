/** JSON that is kept as written, so that its numbers, key order and repeated keys stay. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /**
   * Takes the value at a path of keys and indices out of the text: `rest` has null in its place. Reads the text once, up to the end of the
   * value, so the first of repeated keys counts. Undefined: there is no such value.
   */
  takeOut(...path: (string | number)[]): { value: string; rest: string } | undefined {
    let start: number | undefined = afterSpace(this.text, 0);
    for (const name of path) {
      start = childAt(this.text, start, name);
      if (start === undefined) return undefined;
    }
    const end = endOf(this.text, start);
    return { value: this.text.slice(start, end), rest: `${this.text.slice(0, start)}null${this.text.slice(end)}` };
  }
}

// The functions below find values in a long text that is known to be JSON, without parsing them.

export type Span = readonly [start: number, end: number];

export function membersAt(text: string, at: number): Map<string, Span> {
  const members = new Map<string, Span>();
  for (let next = afterSpace(text, at + 1); text[next] === '"'; ) {
    const keyEnd = endOfString(text, next);
    const start = afterSpace(text, afterSpace(text, keyEnd) + 1);
    const end = endOf(text, start);
    members.set(JSON.parse(text.slice(next, keyEnd)) as string, [start, end]);
    next = afterComma(text, end);
  }
  return members;
}

/** The text of a member of a JSON object, as written. The last of repeated ones counts. */
export function memberText(object: string, name: string): string | undefined {
  const span = membersAt(object, object.indexOf('{')).get(name);
  return span && object.slice(...span);
}

export function elementsAt(text: string, at: number): Span[] {
  const elements: Span[] = [];
  for (let next = afterSpace(text, at + 1); text[next] !== ']' && next < text.length; ) {
    const end = endOf(text, next);
    elements.push([next, end]);
    next = afterComma(text, end);
  }
  return elements;
}

/** Where the member or element of this name begins. Undefined: there is none. */
function childAt(text: string, at: number, name: string | number): number | undefined {
  const isObject = text[at] === '{';
  if (!isObject && text[at] !== '[') return undefined;
  let next = afterSpace(text, at + 1);
  for (let index = 0; next < text.length && text[next] !== '}' && text[next] !== ']'; index++) {
    const keyEnd = isObject ? endOfString(text, next) : next;
    const start = isObject ? afterSpace(text, afterSpace(text, keyEnd) + 1) : next;
    if (name === (isObject ? JSON.parse(text.slice(next, keyEnd)) : index)) return start;
    next = afterComma(text, endOf(text, start));
  }
  return undefined;
}

const SCALAR_END = /[,}\]\s]|$/g;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** [ and { differ in this bit alone, and so do ] and }. */
const BRACE_BIT = 0x20;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * The end of the value at this place. Reads character by character: a search for the next bracket or quote costs more than the few
 * characters between them, and JSON of 1 MB can consist of nothing else.
 */
export function endOf(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at);
  if (text[at] !== '{' && text[at] !== '[') {
    SCALAR_END.lastIndex = at;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let level = 0;
  for (let next = at; next < text.length; ) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) {
      next = endOfString(text, next);
      continue;
    }
    next++;
    if ((code | BRACE_BIT) === OPENING_BRACE) level++;
    else if ((code | BRACE_BIT) === CLOSING_BRACE && --level === 0) return next;
  }
  return text.length;
}

/** Characters of a string that are read one by one, before indexOf searches: it is fast in long strings, and costs more in short ones. */
const READ_BEFORE_SEARCH = 32;

function endOfString(text: string, at: number): number {
  for (let next = at + 1; ; ) {
    const searched = Math.min(next + READ_BEFORE_SEARCH, text.length);
    while (next < searched) {
      const code = text.charCodeAt(next);
      if (code === QUOTE) return next + 1;
      next += code === BACKSLASH ? 2 : 1;
    }
    const quote = text.indexOf('"', next);
    if (quote < 0) return text.length;
    let escaped = quote;
    while (escaped > next && text.charCodeAt(escaped - 1) === BACKSLASH) escaped--;
    if ((quote - escaped) % 2 === 0) return quote + 1;
    next = quote + 1;
  }
}

function afterSpace(text: string, at: number): number {
  let next = at;
  while (/\s/.test(text[next] ?? '')) next++;
  return next;
}

function afterComma(text: string, at: number): number {
  const next = afterSpace(text, at);
  return text[next] === ',' ? afterSpace(text, next + 1) : next;
}
