export type Kind = 'object' | 'array' | 'string' | 'number' | 'word';
export const KINDS: readonly Kind[] = ['object', 'array', 'string', 'number', 'word'];

export interface Columns {
  kind: Uint8Array;
  level: Uint16Array;
  parent: Int32Array;
  position: Int32Array;
  children: Int32Array;
  start: Int32Array;
  end: Int32Array;
  /** The offsets of the key with its quotes. Both 0: there is no key. */
  keyStart: Int32Array;
  keyEnd: Int32Array;
  after: Int32Array;
}

export function numberAt(column: Uint8Array | Uint16Array | Int32Array, node: number): number {
  return column[node] as number;
}

/**
 * JSON as written: order, repeated keys, and every digit of every number. A node is a number. The root is 0, and the first child of a node
 * is the number after it. Half a million nodes take some 20 MB, and objects would take ten times that.
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

  /** The level of the root is 1. */
  level(node: number): number {
    return numberAt(this.#columns.level, node);
  }

  /** The parent of the root is -1. */
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

  raw(node: number, chars = Number.POSITIVE_INFINITY): string {
    const start = numberAt(this.#columns.start, node);
    return this.text.slice(start, Math.min(numberAt(this.#columns.end, node), start + chars));
  }

  length(node: number): number {
    return numberAt(this.#columns.end, node) - numberAt(this.#columns.start, node);
  }

  span(node: number): readonly [start: number, end: number] {
    return [numberAt(this.#columns.start, node), numberAt(this.#columns.end, node)];
  }

  keySpan(node: number): readonly [start: number, end: number] | undefined {
    const end = numberAt(this.#columns.keyEnd, node);
    return end === 0 ? undefined : [numberAt(this.#columns.keyStart, node), end];
  }

  rawKey(node: number): string | undefined {
    const start = numberAt(this.#columns.keyStart, node);
    const end = numberAt(this.#columns.keyEnd, node);
    return end === 0 ? undefined : this.text.slice(start, end);
  }

  key(node: number): string | undefined {
    const raw = this.rawKey(node);
    return raw === undefined ? undefined : decoded(raw);
  }

  /** The decoded string, or any other value as written. */
  value(node: number): string {
    return this.kind(node) === 'string' ? decoded(this.raw(node)) : this.raw(node);
  }

  ancestors(node: number): number[] {
    const found: number[] = [];
    for (let above = this.parent(node); above >= 0; above = this.parent(above)) found.push(above);
    return found.reverse();
  }

  /** The JSON Pointer (RFC 6901). */
  pointer(node: number): string {
    return [...this.ancestors(node).slice(1), ...(node === 0 ? [] : [node])]
      .map((each) => `/${(this.key(each) ?? String(this.position(each))).replaceAll('~', '~0').replaceAll('/', '~1')}`)
      .join('');
  }

  /** Returns the node of a JSON Pointer, or its deepest existing ancestor. Of repeated keys the last counts, as in JSON.parse. */
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

function decoded(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
}
