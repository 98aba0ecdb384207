import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

interface Attestor {
  id: string;
  newest: { log: number; size: number; at: Date } | undefined;
  failures: number;
  failure: string | null;
}

const ATTESTOR_ROW = columns({
  id: 'text',
  log: 'smallint?',
  size: 'bigint?',
  attested_at: 'timestamptz?',
  failures: 'integer',
  failure: 'text?',
});

function toAttestor({ id, log, size, attested_at: at, failures, failure }: RowOf<typeof ATTESTOR_ROW>): Attestor {
  const newest = log !== null && size !== null && at !== null ? { log, size: Number(size), at } : undefined;
  return { id, newest, failures, failure };
}

const ATTESTORS = prepared('log-attestors', `SELECT ${namesOf(ATTESTOR_ROW)} FROM log_attestors WHERE id = ANY ($1::text[])`, ATTESTOR_ROW);

export async function attestorsOf(db: Queryable, ids: readonly string[]): Promise<Attestor[]> {
  return (await db.query(ATTESTORS, [ids])).map(toAttestor);
}

const ATTESTED = prepared(
  'log-attested',
  `INSERT INTO log_attestors (id, log, size, attested_at) VALUES ($1, $2, $3, clock_timestamp())
   ON CONFLICT (id) DO UPDATE
      SET log = excluded.log, size = excluded.size, attested_at = excluded.attested_at, failures = 0, failure = NULL`,
);

export async function recordAttested(db: Queryable, id: string, { log, size }: { log: number; size: number }): Promise<void> {
  await db.query(ATTESTED, [id, log, size]);
}

const FAILED = prepared(
  'log-attestor-failed',
  `INSERT INTO log_attestors (id, failures, failure) VALUES ($1, 1, $2)
   ON CONFLICT (id) DO UPDATE SET failures = log_attestors.failures + 1, failure = excluded.failure`,
);

export async function recordFailure(db: Queryable, id: string, failure: string): Promise<void> {
  await db.query(FAILED, [id, failure]);
}

const CONTRADICT = statement(
  `INSERT INTO log_attestors (id, contradiction, contradicts) VALUES ($1, $2, $3)
   ON CONFLICT (id) DO UPDATE SET contradiction = excluded.contradiction, contradicts = excluded.contradicts`,
);

export async function recordContradiction(db: Queryable, id: string, note: string, log: number): Promise<void> {
  await db.query(CONTRADICT, [id, note, log]);
}

const CONTRADICTION = prepared(
  'log-contradiction',
  'SELECT id, contradiction FROM log_attestors WHERE contradicts = $1 AND contradiction IS NOT NULL ORDER BY id LIMIT 1',
  { id: 'text', contradiction: 'text!' },
);

/** A checkpoint that the log has signed and does not have, and the id of the witness that has it. */
export async function contradictionOf(db: Queryable, log: number): Promise<{ id: string; note: string } | undefined> {
  const [row] = await db.query(CONTRADICTION, [log]);
  return row && { id: row.id, note: row.contradiction };
}

const TAKE_DUTY = prepared(
  'log-duty',
  `INSERT INTO log_duties (name, holder, held_until) VALUES ($1, $2, clock_timestamp() + $3::integer * interval '1 second')
   ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE log_duties.holder = excluded.holder OR log_duties.held_until <= clock_timestamp()
   RETURNING name`,
  { name: 'text' },
);

/** Returns whether this process has the duty for the next seconds. A process renews its own duty, and that of a dead process lapses. */
export async function takeDuty(db: Queryable, name: string, holder: string, forS: number): Promise<boolean> {
  return (await db.query(TAKE_DUTY, [name, holder, forS])).length > 0;
}

const DROP_DUTY = statement('DELETE FROM log_duties WHERE name = $1 AND holder = $2');

export async function dropDuty(db: Queryable, name: string, holder: string): Promise<void> {
  await db.query(DROP_DUTY, [name, holder]);
}
