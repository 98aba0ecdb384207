import { LOG_ROUND_MAX_BATCHES, LOG_ROUND_MAX_LEAVES } from '../../contract/log-limits.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { countWaiting, placeBatches, waitingBatches } from './batch-store.ts';
import { commitLater, type LogRecord, lockLog, setSequenced } from './log-store.ts';

interface Placed {
  log: LogRecord;
  hasMore: boolean;
}

/**
 * Gives waiting batches the next indexes of the log, in one transaction. From then on, these indexes never change. Returns undefined if the
 * log has changed since it was read, because another process has taken over.
 */
export async function placeWaiting(database: Database, log: LogRecord): Promise<Placed | undefined> {
  const share = (max: number) => Math.ceil(max / database.shards.length);
  const limits = { batches: share(LOG_ROUND_MAX_BATCHES), leaves: share(LOG_ROUND_MAX_LEAVES) };
  return database.acrossShards(async (of) => {
    const shards = database.shards.map((_, number) => of(BigInt(number)));
    const directory = of(0n);
    // The growth of the tree is committed later, and waits for the disk. Nothing is published before.
    await commitLater(directory);
    const locked = await lockLog(directory, log.number);
    if (!locked || locked.isEnded || locked.sequenced !== log.sequenced) return undefined;
    let next = BigInt(locked.sequenced);
    let hasMore = false;
    for (const shard of shards) {
      const placed = await placeSome(shard, log.number, next, limits);
      next += placed.leaves;
      hasMore ||= placed.hasMore;
    }
    if (next > BigInt(locked.sequenced)) await setSequenced(directory, log.number, next);
    return { log: { ...locked, sequenced: Number(next) }, hasMore };
  });
}

/** Takes at least one batch, and then as many as the limits allow. */
async function placeSome(shard: Queryable, log: number, first: bigint, limits: { batches: number; leaves: number }) {
  const waiting = await waitingBatches(shard, limits.batches);
  const [ids, firstIndexes]: [string[], bigint[]] = [[], []];
  let leaves = 0;
  for (const batch of waiting) {
    if (leaves >= limits.leaves) break;
    ids.push(batch.id);
    firstIndexes.push(first + BigInt(leaves));
    leaves += batch.leaves;
  }
  if (ids.length > 0) await placeBatches(shard, log, ids, firstIndexes);
  return { leaves: BigInt(leaves), hasMore: ids.length === limits.batches || ids.length < waiting.length };
}

export async function hasWaiting(database: Database): Promise<boolean> {
  const counts = await Promise.all(database.shards.map((shard) => countWaiting(shard, 1)));
  return counts.some((count) => count > 0);
}
