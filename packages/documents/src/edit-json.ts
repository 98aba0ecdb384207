import { elementsAt, endOf, type Span } from '@waybill/client';

/** Puts a value, as JSON text, in the place of a JSON Pointer; undefined takes out what is there. */
export interface JsonEdit {
  path: string;
  value: string | undefined;
}

/** The names of the members of the object at a pointer, in the order in which they are written. */
export type OrderOf = (path: string) => readonly string[];

/** What changes at a place, and below it. */
export interface Change {
  /** Undefined: only what is below changes. Null: the value goes. */
  value?: string | null;
  below: Map<string, Change>;
}

const INDENT = '  ';
export const INDEX = /^(?:0|[1-9]\d*)$/;

/**
 * Changes values of a JSON text, and keeps every other character: spaces, spelling of numbers, unknown and repeated members. Objects and lists on
 * the way to a new value are created. Positions in lists are those before the changes; what lies behind the end is appended. The text must be JSON,
 * or empty.
 */
export function editJson(text: string, edits: readonly JsonEdit[], orderOf: OrderOf = () => []): string {
  if (edits.length === 0) return text;
  const root = changesOf(edits);
  const body = text.trim();
  const start = body === '' ? text.length : text.length - text.trimStart().length;
  const [before, after] = [text.slice(0, start), text.slice(start + body.length)];
  const isSpread = body === '' || body === '{}' || body.includes('\n');
  return `${before}${new Editor(isSpread, orderOf).changed(body, root, '', '')}${after}`;
}

/** The edits as a tree of the names in their paths. */
export function changesOf(edits: readonly JsonEdit[]): Change {
  const root: Change = { below: new Map() };
  for (const { path, value } of edits) {
    let change = root;
    for (const name of path.split('/').slice(1).map(unescaped)) {
      const next: Change = change.below.get(name) ?? { below: new Map() };
      change.below.set(name, next);
      change = next;
    }
    change.value = value ?? null;
  }
  return root;
}

const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~');
export const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

interface Member {
  key: string;
  /** From the key to the end of the value. */
  span: Span;
  value: Span;
}

interface Part {
  /** The comma and the spaces before it, if something stands before it. */
  gap?: string | undefined;
  text: string;
}

const gapBefore = (text: string, former: Span | undefined, span: Span) => former && text.slice(former[1], span[0]);

class Editor {
  readonly #isSpread: boolean;
  readonly #orderOf: OrderOf;

  constructor(isSpread: boolean, orderOf: OrderOf) {
    this.#isSpread = isSpread;
    this.#orderOf = orderOf;
  }

  changed(text: string, change: Change, path: string, indent: string): string {
    if (typeof change.value === 'string') return change.value;
    const isList =
      text === '' || (text[0] !== '{' && text[0] !== '[') ? [...change.below.keys()].every((name) => INDEX.test(name)) : text[0] === '[';
    const from = text[0] === (isList ? '[' : '{') ? text : isList ? '[]' : '{}';
    return isList ? this.#list(from, change, path, indent) : this.#object(from, change, path, indent);
  }

  #object(text: string, { below }: Change, path: string, indent: string): string {
    const members = membersOf(text);
    const parts: (Part & { key: string })[] = [];
    const inner = innerIndent(text, indent);
    for (const [at, { key, span, value }] of members.entries()) {
      const change = below.get(key);
      // The last of repeated members counts, so the others stay unless all of them go.
      const isLast = members.findLast((one) => one.key === key)?.span === span;
      if (change?.value === null) continue;
      const edited = change && isLast ? this.changed(text.slice(...value), change, `${path}/${escaped(key)}`, inner) : text.slice(...value);
      parts.push({ key, gap: gapBefore(text, members[at - 1]?.span, span), text: text.slice(span[0], value[0]) + edited });
    }
    const known = new Set(members.map(({ key }) => key));
    const order = this.#orderOf(path);
    const colon = colonOf(text, members[0]) ?? (this.#isSpread ? ': ' : ':');
    for (const [key, change] of below) {
      if (known.has(key) || change.value === null) continue;
      const value = this.changed('', change, `${path}/${escaped(key)}`, inner);
      parts.splice(placeOf(key, parts, order), 0, { key, text: `${JSON.stringify(key)}${colon}${value}` });
    }
    return this.#joined(
      text,
      parts,
      members.map(({ span }) => span),
      indent,
      ['{', '}'],
    );
  }

  #list(text: string, { below }: Change, path: string, indent: string): string {
    const spans = elementsAt(text, 0);
    const inner = innerIndent(text, indent);
    const parts: Part[] = [];
    for (const [at, span] of spans.entries()) {
      const change = below.get(String(at));
      if (change?.value === null) continue;
      const edited = change ? this.changed(text.slice(...span), change, `${path}/${at}`, inner) : text.slice(...span);
      parts.push({ gap: gapBefore(text, spans[at - 1], span), text: edited });
    }
    const added = [...below].filter(([name, { value }]) => Number(name) >= spans.length && value !== null);
    for (const [name, change] of added.toSorted(([a], [b]) => Number(a) - Number(b)))
      parts.push({ text: this.changed('', change, `${path}/${name}`, inner) });
    return this.#joined(text, parts, spans, indent, ['[', ']']);
  }

  /** Writes an object or a list with its new parts, spaced as it was before. */
  #joined(text: string, parts: readonly Part[], spans: readonly Span[], indent: string, [open, close]: readonly [string, string]) {
    if (parts.length === 0) return `${open}${close}`;
    const [first, second] = spans;
    if (!first) {
      const [start, end] = this.#isSpread ? [`\n${indent}${INDENT}`, `\n${indent}`] : ['', ''];
      return `${open}${start}${parts.map((part) => part.text).join(`,${start}`)}${end}${close}`;
    }
    const start = text.slice(1, first[0]);
    const between = second ? text.slice(first[1], second[0]) : `,${start}`;
    const all = parts.map((part, at) => (at === 0 ? part.text : (part.gap ?? between) + part.text)).join('');
    return `${open}${start}${all}${text.slice((spans.at(-1) ?? first)[1])}`;
  }
}

/** The indentation of what stands in an object or a list. */
function innerIndent(text: string, indent: string): string {
  return /^.\n([ \t]*)\S/.exec(text)?.[1] ?? `${indent}${INDENT}`;
}

function colonOf(text: string, member: Member | undefined): string | undefined {
  return member && text.slice(endOf(text, member.span[0]), member.value[0]);
}

function membersOf(text: string): Member[] {
  const members: Member[] = [];
  for (let at = skip(text, 1, /[^\s,]/g); text[at] === '"'; ) {
    const keyEnd = endOf(text, at);
    const start = skip(text, keyEnd, /[^\s:]/g);
    const end = endOf(text, start);
    const key: string = JSON.parse(text.slice(at, keyEnd));
    members.push({ key, span: [at, end], value: [start, end] });
    at = skip(text, end, /[^\s,]/g);
  }
  return members;
}

function skip(text: string, from: number, until: RegExp): number {
  until.lastIndex = from;
  return until.exec(text)?.index ?? text.length;
}

/** Behind the last of the members that stand before this one in the order. */
export function placeOf(key: string, parts: readonly { key: string }[], order: readonly string[]): number {
  const rank = order.indexOf(key);
  if (rank < 0) return parts.length;
  const before = parts.findLastIndex((part) => {
    const other = order.indexOf(part.key);
    return other >= 0 && other < rank;
  });
  return before + 1;
}
