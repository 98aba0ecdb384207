import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { inLedgerAmong, knownAmong } from './change-store.ts';
import { indexEntries, rebuildThread } from './index-store.ts';

const TRIES_MAX = 100;
const BUSY_MS = 20;
const BATCHES = 200;
const ENTRIES = 2_000;

/** Returns the uuids of threads of the business, and makes sure that all are in the index. Other ids are refused. */
export async function requireThreads(database: Database, partyId: bigint, ids: readonly string[]): Promise<string[]> {
  const parsed = ids.map((id) => parseId('thr', id));
  const uuids = parsed.flatMap((id) => id ?? []);
  const shard = database.of(partyId);
  const known = await knownAmong(shard, partyId, uuids);
  const fresh = uuids.filter((id) => !known.has(id));
  const present = fresh.length === 0 ? new Set() : await inLedgerAmong(shard, partyId, fresh);
  const missing = ids.flatMap((_, i) => {
    const id = parsed[i];
    return id !== undefined && (known.has(id) || present.has(id)) ? [] : [{ path: `/ids/${i}`, message: 'was not found' }];
  });
  if (missing.length > 0)
    throw new Refusal('not_found', ids.length === 1 ? 'The thread was not found.' : 'Some threads were not found; none was changed.', {
      ...(ids.length > 1 && { details: missing }),
    });
  if (fresh.length > 0) await untilIndexed(shard, partyId, fresh);
  return [...new Set(uuids)];
}

/**
 * A caller who has just learned of a message can act on its thread at once: the index is brought up to date here rather than by a worker.
 */
async function untilIndexed(shard: Database, partyId: bigint, threadIds: readonly string[]): Promise<void> {
  let missing = threadIds;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const round = await indexEntries(shard, BATCHES, ENTRIES);
    const known = await knownAmong(shard, partyId, missing);
    missing = missing.filter((id) => !known.has(id));
    if (missing.length === 0) return;
    // The thread is older than the index, and the worker that reads all of them has not reached it.
    if (round && !round.hasMore) for (const id of missing) await rebuildThread(shard, partyId, id);
    if (round === undefined) await sleep(BUSY_MS);
  }
  throw new Refusal('unavailable', 'The thread is not ready yet. Try again soon.', { retryAfterS: 1 });
}
