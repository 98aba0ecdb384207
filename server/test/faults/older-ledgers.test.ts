import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { migrate, SCHEMA_FOLDERS } from '../../src/platform/migrations/migrate.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { Api } from '../support/api.ts';
import { claimedBy } from '../support/businesses.ts';
import { ids } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import { temporaryFolder, until } from '../support/process.ts';
import { search, untilSearchable } from '../support/search.ts';
import { createDatabase, startTestService, type TestService } from '../support/service.ts';
import { threadsOf, untilDocumentsRead } from '../support/threads.ts';

const LAST = '0003';
const unlimited = { NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', MONTHLY_MESSAGE_LIMIT: '0' };
const silent = pino({ level: 'silent' });

/** Creates a database with the migrations up to LAST, and copies the rows of another one into it. */
async function olderCopyOf(newerUrl: string): Promise<string> {
  const folder = temporaryFolder();
  const folders = { migrations: path.join(folder, 'migrations'), functions: path.join(folder, 'sql') };
  mkdirSync(folders.migrations);
  mkdirSync(folders.functions);
  for (const name of readdirSync(SCHEMA_FOLDERS.migrations))
    if (name.slice(0, LAST.length) <= LAST) copyFileSync(path.join(SCHEMA_FOLDERS.migrations, name), path.join(folders.migrations, name));
  const olderUrl = await createDatabase('template0');
  const [older, newer] = [olderUrl, newerUrl].map((url) => new Database({ connectionString: url }, silent)) as [Database, Database];
  await migrate(older, folders);
  const tables = await older.queryText<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'schema\\_%'`,
  );
  await older.transaction(async (tx) => {
    // Foreign keys are not checked, because tables are copied in any order.
    await tx.queryText('SET LOCAL session_replication_role = replica');
    for (const { name } of tables) {
      const [rows] = await newer.queryText<{ all: string }>(`SELECT coalesce(json_agg(t), '[]')::text AS all FROM "${name}" t`);
      const [columns] = await tx.queryText<{ names: string }>(
        `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
          WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
        [`"${name}"`],
      );
      await tx.queryText(`DELETE FROM "${name}"`);
      await tx.queryText(
        `INSERT INTO "${name}" (${columns?.names}) OVERRIDING SYSTEM VALUE SELECT ${columns?.names} FROM json_populate_recordset(NULL::"${name}", $1)`,
        [rows?.all],
      );
    }
  });
  await Promise.all([older.close(), newer.close()]);
  return olderUrl;
}

/** Threads in several states, with replies, files, a message to oneself, and the history of an organisation that has joined a business. */
async function fill(service: TestService): Promise<Record<string, string>> {
  const [acme, globex] = [await service.business('acme'), await service.business('globex', { segment: 'orders' })];
  for (let n = 0; n < 30; n++) {
    const first = await acme.api.send({ to: 'globex/orders', type: 'order', subject: `Order ${n}`, json: { lines: [n] } });
    if (n % 3 === 0) await globex.api.send({ in_reply_to: first.body.id, note: `velvet ${n}` });
    if (n % 6 === 0) await acme.api.send({ to: 'acme', note: 'velvet for ourselves' });
  }
  const ann = await signInWithCode(service, 'ann@tailor-works.test');
  const drop = (await ann.post('/v1/drops', { to: 'acme', subject: 'From before', note: 'velvet for ann' })).body;
  await acme.api.send({ in_reply_to: drop.id, note: 'velvet on its way' });
  const tailor = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
  await until(async () => (await tailor.get('/outbox')).body.data.length === 1);
  const { id } = (await tailor.post('/agents', { name: 'Till' })).body;
  const { secret } = (await tailor.post(`/agents/${id}/keys`, { scope: 'read_write' })).body;
  await untilSearchable(service);
  return { acme: acme.secret, globex: globex.secret, tailor: secret };
}

/** Reads the lists of threads and the searches of a business. */
async function shown(api: Api) {
  const threads = (await threadsOf(api, { limit: 200 })).map(({ unread_count: _, ...thread }) => thread);
  const found: string[] = [];
  for (const q of ['velvet', 'order', 'from:acme', '"velvet for ann"', 'has:json'])
    found.push(...ids((await search(api, q)).map((one) => one.message)));
  // A message from before json_bytes_sha256 was recorded has null there.
  const text = JSON.stringify(threads)
    .replaceAll(api.url, '')
    .replaceAll(/"json_bytes_sha256":"[^"]*"/g, '"json_bytes_sha256":null');
  return { threads: JSON.parse(text), found };
}

test('a database from before threads and search lists every thread and finds every message once the workers have caught up', async ({
  onTestFinished,
}) => {
  const newer = await startTestService({ ...unlimited, DATABASE_URL: await createDatabase('undistributed') });
  onTestFinished(() => newer.stop());
  const secrets = await fill(newer);
  await untilDocumentsRead(newer);
  const expected = new Map<string, Awaited<ReturnType<typeof shown>>>();
  for (const [handle, secret] of Object.entries(secrets)) expected.set(handle, await shown(new Api(newer.url, secret)));
  expect(expected.get('acme')?.threads.length).toBeGreaterThan(30);
  expect(expected.get('tailor')).toMatchObject({ threads: [{ subject: 'From before', message_count: 2 }] });

  const older = await startTestService({ ...unlimited, DATABASE_URL: await olderCopyOf(newer.databaseUrl) });
  onTestFinished(() => older.stop());
  await until(async () => (await older.sql('SELECT FROM thread_index WHERE rebuilt_through IS NOT NULL')).length === 0);
  await untilSearchable(older);
  await untilDocumentsRead(older);
  for (const [handle, secret] of Object.entries(secrets)) {
    const api = new Api(older.url, secret);
    expect(await shown(api), handle).toEqual(expected.get(handle));
    // Messages from before the list are new to nobody, but later ones are.
    expect((await threadsOf(api, { unread: 'true' })).length, handle).toBe(0);
  }
  const { body } = await new Api(older.url, secrets['acme']).send({ to: 'globex', note: 'velvet of today' });
  await untilSearchable(older);
  const globex = new Api(older.url, secrets['globex']);
  expect(ids(await threadsOf(globex, { unread: 'true' }))).toEqual([body.thread_id]);
  expect((await search(globex, '"velvet of today"')).map(({ message }) => message.id)).toEqual([body.id]);
});
