export type Kind = 'object' | 'array' | 'string' | 'number' | 'word';
export const KINDS: readonly Kind[] = ['object', 'array', 'string', 'number', 'word'];

/** The columns of a tree: one number for each node, in the order of the text. */
export interface Columns {
  kind: Uint8Array;
  level: Uint16Array;
  parent: Int32Array;
  /** Which child of its parent it is, from 0. */
  position: Int32Array;
  children: Int32Array;
  start: Int32Array;
  end: Int32Array;
  /** The offsets of the key with its quotes; both 0 without a key. */
  keyStart: Int32Array;
  keyEnd: Int32Array;
  /** The next node that is not inside this one. */
  after: Int32Array;
}

/** What a column has for a node. Every column has a number for every node. */
export function numberAt(column: Uint8Array | Uint16Array | Int32Array, node: number): number {
  return column[node] as number;
}

/**
 * JSON as it was written: order, repeated keys, and every digit of every number. A node is a number; the root is 0, and the first
 * child of a node is the one after it. Half a million of them take some 20 MB, where objects would take ten times that.
 */
export class JsonTree {
  readonly text: string;
  readonly size: number;
  readonly #columns: Columns;

  constructor(text: string, size: number, columns: Columns) {
    this.text = text;
    this.size = size;
    this.#columns = columns;
  }

  kind(node: number): Kind {
    return KINDS[numberAt(this.#columns.kind, node)] ?? 'word';
  }

  isContainer(node: number): boolean {
    return numberAt(this.#columns.kind, node) < 2;
  }

  /** The root's is 1. */
  level(node: number): number {
    return numberAt(this.#columns.level, node);
  }

  /** -1 above the root. */
  parent(node: number): number {
    return numberAt(this.#columns.parent, node);
  }

  position(node: number): number {
    return numberAt(this.#columns.position, node);
  }

  children(node: number): number {
    return numberAt(this.#columns.children, node);
  }

  after(node: number): number {
    return numberAt(this.#columns.after, node);
  }

  /** As it was written, or only the first chars of it. */
  raw(node: number, chars = Number.POSITIVE_INFINITY): string {
    const start = numberAt(this.#columns.start, node);
    return this.text.slice(start, Math.min(numberAt(this.#columns.end, node), start + chars));
  }

  length(node: number): number {
    return numberAt(this.#columns.end, node) - numberAt(this.#columns.start, node);
  }

  /** The offsets in the text. */
  span(node: number): readonly [start: number, end: number] {
    return [numberAt(this.#columns.start, node), numberAt(this.#columns.end, node)];
  }

  /** The offsets of the key with its quotes; undefined for the root and elements of arrays. */
  keySpan(node: number): readonly [start: number, end: number] | undefined {
    const end = numberAt(this.#columns.keyEnd, node);
    return end === 0 ? undefined : [numberAt(this.#columns.keyStart, node), end];
  }

  /** With its quotes, as it was written; undefined for the root and elements of arrays. */
  rawKey(node: number): string | undefined {
    const start = numberAt(this.#columns.keyStart, node);
    const end = numberAt(this.#columns.keyEnd, node);
    return end === 0 ? undefined : this.text.slice(start, end);
  }

  key(node: number): string | undefined {
    const raw = this.rawKey(node);
    return raw === undefined ? undefined : decoded(raw);
  }

  /** The decoded string; any other value as written. */
  value(node: number): string {
    return this.kind(node) === 'string' ? decoded(this.raw(node)) : this.raw(node);
  }

  /** From the root down to the parent. */
  ancestors(node: number): number[] {
    const found: number[] = [];
    for (let above = this.parent(node); above >= 0; above = this.parent(above)) found.push(above);
    return found.reverse();
  }

  /** RFC 6901. */
  pointer(node: number): string {
    return [...this.ancestors(node).slice(1), ...(node === 0 ? [] : [node])]
      .map((each) => `/${(this.key(each) ?? String(this.position(each))).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
  }

  /** The node of a JSON Pointer, or the deepest one on its way that exists. Of repeated keys the last, as with JSON.parse. */
  find(pointer: string): number {
    let node = 0;
    for (const part of pointer.split('/').slice(1)) {
      const next = this.#child(node, part.replaceAll('~1', '/').replaceAll('~0', '~'));
      if (next === undefined) return node;
      node = next;
    }
    return node;
  }

  #child(node: number, name: string): number | undefined {
    let found: number | undefined;
    for (let child = node + 1; child < this.after(node); child = this.after(child)) {
      const raw = this.rawKey(child);
      if (raw === undefined) {
        if (String(this.position(child)) === name) return child;
      } else if (decoded(raw) === name) found = child;
    }
    return found;
  }
}

/** Most strings have no escapes. */
function decoded(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}
