import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { ENTRIES_SCANNED_MAX, THREADS_SCANNED_MAX } from '../../src/contract/limits.ts';
import type { Api } from '../support/api.ts';
import { copyMessage } from '../support/copied-messages.ts';
import { everyPage, ids } from '../support/pages.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { untilIndexed } from '../support/threads.ts';

/** Entries and threads are in the indexes of filters from the first filter on that a long list is read with. */
let service: TestService;
let acme: TestBusiness;
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', RATE_LIMIT_PER_MINUTE: '6000', RATE_LIMIT_BURST: '6000' });
  acme = await service.business('acme');
});
afterAll(() => service.stop());

const partyOf = async ({ handle }: TestBusiness) =>
  (await service.sql<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [handle]))[0]?.id ?? '';
const idsOf = async (api: Api, path: string, query: Record<string, string>) =>
  ids((await everyPage(api, path, { ...query, limit: 100 })).flat());
const costOf = ({ headers }: { headers: Headers }) => Number(headers.get('ratelimit-cost') ?? 1);

/** Counts exist in each shard, even if they are 0, so only the shard of the business is asked. */
async function entryCounts(business: TestBusiness) {
  const party = await partyOf(business);
  const [counts] = await service.database.of(BigInt(party)).queryText<{ left: string | null; marked: number; others: number }>(
    `SELECT (SELECT filters_left FROM ledgers WHERE party_id = $1) AS left, count(*) FILTER (WHERE is_filtered)::int AS marked,
            count(*) FILTER (WHERE NOT is_filtered)::int AS others FROM ledger_entries WHERE party_id = $1`,
    [party],
  );
  return counts;
}

/** A message of a rare type below more common ones than a page looks through. */
async function businessWithLongInbox(handle: string): Promise<{ business: TestBusiness; rare: string }> {
  const business = await service.business(handle);
  const { body: rare } = await acme.api.send({ to: handle, type: 'rare', json: { n: 1 } });
  const { body: common } = await acme.api.send({ to: handle, type: 'common' });
  await copyMessage(service, common.id, ENTRIES_SCANNED_MAX);
  await service.sql('ANALYZE ledger_entries');
  return { business, rare: rare.id };
}

describe('a list of messages', () => {
  test('that is short is filtered without an index', async () => {
    const globex = await service.business('globex');
    for (const type of ['rare', 'common', 'rare']) await acme.api.send({ to: 'globex', type });
    expect(await idsOf(globex.api, '/inbox', { type: 'rare' })).toHaveLength(2);
    expect(await entryCounts(globex)).toEqual({ left: null, marked: 0, others: 3 });
  });

  test('that is long ends a page early, and has an index from then on', async () => {
    const { business, rare } = await businessWithLongInbox('initech');
    const first = await business.api.get('/inbox?type=rare');
    expect([first.body.data, typeof first.body.next_cursor, costOf(first)]).toEqual([[], 'string', 6]);
    // While older entries are brought into the index, new ones are in it, and lists have all of them.
    const { body: later } = await acme.api.send({ to: 'initech', type: 'rare' });
    expect(await idsOf(business.api, '/inbox', { type: 'rare' })).toEqual([later.id, rare]);
    await expect.poll(() => entryCounts(business), { timeout: 20_000 }).toEqual({ left: '0', marked: ENTRIES_SCANNED_MAX + 3, others: 0 });
    const second = await business.api.get('/inbox?type=rare');
    expect([second.body.data.length, second.body.next_cursor, costOf(second)]).toEqual([2, null, 1]);
    const { body: latest } = await acme.api.send({ to: 'initech', type: 'rare' });
    expect(await idsOf(business.api, '/inbox', { type: 'rare' })).toEqual([latest.id, later.id, rare]);
    expect((await entryCounts(business))?.others).toBe(0);
  });

  test('has the same messages for every filter, whether they are in the index or not', async () => {
    const { business, rare } = await businessWithLongInbox('hooli');
    const party = await partyOf(business);
    const { body: sent } = await business.api.send({ to: 'acme', type: 'rare' });
    const reads: [string, Record<string, string>][] = [
      ['/inbox', { type: 'rare' }],
      ['/inbox', { type: 'rare', from: 'acme' }],
      ['/inbox', { validation: 'not_applicable', type: 'rare' }],
      ['/inbox', { from: 'globex' }],
      ['/inbox', { to: 'hooli/orders' }],
      ['/inbox', { from: 'ann@corp.example' }],
      ['/inbox', { from: 'corp.example' }],
      ['/outbox', { type: 'rare' }],
    ];
    const read = () => Promise.all(reads.map(([path, query]) => idsOf(business.api, path, query)));
    const expected = [[rare], [rare], [rare], [], [], [], [], [sent.id]];
    expect(await read()).toEqual(expected);
    // A crash leaves some entries in the index.
    await expect.poll(() => entryCounts(business), { timeout: 20_000 }).toMatchObject({ left: '0' });
    await service.sql('UPDATE ledger_entries SET is_filtered = false WHERE party_id = $1', [party]);
    await service.sql('UPDATE ledgers SET filters_left = 9223372036854775807 WHERE party_id = $1', [party]);
    await service.database.of(BigInt(party)).queryText('SELECT filter_entries($1, 100)', [party]);
    expect((await entryCounts(business))?.marked).toBe(100);
    expect(await read()).toEqual(expected);
    // The read has queued the rest.
    await expect.poll(() => entryCounts(business), { timeout: 20_000 }).toMatchObject({ left: '0', others: 0 });
    expect(await read()).toEqual(expected);
  });

  test('pays for what several filters look at in vain', async () => {
    const { business } = await businessWithLongInbox('umbrella');
    await idsOf(business.api, '/inbox', { type: 'rare' });
    await expect.poll(() => entryCounts(business), { timeout: 20_000 }).toMatchObject({ left: '0' });
    const page = await business.api.get('/inbox?from=acme&type=none');
    expect([page.body.data, typeof page.body.next_cursor, costOf(page)]).toEqual([[], 'string', 6]);
    expect(await idsOf(business.api, '/inbox', { from: 'acme', type: 'none' })).toEqual([]);
  });
});

describe('a list of threads', () => {
  test('that is long is looked through at first, and has an index from then on', async () => {
    const business = await service.business('soylent');
    const party = await partyOf(business);
    const { body: rare } = await acme.api.send({ to: 'soylent', type: 'rare' });
    const { body: common } = await acme.api.send({ to: 'soylent', type: 'common' });
    await untilIndexed(service);
    await service.sql(
      `INSERT INTO threads
       SELECT (jsonb_populate_record(t, jsonb_build_object('thread_id', gen_random_uuid(), 'last_position', t.last_position + n))).*
         FROM threads t, generate_series(1, $2::int) n WHERE t.thread_id = $1 AND t.party_id = $3`,
      [parseId('thr', common.thread_id), THREADS_SCANNED_MAX, party],
    );
    await service.sql('ANALYZE threads');
    const first = await business.api.get('/threads?type=rare');
    expect([first.body.data, typeof first.body.next_cursor]).toEqual([[], 'string']);
    const { body: later } = await acme.api.send({ to: 'soylent', type: 'rare' });
    await untilIndexed(service);
    expect(await idsOf(business.api, '/threads', { type: 'rare' })).toEqual([later.thread_id, rare.thread_id]);
    const left = () =>
      service.sql(
        `SELECT filtered_through::text AS through, (SELECT count(*)::int FROM threads t WHERE t.party_id = i.party_id AND NOT t.is_filtered) AS others
           FROM thread_index i WHERE party_id = $1`,
        [party],
      );
    await expect.poll(left, { timeout: 20_000 }).toEqual([{ through: 'ffffffff-ffff-ffff-ffff-ffffffffffff', others: 0 }]);
    const { body: page } = await business.api.get('/threads?type=rare');
    expect([ids(page.data), page.next_cursor]).toEqual([[later.thread_id, rare.thread_id], null]);
    expect(await idsOf(business.api, '/threads', { type: 'rare', with: 'acme' })).toEqual([later.thread_id, rare.thread_id]);
  });
});
