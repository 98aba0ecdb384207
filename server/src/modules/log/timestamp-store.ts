import {
  LOG_TIMESTAMP_EVERY_MINUTES,
  LOG_TIMESTAMP_RENEWED_BEFORE_DAYS,
  LOG_TIMESTAMP_RENEWED_EVERY_HOURS,
  REVOCATION_TRIED_FOR_HOURS,
} from '../../contract/log-limits.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { CHECKPOINT_ROW, type StoredCheckpoint, toCheckpoint } from './checkpoint-store.ts';

export interface StampedCheckpoint extends StoredCheckpoint {
  token: Buffer;
  /** Undefined until the log has a leaf about the timestamp. */
  stated: { endsAt: Date; crls: string[]; statement: string; batchId: string } | undefined;
}

const STAMPED_ROW = columns({
  ...CHECKPOINT_ROW,
  timestamp_token: 'bytea!',
  timestamp_ends_at: 'timestamptz?',
  timestamp_crls: 'text[]?',
  timestamp_statement: 'text?',
  timestamp_batch: 'uuid?',
});
const COLUMNS = namesOf(STAMPED_ROW);

function toStamped(row: RowOf<typeof STAMPED_ROW>): StampedCheckpoint {
  const {
    timestamp_token: token,
    timestamp_ends_at: endsAt,
    timestamp_crls: crls,
    timestamp_statement: text,
    timestamp_batch: batchId,
  } = row;
  const isStated = endsAt !== null && crls !== null && text !== null && batchId !== null;
  return { ...toCheckpoint(row), token, stated: isStated ? { endsAt, crls, statement: text, batchId } : undefined };
}

/**
 * Leaves about timestamps make the log grow, too: it needs no new timestamp for them alone. It does before the newest one ends, so that another
 * one vouches for it.
 */
const DUE = statement(
  `SELECT NOT EXISTS (SELECT 1 FROM log_checkpoints WHERE log = $1 AND timestamp_token IS NOT NULL)
       OR EXISTS (SELECT 1 FROM (SELECT size, timestamped_at FROM log_checkpoints WHERE log = $1 AND timestamp_token IS NOT NULL ORDER BY size DESC LIMIT 1) n
                   WHERE $2 > n.size AND n.timestamped_at <= clock_timestamp() - make_interval(mins => ${LOG_TIMESTAMP_EVERY_MINUTES})
                     AND ($2 > n.size + (SELECT count(*) FROM log_checkpoints s JOIN log_batches b ON b.id = s.timestamp_batch
                                          WHERE b.log = $1 AND b.first_index >= n.size AND b.first_index < $2)
                          OR n.timestamped_at <= clock_timestamp() - make_interval(hours => ${LOG_TIMESTAMP_RENEWED_EVERY_HOURS})
                             AND (SELECT max(e.timestamp_ends_at) FROM log_checkpoints e WHERE e.log = $1)
                                 < clock_timestamp() + make_interval(days => ${LOG_TIMESTAMP_RENEWED_BEFORE_DAYS}))) AS is_due`,
  { is_due: 'boolean' },
);

/** In the shard that has the leaves about timestamps. */
export async function isTimestampDue(tx: Queryable, log: number, size: number): Promise<boolean> {
  return onlyRow(await tx.query(DUE, [log, size])).is_due;
}

const SET = statement(
  `UPDATE log_checkpoints SET timestamp_token = $3, timestamped_at = clock_timestamp()
    WHERE log = $1 AND size = $2 AND timestamp_token IS NULL RETURNING size`,
  { size: 'bigint' },
);

/** Keeps an earlier timestamp of the checkpoint: then it returns false. */
export async function setTimestamp(db: Queryable, log: number, size: number, token: Buffer): Promise<boolean> {
  return (await db.query(SET, [log, size, token])).length > 0;
}

const DROP = statement(
  `UPDATE log_checkpoints SET timestamp_token = NULL, timestamped_at = NULL, timestamp_lists_missing_since = NULL WHERE log = $1 AND size = $2 AND timestamp_statement IS NULL`,
);

/** Only a timestamp that the log has no leaf about. */
export async function dropTimestamp(db: Queryable, log: number, size: number): Promise<void> {
  await db.query(DROP, [log, size]);
}

const UNSTATED = statement(
  `SELECT ${COLUMNS},
          coalesce(timestamp_lists_missing_since <= clock_timestamp() - make_interval(hours => ${REVOCATION_TRIED_FOR_HOURS}), false) AS is_late
     FROM log_checkpoints WHERE timestamp_token IS NOT NULL AND timestamp_statement IS NULL
    ORDER BY timestamp_lists_missing_since IS NOT NULL, random() LIMIT $1`,
  { ...STAMPED_ROW, is_late: 'boolean' },
);

/**
 * Timestamps that the log has no leaf about. `isLate`: lists of revoked certificates are waited for no longer. Those that wait for lists come last, and
 * in any order, so that none keeps others waiting.
 */
export async function unstatedTimestamps(db: Queryable, most: number): Promise<(StampedCheckpoint & { isLate: boolean })[]> {
  return (await db.query(UNSTATED, [most])).map((row) => ({ ...toStamped(row), isLate: row.is_late }));
}

const LISTS_MISSING = statement(
  `UPDATE log_checkpoints SET timestamp_lists_missing_since = clock_timestamp()
    WHERE log = $1 AND size = $2 AND timestamp_lists_missing_since IS NULL`,
);

/** From the first time on, they are waited for. */
export async function noteMissingLists(db: Queryable, log: number, size: number): Promise<void> {
  await db.query(LISTS_MISSING, [log, size]);
}

const ADD_CRL = statement('INSERT INTO log_crls (hash, crl) VALUES ($1, $2) ON CONFLICT DO NOTHING');

export async function addCrl(tx: Queryable, hash: string, crl: Uint8Array): Promise<void> {
  await tx.query(ADD_CRL, [hash, Buffer.from(crl)]);
}

const STATE = statement(
  `UPDATE log_checkpoints SET timestamp_time = $3, timestamp_ends_at = $4, timestamp_crls = $5, timestamp_statement = $6, timestamp_batch = $7, timestamp_stated_at = clock_timestamp()
    WHERE log = $1 AND size = $2 AND timestamp_token IS NOT NULL AND timestamp_statement IS NULL RETURNING size`,
  { size: 'bigint' },
);

interface Stating {
  time: Date;
  endsAt: Date;
  crls: readonly string[];
  statement: string;
  batchId: string;
}

/** Returns false if another process was first. */
export async function stateTimestamp(tx: Queryable, { log, size }: StoredCheckpoint, said: Stating): Promise<boolean> {
  const { time, endsAt, crls, statement: text, batchId } = said;
  return (await tx.query(STATE, [log, size, time, endsAt, crls, text, batchId])).length > 0;
}

const NOT_VOUCHED_FOR = statement(
  `SELECT c.log, c.size, c.timestamp_statement FROM log_checkpoints c JOIN log_batches b ON b.id = c.timestamp_batch
    WHERE c.timestamp_statement IS NOT NULL AND b.log = $1
      AND b.first_index >= (SELECT coalesce(max(n.size), 0) FROM log_checkpoints n WHERE n.log = $1 AND n.timestamp_token IS NOT NULL)`,
  { log: 'smallint', size: 'bigint', timestamp_statement: 'text!' },
);

/** Timestamps, also of former logs, whose leaves are in this log and in none of its stamped checkpoints. Leaves without an index go to the next log. */
export async function timestampsNotVouchedFor(tx: Queryable, log: number): Promise<{ log: number; size: number; statement: string }[]> {
  const rows = await tx.query(NOT_VOUCHED_FOR, [log]);
  return rows.map((row) => ({ log: row.log, size: Number(row.size), statement: row.timestamp_statement }));
}

const SET_BATCH = statement('UPDATE log_checkpoints SET timestamp_batch = $3 WHERE log = $1 AND size = $2');

export async function setTimestampBatch(tx: Queryable, log: number, size: number, batchId: string): Promise<void> {
  await tx.query(SET_BATCH, [log, size, batchId]);
}

const FIRST = prepared(
  'log-timestamp-first',
  `SELECT ${COLUMNS} FROM log_checkpoints WHERE log = $1 AND size > $2 AND timestamp_token IS NOT NULL ORDER BY size LIMIT 1`,
  STAMPED_ROW,
);

/** The first stamped checkpoint with the leaf of this index. */
export async function firstStamped(db: Queryable, log: number, index: number): Promise<StampedCheckpoint | undefined> {
  const [row] = await db.query(FIRST, [log, index]);
  return row && toStamped(row);
}

const LONGEST = statement(
  `SELECT ${COLUMNS} FROM log_checkpoints WHERE log = $1 AND size > $2 AND timestamp_token IS NOT NULL AND timestamp_ends_at > $3 AND timestamp_time <= $3
    ORDER BY timestamp_ends_at DESC, size LIMIT 1`,
  STAMPED_ROW,
);

/** Of the checkpoints with the leaf of this index, that whose timestamp was made by this time and ends last. */
export async function longestStamped(db: Queryable, log: number, index: number, by: Date): Promise<StampedCheckpoint | undefined> {
  const [row] = await db.query(LONGEST, [log, index, by]);
  return row && toStamped(row);
}

const ENDS_AT = prepared(
  'log-timestamp-end',
  'SELECT timestamp_ends_at FROM log_checkpoints WHERE log = $1 AND timestamp_token IS NOT NULL ORDER BY size DESC LIMIT 1',
  { timestamp_ends_at: 'timestamptz?' },
);

/** When the newest timestamp of the log ends, if that is known. */
export async function newestTimestampEnd(db: Queryable, log: number): Promise<Date | undefined> {
  const [row] = await db.query(ENDS_AT, [log]);
  return row?.timestamp_ends_at ?? undefined;
}

const CRLS = statement('SELECT crl FROM log_crls WHERE hash = ANY ($1::text[]) ORDER BY hash', { crl: 'bytea' });

export async function crlsOf(db: Queryable, hashes: readonly string[]): Promise<Buffer[]> {
  return (await db.query(CRLS, [hashes])).map(({ crl }) => crl);
}
