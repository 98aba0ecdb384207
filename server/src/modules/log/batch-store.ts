import { LOG_BATCH_MAX_LEAVES } from '../../contract/log-limits.ts';
import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';

export interface WaitingBatch {
  id: string;
  leaves: number;
}

const WAITING = prepared(
  'log-batches-waiting',
  'SELECT id, octet_length(leaves) / 33 AS leaves FROM log_batches WHERE first_index IS NULL ORDER BY id LIMIT $1',
  { id: 'uuid', leaves: 'integer' },
);

export async function waitingBatches(db: Queryable, limit: number): Promise<WaitingBatch[]> {
  return db.query(WAITING, [limit]);
}

const NOW = statement(`SELECT date_trunc('milliseconds', clock_timestamp()) AS now`, { now: 'timestamptz' });

/** The clock of the database, which the ids of batches have. */
export async function databaseTime(db: Queryable): Promise<Date> {
  return onlyRow(await db.query(NOW)).now;
}

const COUNT_WAITING = statement(
  `SELECT count(*)::integer AS batches FROM (SELECT 1 FROM log_batches WHERE first_index IS NULL LIMIT $1) b`,
  { batches: 'integer' },
);

export async function countWaiting(db: Queryable, limit: number): Promise<number> {
  return onlyRow(await db.query(COUNT_WAITING, [limit])).batches;
}

/** A batch's id has the time of its transaction. */
const AGE = `greatest(0, extract(epoch FROM clock_timestamp()) - ('x' || left(replace(b.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)::float8`;

const OLDEST_WAITING = statement(`SELECT ${AGE} AS seconds FROM log_batches b WHERE b.first_index IS NULL ORDER BY b.id LIMIT 1`, {
  seconds: 'float8?',
});
const OLDEST_UNPUBLISHED = statement(
  `SELECT ${AGE} AS seconds FROM log_batches b WHERE b.log = $1 AND b.first_index >= $2 ORDER BY b.first_index LIMIT 1`,
  { seconds: 'float8?' },
);

/** The age of a shard's oldest batch that has no index, or an index beyond a checkpoint of this size. 0 without any. */
export async function oldestUnpublishedSeconds(db: Queryable, log: number, checkpointSize: number): Promise<number> {
  const [waiting] = await db.query(OLDEST_WAITING);
  const [placed] = await db.query(OLDEST_UNPUBLISHED, [log, checkpointSize]);
  return Math.max(waiting?.seconds ?? 0, placed?.seconds ?? 0);
}

const PLACE = prepared(
  'log-batches-place',
  `UPDATE log_batches b SET log = $1, first_index = p.first_index
     FROM unnest($2::uuid[], $3::bigint[]) AS p (id, first_index) WHERE b.id = p.id AND b.first_index IS NULL
   RETURNING b.id`,
  { id: 'uuid' },
);

export async function placeBatches(tx: Queryable, log: number, ids: readonly string[], firstIndexes: readonly bigint[]): Promise<void> {
  const placed = await tx.query(PLACE, [log, uuidArray(ids), bigintArray(firstIndexes)]);
  if (placed.length !== ids.length) throw new Error('a batch of the log has got a place from somebody else');
}

interface PlacedBatch {
  firstIndex: number;
  leaves: Buffer;
}

const PLACED = prepared(
  'log-batches-placed',
  `SELECT first_index, leaves FROM log_batches
    WHERE log = $1 AND first_index > $2::bigint - ${LOG_BATCH_MAX_LEAVES} AND first_index < $3 ORDER BY first_index LIMIT $4`,
  { first_index: 'bigint!', leaves: 'bytea' },
);

export async function placedBatches(db: Queryable, log: number, from: number, to: number): Promise<PlacedBatch[]> {
  const rows = await db.query(PLACED, [log, from, to, to - from + LOG_BATCH_MAX_LEAVES]);
  return rows.map(({ first_index, leaves }) => ({ firstIndex: Number(first_index), leaves }));
}

export interface Location {
  log: number;
  index: number;
}

/** A leaf of a batch. `location` is set if the batch is in this shard and has an index. */
interface BatchSlot {
  batchId: string;
  slot: number;
  isHere: boolean;
  location: Location | undefined;
}

const OF_MESSAGE = prepared(
  'log-slot-of-message',
  `SELECT m.log_batch, m.log_slot, b.id IS NOT NULL AS is_here, b.log, b.first_index FROM messages m LEFT JOIN log_batches b ON b.id = m.log_batch
    WHERE m.sender_id = $1 AND m.id = $2 AND m.log_batch IS NOT NULL`,
  { log_batch: 'uuid!', log_slot: 'smallint!', is_here: 'boolean', log: 'smallint?', first_index: 'bigint?' },
);

export async function slotOfMessage(db: Queryable, senderId: bigint, messageId: string): Promise<BatchSlot | undefined> {
  const [row] = await db.query(OF_MESSAGE, [senderId, messageId]);
  if (!row) return undefined;
  const { log_batch: batchId, log_slot: slot, is_here: isHere } = row;
  return { batchId, slot, isHere, location: locationOf(row.log, row.first_index, slot) };
}

const OF_FILES = prepared(
  'log-batches-of-files',
  `SELECT f.id, f.log_batch, b.id IS NOT NULL AS is_here, b.log, b.first_index FROM files f LEFT JOIN log_batches b ON b.id = f.log_batch
    WHERE f.party_id = $1 AND f.message_id = $2 AND f.log_batch IS NOT NULL ORDER BY f.ordinal`,
  { id: 'uuid', log_batch: 'uuid!', is_here: 'boolean', log: 'smallint?', first_index: 'bigint?' },
);

export async function slotsOfFiles(db: Queryable, senderId: bigint, messageId: string): Promise<(BatchSlot & { fileId: string })[]> {
  const rows = await db.query(OF_FILES, [senderId, messageId]);
  return rows.map((row) => ({
    fileId: row.id,
    batchId: row.log_batch,
    slot: 0,
    isHere: row.is_here,
    location: locationOf(row.log, row.first_index, 0),
  }));
}

const LOG_LEAVES = statement('SELECT log_leaves($1::bytea, clock_timestamp()) AS batch', { batch: 'uuid' });

/** Call it in the transaction of the data that the leaves are about. */
export async function logLeaves(tx: Queryable, leaves: Uint8Array): Promise<string> {
  return onlyRow(await tx.query(LOG_LEAVES, [Buffer.from(leaves)])).batch;
}

const UNPLACE = statement('UPDATE log_batches SET log = NULL, first_index = NULL WHERE log = $1 AND first_index >= $2');

/** Batches beyond the published checkpoint lose their indexes, and wait for new ones. */
export async function unplaceBatches(tx: Queryable, log: number, from: number): Promise<void> {
  await tx.query(UNPLACE, [log, from]);
}

const PLACE_OF = prepared('log-batch-place', 'SELECT log, first_index FROM log_batches WHERE id = $1', {
  log: 'smallint?',
  first_index: 'bigint?',
});

export async function placeOfSlot(db: Queryable, batchId: string, slot: number): Promise<Location | undefined> {
  const [row] = await db.query(PLACE_OF, [batchId]);
  return row && locationOf(row.log, row.first_index, slot);
}

function locationOf(log: number | null, firstIndex: string | null, slot: number): Location | undefined {
  return log === null || firstIndex === null ? undefined : { log, index: Number(firstIndex) + slot };
}

export interface UnloggedMessage {
  senderId: bigint;
  id: string;
  contentHash: Buffer;
}

const UNLOGGED = statement(
  `SELECT sender_id, id, content_hash FROM messages WHERE (sender_id, id) > ($1, $2) AND log_batch IS NULL
    ORDER BY sender_id, id LIMIT ${LOG_BATCH_MAX_LEAVES} FOR UPDATE`,
  { sender_id: 'bigint', id: 'uuid', content_hash: 'bytea' },
);

export async function lockUnlogged(tx: Queryable, after: Pick<UnloggedMessage, 'senderId' | 'id'>): Promise<UnloggedMessage[]> {
  const rows = await tx.query(UNLOGGED, [after.senderId, after.id]);
  return rows.map((row) => ({ senderId: BigInt(row.sender_id), id: row.id, contentHash: row.content_hash }));
}

const SET_LOGGED = statement(
  `UPDATE messages m SET log_batch = $1, log_slot = s.slot - 1
     FROM unnest($2::bigint[], $3::uuid[]) WITH ORDINALITY AS s (sender_id, id, slot) WHERE m.sender_id = s.sender_id AND m.id = s.id`,
);

export async function setLogged(tx: Queryable, batchId: string, messages: readonly UnloggedMessage[]): Promise<void> {
  await tx.query(SET_LOGGED, [batchId, bigintArray(messages.map(({ senderId }) => senderId)), uuidArray(messages.map(({ id }) => id))]);
}
