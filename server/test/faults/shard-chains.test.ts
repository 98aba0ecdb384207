import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { EXPIRIES_AT_ONCE } from '../../src/contract/limits.ts';
import { expireMessages } from '../../src/modules/acknowledgements/expire.ts';
import { currentLog } from '../../src/modules/log/log-store.ts';
import { placeWaiting } from '../../src/modules/log/places.ts';
import { connectionTo } from '../../src/platform/postgres/database-hosts.ts';
import { Database, schemaOf } from '../../src/platform/postgres/postgres.ts';
import { distribute } from '../../src/platform/shards/distribute.ts';
import { createDatabase, startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const log = pino({ level: 'silent' });
const SHARDS = 2;

let service: TestService;
/** Businesses of the shard that is read first, and of the other one. */
let [first, second] = [] as unknown as [TestBusiness, TestBusiness];

beforeAll(async () => {
  const databaseUrl = await createDatabase('undistributed');
  await (await startTestService({ DATABASE_URL: databaseUrl })).stop();
  const database = new Database(await connectionTo(databaseUrl), log);
  await distribute(database, SHARDS, () => {});
  await database.close();
  // No worker places leaves or looks at expiries, except those of the tests.
  service = await startTestService({ DATABASE_URL: databaseUrl }, 'api');
  const [ash, birch] = [await service.business('ash'), await service.business('birch')];
  [first, second] = (await shardOf(ash)) === 0 ? [ash, birch] : [birch, ash];
  expect([await shardOf(first), await shardOf(second)]).toEqual([0, 1]);
});
afterAll(() => service.stop());

const idOf = async ({ handle }: TestBusiness) =>
  (await service.sql<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [handle]))[0]?.id ?? '';
const shardOf = async (business: TestBusiness) => Number(await idOf(business)) % SHARDS;
const isExpired = async ({ api }: TestBusiness, id: string) => (await api.get(`/messages/${id}/acknowledgements`)).body.expired !== null;

/** Messages to the other business, whose time is over. */
async function sendOver(from: TestBusiness, count = 1): Promise<string[]> {
  const to = from === first ? second.handle : first.handle;
  const messages = Array.from({ length: count }, () => ({ to, expires_in: 60 }));
  const { body } = await from.api.write('POST', '/messages/batch', { messages });
  const ids: string[] = body.data.map(({ message }: { message: { id: string } }) => message.id);
  const uuids = ids.map((id) => parseId('msg', id));
  await service.sql("UPDATE expiries SET due_at = now() - interval '1 hour' WHERE message_id = ANY ($1::uuid[])", [uuids]);
  return ids;
}

async function expireAll(): Promise<void> {
  let rest: { shards?: number[] } | undefined = {};
  while (rest) rest = await expireMessages.run(service.database, log, rest);
}

/** The database, whose transaction across shards does this once it has read the batches that wait in the first of them. */
function afterFirstShard(database: Database, work: () => Promise<void>): Database {
  let isDone = false;
  const acrossShards: Database['acrossShards'] = (use) =>
    database.acrossShards((of) =>
      use((partyId) => ({
        query: async (statement, values) => {
          const rows = await of(partyId).query(statement, values);
          if (!isDone && partyId === 0n && statement.text.includes('FROM log_batches WHERE first_index IS NULL')) {
            isDone = true;
            await work();
          }
          return rows;
        },
      })),
    );
  return new Proxy(database, {
    get: (_, name) => {
      if (name === 'acrossShards') return acrossShards;
      const value: unknown = Reflect.get(database, name, database);
      return typeof value === 'function' ? value.bind(database) : value;
    },
  });
}

/** The index of the only leaf of this type. */
async function indexOf(type: number): Promise<number | undefined> {
  const batches = await service.sql<{ first_index: string | null }>('SELECT first_index FROM log_batches WHERE get_byte(leaves, 0) = $1', [
    type,
  ]);
  expect(batches).toHaveLength(1);
  return batches[0]?.first_index === null ? undefined : Number(batches[0]?.first_index);
}

test('a message that is sent and acknowledged while the sequencer reads the shards is in the log before its acknowledgement', async () => {
  const meanwhile = async () => {
    const { body } = await first.api.send({ to: second.handle });
    expect((await second.api.write('POST', `/messages/${body.id}/acknowledge`, { status: 'accepted' })).status).toBe(201);
  };
  let current = await currentLog(service.database);
  const database = afterFirstShard(service.database, meanwhile);
  do current = current && (await placeWaiting(database, current))?.log;
  while (current && ((await indexOf(1)) === undefined || (await indexOf(3)) === undefined));
  expect(await indexOf(1)).toBeLessThan((await indexOf(3)) ?? 0);
});

test('messages of a shard expire although another one fails', async () => {
  const [failing = ''] = await sendOver(first);
  const [other = ''] = await sendOver(second);
  await service.database.queryText(`ALTER TABLE ${schemaOf(0)}.expiries RENAME TO expiries_away`);
  await expireAll();
  expect([await isExpired(first, failing), await isExpired(second, other)]).toEqual([false, true]);
  await service.database.queryText(`ALTER TABLE ${schemaOf(0)}.expiries_away RENAME TO expiries`);
  await expireAll();
  expect(await isExpired(first, failing)).toBe(true);
});

test('a shard with many messages that expire keeps another one waiting for a turn only', async () => {
  await sendOver(first, 2 * EXPIRIES_AT_ONCE + 1);
  const [one = ''] = await sendOver(second);
  await expireAll();
  const batches = await service.sql<{ message_id: string; log_batch: string }>('SELECT message_id, log_batch FROM non_deliveries');
  const inOrder = batches.sort((a, b) => (a.log_batch < b.log_batch ? -1 : 1)).slice(-2 * EXPIRIES_AT_ONCE - 2);
  const turn = inOrder.findIndex(({ message_id }) => message_id === parseId('msg', one));
  expect(turn).toBeGreaterThan(-1);
  expect(turn).toBeLessThanOrEqual(EXPIRIES_AT_ONCE + 1);
});
