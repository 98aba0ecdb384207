import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runMigrations as migrateJobs } from 'graphile-worker';
import { quietLogger } from './jobs.ts';
import type { Database, TextQueryable } from './postgres.ts';

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** The database and this program do not belong together. */
export class MigrationMismatch extends Error {}

const FOLDER = path.resolve(import.meta.dirname, '../../migrations');
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;
/** Any number that nobody else takes an advisory lock on. */
const LOCK = 7_791_823_145;

function migrationsOnDisk(): Migration[] {
  return readdirSync(FOLDER)
    .filter((name) => FILE_NAME.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(path.join(FOLDER, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/** Brings the database up to date; processes that start together take turns. Returns the names of what was applied. */
export async function migrate(database: Database): Promise<string[]> {
  const applied = await database.transaction(async (tx) => {
    await tx.queryText('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await prepareRecord(tx);
    const pending = await pendingMigrations(tx);
    for (const { name, sql, checksum } of pending) {
      await tx.queryText(sql);
      await tx.queryText('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    }
    return pending.map(({ name }) => name);
  });
  await migrateJobs({ pgPool: database.pool, logger: quietLogger });
  return applied;
}

/** Release 0.1 recorded migrations by number, and two branches may both have added the same number. */
async function prepareRecord(tx: TextQueryable): Promise<void> {
  await tx.queryText(`CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const [version] = await tx.queryText(
    "SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'version' AND NOT attisdropped",
  );
  if (version) await tx.queryText('ALTER TABLE schema_migrations DROP COLUMN version, ADD PRIMARY KEY (name)');
}

/** What is on disk and not in the database, in the order of the names. Throws when an applied migration was edited, or is newer than this program. */
export async function pendingMigrations(database: TextQueryable): Promise<Migration[]> {
  const known = migrationsOnDisk();
  const applied = await database.queryText<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_migrations');
  for (const { name, checksum } of applied) {
    const match = known.find((migration) => migration.name === name);
    if (!match)
      throw new MigrationMismatch(`The database has migration ${name}, which this program does not know: it belongs to a newer release.`);
    if (match.checksum !== checksum)
      throw new MigrationMismatch(`Migration ${name} was changed after it had been applied; migrations are only ever added.`);
  }
  const names = new Set(applied.map(({ name }) => name));
  return known.filter(({ name }) => !names.has(name));
}
