import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate, pendingMigrations } from '../../src/platform/migrate.ts';
import { Database } from '../../src/platform/postgres.ts';
import { CHECKOUT, runProgram, startProcess } from '../support/process.ts';
import { dumpSchema } from '../support/schema-dump.ts';
import { createDatabase } from '../support/service.ts';

const SCHEMA = path.join(CHECKOUT, 'server/migrations/schema.sql');
const FIRST = '0001_foundation.sql';

let databaseUrl: string;
let database: Database;
const open = async (template: 'waybill' | 'template0') => {
  databaseUrl = await createDatabase(template);
  database = new Database({ connectionString: databaseUrl }, pino({ level: 'silent' }));
};
const schema = () => dumpSchema((text) => database.query(text));
afterEach(() => database.close());

describe('an empty database', () => {
  beforeEach(() => open('template0'));

  test('is migrated once; after that there is nothing left to do', async () => {
    const applied = await migrate(database);
    expect(applied[0]).toBe(FIRST);
    const before = await schema();
    expect(await migrate(database)).toEqual([]);
    expect(await pendingMigrations(database)).toEqual([]);
    expect(await schema()).toBe(before);
  });

  test('is migrated once by many at the same time', async () => {
    const applied = await Promise.all(Array.from({ length: 6 }, () => migrate(database)));
    expect(applied.filter((names) => names.includes(FIRST))).toHaveLength(1);
  });

  test('gets the schema that is committed beside the migrations', async () => {
    await migrate(database);
    const dumped = await schema();
    if (process.env.UPDATE_SCHEMA) writeFileSync(SCHEMA, dumped);
    const committed = readFileSync(SCHEMA, 'utf8');
    expect(committed, 'schema.sql is old: UPDATE_SCHEMA=1 npx vitest run server/test/faults/migrations.test.ts').toBe(dumped);
  });

  test('is left as it was when a migration fails', async () => {
    await database.query('CREATE TABLE messages (id int)');
    await expect(migrate(database)).rejects.toThrow('already exists');
    expect(await schema()).toContain('CREATE TABLE messages (\n  id integer\n);');
    expect(await schema()).not.toContain('CREATE TABLE parties');
  });
});

describe.each([
  [
    'a migration that was edited after it had been applied',
    "UPDATE schema_migrations SET checksum = 'edited' WHERE version = 1",
    `Migration ${FIRST} was changed after it had been applied; migrations are only ever added.`,
  ],
  [
    'a database of a newer release',
    "INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, '9999_future.sql', '')",
    'The database has migration 9999_future.sql, which this program does not know: it belongs to a newer release.',
  ],
])('%s', (_name, change, sentence) => {
  beforeEach(() => open('waybill'));

  test('is refused with one sentence, by the service and by commands', async () => {
    await database.query(change);
    const env = { DATABASE_URL: databaseUrl, PORT: '0' };
    expect(await runProgram('main', { env })).toMatchObject({ code: 1, stderr: `${sentence}\n` });
    expect(await runProgram('cli', { env, args: ['migrate', '--json'] })).toMatchObject({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });

  test('makes a running service not ready, and says why', async () => {
    const service = await startProcess({ env: { DATABASE_URL: databaseUrl } });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await database.query(change);
    const answer = await fetch(`${service.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ error: { code: 'unavailable', message: sentence } });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.stop();
  });
});
