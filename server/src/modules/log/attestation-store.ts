import type { Queryable } from '../../platform/postgres.ts';
import { prepared, statement } from '../../platform/statement.ts';

const NOTE = statement('SELECT note FROM log_checkpoints WHERE log = $1 AND size = $2 FOR UPDATE', { note: 'text' });

/** The checkpoint with its signatures, which nobody else changes before the end of the transaction. Undefined if it is not kept any more. */
export async function lockNote(tx: Queryable, log: number, size: number): Promise<string | undefined> {
  const [row] = await tx.query(NOTE, [log, size]);
  return row?.note;
}

const SET_NOTE = statement('UPDATE log_checkpoints SET note = $3, is_witnessed = is_witnessed OR $4 WHERE log = $1 AND size = $2');

export async function setNote(tx: Queryable, log: number, size: number, note: string, isWitnessed: boolean): Promise<void> {
  await tx.query(SET_NOTE, [log, size, note, isWitnessed]);
}

const SET_TIMESTAMP = statement(
  `UPDATE log_checkpoints SET timestamp_token = $3, timestamped_at = clock_timestamp()
    WHERE log = $1 AND size = $2 AND timestamp_token IS NULL RETURNING size`,
  { size: 'bigint' },
);

/** False if the checkpoint is not kept any more, or has a timestamp. */
export async function setTimestamp(db: Queryable, log: number, size: number, token: Uint8Array): Promise<boolean> {
  return (await db.query(SET_TIMESTAMP, [log, size, Buffer.from(token)])).length > 0;
}

/** A checkpoint with the token of a timestamp authority. */
export interface TimestampedCheckpoint {
  size: number;
  note: string;
  token: Buffer;
}

const TIMESTAMPED = prepared(
  'log-checkpoint-timestamped',
  `SELECT size, note, timestamp_token FROM log_checkpoints
    WHERE log = $1 AND size > $2 AND timestamp_token IS NOT NULL ORDER BY size LIMIT 1`,
  { size: 'bigint', note: 'text', timestamp_token: 'bytea!' },
);

/** The oldest with the leaf of this index: it says most about when the leaf existed. */
export async function firstTimestamped(db: Queryable, log: number, index: number): Promise<TimestampedCheckpoint | undefined> {
  const [row] = await db.query(TIMESTAMPED, [log, index]);
  return row && { size: Number(row.size), note: row.note, token: row.timestamp_token };
}
