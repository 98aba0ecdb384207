import { hash } from 'node:crypto';
import { TILE_WIDTH } from '@waybill/proof';

const HASH_BYTES = 32;
const TILE_BYTES = TILE_WIDTH * HASH_BYTES;

/** Leaves and nodes are hashed with another first byte, so that neither can pass for the other (RFC 6962). */
const [LEAF_MARK, NODE_MARK] = [0, 1];

export interface Tile {
  level: number;
  index: number;
  bytes: Buffer;
}

/**
 * The right edge of a Merkle tree: the hashes of the last tile of each level, which suffice to continue. Hashing uses node:crypto with
 * reused buffers, because an audit spends its time on hashing.
 */
export class TreeEdge {
  #size: number;
  readonly #levels: { bytes: Buffer; width: number }[];
  readonly #leaf = Buffer.alloc(1 + 33, LEAF_MARK);

  /** `levels`: the hashes of each level's last tile, in a tree of `size` leaves. */
  constructor(size = 0, levels: readonly Buffer[] = []) {
    this.#size = size;
    this.#levels = levels.map((hashes) => {
      const bytes = Buffer.alloc(TILE_BYTES);
      return { bytes, width: hashes.copy(bytes) / HASH_BYTES };
    });
    const fits = this.#levels.every(({ width }, level) => width === Math.floor(size / TILE_WIDTH ** level) % TILE_WIDTH);
    if (!fits || TILE_WIDTH ** levels.length <= size) throw new RangeError('The edge does not fit the size.');
  }

  get size(): number {
    return this.#size;
  }

  /** The last tile of each level. Empty: all tiles of the level are full. */
  partialTiles(): Tile[] {
    return this.#levels.map(({ bytes, width }, level) => ({
      level,
      index: Math.floor(this.#size / TILE_WIDTH ** (level + 1)),
      bytes: Buffer.from(bytes.subarray(0, width * HASH_BYTES)),
    }));
  }

  clone(): TreeEdge {
    return new TreeEdge(
      this.#size,
      this.partialTiles().map(({ bytes }) => bytes),
    );
  }

  append(leaf: Uint8Array, onFull: (tile: Tile) => void): void {
    this.#leaf.set(leaf, 1);
    this.#size++;
    this.#push(0, hash('sha256', this.#leaf, 'buffer'), onFull);
  }

  root(): Buffer {
    let root: Buffer | undefined;
    for (const { bytes, width } of this.#levels)
      for (let end = width, span = 1; end > 0; span *= 2) {
        if (end % (span * 2) === 0) continue;
        const subtree = subtreeRoot(bytes.subarray((end - span) * HASH_BYTES, end * HASH_BYTES));
        root = root ? subtreeRoot(Buffer.concat([subtree, root])) : subtree;
        end -= span;
      }
    return root ?? hash('sha256', '', 'buffer');
  }

  #push(level: number, added: Buffer, onFull: (tile: Tile) => void): void {
    const edge = this.#levels[level] ?? { bytes: Buffer.alloc(TILE_BYTES), width: 0 };
    this.#levels[level] = edge;
    added.copy(edge.bytes, edge.width * HASH_BYTES);
    edge.width++;
    if (edge.width < TILE_WIDTH) return;
    edge.width = 0;
    onFull({ level, index: this.#size / TILE_WIDTH ** (level + 1) - 1, bytes: Buffer.from(edge.bytes) });
    this.#push(level + 1, subtreeRoot(edge.bytes), onFull);
  }
}

function subtreeRoot(hashes: Buffer): Buffer {
  const node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_MARK);
  const level = Buffer.from(hashes);
  for (let length = level.length; length > HASH_BYTES; length /= 2)
    for (let at = 0; at < length; at += 2 * HASH_BYTES) {
      level.copy(node, 1, at, at + 2 * HASH_BYTES);
      hash('sha256', node, 'buffer').copy(level, at / 2);
    }
  return level.subarray(0, HASH_BYTES);
}
