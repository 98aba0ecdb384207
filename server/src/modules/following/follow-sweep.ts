import type { Logger } from 'pino';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import { tellOfErrors } from './follow-errors.ts';
import { type FollowStatements, followSome, rebuildSome, retrySome } from './follow-store.ts';

/** Followers lag behind a commit by this time and that of one round at most. */
const SWEEP_MS = 250;
const BATCHES_PER_ROUND = 1_000;
const ENTRIES_PER_ROUND = 10_000;
const RETRIES_PER_SWEEP = 20;

/**
 * Reads the ledgers by position and calls the followers behind the commit, so that sends do not wait for them. Any number of processes may
 * run it. In each shard, one at a time does the work, and continues where another was killed.
 */
export class FollowSweep extends ShardSweep {
  constructor(database: Database, statements: FollowStatements, log: Logger) {
    const catchUp = async (shard: Database, isStopped: () => boolean) => {
      while (!isStopped()) {
        const round = await followSome(shard, statements, BATCHES_PER_ROUND, ENTRIES_PER_ROUND);
        if (round === undefined) return;
        tellOfErrors(log, round.errors);
        if (round.hasMore) continue;
        // New entries come first. Rebuilding goes on when there are none.
        const rebuilt = await rebuildSome(shard, statements);
        if (rebuilt === undefined || rebuilt === 'busy') break;
        tellOfErrors(log, rebuilt.errors);
      }
      for (const error of await retrySome(shard, statements, RETRIES_PER_SWEEP)) tellOfErrors(log, error);
    };
    super(database, log, { everyMs: SWEEP_MS, catchUp, failure: 'ledgers could not be followed' });
  }
}
