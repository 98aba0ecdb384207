import type pg from 'pg';
import { type Database, pathOf } from '../../src/platform/postgres/postgres.ts';
import { SHARD_TABLE_NAMES } from '../../src/platform/shards/distribute.ts';

/** `TEST_SHARDS=4 npm test -- <tests>` distributes the database that tests copy over this many shards. */
export const SHARDS = Number(process.env['TEST_SHARDS'] ?? 0);

/** The run uses Citus (`npm run test:citus`). */
export const ON_CITUS = Boolean(process.env['CITUS_NODES']);

export const SHARD_PATHS: readonly string[] = SHARDS === 0 ? [''] : Array.from({ length: SHARDS }, (_, shard) => pathOf(shard));

const TABLE = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE|TABLE|TRUNCATE|ANALYZE|VACUUM)\\s+(?:${SHARD_TABLE_NAMES.join('|')})\\b`);

/** Runs a statement of a test in each shard if the database is distributed. Copies of a row count once. */
export async function everywhere<T extends pg.QueryResultRow>(database: Database, text: string, values: unknown[]): Promise<T[]> {
  if (database.shards.length === 1 || !TABLE.test(text)) return database.queryText<T>(text, values);
  const rows = new Map<string, T>();
  for (const shard of database.shards)
    for (const row of await shard.queryText<T>(ON_CITUS ? await onNode(shard, text) : text, values))
      rows.set(`${text.includes('messages') ? '' : rows.size} ${JSON.stringify(row)}`, row);
  return [...rows.values()];
}

/** A table in a statement, with its alias if it has one. Keywords are in capitals. */
const PLACE_OF_TABLE = /\b(FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)\b(?![.(])(\s+(?:AS\s+)?[a-z]\w*)?/g;

/** Gives tables in the statement the names that they have on the node of the shard, because Citus would refuse some statements of tests. */
async function onNode(shard: Database, text: string): Promise<string> {
  const rows = await shard.queryText<{ table: string; shardid: string }>(
    `SELECT c.relname AS table, s.shardid FROM pg_dist_shard s JOIN pg_class c ON c.oid = s.logicalrelid WHERE pg_table_is_visible(c.oid)`,
  );
  const ids = new Map(rows.map(({ table, shardid }) => [table, shardid]));
  return text.replaceAll(PLACE_OF_TABLE, (whole, keyword: string, table: string, alias?: string) =>
    ids.has(table) ? `${keyword} ${table}_${ids.get(table)}${alias ?? ` AS ${table}`}` : whole,
  );
}
