import { hash } from 'node:crypto';

/** RFC 6962, section 2.1, word for word, on ranges of a list of leaves. The fast algorithms of the package are compared with it. */
export class NaiveTree {
  readonly #leaves: readonly Uint8Array[];
  /** A cache of roots of ranges, which many trees share. */
  readonly #roots = new Map<string, Uint8Array>();

  constructor(leaves: readonly Uint8Array[]) {
    this.#leaves = leaves;
  }

  /** MTH(D[start:end]). */
  root(end: number, start = 0): Uint8Array {
    const known = this.#roots.get(`${start}:${end}`) ?? this.#computed(start, end);
    this.#roots.set(`${start}:${end}`, known);
    return known;
  }

  /** PATH(m, D[start:end]). */
  path(index: number, end: number, start = 0): Uint8Array[] {
    if (end - start === 1) return [];
    const middle = start + k(end - start);
    return index < middle
      ? [...this.path(index, middle, start), this.root(end, middle)]
      : [...this.path(index, end, middle), this.root(middle, start)];
  }

  /** PROOF(m, D[n]) by SUBPROOF. */
  consistency(oldSize: number, end: number, start = 0): Uint8Array[] {
    if (oldSize === end) return start === 0 ? [] : [this.root(end, start)];
    const middle = start + k(end - start);
    return oldSize <= middle
      ? [...this.consistency(oldSize, middle, start), this.root(end, middle)]
      : [...this.consistency(oldSize, end, middle), this.root(middle, start)];
  }

  tile(level: number, index: number, width: number): Uint8Array {
    const span = 256 ** level;
    const first = index * 256;
    return new Uint8Array(Buffer.concat(Array.from({ length: width }, (_, at) => this.root((first + at + 1) * span, (first + at) * span))));
  }

  #computed(start: number, end: number): Uint8Array {
    if (start === end) return hashOf();
    if (end - start === 1) return hashOf(Uint8Array.of(0), this.#leaves[start] ?? new Uint8Array());
    const middle = start + k(end - start);
    return hashOf(Uint8Array.of(1), this.root(middle, start), this.root(end, middle));
  }
}

function hashOf(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(hash('sha256', Buffer.concat(parts), 'buffer'));
}

/** The largest power of two smaller than n. */
function k(n: number): number {
  return 2 ** Math.floor(Math.log2(n - 1));
}
