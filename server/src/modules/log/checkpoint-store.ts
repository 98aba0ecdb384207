import type { Queryable } from '../../platform/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/statement.ts';

export interface StoredCheckpoint {
  log: number;
  size: number;
  /** With all signatures. */
  note: string;
  /** Whether enough witnesses have signed it. */
  isWitnessed: boolean;
  createdAt: Date;
}

const CHECKPOINT_ROW = columns({ log: 'smallint', size: 'bigint', note: 'text', is_witnessed: 'boolean', created_at: 'timestamptz' });
const COLUMNS = namesOf(CHECKPOINT_ROW);

function toCheckpoint(row: RowOf<typeof CHECKPOINT_ROW>): StoredCheckpoint {
  return { log: row.log, size: Number(row.size), note: row.note, isWitnessed: row.is_witnessed, createdAt: row.created_at };
}

const RECORD = statement(
  'INSERT INTO log_checkpoints (log, size, note, created_at) VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING',
);

/** The first note of a size stays. */
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

/** The newest checkpoint with the leaf of this index; -1 for any. */
export async function newestCheckpoint(db: Queryable, log: number, index: number): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query(NEWEST, [log, index]);
  return row && toCheckpoint(row);
}

/** The newest that enough witnesses have signed. */
export async function newestWitnessed(db: Queryable, log: number, index: number): Promise<StoredCheckpoint | undefined> {
  const [row] = await db.query(NEWEST_WITNESSED, [log, index]);
  return row && toCheckpoint(row);
}
