import { Refusal } from '../../contract/errors.ts';
import { parseId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Following } from '../following/following.ts';
import { inLedgerAmong, knownAmong } from './change-store.ts';

export interface IndexServices {
  database: Database;
  following: Following;
}

/** Returns the uuids of threads of the business, and makes sure that all are in the index. Other ids are refused. */
export async function requireThreads({ database, following }: IndexServices, partyId: bigint, ids: readonly string[]): Promise<string[]> {
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
  if (fresh.length > 0) await index(shard, following, partyId, fresh);
  return [...new Set(uuids)];
}

/** A caller who has just learned of a message can act on its thread at once: the index is brought up to date here rather than by a worker. */
async function index(shard: Database, following: Following, partyId: bigint, threadIds: readonly string[]): Promise<void> {
  await following.catchUp(partyId);
  const known = await knownAmong(shard, partyId, threadIds);
  // The thread is older than the index, and the worker that reads all of them has not reached it.
  for (const id of threadIds) if (!known.has(id)) await following.rebuildThread(partyId, id);
}
