import type { TestService } from './service.ts';

const TABLES = ['messages', 'ledger_entries', 'idempotency_keys', 'daily_usage'] as const;

type Traces = Record<(typeof TABLES)[number] | 'counted', string>;

/** Everything that the commit of a send writes, as one comparable value: rows of every table, and counters. What follows it comes a moment later. */
export async function tracesOfSends({ sql }: TestService): Promise<Traces> {
  const counts = TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ');
  const [row] = await sql<Traces>(`SELECT ${counts}, (SELECT coalesce(sum(messages), 0) FROM daily_usage) AS counted`);
  if (!row) throw new Error('a query without a table returns one row');
  return row;
}
