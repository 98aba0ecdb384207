/** JSON that is sent as written, so that its numbers, key order and repeated keys stay. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
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

const STRUCTURE = /["{}[\]]/g;
const SCALAR_END = /[,}\]\s]|$/g;

export function endOf(text: string, at: number): number {
  if (text[at] === '"') return endOfString(text, at);
  if (text[at] !== '{' && text[at] !== '[') {
    SCALAR_END.lastIndex = at;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let level = 0;
  for (let next = at; ; ) {
    STRUCTURE.lastIndex = next;
    const found = STRUCTURE.exec(text);
    if (!found) return text.length;
    if (found[0] === '"') next = endOfString(text, found.index);
    else {
      next = found.index + 1;
      level += found[0] === '{' || found[0] === '[' ? 1 : -1;
      if (level === 0) return next;
    }
  }
}

function endOfString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
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
