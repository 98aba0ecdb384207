import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { migrate, pendingMigrations, type SchemaFolders } from '../../src/platform/migrations/migrate.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { Api } from '../support/api.ts';
import { CHECKOUT, runProgram, startProcess, temporaryFolder } from '../support/process.ts';
import { dumpSchema } from '../support/schema-dump.ts';
import { createDatabase, startTestService } from '../support/service.ts';

const SCHEMA = path.join(CHECKOUT, 'server/migrations/schema.sql');
const FIRST = '0001_baseline.sql';
/** The migrations of release 0.1, and rows that its service has written. */
const RELEASE_0_1 = path.join(CHECKOUT, 'server/test/fixtures/release-0.1.sql');
/** The keys of acme and globex in that release. */
const KEYS = ['wb_7VzT30smWA9WkwHu6NZU8ZgmUPzWJf1J49fc', 'wb_Fa3qbXq4CqyixWR2C6Gxeft9AwfEVz2gLJrh'];

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
    if (process.env['UPDATE_SCHEMA']) writeFileSync(SCHEMA, dumped);
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

describe('a database of release 0.1', () => {
  const load = async (change = '') => {
    await open('template0');
    await database.queryText(readFileSync(RELEASE_0_1, 'utf8') + change);
  };

  test('is at the baseline when it has all its migrations: it gets the schema of a fresh one, and keeps what is in it', async () => {
    await load();
    const rows = () => database.queryText('SELECT id, sender, json, content_hash FROM messages ORDER BY id');
    const before = await rows();
    expect(before).toHaveLength(6);
    const service = await startTestService({ DATABASE_URL: databaseUrl });
    expect(await rows()).toEqual(before);
    expect(await schema()).toBe(readFileSync(SCHEMA, 'utf8'));

    const [acme, globex] = KEYS.map((key) => new Api(service.url, key)) as [Api, Api];
    const inbox = (await globex.get('/inbox')).body.data;
    const [drop, withFile, order] = inbox;
    expect(order).toMatchObject({ type: 'order', subject: 'Order 4711', to: { segment: 'orders' }, idempotency_key: 'order-4711' });
    expect((await globex.get(`/messages/${order.id}`)).text).toContain('"json":{"n": 1.0, "big": 12345678901234567890},');
    expect(withFile).toMatchObject({ note: 'Grüße', files: [{ filename: 'plan.txt', size_bytes: 12 }] });
    expect(drop).toMatchObject({ from: { party: { kind: 'domain', domain: 'umbrella.test' } } });
    const thread = (await acme.get(`/threads/${order.thread_id}`)).body.data;
    expect(thread.map(({ type }: { type: string }) => type).toSorted()).toEqual(['invoice', 'order']);
    expect((await globex.get('/contacts?q=acme')).body.data[0].activity).toMatchObject({ messages_in: 2, messages_out: 1 });

    await database.queryText("UPDATE idempotency_keys SET expires_at = now() + interval '1 hour'");
    const repeated = await acme.send({ to: 'globex', note: 'whatever' }, { 'idempotency-key': 'order-4711' });
    expect([repeated.body.id, repeated.headers.get('idempotent-replayed')]).toEqual([order.id, 'true']);
    const reply = await acme.send({ in_reply_to: order.id, type: 'change', json: { n: 2 } });
    expect(reply.status, reply.text).toBe(201);
    expect((await globex.get(`/messages/${reply.body.id}`)).body).toMatchObject({ thread_id: order.thread_id, json: { n: 2 } });
    const queued = await database.queryText('SELECT FROM webhook_attempts WHERE message_id = $1', [parseId('msg', reply.body.id)]);
    expect(queued.length).toBeGreaterThan(0);
    await service.stop();
  });

  test('is left alone by the second start', async () => {
    await load();
    expect(await migrate(database)).not.toContain(FIRST);
    const traces = () =>
      database.queryText(`SELECT oid, xmin FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT oid, xmin FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 'c') ORDER BY oid`);
    const [before, dumped] = [await traces(), await schema()];
    expect(await migrate(database)).toEqual([]);
    expect(await traces()).toEqual(before);
    expect(await schema()).toBe(dumped);
  });

  test.each([
    [
      'has an edited migration',
      "UPDATE schema_migrations SET checksum = 'edited' WHERE name = '0014_usage.sql'",
      'Migration 0014_usage.sql was changed after it had been applied; migrations are only ever added.',
    ],
  ])('is refused with one sentence when it %s', async (_, change, sentence) => {
    await load(change);
    expect(await runProgram('cli', { env: { DATABASE_URL: databaseUrl }, args: ['migrate', '--json'] })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${sentence}\n`,
    });
    expect(await database.queryText("SELECT FROM schema_migrations WHERE name = '0001_foundation.sql'")).toHaveLength(1);
  });
});

/** Each distinct set of migrations that a commit on the main branch or merged into it had, with the first such commit, and the texts by their checksums. */
const FORMER: { texts: Record<string, string>; states: { commit: string; files: Record<string, string> }[] } = JSON.parse(
  gunzipSync(readFileSync(path.join(CHECKOUT, 'server/test/fixtures/former-schemas.json.gz'))).toString('utf8'),
);

/** Two parties beside the demo inbox, and a message between them, in columns that all forms of the tables had. */
const FORMER_ROWS = `
  INSERT INTO parties (handle, display_name) VALUES ('acme', 'ACME Straße'), ('globex', 'Globex');
  INSERT INTO ledgers (party_id, head) VALUES (2, 7000000000004097), (3, 7000000000004097);
  INSERT INTO messages (sender_id, id, recipient_id, thread_id, sender, recipient, note, validation, validation_errors, received_at, content_hash, receipt_token)
  VALUES (2, '01980000-0000-7000-8000-000000000001', 3, '01980000-0000-7000-8000-000000000001',
    '{"party":{"kind":"business","handle":"acme","display_name":"ACME"},"actor":{"id":"agt_1","kind":"agent","name":"Orders"}}',
    '{"kind":"business","handle":"globex","display_name":"Globex"}', 'kept', 'not_applicable', '[]', now(), '\\x01', '\\x02');
  INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation)
  VALUES (2, 'out', 7000000000004097, '01980000-0000-7000-8000-000000000001', 3, '01980000-0000-7000-8000-000000000001', 'not_applicable'),
    (3, 'in', 7000000000004097, '01980000-0000-7000-8000-000000000001', 2, '01980000-0000-7000-8000-000000000001', 'not_applicable');`;

/** Rows that only later forms of the tables could have. */
const LATER_ROWS = `
  INSERT INTO webhooks (party_id, id, url, secret) VALUES (3, '01980000-0000-7000-8000-000000000002', 'https://globex.test/', 'sealed');
  INSERT INTO idempotency_keys (party_id, key, message_id, created_at) VALUES (2, 'order-1', '01980000-0000-7000-8000-000000000001', now());`;
const LOGIN_WITHOUT_NETWORK = `
  INSERT INTO device_logins (device_hash, user_code, name, created_at, expires_at) VALUES ('\\x01', 'ABCD', 'CLI', now(), now() + interval '10 minutes');`;
/** Rows of single commits, whose forms of the tables no other commit had. */
const ROWS_OF_COMMITS: Readonly<Record<string, string>> = {
  '4a103c5': LOGIN_WITHOUT_NETWORK,
  '7e0b884': LOGIN_WITHOUT_NETWORK,
  b60922f: "UPDATE idempotency_keys SET body_digest = '\\x01'",
};

describe('a database of a commit that said 0.1.0, 0.2.0, 0.3.0-dev or 0.3.0', () => {
  /** Sorted, because a column that was added later has another place in its table. */
  const lines = (dumped: string) =>
    dumped
      .split('\n')
      .map((line) => line.replace(/,$/, ''))
      .toSorted();

  test.each(FORMER.states)('$commit is brought up to date, with what is in it', async ({ commit, files }) => {
    const isOld = files['0001_foundation.sql'] !== undefined;
    await open('template0');
    await database.queryText(
      'CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const [first, ...others] = Object.entries(files).toSorted();
    // The rows are those of a service that has run since the first migration. Later migrations derive their tables from them.
    const steps = first ? [first, undefined, ...others] : [];
    for (const [version, step] of steps.entries()) {
      if (step === undefined) {
        const rows = hasColumn(FORMER.texts[first?.[1] ?? ''], 'file_count') ? withFileCount(FORMER_ROWS) : FORMER_ROWS;
        await database.queryText(isOld ? rows : rows + LATER_ROWS);
        continue;
      }
      const [name, checksum] = step;
      await database.queryText(FORMER.texts[checksum] ?? '');
      await database.queryText('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [version, name, checksum]);
    }
    await database.queryText(ROWS_OF_COMMITS[commit] ?? '');
    await migrate(database);
    expect(lines(await schema())).toEqual(lines(readFileSync(SCHEMA, 'utf8')));
    expect(await database.queryText('SELECT note, file_count FROM messages')).toEqual([{ note: 'kept', file_count: 0 }]);
    expect(await migrate(database)).toEqual([]);
    await (isOld ? expectDerivedRows() : expectLaterRows());
  });

  async function expectDerivedRows(): Promise<void> {
    expect(await database.queryText('SELECT handle, folded_name FROM parties WHERE id > 1 ORDER BY id')).toEqual([
      { handle: 'acme', folded_name: 'acme strasse' },
      { handle: 'globex', folded_name: 'globex' },
    ]);
    expect(await database.queryText('SELECT messages_in::integer, messages_out::integer FROM contacts ORDER BY party_id')).toEqual([
      { messages_in: 0, messages_out: 1 },
      { messages_in: 1, messages_out: 0 },
    ]);
  }

  async function expectLaterRows(): Promise<void> {
    // The threads of every business are still to be read from its ledger.
    const nil = '00000000-0000-0000-0000-000000000000';
    expect(await database.queryText('SELECT party_id::integer, rebuilt_through FROM thread_index ORDER BY party_id')).toEqual(
      [1, 2, 3].map((party_id) => ({ party_id, rebuilt_through: nil })),
    );
    expect(await database.queryText('SELECT client_certificate FROM webhooks')).toEqual([{ client_certificate: true }]);
    expect(await database.queryText('SELECT key, request_digest FROM idempotency_keys')).toEqual([
      { key: 'order-1', request_digest: null },
    ]);
    expect(await database.queryText('SELECT FROM device_logins')).toEqual([]);
  }

  const hasColumn = (sql = '', column = '') => new RegExp(`^  ${column} `, 'm').test(sql);
  const withFileCount = (rows: string) =>
    rows
      .replace('content_hash, receipt_token)', 'content_hash, receipt_token, file_count)')
      .replace("'\\x01', '\\x02')", "'\\x01', '\\x02', 0)");
});

describe('files of one’s own', () => {
  let folders: SchemaFolders;
  const write = (kind: keyof SchemaFolders, file: string, sql: string) => writeFileSync(path.join(folders[kind], file), sql);
  beforeEach(async () => {
    await open('template0');
    const folder = temporaryFolder();
    folders = { migrations: path.join(folder, 'migrations'), functions: path.join(folder, 'sql') };
    mkdirSync(folders.migrations);
    mkdirSync(path.join(folders.functions, 'things'), { recursive: true });
    write('migrations', '0001_first.sql', 'CREATE TABLE things (id int)');
  });
  const functions = () =>
    database.queryText<{ signature: string; oid: number; body: string }>(
      `SELECT oid::int, oid::regprocedure::text AS signature, prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 2`,
    );
  const one = (parameters: string, body: string, result = 'integer') =>
    `CREATE OR REPLACE FUNCTION one(${parameters}) RETURNS ${result} LANGUAGE sql IMMUTABLE AS $$ ${body} $$;`;

  test.each([
    ['the later name first', ['0003_later.sql', '0002_earlier.sql']],
    ['the earlier name first', ['0002_earlier.sql', '0003_later.sql']],
  ])('migrations of two branches are each applied once, whichever is merged first: %s', async (_, [first, second]) => {
    const sql = { '0002_earlier.sql': 'ALTER TABLE things ADD earlier int', '0003_later.sql': 'CREATE INDEX later ON things (id)' };
    write('migrations', first as string, sql[first as keyof typeof sql]);
    expect(await migrate(database, folders)).toEqual(['0001_first.sql', first]);
    write('migrations', second as string, sql[second as keyof typeof sql]);
    expect((await pendingMigrations(database, folders)).map(({ name }) => name)).toEqual([second]);
    expect(await migrate(database, folders)).toEqual([second]);
    expect(await migrate(database, folders)).toEqual([]);
    const recorded = await database.queryText<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
    expect(recorded.map(({ name }) => name)).toEqual(['0001_first.sql', '0002_earlier.sql', '0003_later.sql']);
    expect(await schema()).toContain('earlier integer');
    expect(await schema()).toContain('CREATE INDEX later');
  });

  test('a function is replaced when its text changes, and otherwise not touched', async () => {
    write('functions', 'things/one.sql', one('', 'SELECT 1'));
    write(
      'functions',
      'things/two.sql',
      'CREATE OR REPLACE FUNCTION two() RETURNS int LANGUAGE sql AS $$ SELECT one() + not_there_yet() $$;',
    );
    expect(await migrate(database, folders)).toEqual(['0001_first.sql', 'things/one.sql', 'things/two.sql']);
    const [before] = await functions();
    expect(await migrate(database, folders)).toEqual([]);
    write('functions', 'things/one.sql', one('', 'SELECT 11'));
    expect(await migrate(database, folders)).toEqual(['things/one.sql']);
    expect(await functions()).toMatchObject([{ oid: before?.oid, body: ' SELECT 11 ' }, { signature: 'two()' }]);
  });

  test.each([
    ['parameters', one('a integer', 'SELECT a'), one('a bigint', 'SELECT 2'), 'one(bigint)'],
    ['names of parameters', one('a integer', 'SELECT a'), one('b integer', 'SELECT b'), 'one(integer)'],
    ['result', one('a integer', 'SELECT a'), one('a integer', "SELECT 'x'", 'text'), 'one(integer)'],
  ])('a function with other %s takes the place of the former one', async (_, former, next, signature) => {
    write('functions', 'things/one.sql', former);
    await migrate(database, folders);
    write('functions', 'things/one.sql', next);
    expect(await migrate(database, folders)).toEqual(['things/one.sql']);
    expect((await functions()).map((found) => found.signature)).toEqual([signature]);
  });

  test('a function whose file is gone is dropped, and one that we do not know is left', async () => {
    write('functions', 'things/one.sql', one('', 'SELECT 1'));
    await migrate(database, folders);
    await database.queryText('CREATE FUNCTION operators_own() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
    rmSync(path.join(folders.functions, 'things/one.sql'));
    expect(await migrate(database, folders)).toEqual([]);
    expect((await functions()).map(({ signature }) => signature)).toEqual(['operators_own()']);
  });

  test('a function that an index uses is replaced in place', async () => {
    write('functions', 'things/one.sql', one('a integer', 'SELECT a'));
    await migrate(database, folders);
    await database.queryText('CREATE INDEX by_one ON things (one(id))');
    write('functions', 'things/one.sql', one('a integer', 'SELECT a + 0'));
    expect(await migrate(database, folders)).toEqual(['things/one.sql']);
    expect(await schema()).toContain('one(id)');
  });

  test('a function that can’t be created leaves everything as it was', async () => {
    write('functions', 'things/one.sql', one('', 'SELECT 1'));
    await migrate(database, folders);
    write('migrations', '0002_more.sql', 'CREATE TABLE more (id int)');
    write('functions', 'things/one.sql', one('', 'SELECT 1', 'no_such_type'));
    await expect(migrate(database, folders)).rejects.toThrow('no_such_type');
    expect(await schema()).not.toContain('CREATE TABLE more');
    expect(await functions()).toMatchObject([{ body: ' SELECT 1 ' }]);
  });
});

describe.each([
  [
    'a migration that was edited after it had been applied',
    "UPDATE schema_migrations SET checksum = 'edited' WHERE name = '0001_baseline.sql'",
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
    const response = await fetch(`${service.url}/readyz`);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ error: { code: 'unavailable', message: sentence } });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.stop();
  });
});
