import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../contract/thrown.ts';
import type { TextQueryable } from '../postgres/postgres.ts';

export interface SqlFunction {
  file: string;
  name: string;
  sql: string;
  checksum: string;
}

/** PostgreSQL can't replace a function whose result type, parameter name or default differs. */
const INVALID_FUNCTION_DEFINITION = '42P13';

export function functionsIn(folder: string): SqlFunction[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(path.join(folder, file), 'utf8');
      return { file, name: path.basename(file, '.sql'), sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/**
 * Updates the functions of the database to those of the folder. Unchanged ones stay, so that no cached plan is invalidated needlessly. Returns the
 * changed files.
 */
export async function updateFunctions(tx: TextQueryable, folder: string): Promise<string[]> {
  const wanted = functionsIn(folder);
  const rows = await tx.queryText<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_functions');
  const recorded = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const changed = wanted.filter(({ name, checksum }) => recorded.get(name) !== checksum);
  const gone = [...recorded.keys()].filter((name) => !wanted.some((known) => known.name === name));
  for (const name of gone) await dropAll(tx, await signaturesOf(tx, name));
  if (changed.length > 0) await recreateFunctions(tx, changed);
  await tx.queryText('DELETE FROM schema_functions WHERE name = ANY ($1)', [gone]);
  for (const { name, checksum } of changed)
    await tx.queryText(
      'INSERT INTO schema_functions (name, checksum) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum',
      [name, checksum],
    );
  return changed.map(({ file }) => file);
}

export async function recreateFunctions(tx: TextQueryable, functions: readonly SqlFunction[]): Promise<void> {
  // Bodies may refer to functions that are created later in this transaction.
  await tx.queryText('SET LOCAL check_function_bodies = off');
  const hasCitus = await isCitus(tx);
  for (const each of functions) await recreate(tx, hasCitus ? { ...each, sql: forCitus(each.sql) } : each);
}

export async function isCitus(db: TextQueryable): Promise<boolean> {
  return (await db.queryText("SELECT FROM pg_extension WHERE extname = 'citus'")).length > 0;
}

/** Citus plans most writes only for the values at hand. */
function forCitus(sql: string): string {
  return sql.replaceAll('force_generic_plan', 'force_custom_plan');
}

/** Replaces the function in place if PostgreSQL can, because an index or a running call refers to its oid. Otherwise drops it first. */
async function recreate(tx: TextQueryable, { name, sql }: SqlFunction): Promise<void> {
  let former = await signaturesOf(tx, name);
  if (former.length > 1) {
    await dropAll(tx, former);
    former = [];
  }
  await tx.queryText('SAVEPOINT recreate');
  try {
    await tx.queryText(sql);
  } catch (error) {
    if (codeOf(error) !== INVALID_FUNCTION_DEFINITION) throw error;
    await tx.queryText('ROLLBACK TO SAVEPOINT recreate');
    await dropAll(tx, former);
    await tx.queryText(sql);
  }
  await tx.queryText('RELEASE SAVEPOINT recreate');
  // Other parameter types make a second function beside the former one.
  if ((await signaturesOf(tx, name)).length > 1) await dropAll(tx, former);
}

async function signaturesOf(tx: TextQueryable, name: string): Promise<string[]> {
  const rows = await tx.queryText<{ signature: string }>(
    `SELECT p.oid::regprocedure::text AS signature FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE p.proname = $1 AND n.nspname = current_schema()`,
    [name],
  );
  return rows.map(({ signature }) => signature);
}

async function dropAll(tx: TextQueryable, signatures: readonly string[]): Promise<void> {
  for (const signature of signatures) await tx.queryText(`DROP FUNCTION ${signature}`);
}
