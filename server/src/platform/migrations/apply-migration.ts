import { pathOf, type TextQueryable } from '../postgres/postgres.ts';
import { dropNativeFunctions } from './native-functions.ts';
import { isCitus } from './sql-functions.ts';

/**
 * Marks the part of a migration that changes the tables of parties' rows. In a distributed database, this part is applied in each shard.
 */
const IN_EACH_SHARD = /^-- In each shard:$/m;

export async function applyMigration(tx: TextQueryable, sql: string): Promise<void> {
  const [once = '', inEachShard] = sql.split(IN_EACH_SHARD);
  await tx.queryText(once);
  if (inEachShard !== undefined) await applyInShards(tx, inEachShard);
}

async function applyInShards(tx: TextQueryable, sql: string): Promise<void> {
  const shards = await tx.queryText<{ number: number }>('SELECT number FROM shards ORDER BY number');
  if (shards.length === 0) await tx.queryText(sql);
  const hasCitus = await isCitus(tx);
  // Citus sends the whole text of a query to a node, and refuses more than one statement there.
  const statements = hasCitus ? sql.split(/;\s*$/m).filter((text) => text.trim() !== '') : [sql];
  for (const { number } of shards) {
    if (hasCitus) await dropNativeFunctions(tx, number);
    await tx.queryText(`SET LOCAL search_path = ${pathOf(number)}`);
    for (const statement of statements) await tx.queryText(statement);
  }
  await tx.queryText('SET LOCAL search_path TO DEFAULT');
}
