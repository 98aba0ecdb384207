import type pg from 'pg';
import { SHARD_TABLE_NAMES } from '../../src/platform/distribute.ts';
import type { Database } from '../../src/platform/postgres.ts';
import { pathOf } from '../../src/platform/shard-names.ts';

/** `TEST_SHARDS=4 npm test -- <tests>` distributes the database that tests copy over so many shards. */
export const SHARDS = Number(process.env['TEST_SHARDS'] ?? 0);

/** Where a statement of a test finds its tables; '' for the only place. */
export const SHARD_PATHS: readonly string[] = SHARDS === 0 ? [''] : Array.from({ length: SHARDS }, (_, shard) => pathOf(shard));

const TABLE = new RegExp(`\\b(${SHARD_TABLE_NAMES.join('|')})\\b`);

/** Runs a statement of a test where its tables are: in each shard, if the database is distributed. Copies of a row count once. */
export async function everywhere<T extends pg.QueryResultRow>(database: Database, text: string, values: unknown[]): Promise<T[]> {
  if (database.shards.length === 1 || !TABLE.test(text)) return database.queryText<T>(text, values);
  const rows = new Map<string, T>();
  for (const shard of database.shards)
    for (const row of await shard.queryText<T>(text, values))
      rows.set(`${text.includes('messages') ? '' : rows.size} ${JSON.stringify(row)}`, row);
  return [...rows.values()];
}
