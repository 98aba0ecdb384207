import { LEAF, leafOf } from '@waybill/proof';
import type { Database } from '../../platform/postgres/postgres.ts';
import { lockUnlogged, logLeaves, setLogged, type UnloggedMessage } from './batch-store.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Gives messages that are older than the log their leaves, a batch at a time, while the service runs. After an interruption, it continues
 * with the messages that have none. Returns the number of leaves.
 */
export async function addOlderMessages(database: Database, tell: (added: number) => void): Promise<number> {
  let added = 0;
  for (const shard of database.shards) {
    let after: Pick<UnloggedMessage, 'senderId' | 'id'> | undefined = { senderId: -1n, id: NIL };
    while (after) {
      const round: { last: UnloggedMessage | undefined; added: number } = await addSome(database, shard, after);
      after = round.last;
      added += round.added;
      if (round.added > 0) tell(added);
    }
  }
  return added;
}

/** A message of a sender in another shard has its leaf there. */
async function addSome(database: Database, shard: Database, after: Pick<UnloggedMessage, 'senderId' | 'id'>) {
  return shard.transaction(async (tx) => {
    const unlogged = await lockUnlogged(tx, after);
    const messages = unlogged.filter(({ senderId }) => database.of(senderId) === shard);
    if (messages.length > 0) {
      const leaves = Buffer.concat(messages.map(({ contentHash }) => leafOf(LEAF.message, contentHash)));
      await setLogged(tx, await logLeaves(tx, leaves), messages);
    }
    return { last: unlogged.at(-1), added: messages.length };
  });
}
