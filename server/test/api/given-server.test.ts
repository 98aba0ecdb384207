import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { copyTemplate, openDatabaseServer } from '../support/database-server.ts';

async function databasesOf(adminUrl: string, template: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1) ORDER BY 1', [template]);
  await client.end();
  return rows.map(({ datname }) => datname);
}

test('a server that DATABASE_URL names gets a migrated database and copies of it, which are dropped after the run', async () => {
  const { adminUrl } = inject('databaseServer');
  const server = await openDatabaseServer(adminUrl, '/nonexistent/never-used');
  const { template } = server.address;
  const client = new pg.Client({ connectionString: await copyTemplate(server.address, true) });
  await client.connect();
  const { rows } = await client.query('SELECT FROM schema_migrations');
  expect(rows).not.toEqual([]);
  const closed = new Promise((resolve) => client.on('error', () => {}).once('end', resolve));
  expect(await databasesOf(adminUrl, template)).toEqual([template, expect.stringMatching(`^${template}_`)]);
  // An open connection does not prevent dropping a database.
  await server.close();
  await closed;
  expect(await databasesOf(adminUrl, template)).toEqual([]);
});
