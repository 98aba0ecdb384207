import { afterAll, beforeAll, expect, test } from 'vitest';
import { FOLLOWING } from '../../src/followers.ts';
import { followSome } from '../../src/modules/following/follow-store.ts';
import { indexSome } from '../../src/modules/search/index-store.ts';
import { list } from '../support/pages.ts';
import { until } from '../support/process.ts';
import { foundIds, search, untilSearchable } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const SETTINGS = { NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', MONTHLY_MESSAGE_LIMIT: '0' };
const THREADS = 150;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
/** Runs without a worker: the test decides when documents are written. */
beforeAll(async () => {
  service = await startTestService(SETTINGS, 'api');
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

async function indexThreads(): Promise<void> {
  for (const shard of service.database.shards) while ((await followSome(shard, FOLLOWING, 1_000, 10_000))?.hasMore);
}

/** Runs one round of the search index in each shard. Returns whether there was work. */
async function round(entriesMax: number): Promise<boolean> {
  const done = await Promise.all(service.database.shards.map((shard) => indexSome(shard, entriesMax, 0n)));
  return done.some((one) => one !== 'busy' && one.entries > 0);
}

const countDocuments = async () => (await service.sql('SELECT FROM search_documents')).length;
const firstPage = async ({ api }: TestBusiness) => (await list(api, '/search', { q: 'velvet' })).body;

test('a business that has never searched has no documents, and from its first search on it has all, the newest threads first', async () => {
  const sent: string[] = [];
  for (let n = 0; n < THREADS; n++) sent.push((await acme.api.send({ to: 'globex', subject: `velvet ${n}` })).body.id);
  const { thread_id: oldest } = (await globex.api.get(`/messages/${sent[0]}`)).body;
  await indexThreads();
  await globex.api.write('POST', `/threads/${oldest}/comments`, { text: 'velvet, they say' });
  expect(await round(10)).toBe(false);
  expect(await countDocuments()).toBe(0);

  expect(await firstPage(globex)).toEqual({ data: [], next_cursor: null, complete: false });
  await round(10);
  await round(10);
  const found = await foundIds(globex.api, 'velvet');
  expect(found.length).toBeGreaterThan(0);
  // A hundred threads are queued at a time.
  expect(sent.slice(-100)).toEqual(expect.arrayContaining(found));
  expect((await firstPage(globex)).complete).toBe(false);

  while (await round(100));
  expect((await firstPage(globex)).complete).toBe(true);
  const all = await search(globex.api, 'velvet');
  expect(all.filter(({ comment }) => comment).map(({ thread_id }) => thread_id)).toEqual([oldest]);
  expect(all.filter(({ comment }) => !comment).map(({ message }) => message.id)).toEqual(sent.toReversed());
  // The other party has not searched.
  expect(await countDocuments()).toBe(THREADS + 1);

  await globex.api.write('POST', `/threads/${oldest}/comments`, { text: 'a second velvet comment' });
  const { id } = (await acme.api.send({ to: 'globex', subject: 'velvet again' })).body;
  await indexThreads();
  await round(100);
  expect((await foundIds(globex.api, '"velvet again"'))[0]).toBe(id);
  expect(await search(globex.api, '"second velvet"')).toHaveLength(1);
});

test('whatever is sent, indexed and commented while a business searches for the first time is found in the end, once', async () => {
  const busy = await startTestService(SETTINGS);
  try {
    const [sender, reader] = [await busy.business('acme'), await busy.business('globex')];
    const sent: string[] = [];
    const comments: string[] = [];
    const load = (async () => {
      for (let n = 0; n < 40; n++) {
        const batch = await Promise.all(Array.from({ length: 5 }, () => sender.api.send({ to: 'globex', subject: 'velvet' })));
        sent.push(...batch.map(({ body }) => body.id));
        comments.push((await reader.api.write('POST', `/threads/${batch[0]?.body.thread_id}/comments`, { text: 'plush' })).body.id);
      }
    })();
    await until(async () => sent.length >= 50);
    await Promise.all([search(reader.api, 'velvet'), load]);
    await untilSearchable(busy);
    expect((await foundIds(reader.api, 'velvet')).toSorted()).toEqual(sent.toSorted());
    const found = await search(reader.api, 'plush');
    expect(found.map(({ comment }) => comment.id).toSorted()).toEqual(comments.toSorted());
  } finally {
    await busy.stop();
  }
});
