import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

/** The leaves of a log from `size` to `sequenced` have indexes and are not in the tree yet. */
export interface LogRecord {
  number: number;
  origin: string;
  sequenced: number;
  size: number;
  root: Buffer;
  isEnded: boolean;
  fault: string | null;
}

const LOG_ROW = columns({
  number: 'smallint',
  origin: 'text',
  sequenced: 'bigint',
  size: 'bigint',
  root: 'bytea',
  ended_at: 'timestamptz?',
  fault: 'text?',
});

function toLog(row: RowOf<typeof LOG_ROW>): LogRecord {
  return {
    number: row.number,
    origin: row.origin,
    sequenced: Number(row.sequenced),
    size: Number(row.size),
    root: row.root,
    isEnded: row.ended_at !== null,
    fault: row.fault,
  };
}

const CREATE = statement(
  `INSERT INTO logs (number, origin, root, created_at) VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING number`,
  { number: 'smallint' },
);

export async function createLog(tx: Queryable, number: number, origin: string, root: Buffer): Promise<boolean> {
  return (await tx.query(CREATE, [number, origin, root])).length > 0;
}

const LOGS = prepared('logs', `SELECT ${namesOf(LOG_ROW)} FROM logs ORDER BY number`, LOG_ROW);

export async function allLogs(db: Queryable): Promise<LogRecord[]> {
  return (await db.query(LOGS)).map(toLog);
}

const CURRENT = prepared('log-current', `SELECT ${namesOf(LOG_ROW)} FROM logs ORDER BY number DESC LIMIT 1`, LOG_ROW);

export async function currentLog(db: Queryable): Promise<LogRecord | undefined> {
  const [row] = await db.query(CURRENT);
  return row && toLog(row);
}

const LOCK = statement(`SELECT ${namesOf(LOG_ROW)} FROM logs WHERE number = $1 FOR UPDATE`, LOG_ROW);

export async function lockLog(tx: Queryable, number: number): Promise<LogRecord | undefined> {
  const [row] = await tx.query(LOCK, [number]);
  return row && toLog(row);
}

const SEQUENCE = statement('UPDATE logs SET sequenced = $2 WHERE number = $1');

export async function setSequenced(tx: Queryable, number: number, sequenced: bigint): Promise<void> {
  await tx.query(SEQUENCE, [number, sequenced]);
}

const GROW = statement(
  'UPDATE logs SET size = $4, root = $5 WHERE number = $1 AND size = $2 AND root = $3 AND sequenced >= $4 AND ended_at IS NULL RETURNING number',
  { number: 'smallint' },
);
const SET_EDGE = statement(
  'INSERT INTO log_edges (log, level, hashes) VALUES ($1, $2, $3) ON CONFLICT (log, level) DO UPDATE SET hashes = excluded.hashes',
);

interface Growth {
  size: number;
  root: Buffer;
  edges: { level: number; hashes: Buffer }[];
}

/** Returns false if the log has changed since it was read: another process has taken over. */
export async function growLog(tx: Queryable, { number, size, root }: LogRecord, growth: Growth): Promise<boolean> {
  const grown = await tx.query(GROW, [number, size, root, growth.size, growth.root]);
  if (grown.length === 0) return false;
  for (const { level, hashes } of growth.edges) await tx.query(SET_EDGE, [number, level, hashes]);
  return true;
}

const SET_FAULT = statement('UPDATE logs SET fault = $2 WHERE number = $1 AND fault IS DISTINCT FROM $2 RETURNING number', {
  number: 'smallint',
});

/** Returns whether the fault is new. Null says that there is none. */
export async function setFault(db: Queryable, number: number, fault: string | null): Promise<boolean> {
  return (await db.query(SET_FAULT, [number, fault])).length > 0;
}

const EDGES = prepared('log-edges', 'SELECT level, hashes FROM log_edges WHERE log = $1 ORDER BY level', {
  level: 'smallint',
  hashes: 'bytea',
});

export async function edgesOf(db: Queryable, number: number): Promise<Buffer[]> {
  return (await db.query(EDGES, [number])).map(({ hashes }) => hashes);
}

const EDGE = prepared(
  'log-edge',
  'SELECT l.size, e.hashes FROM logs l LEFT JOIN log_edges e ON e.log = l.number AND e.level = $2 WHERE l.number = $1',
  { size: 'bigint', hashes: 'bytea?' },
);

export async function edgeOf(db: Queryable, number: number, level: number): Promise<{ size: number; hashes: Buffer } | undefined> {
  const [row] = await db.query(EDGE, [number, level]);
  return row && { size: Number(row.size), hashes: row.hashes ?? Buffer.alloc(0) };
}

export interface StoredKey {
  number: number;
  publicKey: Buffer;
  /** The encrypted private key. Null: the operator keeps it. */
  secret: string | null;
  /** The note that names this key, signed by the key before. Null for the first key. */
  succession: string | null;
  createdAt: Date;
}

const KEYS = prepared(
  'log-keys',
  'SELECT number, public_key, secret, succession, created_at FROM log_keys WHERE log = $1 ORDER BY number DESC',
  { number: 'smallint', public_key: 'bytea', secret: 'text?', succession: 'text?', created_at: 'timestamptz' },
);

export async function keysOf(db: Queryable, log: number): Promise<StoredKey[]> {
  const rows = await db.query(KEYS, [log]);
  return rows.map(({ number, public_key, secret, succession, created_at }) => ({
    number,
    publicKey: public_key,
    secret,
    succession,
    createdAt: created_at,
  }));
}

const ADD_KEY = statement(
  `INSERT INTO log_keys (log, number, public_key, secret, succession, created_at)
   SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, clock_timestamp() FROM log_keys WHERE log = $1 RETURNING number`,
  { number: 'smallint' },
);

export async function addKey(tx: Queryable, log: number, key: Pick<StoredKey, 'publicKey' | 'secret' | 'succession'>): Promise<number> {
  return onlyRow(await tx.query(ADD_KEY, [log, key.publicKey, key.secret, key.succession])).number;
}

const RENEW_SECRET = statement('UPDATE log_keys SET secret = $4 WHERE log = $1 AND number = $2 AND secret = $3');

/** Several processes may start at once: the first that encrypts a secret wins. */
export async function renewSecret(db: Queryable, log: number, number: number, { from, to }: { from: string; to: string }): Promise<void> {
  await db.query(RENEW_SECRET, [log, number, from, to]);
}

const END = statement('UPDATE logs SET ended_at = clock_timestamp() WHERE number = $1');

export async function endLog(tx: Queryable, number: number): Promise<void> {
  await tx.query(END, [number]);
}

const DO_NOT_SYNC = statement(`SELECT set_config('synchronous_commit', 'off', true) AS value`, { value: 'text' });

/**
 * Lets the transaction commit without waiting for the disk. Use it for data that a later commit makes durable, or that can be found again
 * elsewhere.
 */
export async function commitLater(tx: Queryable): Promise<void> {
  await tx.query(DO_NOT_SYNC);
}

const NOW = statement('SELECT clock_timestamp() AS time', { time: 'timestamptz' });

export async function databaseTime(db: Queryable): Promise<Date> {
  return onlyRow(await db.query(NOW)).time;
}

const KEY_IDS = statement(`SELECT DISTINCT substring(secret FROM '^§([0-9a-f]{8})\\.') AS id FROM log_keys WHERE secret LIKE '§%'`, {
  id: 'text?',
});

export async function keyIdsInUse(db: Queryable): Promise<string[]> {
  return (await db.query(KEY_IDS)).flatMap(({ id }) => (id === null ? [] : [id]));
}
