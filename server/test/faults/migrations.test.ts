import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate, pendingMigrations } from '../../src/platform/migrate.ts';
import { Database } from '../../src/platform/postgres.ts';
import { listed } from '../support/contacts.ts';
import { olderCopy } from '../support/older-database.ts';
import { Operator } from '../support/operator.ts';
import { CHECKOUT, runProgram, startProcess } from '../support/process.ts';
import { dumpSchema } from '../support/schema-dump.ts';
import { createDatabase, startTestService } from '../support/service.ts';

const SCHEMA = path.join(CHECKOUT, 'server/migrations/schema.sql');
const FIRST = '0001_foundation.sql';

let databaseUrl: string;
let database: Database;
const open = async (template: 'waybill' | 'template0') => {
  databaseUrl = await createDatabase(template);
  database = new Database({ connectionString: databaseUrl }, pino({ level: 'silent' }));
};
const schema = () => dumpSchema((text) => database.queryText(text));
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
    await database.queryText('CREATE TABLE messages (id int)');
    await expect(migrate(database)).rejects.toThrow('already exists');
    expect(await schema()).toContain('CREATE TABLE messages (\n  id integer\n);');
    expect(await schema()).not.toContain('CREATE TABLE parties');
  });
});

test('a database from before there were contacts gets them, with the activity that they would have had', async () => {
  const now = await startTestService();
  const operator = new Operator(now);
  const [acme, globex] = [await now.business('acme'), await now.business('globex')];
  await operator.addBusiness('wide-street', 'BÜRO in der Großen Straße');
  const first = await acme.api.send({ to: 'globex', type: 'order', json: { a: 1 } });
  await globex.api.send({ in_reply_to: first.body.id, type: 'invoice' });
  await globex.api.patch(`/agents/${globex.agentId}`, { name: 'Renamed "agent" of \\ globex' });
  await globex.api.send({ to: 'acme' });
  await acme.api.send({ to: 'wide-street', type: 'ünïcode "type"' });
  await acme.api.send({ to: 'acme' });
  await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? acme.api.send({ to: 'globex' }) : globex.api.send({ to: 'acme' }))));
  await globex.api.send({ to: 'demo' });

  databaseUrl = await olderCopy(now.databaseUrl, [FIRST, '0002_webhooks.sql']);
  database = new Database({ connectionString: databaseUrl }, pino({ level: 'silent' }));
  expect((await pendingMigrations(database)).map(({ name }) => name)).toContain('0004_blocks_and_contacts.sql');
  const upgraded = await startTestService({ DATABASE_URL: databaseUrl });
  for (const { api } of [acme, globex]) {
    const kept = (await api.get('/contacts')).body;
    expect(kept.data.length).toBeGreaterThan(1);
    expect((await api.at(upgraded.url).get('/contacts')).body).toEqual(kept);
  }
  const api = acme.api.at(upgraded.url);
  for (const q of ['büro', 'GROSSEN STRASSE']) expect(await listed(api, { q })).toEqual(['wide-street']);
  expect(await listed(api, { type: 'invoice' })).toEqual(['globex']);
  const { received_at } = (await api.send({ to: 'globex', type: 'new' })).body;
  const [{ activity }] = (await api.get('/contacts?q=globex')).body.data;
  expect(activity).toMatchObject({ messages_in: 12, messages_out: 12, last_seen_at: received_at, types: ['invoice', 'new', 'order'] });
  await Promise.all([operator.close(), upgraded.stop(), now.stop()]);
});

test('a database that lacks a migration in the middle gets just that one, and its record goes by name from then on', async () => {
  const LACKING = '0014_usage.sql';
  const all = readdirSync(path.dirname(SCHEMA)).filter((name) => /^\d{4}_/.test(name));
  const now = await startTestService();
  databaseUrl = await olderCopy(
    now.databaseUrl,
    all.filter((name) => name !== LACKING),
  );
  await now.stop();
  database = new Database({ connectionString: databaseUrl }, pino({ level: 'silent' }));
  expect((await pendingMigrations(database)).map(({ name }) => name)).toEqual([LACKING]);
  expect(await migrate(database)).toEqual([LACKING]);
  expect(await migrate(database)).toEqual([]);
  const recorded = await database.queryText<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
  expect(recorded.map(({ name }) => name)).toEqual(all.sort());
  expect(
    await database.queryText("SELECT FROM information_schema.columns WHERE table_name = 'daily_usage' AND column_name = 'received'"),
  ).toHaveLength(1);
});

describe.each([
  [
    'a migration that was edited after it had been applied',
    "UPDATE schema_migrations SET checksum = 'edited' WHERE name = '0001_foundation.sql'",
    `Migration ${FIRST} was changed after it had been applied; migrations are only ever added.`,
  ],
  [
    'a database of a newer release',
    "INSERT INTO schema_migrations (name, checksum) VALUES ('9999_future.sql', '')",
    'The database has migration 9999_future.sql, which this program does not know: it belongs to a newer release.',
  ],
])('%s', (_name, change, sentence) => {
  beforeEach(() => open('waybill'));

  test('is refused with one sentence, by the service and by commands', async () => {
    await database.queryText(change);
    const env = { DATABASE_URL: databaseUrl, PORT: '0' };
    expect(await runProgram('main', { env })).toMatchObject({ code: 1, stderr: `${sentence}\n` });
    expect(await runProgram('cli', { env, args: ['migrate', '--json'] })).toMatchObject({ code: 1, stdout: '', stderr: `${sentence}\n` });
  });

  test('makes a running service not ready, and says why', async () => {
    const service = await startProcess({ env: { DATABASE_URL: databaseUrl } });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await database.queryText(change);
    const answer = await fetch(`${service.url}/readyz`);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ error: { code: 'unavailable', message: sentence } });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.stop();
  });
});
