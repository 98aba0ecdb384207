import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { quietLogger } from '../jobs/jobs.ts';
import { withStatementLimit } from '../postgres/limited-client.ts';
import type { Database, TextQueryable } from '../postgres/postgres.ts';
import { pathOf } from '../postgres/shard-names.ts';
import { bringToBaseline, correctBaseline, EARLIER_FORMS, FORMER_MIGRATIONS } from './former-release.ts';
import { dropNativeFunctions } from './native-functions.ts';
import { isCitus, updateFunctions } from './sql-functions.ts';

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Tables and types are in numbered migrations, each applied once. Functions are in files, and re-created when they change. */
export interface SchemaFolders {
  migrations: string;
  functions: string;
}

export class MigrationMismatch extends Error {}

export const SCHEMA_FOLDERS: SchemaFolders = {
  migrations: path.resolve(import.meta.dirname, '../../../migrations'),
  functions: path.resolve(import.meta.dirname, '../../../sql'),
};
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;
/**
 * Marks the part of a migration that changes the tables of parties' rows. In a distributed database, this part is applied in each shard.
 */
const IN_EACH_SHARD = /^-- In each shard:$/m;
const LOCK = 7_791_823_145;

function migrationsIn(folder: string): Migration[] {
  return readdirSync(folder)
    .filter((name) => FILE_NAME.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/** Brings the database up to date. Processes that start together take turns. Returns the applied files. */
export function migrate(database: Database, folders = SCHEMA_FOLDERS): Promise<string[]> {
  return withStatementLimit(Number.POSITIVE_INFINITY, () => migrateNow(database, folders));
}

async function migrateNow(database: Database, folders: SchemaFolders): Promise<string[]> {
  const applied = await database.transaction(async (tx) => {
    await tx.queryText('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await prepareRecord(tx);
    await recogniseFormerRelease(tx, folders);
    const pending = await pendingMigrations(tx, folders);
    for (const { name, sql, checksum } of pending) {
      const [once = '', inEachShard] = sql.split(IN_EACH_SHARD);
      await tx.queryText(once);
      if (inEachShard !== undefined) await applyInShards(tx, inEachShard);
      await tx.queryText('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    }
    return [...pending.map(({ name }) => name), ...(await updateFunctions(tx, folders.functions))];
  });
  await migrateJobs({ pgPool: database.sessionPool, logger: quietLogger });
  return applied;
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

/** Early databases recorded migrations by number, and two branches may have added the same number. */
async function prepareRecord(tx: TextQueryable): Promise<void> {
  await tx.queryText(`CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  await tx.queryText('CREATE TABLE IF NOT EXISTS schema_functions (name text PRIMARY KEY, checksum text NOT NULL)');
  const [version] = await tx.queryText(
    "SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'version' AND NOT attisdropped",
  );
  if (version) await tx.queryText('ALTER TABLE schema_migrations DROP COLUMN version, ADD PRIMARY KEY (name)');
}

async function recogniseFormerRelease(tx: TextQueryable, folders: SchemaFolders): Promise<void> {
  const applied = await appliedMigrations(tx);
  const known = migrationsIn(folders.migrations);
  if (!applied.some(({ name }) => FORMER_MIGRATIONS.has(name))) return correctBaseline(tx, applied, known);
  for (const { name, checksum } of applied)
    if (!EARLIER_FORMS.has(checksum)) requireUnchanged(name, checksum, FORMER_MIGRATIONS.get(name) ?? checksum);
  const [baseline] = known;
  if (!baseline) throw new MigrationMismatch('There is no migration on disk, not even the baseline.');
  await bringToBaseline(tx, applied, folders.migrations, baseline);
}

/** The migrations that are not applied yet, in order. Throws if an applied one was edited, or is newer than this program. */
export async function pendingMigrations(database: TextQueryable, folders = SCHEMA_FOLDERS): Promise<Migration[]> {
  const known = migrationsIn(folders.migrations);
  const applied = await appliedMigrations(database);
  for (const { name, checksum } of applied) {
    const match = known.find((migration) => migration.name === name);
    if (!match)
      throw new MigrationMismatch(`The database has migration ${name}, which this program does not know: it belongs to a newer release.`);
    requireUnchanged(name, checksum, match.checksum);
  }
  const names = new Set(applied.map(({ name }) => name));
  return known.filter(({ name }) => !names.has(name));
}

function appliedMigrations(database: TextQueryable): Promise<{ name: string; checksum: string }[]> {
  return database.queryText<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_migrations');
}

function requireUnchanged(name: string, applied: string, known: string): void {
  if (applied !== known)
    throw new MigrationMismatch(`Migration ${name} was changed after it had been applied; migrations are only ever added.`);
}
