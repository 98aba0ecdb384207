import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { codeOf } from '../../contract/thrown.ts';
import { isUnavailable } from './database-errors.ts';
import { statementLimit } from './limited-client.ts';
import type { Statement } from './statement.ts';

export interface Queryable {
  query<Row>(statement: Statement<Row>, values?: unknown[]): Promise<Row[]>;
}

export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement returned no row');
  return row;
}

/** Runs undeclared SQL, too, such as migrations. Only the platform and tests may use it. */
export interface TextQueryable extends Queryable {
  queryText<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

export const isBroken = (error: unknown) => error instanceof BrokenConnection;
/** The server of the connection can't be used either, such as a former primary. */
const isOfNoUse = (error: unknown) => isBroken(error) || isUnavailable(error);

export async function lend<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>, isToDiscard = isOfNoUse): Promise<T> {
  const client = await pool.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(isToDiscard(error));
    throw error instanceof BrokenConnection ? error.cause : error;
  }
}

export function inTurn<T>(work: (tx: TextQueryable) => Promise<T>): (tx: TextQueryable) => Promise<T> {
  return async (tx) => {
    await tx.queryText(`SELECT pg_advisory_xact_lock(hashtextextended('reference tables', 0))`);
    return work(tx);
  };
}

export async function probeRoom(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(
      `CREATE TABLE room_probe_${randomUUID().replaceAll('-', '')} AS SELECT repeat(gen_random_uuid()::text, 50) FROM generate_series(1, 600)`,
    );
  } finally {
    await client.query('ROLLBACK');
  }
}

class BrokenConnection extends Error {}

export async function transactionOn<T>(
  client: pg.ClientBase,
  work: (tx: TextQueryable) => Promise<T>,
  isNamed = true,
  begin: 'BEGIN' | 'BEGIN READ ONLY' = 'BEGIN',
): Promise<T> {
  try {
    await client.query(begin);
    const result = await work({
      query: (statement, values) => run(client, statement, values, isNamed),
      queryText: (text, values) => runText(client, text, values),
    });
    await client.query('COMMIT');
    return result;
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {
      throw new BrokenConnection('a transaction could not be rolled back', { cause });
    });
    throw cause;
  }
}

/** statements.test.ts proves that the rows match the declaration. */
export async function run<Row>(
  on: pg.Pool | pg.ClientBase,
  { name, text }: Statement<Row>,
  values: unknown[] = [],
  isNamed = true,
): Promise<Row[]> {
  const query = { ...(isNamed && { name }), text, values, limitMs: statementLimit() };
  return (await on.query(query)).rows as Row[];
}

export async function runText<Row extends pg.QueryResultRow>(
  on: pg.Pool | pg.ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const query = { text, values, limitMs: statementLimit() };
  return (await on.query<Row>(query)).rows;
}

const DEADLOCK_DETECTED = '40P01';
/** Citus locks whole reference tables, which causes deadlocks that one PostgreSQL would not have. */
const DEADLOCK_RETRIES_MAX = 10;
const DEADLOCK_PAUSE_MS = 50;

export async function retryingDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== DEADLOCK_DETECTED || attempt > DEADLOCK_RETRIES_MAX) throw error;
      await sleep(Math.random() * DEADLOCK_PAUSE_MS * attempt);
    }
  }
}
