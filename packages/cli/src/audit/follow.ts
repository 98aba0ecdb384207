import { entryBundlePath, LEAF_BYTES, TILE_WIDTH, type TreeHead, tilePath, tileWidth } from '@waybill/proof';
import type { LogSource } from './log-source.ts';
import type { Tile, TreeEdge } from './tree-edge.ts';
import { LogIsWrong } from './verdicts.ts';

/** The number of bundles that are fetched at a time, each with its tile. */
const PARALLEL = 8;
const HASH_BYTES = 32;
const LENGTH_BYTES = 2;

interface Bundle {
  entries: Buffer;
  /** The hashes of these entries, as the log serves them. */
  tile: Buffer;
  width: number;
}

interface Following {
  source: LogSource;
  /** The edge at a multiple of 256 leaves. It grows with the audit. */
  edge: TreeEdge;
  known: TreeHead | undefined;
  target: TreeHead;
  onFull(edge: TreeEdge): void;
}

/**
 * Reads all entries from the edge to the target, and computes the tree from them. Every served tile must follow from its entries, and the roots must
 * be those of the old and the new checkpoint: so the old tree is the beginning of the new one.
 */
export async function follow({ source, edge, known, target, onFull }: Following): Promise<void> {
  const compareKnown = () => {
    if (known && edge.size === known.size && !edge.root().equals(known.root))
      throw new LogIsWrong(`its first ${known.size} entries are not what they were: history was rewritten`);
  };
  compareKnown();
  for await (const { entries, tile, width } of bundles(source, edge.size / TILE_WIDTH, target.size)) {
    const full: Tile[] = [];
    const isKnownWithin = known !== undefined && known.size > edge.size && known.size <= edge.size + width;
    for (const leaf of leavesOf(entries, width)) {
      edge.append(leaf, (one) => full.push(one));
      if (isKnownWithin) compareKnown();
    }
    const [lowest, ...upper] = width === TILE_WIDTH ? full : edge.partialTiles();
    if (lowest && !lowest.bytes.equals(tile)) throw mismatch(lowest);
    await Promise.all(upper.map((one) => compareTile(source, one)));
    if (width === TILE_WIDTH) onFull(edge);
  }
  // A tree that ends with a full bundle has partial tiles above it.
  if (target.size % TILE_WIDTH === 0) await Promise.all(edge.partialTiles().map((one) => compareTile(source, one)));
  if (!edge.root().equals(target.root)) throw new LogIsWrong(`its ${target.size} entries do not lead to the root of its checkpoint`);
}

/** The first hashes of a tile. A partial tile may be gone once the full one exists. */
export async function readTile(source: LogSource, level: number, index: number, width: number): Promise<Buffer> {
  return readPart((whole) => tilePath(level, index, whole), width, HASH_BYTES, source);
}

async function compareTile(source: LogSource, tile: Tile): Promise<void> {
  const width = tile.bytes.length / HASH_BYTES;
  if (width > 0 && !(await readTile(source, tile.level, tile.index, width)).equals(tile.bytes)) throw mismatch(tile);
}

function mismatch({ level, index, bytes }: Tile): LogIsWrong {
  return new LogIsWrong(`${tilePath(level, index, bytes.length / HASH_BYTES)} is not the hash of its entries`);
}

async function* bundles(source: LogSource, first: number, size: number): AsyncGenerator<Bundle> {
  const end = Math.ceil(size / TILE_WIDTH);
  const underWay: Promise<Bundle>[] = [];
  for (let next = first; next < end || underWay.length > 0; ) {
    while (next < end && underWay.length < PARALLEL) {
      const bundle = readBundle(source, next, tileWidth(0, next, size));
      // The failure is reported when its turn comes. Meanwhile another one may end the audit.
      bundle.catch(() => {});
      underWay.push(bundle);
      next++;
    }
    const bundle = await underWay.shift();
    if (bundle) yield bundle;
  }
}

async function readBundle(source: LogSource, index: number, width: number): Promise<Bundle> {
  const [entries, tile] = await Promise.all([
    readPart((whole) => entryBundlePath(index, whole), width, LENGTH_BYTES + LEAF_BYTES, source),
    readTile(source, 0, index, width),
  ]);
  return { entries, tile, width };
}

async function readPart(pathOf: (width: number) => string, width: number, itemBytes: number, source: LogSource): Promise<Buffer> {
  const isPartial = width < TILE_WIDTH;
  const part = isPartial ? await source.find(pathOf(width), width * itemBytes) : undefined;
  const bytes = part ?? (await source.find(pathOf(TILE_WIDTH), TILE_WIDTH * itemBytes));
  if (!bytes) throw new LogIsWrong(`${pathOf(width)} is missing, though the checkpoint says that there is one`);
  const wanted = (part || !isPartial ? width : TILE_WIDTH) * itemBytes;
  if (bytes.length !== wanted) throw new LogIsWrong(`${pathOf(width)} has ${bytes.length} bytes in place of ${wanted}`);
  return bytes.subarray(0, width * itemBytes);
}

/** Entries of Waybill have a fixed length, with the length in front. */
function* leavesOf(entries: Buffer, width: number): Generator<Buffer> {
  for (let at = 0; at < width; at++) {
    const start = at * (LENGTH_BYTES + LEAF_BYTES);
    if (entries.readUInt16BE(start) !== LEAF_BYTES) throw new LogIsWrong(`one of its entries has not ${LEAF_BYTES} bytes`);
    yield entries.subarray(start + LENGTH_BYTES, start + LENGTH_BYTES + LEAF_BYTES);
  }
}
