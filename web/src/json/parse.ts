import { keysOf } from '../keys-of.ts';
import { number } from '../ui/format.ts';
import { type Columns, JsonTree, KINDS, type Kind, numberAt } from './tree.ts';

export class JsonFault {
  readonly message: string;
  readonly at: number;
  constructor(message: string, at: number) {
    this.message = message;
    this.at = at;
  }
}

/** The API has the same limit. */
export const LEVELS_MAX = 1_000;

/** Accepts what JSON.parse accepts, except too many levels. Not recursive, so that depth can't overflow the stack. */
export function parseJson(text: string): JsonTree | JsonFault {
  const reader = new Reader(text);
  try {
    return reader.read();
  } catch (fault) {
    if (fault instanceof JsonFault) return fault;
    throw fault;
  }
}

export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 44, 58, 91, 93, 123, 125];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
/** The end of a string, an escape, or a control character. */
const ODD_CHARACTER = /["\\]|[^ -\uffff]/g;

class Reader {
  readonly #text: string;
  readonly #nodes = new Nodes();
  #at = 0;
  #parent = -1;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonTree {
    do {
      const node = this.#beginValue();
      if (!this.#enter(node)) this.#leave();
    } while (this.#parent >= 0);
    if (this.#at < this.#text.length) throw this.#fault('Unexpected text after the value.');
    return new JsonTree(this.#text, this.#nodes.size, this.#nodes.columns);
  }

  /** Reads the key, inside an object, and adds the node of the value. */
  #beginValue(): number {
    this.#space();
    let keyStart = 0;
    let keyEnd = 0;
    if (this.#parent >= 0 && this.#nodes.kind(this.#parent) === 'object') {
      if (this.#code() !== QUOTE) throw this.#isAfterComma() ? this.#extraComma('}') : this.#fault('Expected a key in double quotes.');
      keyStart = this.#at;
      this.#string();
      keyEnd = this.#at;
      this.#space();
      if (this.#code() !== COLON) throw this.#fault('Expected a colon after the key.');
      this.#at++;
      this.#space();
    }
    return this.#nodes.add(this.#parent, this.#at, keyStart, keyEnd);
  }

  /** Reads a scalar, or the start of an object or array. Returns true if a value inside follows. */
  #enter(node: number): boolean {
    const code = this.#code();
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      this.#nodes.setKind(node, code === OPEN_OBJECT ? 'object' : 'array');
      if (this.#nodes.level(node) > LEVELS_MAX) throw this.#fault(`Nested deeper than ${number(LEVELS_MAX)} levels.`);
      this.#at++;
      this.#parent = node;
      this.#space();
      return this.#code() !== (code === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY);
    }
    if (code === QUOTE) {
      this.#nodes.setKind(node, 'string');
      this.#string();
    } else if (this.#match(NUMBER)) this.#nodes.setKind(node, 'number');
    else if (this.#match(WORD)) this.#nodes.setKind(node, 'word');
    else if (code === CLOSE_ARRAY && this.#isAfterComma()) throw this.#extraComma(']');
    else throw this.#fault(this.#at >= this.#text.length ? 'Expected a value.' : 'Not a value. Strings need double quotes.');
    this.#nodes.end(node, this.#at);
    return false;
  }

  #leave(): void {
    for (;;) {
      this.#space();
      if (this.#parent < 0) return;
      const isObject = this.#nodes.kind(this.#parent) === 'object';
      const code = this.#code();
      if (code === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        this.#at++;
        this.#nodes.end(this.#parent, this.#at);
        this.#parent = this.#nodes.parent(this.#parent);
      } else if (code === COMMA && this.#nodes.hasChildren(this.#parent)) {
        this.#at++;
        return;
      } else throw this.#fault(`Expected a comma or ${isObject ? '}' : ']'}.`);
    }
  }

  #string(): void {
    const opening = this.#at++;
    for (;;) {
      ODD_CHARACTER.lastIndex = this.#at;
      const odd = ODD_CHARACTER.exec(this.#text);
      this.#at = odd ? odd.index : this.#text.length;
      if (!odd) {
        this.#at = opening;
        throw this.#fault('String without an end: expected a double quote.');
      }
      if (this.#code() === QUOTE) {
        this.#at++;
        return;
      }
      if (this.#code() !== BACKSLASH) throw this.#fault('Write line breaks and tabs in strings as \\n and \\t.');
      if (!this.#match(ESCAPE)) throw this.#fault('Write a backslash as \\\\.');
    }
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #space(): void {
    for (let code = this.#code(); code === 32 || (code >= 9 && code <= 13 && code !== 11 && code !== 12); code = this.#code()) this.#at++;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #isAfterComma(): boolean {
    return this.#text.slice(0, this.#at).trimEnd().endsWith(',');
  }

  /** The fault is reported at the comma, not at the bracket after it. */
  #extraComma(bracket: '}' | ']'): JsonFault {
    if (this.#text[this.#at] !== bracket) return this.#fault('Expected a key in double quotes.');
    return new JsonFault(`Remove the comma before ${bracket}.`, this.#text.lastIndexOf(',', this.#at));
  }

  #fault(message: string): JsonFault {
    return new JsonFault(message, this.#at);
  }
}

class Nodes {
  size = 0;
  columns: Columns = emptyColumns(256);

  add(parent: number, start: number, keyStart: number, keyEnd: number): number {
    if (this.size === this.columns.kind.length) this.#grow();
    const node = this.size++;
    const { level, parent: parents, position, children, start: starts, keyStart: keyStarts, keyEnd: keyEnds } = this.columns;
    parents[node] = parent;
    level[node] = parent < 0 ? 1 : numberAt(level, parent) + 1;
    if (parent >= 0) {
      position[node] = numberAt(children, parent);
      children[parent] = numberAt(children, parent) + 1;
    }
    starts[node] = start;
    keyStarts[node] = keyStart;
    keyEnds[node] = keyEnd;
    return node;
  }

  end(node: number, at: number): void {
    this.columns.end[node] = at;
    this.columns.after[node] = this.size;
  }

  setKind(node: number, kind: Kind): void {
    this.columns.kind[node] = KINDS.indexOf(kind);
  }

  kind(node: number): Kind {
    return KINDS[numberAt(this.columns.kind, node)] ?? 'word';
  }

  level(node: number): number {
    return numberAt(this.columns.level, node);
  }

  parent(node: number): number {
    return numberAt(this.columns.parent, node);
  }

  hasChildren(node: number): boolean {
    return numberAt(this.columns.children, node) > 0;
  }

  #grow(): void {
    const larger = emptyColumns(this.columns.kind.length * 4);
    for (const name of keysOf(larger)) larger[name].set(this.columns[name]);
    this.columns = larger;
  }
}

function emptyColumns(capacity: number): Columns {
  return {
    kind: new Uint8Array(capacity),
    level: new Uint16Array(capacity),
    parent: new Int32Array(capacity),
    position: new Int32Array(capacity),
    children: new Int32Array(capacity),
    start: new Int32Array(capacity),
    end: new Int32Array(capacity),
    keyStart: new Int32Array(capacity),
    keyEnd: new Int32Array(capacity),
    after: new Int32Array(capacity),
  };
}
