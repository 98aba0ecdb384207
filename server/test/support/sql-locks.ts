import pg from 'pg';
import type { Database } from '../../src/platform/postgres/postgres.ts';
import { until } from './process.ts';
import type { TestService } from './service.ts';
import { ON_CITUS, SHARD_PATHS } from './sharded.ts';

/** A transaction that has run a statement and keeps its locks. */
export async function lockingWith(
  { databaseUrl }: TestService,
  statement: string,
  values: unknown[] = [],
): Promise<{ rollBack(): Promise<void> }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  for (const path of SHARD_PATHS) {
    if (path !== '') await client.query(`SET LOCAL search_path = ${path}`);
    await client.query(statement, values);
  }
  return {
    rollBack: async () => {
      await client.query('ROLLBACK');
      await client.end();
    },
  };
}

/** With Citus, a connection waits for its part on another node, which pg_stat_activity here does not show. */
const WAITING = ON_CITUS
  ? 'SELECT DISTINCT citus_pid_for_gpid(waiting_gpid) AS pid FROM citus_lock_waits WHERE strpos(blocked_statement, $1) > 0'
  : `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0`;

export function waitingForLocks({ sql }: TestService, words = ''): Promise<{ pid: number }[]> {
  return sql<{ pid: number }>(WAITING, [words]);
}

/** A connection of the service, on the server or, with Citus, on one of its nodes. */
export interface WaitingConnection {
  pid: number;
  on: Database;
  /** The server, or every node of Citus. */
  nodes: Database[];
}

/**
 * On Citus, a connection may wait for locks of Citus itself, or for its part on another node. It is recognized by the duration of its
 * statement.
 */
const LONG_ACTIVE = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'waybill' AND state = 'active'
    AND strpos(query, $1) > 0 AND clock_timestamp() - query_start > interval '500 ms'`;

/** Waits for a connection that waits for a lock with a statement that contains these words. */
export async function connectionWaitingIn({ database }: TestService, words: string): Promise<WaitingConnection> {
  let found: WaitingConnection | undefined;
  const nodes = ON_CITUS ? [database, ...database.shards] : [database];
  await until(async () => {
    for (const on of nodes) {
      const [row] = await on.queryText<{ pid: number }>(ON_CITUS ? LONG_ACTIVE : WAITING, [words]);
      if (row) found = { pid: row.pid, on, nodes };
    }
    return found !== undefined;
  });
  return found as WaitingConnection;
}

/** The parts of a connection on other nodes. Citus names them after the node and the process that they work for. */
const TERMINATE_PARTS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name ~ '^citus_internal gpid=' AND right(application_name, 10) = lpad($1::text, 10, '0')`;

/**
 * Ends a connection on the server's side, and waits for its end. With Citus, a connection ignores signals while one of its parts waits for
 * a lock.
 */
export async function terminate({ pid, on, nodes }: WaitingConnection): Promise<void> {
  await on.queryText('SELECT pg_terminate_backend($1::integer)', [pid]);
  if (ON_CITUS) for (const node of nodes) await node.queryText(TERMINATE_PARTS, [pid]);
  await until(async () => (await on.queryText('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).length === 0);
}
