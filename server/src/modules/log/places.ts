import { timeOfUuid } from '../../contract/ids.ts';
import { LOG_ROUND_MAX_BATCHES, LOG_ROUND_MAX_LEAVES } from '../../contract/log-limits.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { countWaiting, databaseTime, placeBatches, type WaitingBatch, waitingBatches } from './batch-store.ts';
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
    const before = shards.length === 1 ? Number.POSITIVE_INFINITY : (await databaseTime(directory)).getTime();
    const waiting: Waiting[] = [];
    for (const shard of shards) waiting.push({ shard, ...(await waitingIn(shard, { ...limits, before })) });
    const { places, next } = placesOf(waiting, BigInt(locked.sequenced));
    for (const [shard, placed] of places)
      await placeBatches(
        shard,
        log.number,
        placed.map(({ id }) => id),
        placed.map(({ first }) => first),
      );
    if (next > BigInt(locked.sequenced)) await setSequenced(directory, log.number, next);
    return { log: { ...locked, sequenced: Number(next) }, hasMore: waiting.some(({ hasMore }) => hasMore) };
  });
}

interface Waiting {
  shard: Queryable;
  batches: WaitingBatch[];
  hasMore: boolean;
}

interface Limits {
  batches: number;
  leaves: number;
  /**
   * The time at which the first shard was read. Shards are read one after another: a message that is committed in one that was read already may be
   * acknowledged in one that is read later. Such an acknowledgement is from after this time, and waits with its message for the next round.
   */
  before: number;
}

/** Takes at least one batch, and then as many as the limits allow, the oldest first. */
async function waitingIn(shard: Queryable, limits: Limits): Promise<Omit<Waiting, 'shard'>> {
  const waiting = (await waitingBatches(shard, limits.batches)).filter(({ id }) => timeOfUuid(id) < limits.before);
  const batches: WaitingBatch[] = [];
  let leaves = 0;
  for (const batch of waiting) {
    if (leaves >= limits.leaves) break;
    batches.push(batch);
    leaves += batch.leaves;
  }
  return { batches, hasMore: batches.length === limits.batches || batches.length < waiting.length };
}

/**
 * Places the batches of all shards in the order of their ids, which have their times: what is said of a message comes after the message, also if that
 * is in another shard. Where a shard has more than it could name here, the later ones of others wait for its next.
 */
function placesOf(waiting: readonly Waiting[], first: bigint) {
  const lastOf = ({ batches }: Waiting) => batches.at(-1)?.id ?? '';
  const through = waiting
    .filter(({ hasMore }) => hasMore)
    .map(lastOf)
    .sort()
    .at(0);
  const all = waiting
    .flatMap(({ shard, batches }) => batches.map((batch) => ({ shard, ...batch })))
    .filter(({ id }) => through === undefined || id <= through)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  let next = first;
  const placed = all.map(({ shard, id, leaves }) => {
    next += BigInt(leaves);
    return { shard, id, first: next - BigInt(leaves) };
  });
  return { places: Map.groupBy(placed, ({ shard }) => shard), next };
}

export async function hasWaiting(database: Database): Promise<boolean> {
  const counts = await Promise.all(database.shards.map((shard) => countWaiting(shard, 1)));
  return counts.some((count) => count > 0);
}
