import { setImmediate as nextTurn } from 'node:timers/promises';
import { LEAF_BYTES, TILE_WIDTH } from '@waybill/proof';
import { sha256 } from '../../contract/sha256.ts';

export const HASH_BYTES = 32;
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** This many leaves are hashed before other work gets the thread, which takes a few milliseconds. */
const LEAVES_AT_ONCE = 2_048;

/** 256 hashes of one level, which never change. */
export interface FullTile {
  level: number;
  index: number;
  bytes: Buffer;
}

/** The root of a tree without leaves (RFC 6962). */
export const EMPTY_ROOT = sha256(new Uint8Array());

/** Leaves and nodes are hashed with different first bytes, so that neither can pass for the other. */
const LEAF_MARK = 0;
const NODE_MARK = 1;

/**
 * A growing Merkle tree (RFC 6962): its size, and the partial tile of each level at its right edge. This suffices to append leaves and to
 * compute the root. Buffers are reused for each hash, for speed.
 */
export class GrowingTree {
  #size: number;
  readonly #edges: { hashes: Buffer; count: number }[] = [];
  readonly #leaf = Buffer.alloc(1 + LEAF_BYTES, LEAF_MARK);
  readonly #node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_MARK);

  /** `edges`: the hashes of each level's partial tile. */
  constructor(size: number, edges: readonly Buffer[]) {
    this.#size = size;
    for (const [level, hashes] of edges.entries()) {
      const edge = this.#edge(level);
      edge.count = hashes.copy(edge.hashes) / HASH_BYTES;
      if (edge.count !== Math.floor(size / TILE_WIDTH ** level) % TILE_WIDTH)
        throw new Error(`the edge of the log at level ${level} has ${edge.count} hashes, which does not fit a tree of ${size} leaves`);
    }
  }

  get size(): number {
    return this.#size;
  }

  edges(): Buffer[] {
    return this.#edges.map(({ hashes, count }) => hashes.subarray(0, count * HASH_BYTES));
  }

  async append(leaves: Buffer): Promise<FullTile[]> {
    const full: FullTile[] = [];
    for (let at = 0; at < leaves.length; at += LEAF_BYTES) {
      leaves.copy(this.#leaf, 1, at, at + LEAF_BYTES);
      this.#size++;
      this.#push(0, sha256(this.#leaf), full);
      if ((at / LEAF_BYTES) % LEAVES_AT_ONCE === LEAVES_AT_ONCE - 1) await nextTurn();
    }
    return full;
  }

  root(): Buffer {
    let root: Buffer | undefined;
    for (const { hashes, count } of this.#edges)
      for (let end = count, width = 1; end > 0; width *= 2) {
        if ((end & width) === 0) continue;
        const subtree = subtreeRoot(hashes.subarray((end - width) * HASH_BYTES, end * HASH_BYTES));
        root = root ? this.#join(subtree, root) : subtree;
        end -= width;
      }
    return root ?? EMPTY_ROOT;
  }

  #push(level: number, added: Buffer, full: FullTile[]): void {
    const edge = this.#edge(level);
    added.copy(edge.hashes, edge.count * HASH_BYTES);
    edge.count++;
    if (edge.count < TILE_WIDTH) return;
    const bytes = Buffer.from(edge.hashes);
    full.push({ level, index: this.#size / TILE_WIDTH ** (level + 1) - 1, bytes });
    edge.count = 0;
    this.#push(level + 1, subtreeRoot(bytes), full);
  }

  #edge(level: number): { hashes: Buffer; count: number } {
    const known = this.#edges[level];
    if (known) return known;
    const edge = { hashes: Buffer.alloc(TILE_BYTES), count: 0 };
    this.#edges.push(edge);
    return edge;
  }

  #join(left: Buffer, right: Buffer): Buffer {
    left.copy(this.#node, 1);
    right.copy(this.#node, 1 + HASH_BYTES);
    return sha256(this.#node);
  }
}

export function subtreeRoot(hashes: Buffer): Buffer {
  const node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_MARK);
  const level = Buffer.from(hashes);
  for (let length = level.length; length > HASH_BYTES; length /= 2)
    for (let at = 0; at < length; at += 2 * HASH_BYTES) {
      level.copy(node, 1, at, at + 2 * HASH_BYTES);
      sha256(node).copy(level, at / 2);
    }
  return level.subarray(0, HASH_BYTES);
}
