import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { quietLogger } from '../jobs/jobs.ts';
import { withStatementLimit } from '../postgres/limited-client.ts';
import type { Database, TextQueryable } from '../postgres/postgres.ts';
import { applyMigration } from './apply-migration.ts';
import { bringToBaseline, bringToPresentForms, EARLIER_FORMS, FORMER_MIGRATIONS } from './former-release.ts';
import { updateFunctions } from './sql-functions.ts';

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

type Tell = (sentence: string) => void;

/**
 * Brings the database up to date. Processes that start together take turns. Returns the applied files. An upgrade tells of each step before it begins: with
 * many messages, a step may take minutes.
 */
export function migrate(database: Database, folders = SCHEMA_FOLDERS, tell: Tell = () => {}): Promise<string[]> {
  return withStatementLimit(Number.POSITIVE_INFINITY, () => migrateNow(database, folders, tell));
}

async function migrateNow(database: Database, folders: SchemaFolders, tell: Tell): Promise<string[]> {
  const startedAt = performance.now();
  let isUpgrade = false;
  const applied = await database.transaction(async (tx) => {
    await tx.queryText('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await prepareRecord(tx);
    await recogniseFormerRelease(tx, folders);
    const pending = await pendingMigrations(tx, folders);
    // A new database has nothing that could take long.
    isUpgrade = pending.length > 0 && (await appliedMigrations(tx)).length > 0;
    for (const [at, { name, sql, checksum }] of pending.entries()) {
      if (isUpgrade) tell(`Applying ${name}, ${at + 1} of ${pending.length} …`);
      await applyMigration(tx, sql);
      await tx.queryText('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    }
    if (isUpgrade) tell('Updating SQL functions …');
    return [...pending.map(({ name }) => name), ...(await updateFunctions(tx, folders.functions))];
  });
  await migrateJobs({ pgPool: database.sessionPool, logger: quietLogger });
  if (isUpgrade) tell(`The database is up to date after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
  return applied;
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
  if (!applied.some(({ name }) => FORMER_MIGRATIONS.has(name))) return bringToPresentForms(tx, applied, known);
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
