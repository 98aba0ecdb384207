import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { CHECKOUT } from './process.ts';
import { createDatabase } from './service.ts';

/** A database that has these migrations only, with the rows of another one, as far as there are tables and columns for them. */
export async function olderCopy(databaseUrl: string, migrations: string[]): Promise<string> {
  const olderUrl = await createDatabase('template0');
  const [source, older] = [new pg.Client({ connectionString: databaseUrl }), new pg.Client({ connectionString: olderUrl })];
  await Promise.all([source.connect(), older.connect()]);
  try {
    await applyOnly(older, migrations);
    await copyRows(source, older);
  } finally {
    await Promise.all([source.end(), older.end()]);
  }
  return olderUrl;
}

async function applyOnly(client: pg.Client, migrations: string[]): Promise<void> {
  await client.query(`CREATE TABLE schema_migrations (
    version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  for (const name of migrations) {
    const sql = readFileSync(path.join(CHECKOUT, 'server/migrations', name), 'utf8');
    await client.query(sql);
    const checksum = createHash('sha256').update(sql).digest('hex');
    await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      Number(name.slice(0, 4)),
      name,
      checksum,
    ]);
  }
}

async function copyRows(source: pg.Client, target: pg.Client): Promise<void> {
  const tables = await target.query<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name <> 'schema_migrations' AND is_generated = 'NEVER' GROUP BY table_name`,
  );
  for (const { name, columns } of tables.rows) {
    const { rows } = await source.query(`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM (SELECT ${columns} FROM ${name}) t`);
    await target.query(`DELETE FROM ${name}`);
    await target.query(
      `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1::json)`,
      [rows[0].rows],
    );
  }
}
