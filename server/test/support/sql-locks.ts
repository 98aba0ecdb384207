import pg from 'pg';
import { until } from './process.ts';
import type { TestService } from './service.ts';
import { ON_CITUS, SHARD_PATHS } from './sharded.ts';

/** A transaction of somebody else, who has run a statement and keeps what it has locked. */
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

/** With Citus, a connection waits for its part on another node, of which the connection itself knows nothing. */
const WAITING = ON_CITUS
  ? 'SELECT DISTINCT citus_pid_for_gpid(waiting_gpid) AS pid FROM citus_lock_waits WHERE strpos(blocked_statement, $1) > 0'
  : `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0`;

/** The connections that wait for a lock, with a statement that contains these words. */
export function waitingForLocks({ sql }: TestService, words = ''): Promise<{ pid: number }[]> {
  return sql<{ pid: number }>(WAITING, [words]);
}

/** The connection that waits for a lock with a statement that contains these words, once there is one. */
export async function connectionWaitingIn(service: TestService, words: string): Promise<number> {
  let pid: number | undefined;
  await until(async () => {
    pid = (await waitingForLocks(service, words))[0]?.pid;
    return pid !== undefined;
  });
  return pid as number;
}

/** Ends a connection on the server's side, and waits for its end. */
export async function terminate({ sql }: TestService, pid: number): Promise<void> {
  await sql('SELECT pg_terminate_backend($1)', [pid]);
  await until(async () => (await sql('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).length === 0);
}
