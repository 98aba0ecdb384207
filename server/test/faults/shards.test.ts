import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate, SCHEMA_FOLDERS } from '../../src/platform/migrations/migrate.ts';
import { connectionTo } from '../../src/platform/postgres/database-hosts.ts';
import { Database } from '../../src/platform/postgres/postgres.ts';
import { distribute, SHARD_TABLE_NAMES } from '../../src/platform/shards/distribute.ts';
import { openShards } from '../../src/platform/shards/shards.ts';
import { Api } from '../support/api.ts';
import { ConsumerClient } from '../support/consumers.ts';
import { claim, dropped } from '../support/drops.ts';
import { everyPage, ids } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import { until } from '../support/process.ts';
import { receiverSettings, startReceiver } from '../support/receiver.ts';
import { search } from '../support/search.ts';
import { createDatabase, startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { announcement, put } from '../support/transfer.ts';

const log = pino({ level: 'silent' });
const SHARDS = 4;

async function distributeOver(databaseUrl: string, shards: number): Promise<string[]> {
  const database = new Database(await connectionTo(databaseUrl), log);
  const told: string[] = [];
  try {
    await distribute(database, shards, (sentence) => told.push(sentence));
  } finally {
    await database.close();
  }
  return told;
}

describe('a database that is distributed', () => {
  const handles = ['ash', 'birch', 'cedar', 'dogwood', 'elm'];
  let service: TestService;
  let databaseUrl: string;
  let settings: Record<string, string>;
  let businesses: TestBusiness[];
  let before: Record<string, unknown>;

  const apiOf = (secret: string) => new Api(service.url, secret);

  /** Removes the address of the service, which changes with each start, and URLs, which are signed again each time. */
  const stable = (item: unknown): unknown =>
    JSON.parse(JSON.stringify(item, (name, value) => (name === 'download_url' ? undefined : value)).replaceAll(service.url, ''));

  /** Reads everything that clients can read. */
  async function everything(): Promise<Record<string, unknown>> {
    const seen: Record<string, unknown> = {};
    for (const { handle, secret } of businesses) {
      const api = apiOf(secret);
      for (const list of ['/inbox', '/outbox', '/contacts', '/blocks', '/webhooks', '/consumers'])
        seen[`${handle} ${list}`] = (await everyPage(api, list)).flat().map(stable);
      for (const envelope of (await everyPage(api, '/outbox')).flat()) {
        seen[`${handle} ${envelope.thread_id}`] = (await api.get(`/threads/${envelope.thread_id}`)).body.data.map(stable);
        const token = envelope.receipt_url.split('/').at(-1);
        seen[token] = stable((await api.get(`/receipts/${token}`)).body);
      }
      seen[`${handle} schema`] = (await api.get('/inbox/schema')).body;
      seen[`${handle} usage`] = (await api.get('/me')).body.usage;
    }
    return seen;
  }

  beforeAll(async () => {
    databaseUrl = await createDatabase('undistributed');
    settings = { DATABASE_URL: databaseUrl, NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', ...receiverSettings };
    service = await startTestService(settings);
    businesses = [];
    for (const handle of handles) businesses.push(await service.business(handle));
    for (const { api } of businesses)
      for (const to of handles) {
        const sent = await api.send({ to, type: 'order.placed', json: { to } }, { 'Idempotency-Key': `to-${to}` });
        expect(sent.status, sent.text).toBe(201);
      }
    const [ash, birch] = businesses as [TestBusiness, TestBusiness];
    const upload = (await ash.api.write('POST', '/uploads', announcement({ size_bytes: 5 }))).body;
    await put(upload, 'bytes');
    const withFile = await ash.api.send({ to: 'birch', files: [upload.upload_id] });
    expect(withFile.status, withFile.text).toBe(201);
    await birch.api.send({ in_reply_to: withFile.body.id, note: 'thanks' });
    await ash.api.write('POST', '/contacts', { handle: 'cedar', label: 'Wood' });
    await birch.api.write('POST', '/blocks', { email_domain: 'spam.example' });
    const stranger = await signInWithCode(service, 'ann@wood-works.test');
    const written = await dropped(stranger, { to: 'cedar', note: 'a drop' });
    await businesses[2]?.api.send({ in_reply_to: written.id, note: 'a reply' });
    await claim(stranger, 'woodworks');
    await until(async () => (await service.sql('SELECT FROM joined_threads')).length === 1);
    for (const { api } of businesses) {
      const consumer = new ConsumerClient(api, 'jobs');
      await consumer.put({ start: 'beginning' });
      expect(await consumer.lease({ limit: 2, lease_s: 3_600 })).toHaveLength(2);
    }
    before = await everything();
    await service.stop();
    const told = await distributeOver(databaseUrl, SHARDS);
    expect(told.at(-1)).toContain(SHARD_TABLE_NAMES.at(-1));
    service = await startTestService(settings);
  });

  afterAll(() => service.stop());

  test('has the rows of parties in its shards, and nowhere else', async () => {
    expect(await service.sql('SELECT number FROM shards ORDER BY number')).toEqual([0, 1, 2, 3].map((number) => ({ number })));
    const tables = await service.sql<{ schema: string; tables: number }>(
      `SELECT schemaname AS schema, count(*)::integer AS tables FROM pg_tables WHERE tablename IN ('messages', 'ledgers', 'webhook_attempts')
        GROUP BY 1 ORDER BY 1`,
    );
    expect(tables).toEqual([0, 1, 2, 3].map((number) => ({ schema: `shard_${number}`, tables: 3 })));
    const parties = await service.sql<{ id: string }>('SELECT id FROM parties WHERE handle = ANY ($1)', [handles]);
    expect(new Set(parties.map(({ id }) => Number(id) % SHARDS)).size).toBe(SHARDS);
  });

  test('shows everything that it showed before', async () => {
    expect(await everything()).toEqual(before);
  });

  test('finds messages of before, which workers have read again', async () => {
    // A search finds a message to oneself once.
    for (const { secret } of businesses)
      await expect
        .poll(async () => (await search(apiOf(secret), 'type:order.placed')).length, { timeout: 60_000 })
        .toBe(2 * handles.length - 1);
  });

  test('hands out messages where it had stopped, and takes acknowledgements of before', async () => {
    for (const { handle, secret } of businesses) {
      const consumer = new ConsumerClient(apiOf(secret), 'jobs');
      const inbox = ids((await everyPage(apiOf(secret), '/inbox')).flat()).reverse();
      const rest = await consumer.leaseIds({ limit: 100 });
      expect(rest).toEqual(inbox.slice(2));
      expect(await consumer.do('ack', inbox)).toEqual({ acknowledged: inbox.length, unknown: [] });
      const waiting = consumer.leaseIds({ wait_s: 30 });
      const { body } = await apiOf((businesses[0] as TestBusiness).secret).send({ to: handle });
      expect(await waiting).toEqual([body.id]);
      await consumer.do('ack', [body.id]);
    }
  });

  test('replays the keys of before, from every shard to every other', async () => {
    for (const { secret } of businesses)
      for (const to of handles) {
        const again = await apiOf(secret).send({ to, json: 'other' }, { 'Idempotency-Key': `to-${to}` });
        expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      }
  });

  test('delivers from every shard to every other: both ledgers, contacts, webhooks, and no relay is left', async () => {
    const receiver = await startReceiver();
    for (const { secret } of businesses)
      expect((await apiOf(secret).write('POST', '/webhooks', { url: receiver.url(`/${secret.slice(-6)}`) })).status).toBe(201);
    const sent: string[] = [];
    for (const { secret } of businesses)
      for (const to of handles) {
        const response = await apiOf(secret).send({ to, type: 'across', note: 'across' });
        expect(response.status, response.text).toBe(201);
        sent.push(response.body.id);
      }
    const found = { '/inbox': [] as string[], '/outbox': [] as string[] };
    for (const { secret } of businesses)
      for (const box of ['/inbox', '/outbox'] as const)
        found[box].push(...ids((await everyPage(apiOf(secret), box, { type: 'across' })).flat()));
    for (const box of Object.values(found)) expect(box.toSorted()).toEqual(sent.toSorted());
    await expect.poll(() => new Set(receiver.deliveries.map(({ body }) => JSON.parse(body.toString()).id)).size).toBe(sent.length);
    for (const table of ['relays', 'queued_jobs'])
      await expect.poll(async () => (await service.sql(`SELECT FROM ${table}`)).length).toBe(0);
    await receiver.stop();
  });

  test('a message whose process died between both halves is delivered once, by a sweep or by the repeat of its key', async () => {
    const [ash] = businesses as [TestBusiness];
    const api = apiOf(ash.secret);
    const sent = await api.send({ to: 'birch', note: 'halved' }, { 'Idempotency-Key': 'halved' });
    const { body } = sent;
    const database = new Database(await connectionTo(databaseUrl), log);
    (await openShards(database, await connectionTo(databaseUrl), log))();
    const [sender, recipient] = (
      await database.queryText<{ id: string }>(`SELECT id FROM parties WHERE handle IN ('ash', 'birch') ORDER BY handle`)
    ).map(({ id }) => BigInt(id)) as [bigint, bigint];
    const [halved] = await database.of(sender).queryText<{ id: string }>(`SELECT id FROM messages WHERE note = 'halved'`);
    const undoRecipientsHalf = async () => {
      await database.of(recipient).queryText('DELETE FROM ledger_entries WHERE message_id = $1', [halved?.id]);
      await database.of(recipient).queryText(`DELETE FROM messages WHERE note = 'halved'`);
      const relay = [sender, halved?.id, recipient, new Date()];
      await database
        .of(sender)
        .queryText(
          'INSERT INTO relays (sender_id, message_id, recipient_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
          relay,
        );
    };
    const birch = apiOf((businesses[1] as TestBusiness).secret);
    const inInbox = async () => ids((await everyPage(birch, '/inbox')).flat()).filter((id) => id === body.id).length;
    await undoRecipientsHalf();
    expect(await inInbox()).toBe(0);
    const again = await api.send({ to: 'birch', note: 'halved' }, { 'Idempotency-Key': 'halved' });
    expect([again.status, await inInbox()]).toEqual([201, 1]);
    await undoRecipientsHalf();
    await expect.poll(inInbox).toBe(1);
    await expect.poll(async () => (await service.sql('SELECT FROM relays')).length).toBe(0);
    expect(await inInbox()).toBe(1);
    await database.close();
  });

  test('applies a migration of the tables of parties in each shard', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-migrations-'));
    cpSync(SCHEMA_FOLDERS.migrations, folder, { recursive: true });
    writeFileSync(
      path.join(folder, '9999_colour.sql'),
      "CREATE TYPE colour AS ENUM ('red');\n-- In each shard:\nALTER TABLE contacts ADD COLUMN colour colour;",
    );
    const database = new Database(await connectionTo(databaseUrl), log);
    expect(await migrate(database, { ...SCHEMA_FOLDERS, migrations: folder })).toEqual(['9999_colour.sql']);
    const columns = await database.queryText(`SELECT FROM information_schema.columns WHERE column_name = 'colour'`);
    expect(columns).toHaveLength(SHARDS);
    await database.close();
    rmSync(folder, { recursive: true });
  });
});

test.each([1, 2.5, 3, 512, Number.NaN])('a database can’t be distributed over %d shards', async (shards) => {
  await expect(distributeOver(await createDatabase('undistributed'), shards)).rejects.toThrow(
    '--shards must be a power of two from 2 to 256.',
  );
});
