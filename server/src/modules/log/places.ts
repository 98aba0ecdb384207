import { LOG_BATCH_MAX_LEAVES, LOG_ROUND_MAX_LEAVES } from '../../contract/log-limits.ts';
import type { Database, Queryable } from '../../platform/postgres.ts';
import { countWaiting, placeBatches, waitingBatches } from './batch-store.ts';
import { type LogRecord, lockLog, setSequenced } from './log-store.ts';

export interface Placed {
  log: LogRecord;
  /** Whether more batches may be waiting than were taken at a time. */
  hasMore: boolean;
}

/**
 * Gives waiting batches the next indexes of the log, in one transaction: from then on, these places never change. Undefined if the log is
 * not as it was read, because another process has taken over.
 */
export async function placeWaiting(database: Database, log: LogRecord): Promise<Placed | undefined> {
  const perShard = Math.ceil(LOG_ROUND_MAX_LEAVES / LOG_BATCH_MAX_LEAVES / database.shards.length);
  return database.acrossShards(async (of) => {
    const shards = database.shards.map((_, number) => of(BigInt(number)));
    const directory = of(0n);
    const locked = await lockLog(directory, log.number);
    if (!locked || locked.isEnded || locked.sequenced !== log.sequenced) return undefined;
    let next = BigInt(locked.sequenced);
    let hasMore = false;
    for (const shard of shards) {
      const placed = await placeSome(shard, log.number, next, perShard);
      next += placed.leaves;
      hasMore ||= placed.batches === perShard;
    }
    if (next > BigInt(locked.sequenced)) await setSequenced(directory, log.number, next);
    return { log: { ...locked, sequenced: Number(next) }, hasMore };
  });
}

async function placeSome(shard: Queryable, log: number, first: bigint, limit: number): Promise<{ batches: number; leaves: bigint }> {
  const batches = await waitingBatches(shard, limit);
  if (batches.length === 0) return { batches: 0, leaves: 0n };
  let next = first;
  const firstIndexes = batches.map(({ leaves }) => {
    const index = next;
    next += BigInt(leaves);
    return index;
  });
  await placeBatches(
    shard,
    log,
    batches.map(({ id }) => id),
    firstIndexes,
  );
  return { batches: batches.length, leaves: next - first };
}

/** Whether any batch is without a place. */
export async function hasWaiting(database: Database): Promise<boolean> {
  const counts = await Promise.all(database.shards.map((shard) => countWaiting(shard, 1)));
  return counts.some((count) => count > 0);
}
