import { hash } from 'node:crypto';

/** Leaves and nodes are hashed with different first bytes, so that neither can pass for the other (RFC 6962). */
const LEAF_MARK = '\0';
const NODE_MARK = 1;
const HASH_BYTES = 32;

const node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_MARK);

/** The Merkle tree of one signature. Hashes are texts in base64, as promises have them, because every send pays for the tree. */
export class PromiseTree {
  readonly #levels: string[][];

  constructor(leaves: readonly string[]) {
    let level = leaves.map((leaf) => hash('sha256', LEAF_MARK + leaf, 'base64'));
    this.#levels = [level];
    while (level.length > 1) {
      level = levelAbove(level);
      this.#levels.push(level);
    }
  }

  get root(): string {
    const [root] = this.#levels.at(-1) ?? [];
    if (root === undefined) throw new Error('a tree of promises has no leaves');
    return root;
  }

  /** The hashes from the leaf's sibling up. */
  pathOf(leaf: number): string[] {
    const path: string[] = [];
    let at = leaf;
    for (const level of this.#levels) {
      const sibling = level[at ^ 1];
      // A hash without a neighbour has moved up unchanged.
      if (sibling !== undefined) path.push(sibling);
      at >>= 1;
    }
    return path;
  }
}

function levelAbove(level: readonly string[]): string[] {
  const above: string[] = [];
  for (let at = 0; at < level.length; at += 2) {
    const [left = '', right] = [level[at], level[at + 1]];
    above.push(right === undefined ? left : join(left, right));
  }
  return above;
}

function join(left: string, right: string): string {
  node.write(left, 1, 'base64');
  node.write(right, 1 + HASH_BYTES, 'base64');
  return hash('sha256', node, 'base64');
}
