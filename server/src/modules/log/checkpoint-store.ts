import { formatNote, type NoteSignature, parseNote } from '@waybill/proof';
import { LOG_CHECKPOINTS_KEPT_MINUTES } from '../../contract/log-limits.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

export interface StoredCheckpoint {
  log: number;
  size: number;
  note: string;
  isWitnessed: boolean;
  createdAt: Date;
}

export const CHECKPOINT_ROW = columns({
  log: 'smallint',
  size: 'bigint',
  note: 'text',
  is_witnessed: 'boolean',
  created_at: 'timestamptz',
});
const COLUMNS = namesOf(CHECKPOINT_ROW);

export function toCheckpoint(row: RowOf<typeof CHECKPOINT_ROW>): StoredCheckpoint {
  return { log: row.log, size: Number(row.size), note: row.note, isWitnessed: row.is_witnessed, createdAt: row.created_at };
}

const RECORD = statement(
  'INSERT INTO log_checkpoints (log, size, note, created_at) VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING',
);

/** Keeps an earlier note of the same size. */
export async function recordCheckpoint(db: Queryable, log: number, size: number, note: string): Promise<void> {
  await db.query(RECORD, [log, size, note]);
}

const NEWEST = prepared(
  'log-checkpoint-newest',
  `SELECT ${COLUMNS} FROM log_checkpoints WHERE log = $1 AND size > $2 ORDER BY size DESC LIMIT 1`,
  CHECKPOINT_ROW,
);
const NEWEST_WITNESSED = prepared(
  'log-checkpoint-witnessed',
  `SELECT ${COLUMNS} FROM log_checkpoints WHERE log = $1 AND size > $2 AND is_witnessed ORDER BY size DESC LIMIT 1`,
  CHECKPOINT_ROW,
);

/** The newest checkpoint with the leaf of this index. -1: any checkpoint. */
export async function newestCheckpoint(db: Queryable, log: number, index: number): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query(NEWEST, [log, index]);
  return row && toCheckpoint(row);
}

export async function newestWitnessed(db: Queryable, log: number, index: number): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query(NEWEST_WITNESSED, [log, index]);
  return row && toCheckpoint(row);
}

const LOCK = statement('SELECT note FROM log_checkpoints WHERE log = $1 AND size = $2 FOR UPDATE', { note: 'text' });
const SET_NOTE = statement('UPDATE log_checkpoints SET note = $3, is_witnessed = is_witnessed OR $4 WHERE log = $1 AND size = $2');

/**
 * Replaces an older cosignature of the same witness, because a key signs a note once. Returns whether the checkpoint has a quorum then, and
 * false for a checkpoint that is gone.
 */
export async function addCosignature(
  tx: Queryable,
  log: number,
  size: number,
  cosignature: NoteSignature,
  isQuorum: (note: string) => boolean,
): Promise<boolean> {
  const [row] = await tx.query(LOCK, [log, size]);
  if (!row) return false;
  const { body, signatures } = parseNote(row.note);
  const others = signatures.filter(({ name, keyId }) => name !== cosignature.name || keyId !== cosignature.keyId);
  const note = formatNote({ body, signatures: [...others, cosignature] });
  const isWitnessed = isQuorum(note);
  await tx.query(SET_NOTE, [log, size, note, isWitnessed]);
  return isWitnessed;
}

const UNWITNESSED_SINCE = prepared(
  'log-unwitnessed-since',
  `SELECT EXISTS (SELECT 1 FROM log_checkpoints
                   WHERE log = $1 AND size > $2 AND created_at < clock_timestamp() - make_interval(secs => $3::integer)) AS is_late`,
  { is_late: 'boolean' },
);

export async function isUnwitnessedSince(db: Queryable, log: number, size: number, seconds: number): Promise<boolean> {
  return onlyRow(await db.query(UNWITNESSED_SINCE, [log, size, seconds])).is_late;
}

const FORGET = statement(
  `DELETE FROM log_checkpoints c
    WHERE c.created_at < clock_timestamp() - make_interval(mins => ${LOG_CHECKPOINTS_KEPT_MINUTES}) AND c.timestamp_token IS NULL
      AND c.size < (SELECT max(n.size) FROM log_checkpoints n WHERE n.log = c.log)
      AND c.size IS DISTINCT FROM (SELECT max(w.size) FROM log_checkpoints w WHERE w.log = c.log AND w.is_witnessed)`,
);

export async function forgetCheckpoints(db: Queryable): Promise<void> {
  await db.query(FORGET);
}
