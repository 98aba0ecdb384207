import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import { countQueued, indexSome } from './index-store.ts';

const SWEEP_MS = 250;
const ENTRIES_PER_ROUND = 250;
const BUSY_MS = 50;
const TELL_EVERY_MS = 1_000;

/**
 * Writes the documents that searches read, behind the entries. The words of a message cost many times as much as
 * its thread, and thread lists do not wait for them. Any number of processes may run it. In each shard, one at a time does the work.
 */
export class SearchIndex extends ShardSweep {
  constructor(database: Database, log: Logger) {
    const lastSenders = new Map<Database, bigint>();
    const catchUp = async (shard: Database, isStopped: () => boolean) => {
      while (!isStopped()) {
        const round = await indexSome(shard, ENTRIES_PER_ROUND, lastSenders.get(shard) ?? 0n);
        if (round === 'busy' || round.entries === 0) return;
        lastSenders.set(shard, round.lastSender);
      }
    };
    super(database, log, { everyMs: SWEEP_MS, catchUp, failure: 'documents could not be indexed' });
  }
}

/** Writes everything that is queued, while the service keeps running and takes part. */
export async function indexQueued(database: Database, tell: (progress: { done: number; total: number }) => void): Promise<void> {
  const left = async () => {
    let sum = 0;
    for (const shard of database.shards) sum += await countQueued(shard);
    return sum;
  };
  let total = await left();
  let toldAt = performance.now();
  for (const shard of database.shards)
    for (let lastSender = 0n; ; ) {
      const round = await indexSome(shard, ENTRIES_PER_ROUND, lastSender);
      if (round === 'busy') await sleep(BUSY_MS);
      else if (round.entries === 0) break;
      else lastSender = round.lastSender;
      if (performance.now() - toldAt < TELL_EVERY_MS) continue;
      const rest = await left();
      total = Math.max(total, rest);
      tell({ done: total - rest, total });
      toldAt = performance.now();
    }
  tell({ done: total, total });
}
