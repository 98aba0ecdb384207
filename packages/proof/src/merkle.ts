import { areEqual, concat, HASH_BYTES, type Hash, sha256 } from './bytes.ts';
import { ProofError } from './errors.ts';

/* Merkle trees of RFC 6962, verified with the algorithms of RFC 9162. Sizes exceed 32 bits, so nothing here uses JavaScript's bit operators. */

/** A proof in a tree of 2^53 leaves has no more hashes than this. */
export const PROOF_HASHES_MAX = 54;

export function leafHash(leaf: Uint8Array, hash: Hash = sha256): Uint8Array {
  return hash(concat(Uint8Array.of(0), leaf));
}

export function nodeHash(left: Uint8Array, right: Uint8Array, hash: Hash = sha256): Uint8Array {
  return hash(concat(Uint8Array.of(1), left, right));
}

/** The root of the tree with these hashes of leaves. */
export function rootOfHashes(hashes: readonly Uint8Array[], hash: Hash = sha256): Uint8Array {
  let level = [...hashes];
  const [first] = level;
  if (!first) return hash(new Uint8Array());
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = level.slice(at, at + 2);
      // A hash without a neighbour moves up unchanged.
      if (left) above.push(right ? nodeHash(left, right, hash) : left);
    }
    level = above;
  }
  return level[0] ?? first;
}

/** The root that a proof leads to, from the hash of the leaf. Throws if the proof has not the length that the tree gives it. */
export function rootFromInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  hash: Hash = sha256,
): Uint8Array {
  if (!isCount(index) || !isCount(size) || index >= size) throw new ProofError('The index is not in the tree.');
  requireHashes([leaf, ...proof]);
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const sibling of proof) {
    if (last === 0) throw new ProofError('The inclusion proof is too long.');
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      root = nodeHash(root, sibling, hash);
    }
    [node, last] = [half(node), half(last)];
  }
  if (last !== 0) throw new ProofError('The inclusion proof is too short.');
  return root;
}

export function verifyInclusion(
  { index, size, root }: { index: number; size: number; root: Uint8Array },
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  hash: Hash = sha256,
): boolean {
  return holds(() => areEqual(rootFromInclusion(index, size, leaf, proof, hash), root));
}

/** Whether the tree of `size` leaves begins with that of `oldSize` leaves. Every tree begins with the empty one. */
export function verifyConsistency(
  { oldSize, oldRoot, size, root }: { oldSize: number; oldRoot: Uint8Array; size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
  hash: Hash = sha256,
): boolean {
  if (!isCount(oldSize) || !isCount(size) || oldSize > size) return false;
  if (oldSize === size) return proof.length === 0 && areEqual(oldRoot, root);
  if (oldSize === 0) return proof.length === 0 && areEqual(oldRoot, hash(new Uint8Array()));
  return holds(() => {
    const [old, whole] = rootsFromConsistency(oldSize, oldRoot, size, proof, hash);
    return areEqual(old, oldRoot) && areEqual(whole, root);
  });
}

function rootsFromConsistency(
  oldSize: number,
  oldRoot: Uint8Array,
  size: number,
  proof: readonly Uint8Array[],
  hash: Hash,
): [old: Uint8Array, whole: Uint8Array] {
  requireHashes([oldRoot, ...proof]);
  let node = oldSize - 1;
  let last = size - 1;
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // If the old size is a power of two, the old tree is a subtree of the new one: the proof leaves its root out.
  const [first, ...rest] = node === 0 ? [oldRoot, ...proof] : proof;
  if (!first) throw new ProofError('The consistency proof is too short.');
  let [old, whole] = [first, first];
  for (const sibling of rest) {
    if (last === 0) throw new ProofError('The consistency proof is too long.');
    if (node % 2 === 1 || node === last) {
      old = nodeHash(sibling, old, hash);
      whole = nodeHash(sibling, whole, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      whole = nodeHash(whole, sibling, hash);
    }
    [node, last] = [half(node), half(last)];
  }
  if (last !== 0) throw new ProofError('The consistency proof is too short.');
  return [old, whole];
}

function requireHashes(hashes: readonly Uint8Array[]): void {
  if (hashes.some(({ length }) => length !== HASH_BYTES)) throw new ProofError('A hash of a proof has not 32 bytes.');
}

function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}

function half(count: number): number {
  return Math.floor(count / 2);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
