import { LEAF, leafOfStatement, parseCheckpoint } from '@waybill/proof';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { logLeaves, unplaceBatches } from './batch-store.ts';
import { newestCheckpoint } from './checkpoint-store.ts';
import type { LogKeys } from './log-keys.ts';
import * as store from './log-store.ts';
import { SEQUENCER_LOCK } from './sequencer.ts';
import { auditLeaf, newLogStatement } from './statements.ts';
import { setTimestampBatch, timestampsNotVouchedFor } from './timestamp-store.ts';
import { EMPTY_ROOT } from './tree.ts';

class NewLogError extends Error {}

/**
 * Ends a log that can't be signed any more, or for which the operator gives a reason, and starts another one with an origin and a key of
 * its own. Its first leaf links the log before. Leaves that no known checkpoint of the old log has get indexes in the new one.
 */
export function startNewLog(database: Database, keys: LogKeys, given: string | undefined): Promise<store.LogRecord> {
  return database.exclusively(SEQUENCER_LOCK, () =>
    database.acrossShards(async (of) => {
      const tx = of(0n);
      const [first] = await store.allLogs(tx);
      const old = await store.currentLog(tx);
      if (!first || !old) throw new NewLogError('There is no log yet: start the service once.');
      const reason = given ?? old.fault;
      if (reason === null)
        throw new NewLogError(`The log ${old.origin} is in order. Give a --reason, such as a backup that has replaced database and files.`);
      const known = await newestCheckpoint(tx, old.number, -1);
      const size = known?.size ?? 0;
      for (const [number] of database.shards.entries()) await unplaceBatches(of(BigInt(number)), old.number, size);
      await store.endLog(tx, old.number);
      const added = { ...old, number: old.number + 1, origin: `${first.origin}/${old.number + 1}` };
      await store.createLog(tx, added.number, added.origin, EMPTY_ROOT);
      await store.addKey(tx, added.number, { ...keys.firstOf(added.number), succession: null });
      const root = Buffer.from(known ? parseCheckpoint(known.note).root : EMPTY_ROOT).toString('base64');
      const previous = { origin: old.origin, size, root };
      const at = await store.databaseTime(tx);
      await logLeaves(tx, auditLeaf(newLogStatement({ log: added.origin, previous, reason, at })));
      await vouchForTimestamps(tx, old.number);
      return added;
    }),
  );
}

/** No timestamp of the ended log will come that vouches for its last ones: the new log has leaves about them, too. */
async function vouchForTimestamps(tx: Queryable, ended: number): Promise<void> {
  for (const { log, size, statement } of await timestampsNotVouchedFor(tx, ended))
    await setTimestampBatch(tx, log, size, await logLeaves(tx, leafOfStatement(LEAF.timestamp, statement)));
}
