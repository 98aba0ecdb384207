import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  nodeHash,
  type ReadTile,
  rootFromInclusion,
  rootOf,
  rootOfHashes,
  tileWidth,
  verifyConsistency,
  verifyInclusion,
} from '../src/index.ts';
import { NaiveTree } from './support/naive-tree.ts';

const LARGEST = 300;
const leaves = Array.from({ length: LARGEST + 1 }, (_, index) => new Uint8Array(createHash('sha256').update(`${index}`).digest()));
const naive = new NaiveTree(leaves);
const leafHashes = leaves.map((leaf) => leafHash(leaf));
const leafAt = (index: number) => leafHashes[index] ?? new Uint8Array();

/** Reads tiles of a tree, and checks that a tree of this size has them. */
function tilesOf(tree: NaiveTree, size: number): ReadTile {
  return async (level, index, width) => {
    if (width !== tileWidth(level, index, size) || width === 0)
      throw new Error(`A tree of ${size} has no tile ${level}/${index} of ${width}.`);
    return tree.tile(level, index, width);
  };
}

describe('inclusion', () => {
  test('of every leaf of every tree up to 300 leaves is proven, and by nothing else', () => {
    const faults: string[] = [];
    for (let size = 1; size <= LARGEST; size++) {
      for (let index = 0; index < size; index++) {
        const proof = naive.path(index, size);
        const head = { index, size, root: naive.root(size) };
        if (!verifyInclusion(head, leafAt(index), proof)) faults.push(`${index} of ${size} is refused`);
        // In larger trees, only a ninth of the leaves get wrong proofs, to save time.
        if (size > 64 && index % 9 !== size % 9) continue;
        const wrong = [
          verifyInclusion({ ...head, index: index + 1 }, leafAt(index), proof),
          verifyInclusion({ ...head, root: naive.root(size - 1) }, leafAt(index), proof),
          verifyInclusion(head, leafAt(index + 1), proof),
          verifyInclusion(head, leafAt(index), [...proof, leafAt(0)]),
          proof.length > 0 && verifyInclusion(head, leafAt(index), proof.slice(1)),
          proof.length > 0 && verifyInclusion(head, leafAt(index), proof.slice(0, -1)),
        ];
        if (wrong.includes(true)) faults.push(`${index} of ${size} is proven by ${wrong.indexOf(true)}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test('is computed from tiles as from the leaves', async () => {
    for (let size = 1; size <= LARGEST; size += size < 20 ? 1 : 7) {
      const readTile = tilesOf(naive, size);
      expect(await rootOf(size, readTile)).toEqual(naive.root(size));
      for (let index = 0; index < size; index += 1 + Math.floor(size / 20))
        expect(await inclusionProof(index, size, readTile)).toEqual(naive.path(index, size));
    }
  });

  test('is refused for indexes, sizes and tiles that are none', async () => {
    expect(() => rootFromInclusion(3, 3, leafAt(0), [])).toThrow('not in the tree');
    expect(() => rootFromInclusion(-1, 3, leafAt(0), [])).toThrow('not in the tree');
    expect(() => rootFromInclusion(0, 2 ** 53, leafAt(0), [])).toThrow('not in the tree');
    expect(() => rootFromInclusion(0, 2, leafAt(0), [new Uint8Array(31)])).toThrow('32 bytes');
    await expect(inclusionProof(3, 3, tilesOf(naive, 3))).rejects.toThrow('not in the tree');
    await expect(inclusionProof(0, 3, async () => new Uint8Array(95))).rejects.toThrow('has not the size');
  });

  test('works in a tree of nearly 2^53 leaves', async () => {
    // All leaves are equal, so perfect subtrees of one height have one hash, and any tree can be computed.
    const heights = [leafHash(new Uint8Array())];
    for (let height = 0; height < 53; height++) heights.push(nodeHash(heights[height] as Uint8Array, heights[height] as Uint8Array));
    const readTile: ReadTile = async (level, _index, width) =>
      new Uint8Array(Buffer.concat(Array.from({ length: width }, () => heights[8 * level] as Uint8Array)));
    const size = 2 ** 53 - 1;
    const root = await rootOf(size, readTile);
    for (const index of [0, 2 ** 31, 2 ** 32 + 5, 2 ** 52 - 1, size - 1]) {
      const proof = await inclusionProof(index, size, readTile);
      expect(verifyInclusion({ index, size, root }, leafHash(new Uint8Array()), proof)).toBe(true);
    }
    for (const oldSize of [1, 2 ** 32 + 1, 2 ** 52, size - 1]) {
      const proof = await consistencyProof(oldSize, size, readTile);
      expect(verifyConsistency({ oldSize, oldRoot: await rootOf(oldSize, readTile), size, root }, proof)).toBe(true);
    }
  });
});

describe('consistency', () => {
  test('of every two trees up to 300 leaves is proven, and by nothing else', () => {
    const faults: string[] = [];
    for (let size = 0; size <= LARGEST; size++) {
      for (let oldSize = 0; oldSize <= size; oldSize++) {
        const proof = oldSize === 0 ? [] : naive.consistency(oldSize, size);
        const heads = { oldSize, oldRoot: naive.root(oldSize), size, root: naive.root(size) };
        if (!verifyConsistency(heads, proof)) faults.push(`${oldSize} of ${size} is refused`);
        if (size > 64 && oldSize % 9 !== size % 9) continue;
        const wrong = [
          verifyConsistency(heads, [...proof, leafAt(0)]),
          verifyConsistency({ ...heads, oldRoot: naive.root(oldSize + 1) }, proof),
          proof.length > 0 && verifyConsistency(heads, proof.slice(0, -1)),
          oldSize > 0 && verifyConsistency({ ...heads, root: naive.root(size + 1) }, proof),
          oldSize < size && verifyConsistency({ ...heads, oldSize: size, size: oldSize }, proof),
        ];
        if (wrong.includes(true)) faults.push(`${oldSize} of ${size} is proven by ${wrong.indexOf(true)}`);
      }
    }
    expect(faults).toEqual([]);
  });

  test('is computed from tiles as from the leaves', async () => {
    for (let size = 1; size <= LARGEST; size += size < 20 ? 1 : 13)
      for (let oldSize = 1; oldSize <= size; oldSize += 1 + Math.floor(size / 20))
        expect(await consistencyProof(oldSize, size, tilesOf(naive, size))).toEqual(naive.consistency(oldSize, size));
  });
});

// Beyond 65,536 leaves, tiles of a third level are part of the tree.
test.each([1_000, 4_096, 65_537, 66_001])('proofs from tiles of %i random leaves are those from the leaves', async (size) => {
  const some = Array.from({ length: size }, () => new Uint8Array(randomBytes(4)));
  const tree = new NaiveTree(some);
  const readTile = tilesOf(tree, size);
  expect(await rootOf(size, readTile)).toEqual(tree.root(size));
  expect(rootOfHashes(some.map((leaf) => leafHash(leaf)))).toEqual(tree.root(size));
  for (let round = 0; round < 10; round++) {
    const index = Math.floor(Math.random() * size);
    expect(await inclusionProof(index, size, readTile)).toEqual(tree.path(index, size));
    expect(await consistencyProof(1 + index, size, readTile)).toEqual(tree.consistency(1 + index, size));
  }
});
