import type { Logger } from 'pino';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import { indexEntries, rebuildSome } from './index-store.ts';

/** Entries appear in lists after this time at most, plus that of a round. */
const SWEEP_MS = 250;
const BATCHES_PER_ROUND = 1_000;
const ENTRIES_PER_ROUND = 10_000;

/**
 * Follows the ledgers and writes the data of thread lists after the commit, so that sends do not wait for it. Any number of processes may
 * run it. In each shard, one at a time does the work, and continues where another was killed.
 */
export class ThreadIndex extends ShardSweep {
  constructor(database: Database, log: Logger) {
    super(database, log, { everyMs: SWEEP_MS, catchUp, failure: 'threads could not be indexed' });
  }
}

async function catchUp(shard: Database, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    const round = await indexEntries(shard, BATCHES_PER_ROUND, ENTRIES_PER_ROUND);
    if (round === undefined) return;
    if (round.hasMore) continue;
    // New entries come first. Rebuilding goes on when there are none.
    const rebuilt = await rebuildSome(shard);
    if (rebuilt === undefined || rebuilt === 'busy') return;
  }
}
