import { globSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from '../../src/platform/postgres/postgres.ts';
import { declaredStatements } from '../../src/platform/postgres/statement.ts';
import { createDatabase } from '../support/service.ts';

const SOURCES = path.resolve(import.meta.dirname, '../../src');

/** A value of each type in SQL, because Citus would plan nothing with nulls. */
const VALUES: Record<string, string> = {
  bigint: '1',
  integer: '1',
  smallint: '1',
  'double precision': '1',
  text: `'a'`,
  boolean: 'true',
  uuid: `'01234567-89ab-cdef-0123-456789abcdef'`,
  bytea: `'a'`,
  json: `'{}'`,
  interval: `'1 s'`,
  'timestamp with time zone': `'2026-01-01Z'`,
};
const exampleOf = (type: string) => (type.endsWith('[]') ? `'{}'` : (VALUES[type] ?? 'NULL'));

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({
    connectionString: await createDatabase(),
    options: `-c search_path=${pathOf(1).replaceAll(' ', '')} -c plan_cache_mode=force_custom_plan`,
  });
  await client.connect();
  for (const store of globSync('modules/*/{store,*-store}.ts', { cwd: SOURCES })) await import(path.join(SOURCES, store));
});

afterAll(() => client.end());

/** The plan of Citus for a statement in a shard, or why there is none. */
async function planOf(text: string): Promise<string> {
  await client.query('BEGIN');
  try {
    await client.query(`PREPARE planned AS ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'planned'`,
    );
    const values = rows[0]?.types.map(exampleOf).join(', ');
    const plan = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE planned${values && `(${values})`}`);
    return plan.rows.map((row) => row['QUERY PLAN']).join('\n');
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : error}`;
  } finally {
    await client.query('ROLLBACK');
    await client.query('DEALLOCATE ALL');
  }
}

test('every statement can be planned by Citus, and is one task on one node', async () => {
  const statements = [...declaredStatements()];
  expect(statements.length).toBeGreaterThan(600);
  const wrong: { text: string; plan: string }[] = [];
  let tasks = 0;
  for (const { text } of statements) {
    const plan = await planOf(text);
    const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    tasks += counts.length;
    if (plan.startsWith('refused') || counts.some((count) => count > 1)) wrong.push({ text, plan });
  }
  expect(wrong).toEqual([]);
  expect(tasks).toBeGreaterThan(100);
});
