import { afterAll, beforeAll, expect, test } from 'vitest';
import { FOLLOWING } from '../../src/followers.ts';
import { followSome } from '../../src/modules/following/follow-store.ts';
import { indexSome } from '../../src/modules/search/index-store.ts';
import type { Database } from '../../src/platform/postgres/postgres.ts';
import { businessesOfOneShard } from '../support/same-shard.ts';
import { foundIds } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const PER_ROUND = 250;

/** Runs without a worker: the test decides when documents are written. */
let service: TestService;
const businesses = new Map<string, TestBusiness>();
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', MONTHLY_MESSAGE_LIMIT: '0' }, 'api');
  const handles = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'stark', 'wayne', 'tyrell'];
  for (const [i, business] of (await businessesOfOneShard(service, ...handles)).entries()) businesses.set(handles[i] as string, business);
  // All of them search.
  for (const { api } of businesses.values()) await api.send({ to: 'acme', subject: 'first' });
  await indexThreads();
  for (const { api } of businesses.values()) await foundIds(api, 'first');
  await finish();
});
afterAll(() => service.stop());

const apiOf = (handle: string) => (businesses.get(handle) as TestBusiness).api;

async function send(from: string, to: string, count: number): Promise<string[]> {
  const sent = await Promise.all(Array.from({ length: count }, (_, n) => apiOf(from).send({ to, subject: `velvet ${n}` })));
  return sent.map(({ body }) => body.id);
}

async function indexThreads(): Promise<void> {
  for (const shard of service.database.shards) while ((await followSome(shard, FOLLOWING, 1_000, 10_000))?.hasMore);
}

const lastSenders = new Map<Database, bigint>();
async function round(): Promise<number> {
  let entries = 0;
  for (const shard of service.database.shards) {
    const done = await indexSome(shard, PER_ROUND, lastSenders.get(shard) ?? 0n);
    if (done === 'busy') throw new Error('nobody else indexes here');
    lastSenders.set(shard, done.lastSender);
    entries += done.entries;
  }
  return entries;
}

async function finish(): Promise<void> {
  while ((await round()) > 0);
}

test('a message can be found in the next round, whatever another business has sent before it', async () => {
  const many = await send('acme', 'globex', 600);
  const [one = ''] = await send('initech', 'umbrella', 1);
  await indexThreads();
  await round();
  for (const handle of ['initech', 'umbrella']) expect(await foundIds(apiOf(handle), 'velvet'), handle).toEqual([one]);
  const found = await foundIds(apiOf('globex'), 'velvet');
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThanOrEqual(PER_ROUND);
  await finish();
  expect(new Set(await foundIds(apiOf('globex'), 'velvet'))).toEqual(new Set(many));
});

test('of many that send much, each has its turn before any has many', async () => {
  const senders = [...businesses.keys()].filter((handle) => handle !== 'globex');
  const before = (await foundIds(apiOf('globex'), 'velvet')).length;
  for (const handle of senders) await send(handle, 'globex', 100);
  await indexThreads();
  // A turn is 50 entries, those of 25 messages with both parties.
  const rounds = Math.ceil((senders.length * 50) / PER_ROUND);
  for (let n = 0; n < rounds; n++) await round();
  const counts = await Promise.all(senders.map(async (handle) => (await foundIds(apiOf('globex'), `velvet from:${handle}`)).length));
  expect(Math.min(...counts.slice(1))).toBeGreaterThanOrEqual(25);
  expect(Math.max(...counts.slice(1))).toBeLessThanOrEqual(76);
  await finish();
  expect((await foundIds(apiOf('globex'), 'velvet')).length).toBe(before + senders.length * 100);
});
