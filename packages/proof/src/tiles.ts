import { concat, HASH_BYTES, type Hash, parseCount, sha256 } from './bytes.ts';
import { ProofError } from './errors.ts';
import { nodeHash, rootOfHashes } from './merkle.ts';

/* Tiles of c2sp.org/tlog-tiles, and proofs that are computed from them. */

export const TILE_WIDTH = 256;
/** A tree of 2^53 leaves has tiles of levels 0 to 6. */
export const TILE_LEVEL_MAX = 6;

/** Reads the first `width` hashes of a tile. */
export type ReadTile = (level: number, index: number, width: number) => Promise<Uint8Array>;

export interface TileName {
  /** `entries` for a bundle of log entries. */
  level: number | 'entries';
  index: number;
  width: number;
}

export function tilePath(level: number, index: number, width = TILE_WIDTH): string {
  return `tile/${level}/${numbered(index, width)}`;
}

export function entryBundlePath(index: number, width = TILE_WIDTH): string {
  return `tile/entries/${numbered(index, width)}`;
}

/** Undefined: the path is not in the one form of a tile's path. */
export function parseTilePath(path: string): TileName | undefined {
  const [, level, number, partial] = /^tile\/([0-6]|entries)\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path) ?? [];
  if (level === undefined || number === undefined) return undefined;
  const name = { index: Number(number.replaceAll(/[x/]/g, '')), width: partial === undefined ? TILE_WIDTH : Number(partial) };
  if (!Number.isSafeInteger(name.index)) return undefined;
  if (level === 'entries') return entryBundlePath(name.index, name.width) === path ? { level, ...name } : undefined;
  return tilePath(Number(level), name.index, name.width) === path ? { level: Number(level), ...name } : undefined;
}

export function tileWidth(level: number, index: number, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** The sibling hashes from the leaf up to the root. */
export async function inclusionProof(index: number, size: number, readTile: ReadTile, hash: Hash = sha256): Promise<Uint8Array[]> {
  requireSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new ProofError('The index is not in the tree.');
  const siblings: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + leftOf(end - start);
    siblings.unshift(index < middle ? [middle, end] : [start, middle]);
    [start, end] = index < middle ? [start, middle] : [middle, end];
  }
  return hashesOf(siblings, size, readTile, hash);
}

export async function consistencyProof(oldSize: number, size: number, readTile: ReadTile, hash: Hash = sha256): Promise<Uint8Array[]> {
  requireSize(size);
  if (!Number.isSafeInteger(oldSize) || oldSize < 0 || oldSize > size) throw new ProofError('The old tree is larger than the new one.');
  if (oldSize === 0 || oldSize === size) return [];
  const nodes: Range[] = [];
  let [start, end] = [0, size];
  while (end !== oldSize) {
    const middle = start + leftOf(end - start);
    nodes.unshift(oldSize <= middle ? [middle, end] : [start, middle]);
    [start, end] = oldSize <= middle ? [start, middle] : [middle, end];
  }
  // The verifier knows the old root, so the last node is left out if it is the old tree.
  return hashesOf(start === 0 ? nodes : [[start, end], ...nodes], size, readTile, hash);
}

export async function rootOf(size: number, readTile: ReadTile, hash: Hash = sha256): Promise<Uint8Array> {
  requireSize(size);
  if (size === 0) return hash(new Uint8Array());
  const [root] = await hashesOf([[0, size]], size, readTile, hash);
  return root ?? hash(new Uint8Array());
}

/** The entries as served, with their lengths in front. */
export function formatEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  return concat(...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry]));
}

export function parseEntryBundle(bytes: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (at + 2 + length > bytes.length || entries.length === TILE_WIDTH) throw new ProofError('A bundle of entries is not whole.');
    entries.push(bytes.slice(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return entries;
}

/** Leaves from `start` to before `end`. */
type Range = [start: number, end: number];

/** The hash of each range. Each tile is read once. */
function hashesOf(ranges: readonly Range[], size: number, readTile: ReadTile, hash: Hash): Promise<Uint8Array[]> {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const tile = (level: number, index: number) => {
    const name = `${level}/${index}`;
    const known = tiles.get(name) ?? wholeTile(readTile, level, index, tileWidth(level, index, size));
    tiles.set(name, known);
    return known;
  };
  /** The hash of 2^height leaves, which is in one tile. */
  const perfect = async (start: number, leaves: number) => {
    const height = Math.round(Math.log2(leaves));
    const level = Math.floor(height / 8);
    const first = start / TILE_WIDTH ** level;
    const bytes = await tile(level, Math.floor(first / TILE_WIDTH));
    return rootOfHashes(split(bytes, first % TILE_WIDTH, 2 ** (height % 8)), hash);
  };
  const range = async ([start, end]: Range): Promise<Uint8Array> => {
    const left = leftOf(end - start);
    if (left * 2 === end - start || end - start === 1) return perfect(start, end - start);
    const [one, other] = await Promise.all([perfect(start, left), range([start + left, end])]);
    return nodeHash(one, other, hash);
  };
  return Promise.all(ranges.map(range));
}

async function wholeTile(readTile: ReadTile, level: number, index: number, width: number): Promise<Uint8Array> {
  const bytes = await readTile(level, index, width);
  if (bytes.length !== width * HASH_BYTES) throw new ProofError(`The tile ${tilePath(level, index, width)} has not the size of its width.`);
  return bytes;
}

function split(bytes: Uint8Array, first: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, at) => bytes.subarray((first + at) * HASH_BYTES, (first + at + 1) * HASH_BYTES));
}

/** The size of the left subtree: the largest power of two below the number of leaves. 0 for one leaf. */
function leftOf(leaves: number): number {
  if (leaves <= 1) return 0;
  let left = 1;
  while (left * 2 < leaves) left *= 2;
  return left;
}

/** The index in elements of three digits, all but the last with an x: x001/x234/067. */
function numbered(index: number, width: number): string {
  const digits = String(parseCount(String(index), 'The index of a tile'));
  const elements = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  return elements.map((one, at) => (at < elements.length - 1 ? `x${one}` : one)).join('/') + (width === TILE_WIDTH ? '' : `.p/${width}`);
}

function requireSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new ProofError('The size of a tree is not a number below 2^53.');
}
