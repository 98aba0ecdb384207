import type { Logger } from 'pino';
import { LOG_BATCH_MAX_LEAVES } from '../../contract/log-limits.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import { findNoted, type Received, takeTurn } from './chain-store.ts';
import { lockChains } from './chains.ts';

/** The sequencer places leaves each second, so that nobody gains from a shorter interval. */
const SWEEP_MS = 500;
const BEFORE_ALL: Received = { partyId: 0n, messageId: '00000000-0000-0000-0000-000000000000' };

/**
 * Gives hand-overs that were noted their numbers and leaves in the log, behind the transactions that note them. Any number of processes may run
 * it. Each transaction does all of it for some messages, or nothing.
 */
export class HandOverSweep extends ShardSweep {
  constructor(database: Database, log: Logger) {
    super(database, log, {
      everyMs: SWEEP_MS,
      catchUp: numberHandOvers,
      failure: 'hand-overs could not be logged',
    });
  }
}

/** Goes once through what was noted in a shard. So a business of which much is noted does not keep others waiting. */
export async function numberHandOvers(shard: Database, isStopped: () => boolean): Promise<void> {
  let after = BEFORE_ALL;
  while (!isStopped()) {
    const noted = await findNoted(shard, after, LOG_BATCH_MAX_LEAVES);
    const last = noted.at(-1);
    if (last === undefined || !(await numberSome(shard, noted)) || noted.length < LOG_BATCH_MAX_LEAVES) return;
    after = last;
  }
}

/** Returns false while another worker does it. */
function numberSome(shard: Database, noted: readonly Received[]): Promise<boolean> {
  return shard.transaction(async (tx) => {
    if (!(await takeTurn(tx))) return false;
    await lockChains(tx, noted);
    return true;
  });
}
