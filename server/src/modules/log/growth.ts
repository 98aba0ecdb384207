import type { Database } from '../../platform/postgres/postgres.ts';
import { readLeaves } from './leaves.ts';
import { edgesOf, growLog, type LogRecord } from './log-store.ts';
import type { Tiles } from './tiles.ts';
import { GrowingTree } from './tree.ts';

const LEAVES_AT_ONCE = 8_192;

/**
 * Adds the leaves that have indexes to the tree: full tiles go to the object store first, then the size, the root and the edge change in
 * one transaction. Returns undefined if another process has taken over, which has written the same.
 */
export async function growTree(database: Database, tiles: Tiles, log: LogRecord): Promise<LogRecord | undefined> {
  if (log.size === log.sequenced) return log;
  const before = await edgesOf(database, log.number);
  const tree = new GrowingTree(log.size, before);
  if (!tree.root().equals(log.root)) throw new Error(`the edge of log ${log.number} does not lead to its root`);
  for (let from = log.size; from < log.sequenced; from += LEAVES_AT_ONCE) {
    const leaves = await readLeaves(database, log.number, from, Math.min(from + LEAVES_AT_ONCE, log.sequenced));
    await tiles.write(log.number, await tree.append(leaves));
  }
  const edges = tree.edges().map((hashes, level) => ({ level, hashes }));
  const growth = { size: tree.size, root: tree.root(), edges: edges.filter(({ level, hashes }) => !before[level]?.equals(hashes)) };
  const isGrown = await database.transaction((tx) => growLog(tx, log, growth));
  return isGrown ? { ...log, size: growth.size, root: growth.root } : undefined;
}
