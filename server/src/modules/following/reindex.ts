import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../platform/postgres/postgres.ts';
import { countAll, countToRebuild, type FollowStatements, rebuildSome, startRebuild } from './follow-store.ts';

const BUSY_MS = 50;
const TELL_EVERY_MS = 1_000;

export interface Progress {
  done: number;
  /** The number of known threads. Threads that were never indexed come on top. */
  total: number;
}

/** Rebuilds all threads from the ledgers while the service keeps running and takes part. Returns the number of threads. */
export async function reindex(database: Database, statements: FollowStatements, tell: (progress: Progress) => void): Promise<number> {
  for (const shard of database.shards) await startRebuild(shard);
  const total = await sum(database, countAll);
  let toldAt = 0;
  for (const shard of database.shards)
    for (;;) {
      if (performance.now() - toldAt > TELL_EVERY_MS) {
        tell({ done: Math.max(0, total - (await sum(database, countToRebuild))), total });
        toldAt = performance.now();
      }
      const rebuilt = await rebuildSome(shard, statements);
      if (rebuilt === undefined) break;
      if (rebuilt === 'busy') await sleep(BUSY_MS);
    }
  const threads = await sum(database, countAll);
  tell({ done: threads, total: threads });
  return threads;
}

async function sum(database: Database, count: (shard: Database) => Promise<number>): Promise<number> {
  let all = 0;
  for (const shard of database.shards) all += await count(shard);
  return all;
}
