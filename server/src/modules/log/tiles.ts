import { TILE_WIDTH, tilePath, tileWidth } from '@waybill/proof';
import { LRUCache } from 'lru-cache';
import type { NamedObjects } from '../../platform/objects/named-objects.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { readLeaves } from './leaves.ts';
import { edgeOf } from './log-store.ts';
import { type FullTile, GrowingTree, HASH_BYTES, subtreeRoot } from './tree.ts';

const CACHED_MAX_BYTES = 16 * 1_048_576;
const WRITES_AT_ONCE = 8;

/**
 * The tiles of logs. Full tiles are in the object store. A partial tile is the beginning of a full one, or of the edge in the database. A
 * stored tile counts only if its hash is in the tile above, up to the edge. A lost or damaged tile is rebuilt from the leaves.
 */
export class Tiles {
  readonly #database: Database;
  readonly #objects: NamedObjects;
  readonly #verified = new LRUCache<string, Buffer>({ maxSize: CACHED_MAX_BYTES, sizeCalculation: (bytes) => bytes.length });

  constructor(database: Database, objects: NamedObjects) {
    this.#database = database;
    this.#objects = objects;
  }

  async write(log: number, tiles: readonly FullTile[]): Promise<void> {
    for (let at = 0; at < tiles.length; at += WRITES_AT_ONCE)
      await Promise.all(
        tiles.slice(at, at + WRITES_AT_ONCE).map(({ level, index, bytes }) => this.#objects.put(nameOf(log, level, index), bytes)),
      );
  }

  /** Returns the first hashes of a tile. Throws if the tree does not have so many there. */
  async read(log: number, level: number, index: number, width: number): Promise<Buffer> {
    const known = this.#verified.get(nameOf(log, level, index));
    if (known) return known.subarray(0, width * HASH_BYTES);
    const edge = await edgeOf(this.#database, log, level);
    const there = edge ? tileWidth(level, index, edge.size) : 0;
    if (!edge || there < width) throw new Error(`the tile ${tilePath(level, index, width)} of log ${log} is beyond the tree`);
    const bytes = there === TILE_WIDTH ? await this.#full(log, level, index) : edge.hashes;
    return bytes.subarray(0, width * HASH_BYTES);
  }

  async #full(log: number, level: number, index: number): Promise<Buffer> {
    const name = nameOf(log, level, index);
    const [above, at] = [Math.floor(index / TILE_WIDTH), index % TILE_WIDTH];
    const hash = (await this.read(log, level + 1, above, at + 1)).subarray(at * HASH_BYTES);
    const fits = (bytes: Buffer) => bytes.length === TILE_WIDTH * HASH_BYTES && subtreeRoot(bytes).equals(hash);
    const stored = await this.#objects.get(name);
    if (stored && fits(stored)) return this.#keep(name, stored);
    for (const usesStored of [true, false]) {
      const made = await this.#rebuild(log, level, index, usesStored);
      if (!fits(made)) continue;
      // The caller gets the tile even if it can't be stored. The next caller rebuilds it.
      await this.#objects.put(name, made).catch(() => {});
      return this.#keep(name, made);
    }
    throw new Error(`the tile ${name} can't be made again: the leaves in the database are not those of the tree`);
  }

  #keep(name: string, bytes: Buffer): Buffer {
    this.#verified.set(name, bytes);
    return bytes;
  }

  /** Rebuilds a tile from the leaves, or from the tiles below, which are stored or rebuilt themselves. */
  async #rebuild(log: number, level: number, index: number, usesStored: boolean): Promise<Buffer> {
    const first = index * TILE_WIDTH;
    if (level === 0) {
      const tree = new GrowingTree(0, []);
      const [tile] = await tree.append(await readLeaves(this.#database, log, first, first + TILE_WIDTH));
      return tile?.bytes ?? Buffer.alloc(0);
    }
    const hashes: Buffer[] = [];
    for (let below = first; below < first + TILE_WIDTH; below++) {
      const stored = usesStored ? await this.#objects.get(nameOf(log, level - 1, below)) : undefined;
      const isWhole = stored?.length === TILE_WIDTH * HASH_BYTES;
      hashes.push(subtreeRoot(isWhole ? stored : await this.#rebuild(log, level - 1, below, usesStored)));
    }
    return Buffer.concat(hashes);
  }
}

function nameOf(log: number, level: number, index: number): string {
  return `log/${log}/${tilePath(level, index)}`;
}
