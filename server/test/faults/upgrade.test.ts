import { checkReceipt } from '@waybill/client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatReceiptToken, parseId } from '../../src/contract/ids.ts';
import { THREAD_COUNT_MAX } from '../../src/contract/limits.ts';
import { Api } from '../support/api.ts';
import { ConsumerClient } from '../support/consumers.ts';
import { wrongContacts, wrongThreads } from '../support/followed.ts';
import { MemberApi } from '../support/member.ts';
import {
  type OlderAttempt,
  type OlderBusiness,
  type OlderConsumer,
  type OlderEntry,
  type OlderThread,
  readAttempts,
  readBusiness,
  readConsumers,
  readKeys,
  readReceipts,
} from '../support/older-rows.ts';
import { everyPage, ids } from '../support/pages.ts';
import { mailsFor, signInWithCode } from '../support/people.ts';
import { dataFolderOf, type ServiceProcess, startProcess, until } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { loadRelease, multiply, nameOf, readRelease, withClient } from '../support/release-0.2.ts';
import { createDatabase, startTestService } from '../support/service.ts';
import { verifyOwn } from '../support/verify-webhook.ts';
import { reachingReceivers } from '../support/webhook-workers.ts';

const release = readRelease();
const SETTINGS = {
  SECRETS_KEY: release.secretsKey,
  RATE_LIMIT_PER_MINUTE: '0',
  PUBLIC_RATE_LIMIT_PER_MINUTE: '0',
  MONTHLY_MESSAGE_LIMIT: '0',
  // The log of attempts is as old as the fixture.
  WEBHOOK_LOG_DAYS: '3650',
  ...reachingReceivers,
};

type Reader = Pick<Api, 'get'>;
type Query = <T extends object>(text: string, values?: unknown[]) => Promise<T[]>;

const NOTHING_WAITS = `SELECT FROM committed_batches UNION ALL SELECT FROM search_queue UNION ALL SELECT FROM document_queue UNION ALL SELECT FROM queued_jobs
  UNION ALL SELECT FROM graphile_worker.jobs WHERE run_at <= now() UNION ALL SELECT FROM webhook_attempts WHERE status = 'pending' AND due_at <= now()
  UNION ALL SELECT FROM webhook_recoveries WHERE ended_at IS NULL LIMIT 1`;

describe('what release 0.2 responded', () => {
  /** Times that are as far from now as they were from the moment of the fixture. */
  const MOVED = ['next_attempt_at', 'lease_until', 'failing_since', 'parked_at'];

  test.each([
    ['of webhooks and consumers, this release responds before workers run', 'api'],
    ['of lists, this release responds once workers have caught up', 'all'],
  ] as const)('%s', async (_, role) => {
    const databaseUrl = await createDatabase('template0');
    const movedMs = await loadRelease(release, databaseUrl, dataFolderOf(databaseUrl));
    const service = await startTestService({ ...SETTINGS, DATABASE_URL: databaseUrl }, role);
    if (role === 'all')
      for (const table of ['committed_batches', 'search_queue', 'document_queue', 'graphile_worker.jobs WHERE run_at <= now()'])
        await until(async () => (await service.sql(`SELECT FROM ${table} LIMIT 1`)).length === 0);
    // The first search of a business begins its index.
    if (role === 'all')
      for (const key of Object.values(release.keys))
        await until(async () => (await new Api(service.url, key).get('/search?q=velvet')).body.complete);
    const moved = (key: string, value: unknown) =>
      MOVED.includes(key) && typeof value === 'string' ? new Date(Date.parse(value) + movedMs).toISOString() : value;
    let compared = 0;
    for (const [segment, responses] of Object.entries(release.responses))
      for (const [path, recorded] of Object.entries(responses)) {
        if (/^\/(webhooks|consumers)/.test(path) !== (role === 'api')) continue;
        // What was found while an index began to be built is not all that there is.
        if (path.startsWith('/search') && Object.values(responses).some(({ complete }) => complete === false)) continue;
        const { status, body } = await new Api(service.url, release.keys[segment]).get(path);
        expect(status, path).toBe(200);
        compared++;
        if (Array.isArray(recorded)) expect(body.data.map(nameOf), `${segment} ${path}`).toEqual(recorded);
        else
          expect(withoutAddresses(body, service.url), `${segment} ${path}`).toMatchObject(
            JSON.parse(JSON.stringify(withoutAddresses(recorded, release.publicUrl)), moved),
          );
      }
    expect(compared).toBeGreaterThan(role === 'api' ? 10 : 100);
    await service.stop();
  });

  const withoutAddresses = (body: unknown, url: string) =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(url, '')
        .replaceAll(/"(download_url|download_url_expires_at)":"[^"]*"/g, '"$1":""'),
    );
});

describe('a database of release 0.2 with more than 10,000 messages', () => {
  const MESSAGES = 10_500;
  const WAITING_COPIES = 10;
  const BUSINESSES = ['acme', 'globex', 'newcomer', 'tailor'] as const;
  const webhookNames = ['ok', 'down', 'ordered', 'invoices', 'paused', 'buyer'] as const;
  const businesses = new Map<string, OlderBusiness>();
  const attemptsOf = new Map<string, OlderAttempt[]>();
  let consumers: OlderConsumer[];
  let receipts: { token: Buffer; hash: string; isOriginal: boolean }[];
  let keys: { key: string; id: string }[];
  const readers = new Map<string, Reader>();
  let databaseUrl: string;
  let receiver: Receiver;
  let service: ServiceProcess;
  let client: pg.Client;
  const sql: Query = async (text, values = []) => (await client.query(text, values)).rows;
  const api = (segment: string) => new Api(service.url, release.keys[segment]);
  const existing = <T>(value: T | undefined): T => value ?? expect.fail('nothing was read');
  const olderOf = (handle: string) => existing(businesses.get(handle));
  const readerOf = (handle: string) => existing(readers.get(handle));

  beforeAll(async () => {
    receiver = await startReceiver({ plain: true });
    databaseUrl = await createDatabase('template0');
    await loadRelease(release, databaseUrl, dataFolderOf(databaseUrl), receiver.url(''));
    await withClient(databaseUrl, async (client) => {
      await multiply(client, MESSAGES, WAITING_COPIES);
      // Attempts that wait for another try do so for longer than the test takes.
      await client.query(
        `UPDATE webhook_attempts SET due_at = due_at + interval '1 day', next_attempt_at = next_attempt_at + interval '1 day' WHERE status = 'retrying' OR status = 'pending' AND attempt > 1`,
      );
      for (const handle of [...BUSINESSES, 'umbrella-parts.test']) businesses.set(handle, await readBusiness(client, handle));
      for (const name of webhookNames) attemptsOf.set(name, await readAttempts(client, parseId('wh', release.webhooks[name] ?? '') ?? ''));
      consumers = await readConsumers(client, 'globex');
      receipts = await readReceipts(client);
      keys = await readKeys(client, 'acme');
    });
    client = new pg.Client(databaseUrl);
    await client.connect();
    service = await startProcess({ env: { ...SETTINGS, DATABASE_URL: databaseUrl } });
    const ann = await signInWithCode({ sql, url: service.url }, 'ann@tailor-works.test');
    const handles = { acme: api('purchasing'), globex: api('orders'), newcomer: api('desk'), tailor: new MemberApi(ann, 'tailor') };
    for (const [handle, reader] of Object.entries(handles)) readers.set(handle, reader);
  });
  afterAll(async () => {
    await client?.end();
    await service?.stop();
    await receiver?.stop();
  });

  test('is migrated by the start, which tells of each migration', async () => {
    const names = await sql<{ name: string }>("SELECT name FROM schema_migrations WHERE name > '0028_hand_overs.sql' ORDER BY name");
    const lines = names.map(({ name }, at) => `Applying ${name}, ${at + 1} of ${names.length} …`);
    expect(service.output()).toContain([...lines, 'Updating SQL functions …', 'The database is up to date after '].join('\n'));
    expect(receipts.length).toBeGreaterThan(10_000);
  });

  /** One by one: a report of how long lists differ would take minutes. */
  const expectEach = (shown: readonly unknown[], wanted: readonly unknown[], of: string) => {
    for (const [at, one] of wanted.entries()) {
      if (typeof one === 'object' && one !== null) expect(shown[at], `${of}, ${at}`).toMatchObject(one);
      else expect(shown[at], `${of}, ${at}`).toBe(one);
    }
    expect(shown.length, of).toBe(wanted.length);
  };
  const idsOf = async (reader: Reader, path: string, filters: Record<string, string> = {}) =>
    ids((await everyPage(reader, path, { limit: 200, ...filters })).flat());

  test.each(BUSINESSES)('inbox and outbox of %s have the same messages in the same order, with filters, too', async (handle) => {
    const [reader, before] = [readerOf(handle), olderOf(handle)];
    const filters: [Record<string, string>, (entry: OlderEntry) => boolean][] = [
      [{}, () => true],
      [{ type: 'order' }, ({ type }) => type === 'order'],
      [{ to: 'orders' }, ({ segment }) => segment === 'orders'],
      [{ validation: 'failed' }, ({ validation }) => validation === 'failed'],
      [{ from: 'acme' }, ({ from }) => from === 'acme'],
      [{ type: 'order', validation: 'failed' }, ({ type, validation }) => type === 'order' && validation === 'failed'],
    ];
    // The second time, an index may serve what the first time was looked for in the whole list.
    for (const round of [1, 2]) {
      for (const [filter, selects] of filters)
        expectEach(
          await idsOf(reader, '/inbox', { include: 'summary', ...filter }),
          ids(before.inbox.filter(selects)),
          `${round} ${JSON.stringify(filter)}`,
        );
      await until(async () => (await sql(`SELECT FROM graphile_worker.jobs WHERE task_identifier = 'filter-entries'`)).length === 0);
    }
    expectEach(await idsOf(reader, '/outbox', { include: 'summary' }), ids(before.outbox), 'outbox');
    const invoices = before.outbox.filter(({ type }) => type === 'invoice');
    expectEach(await idsOf(reader, '/outbox', { include: 'summary', type: 'invoice' }), ids(invoices), 'sent invoices');
  });

  test.each(BUSINESSES)('threads of %s have their state, and their counts', async (handle) => {
    const [reader, before] = [readerOf(handle), olderOf(handle).threads];
    await until(async () => (await sql('SELECT FROM committed_batches')).length === 0);
    expectEach((await everyPage(reader, '/threads', { limit: 200 })).flat(), before, 'threads');
    const filters: [Record<string, string>, (thread: OlderThread) => boolean][] = [
      [{ status: 'done' }, ({ status }) => status === 'done'],
      [{ label: 'urgent' }, ({ labels }) => labels.includes('urgent')],
      [{ assignee: 'none' }, ({ assignee }) => assignee === null],
      [{ failed_schema: 'true' }, ({ failed_schema }) => failed_schema],
    ];
    for (const [filter, selects] of filters)
      expectEach(await idsOf(reader, '/threads', filter), ids(before.filter(selects)), JSON.stringify(filter));
    const counted = (selects: (thread: OlderThread) => boolean) => ({ count: Math.min(THREAD_COUNT_MAX, before.filter(selects).length) });
    expect((await reader.get('/threads/counts')).body).toMatchObject({
      all: counted(() => true),
      open: counted(({ status }) => status === 'open'),
      done: counted(({ status }) => status === 'done'),
    });
  });

  test.each(BUSINESSES)('contacts of %s have the same counts, in the same order', async (handle) => {
    const [reader, { contacts }] = [readerOf(handle), olderOf(handle)];
    for (const archived of [false, true])
      expect((await reader.get(`/contacts?sort=activity&archived=${archived}`)).body.data).toMatchObject(
        contacts.filter((contact) => contact.archived === archived),
      );
    expect((await wrongThreads({ sql })).slice(0, 3)).toEqual([]);
    expect((await wrongContacts({ sql })).slice(0, 3)).toEqual([]);
  });

  test('consumers go on behind their positions, and workers keep what they hold', async () => {
    const entries = olderOf('globex').inbox.toReversed();
    const follows: Record<string, (entry: OlderEntry) => boolean> = {
      all: () => true,
      new: () => true,
      failed: ({ validation }) => validation === 'failed',
      orders: ({ type, segment }) => /^order(\.|$)/.test(type ?? '') && segment === 'orders',
    };
    for (const { name, position, kept } of consumers) {
      const consumer = new ConsumerClient(api('orders'), name, 'two');
      const held = kept.filter(({ state }) => state === 'leased').map(({ id }) => id);
      const parked = kept.filter(({ state }) => state === 'parked').map(({ id }) => id);
      expect(await consumer.get()).toMatchObject({ position, leased: held.length, parked: parked.length });
      expect((await consumer.parked()).map(({ message_id }) => message_id)).toEqual(parked);
      const next = entries.filter((entry) => BigInt(entry.position) > BigInt(position) && follows[name]?.(entry));
      const leased = await consumer.lease({ limit: 10 });
      expect(
        leased.map(({ message, position }) => ({ id: message.id, position })),
        name,
      ).toEqual(next.slice(0, 10).map(({ id, position }) => ({ id, position })));
      if (held.length > 0) expect(await consumer.as('one').do('ack', held)).toEqual({ acknowledged: held.length, unknown: [] });
    }
    expect(consumers.map(({ name }) => name)).toEqual(['all', 'failed', 'new', 'orders']);
  });

  test('attempts keep their status and next time, and those that waited are delivered once', async () => {
    await until(async () => (await sql(NOTHING_WAITS)).length === 0);
    for (const [name, attempts] of attemptsOf) {
      const log = (
        await everyPage(api(name === 'buyer' ? 'purchasing' : 'orders'), `/webhooks/${release.webhooks[name]}/deliveries`, {
          limit: 200,
        })
      ).flat();
      const shown = new Map(log.map((attempt) => [attempt.id, attempt]));
      const got = new Map<string, number>();
      for (const delivery of receiver.at(`/${name}`)) {
        expect(verifyOwn(delivery, release.secrets[name] ?? '', delivery.at)).toBe(true);
        const id = String(delivery.headers['waybill-delivery-id']);
        got.set(id, (got.get(id) ?? 0) + 1);
      }
      const due = attempts.filter(({ isDue }) => isDue);
      for (const { isDue, ...attempt } of attempts) {
        const now = isDue ? { ...attempt, status: 'delivered', status_code: 204, next_attempt_at: null } : attempt;
        expect(shown.get(attempt.id), name).toMatchObject(now);
      }
      expect(
        due.filter(({ id }) => got.get(id) !== 1),
        name,
      ).toEqual([]);
      if (name !== 'paused') expect(due.length).toBeGreaterThan(0);
      // A recovery had begun to deliver again what was dropped.
      const dropped = new Set(
        name === 'down' ? attempts.filter(({ status }) => status === 'dropped').map(({ message_id }) => message_id) : [],
      );
      const replays = receiver.at(`/${name}`).filter(({ headers }) => headers['waybill-replay'] === 'true');
      expect(replays.map(({ headers }) => headers['webhook-id']).toSorted(), name).toEqual([...dropped].toSorted());
    }
  });

  test('receipts have the same hashes', async () => {
    const anonymous = new Api(service.url);
    const originals = receipts.filter(({ isOriginal }) => isOriginal);
    for (const { token, hash, isOriginal } of [...originals, ...receipts.slice(-50)]) {
      const { status, body } = await anonymous.get(`/receipts/${formatReceiptToken(token)}`);
      expect([status, body.content_hash]).toEqual([200, hash]);
      if (isOriginal) expect(checkReceipt(body).content).toBe('matches');
    }
    const [latest] = olderOf('acme').outbox;
    expect((await api('purchasing').get(`/messages/${latest?.id}/proof`)).status).toBe(200);
  });

  test('idempotency keys give the original message', async () => {
    for (const { key, id } of keys.slice(0, 40)) {
      const { status, headers, body } = await api('purchasing').send({ to: 'globex', note: 'another one' }, { 'idempotency-key': key });
      expect([status, body.id, headers.get('idempotent-replayed')], key).toEqual([201, id, 'true']);
    }
    expect(keys.length).toBeGreaterThan(40);
  });

  test('history that was joining its business and mail that was waiting are not lost', async () => {
    const eva = await signInWithCode({ sql, url: service.url }, 'eva@umbrella-parts.test');
    const umbrella = new MemberApi(eva, 'umbrella');
    const before = olderOf('umbrella-parts.test');
    await until(async () => (await sql(NOTHING_WAITS)).length === 0);
    expectEach(await idsOf(umbrella, '/inbox'), ids(before.inbox), 'inbox');
    expectEach(await idsOf(umbrella, '/outbox'), ids(before.outbox), 'outbox');
    expectEach((await idsOf(umbrella, '/threads')).toSorted(), ids(before.threads).toSorted(), 'threads');
    expect((await umbrella.get('/contacts?sort=activity')).body.data).toMatchObject(
      before.contacts.map(({ party, activity }) => ({ party, activity })),
    );
    expect((await mailsFor({ sql }, 'hugo@gmail.com')).filter((text) => text.includes('replied')).length).toBeGreaterThan(0);
  });

  test('new messages are there once, everywhere', async () => {
    const [acme, globex] = [api('purchasing'), api('orders')];
    const contact = async () => (await globex.get('/contacts/by-party?handle=acme')).body.activity.messages_in;
    const before = await contact();
    const [firstOrder] = olderOf('acme').outbox;
    const sent: string[] = [];
    for (let n = 0; n < 5; n++)
      sent.push((await acme.send({ to: 'globex/orders', type: 'order', subject: `Zeppelin ${n}`, json: { lines: [] } })).body.id);
    sent.push((await acme.send({ in_reply_to: firstOrder?.id, note: 'One more zeppelin' })).body.id);
    await until(async () => (await sql(NOTHING_WAITS)).length === 0);
    expect((await idsOf(globex, '/inbox', { type: 'order' })).slice(0, 5)).toEqual(sent.slice(0, 5).toReversed());
    expect((await idsOf(acme, '/outbox')).slice(0, 6)).toEqual(sent.toReversed());
    expect(await contact()).toBe(
      before + (await globex.get('/inbox?limit=6')).body.data.filter(({ id }: { id: string }) => sent.includes(id)).length,
    );
    expect((await wrongThreads({ sql })).slice(0, 3)).toEqual([]);
    expect((await wrongContacts({ sql })).slice(0, 3)).toEqual([]);
    const found = (await globex.get('/search?q=zeppelin')).body.data.map(nameOf);
    expect(found.toSorted()).toEqual(sent.slice(0, 5).toSorted());
    for (const id of sent.slice(0, 5)) {
      const deliveries = receiver.at('/ok').filter(({ headers }) => headers['webhook-id'] === id);
      expect(deliveries).toHaveLength(1);
    }
    const consumer = new ConsumerClient(globex, 'new', 'two');
    const leased = await consumer.leaseIds({ limit: 100 });
    for (const id of sent.slice(0, 5)) expect(leased.filter((one) => one === id)).toHaveLength(1);
  });
});
