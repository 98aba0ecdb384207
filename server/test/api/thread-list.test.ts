import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { threadOf, threadsOf, untilIndexed } from '../support/threads.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Envelope = any;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let umbrella: TestBusiness;
let order: Envelope;
let reply: Envelope;
let query: Envelope;
let plain: Envelope;
let own: Envelope;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { segment: 'desk' });
  globex = await service.business('globex', { segment: 'orders' });
  umbrella = await service.business('umbrella');
  await globex.api.write('PUT', '/inbox/schema', { schema: { type: 'object', required: ['n'] } });
  order = (await acme.api.send({ to: 'globex/orders', type: 'order.placed', json: { n: 1 } })).body;
  query = (await umbrella.api.send({ to: 'globex', type: 'query', subject: 'A question', json: {} })).body;
  plain = (await globex.api.send({ to: 'umbrella', note: 'hello' })).body;
  own = (await globex.api.send({ to: 'globex', subject: 'To myself', json: { n: 1 } })).body;
  await globex.api.send({ in_reply_to: order.id, subject: 'Your order', note: 'coming' });
  reply = (await acme.api.send({ in_reply_to: order.id, subject: 'Thanks', json: { n: 2 } })).body;
  await untilIndexed(service);
});
afterAll(() => service.stop());

describe('GET /threads', () => {
  test('has one row a thread, latest activity first, each as the issue draws it', async () => {
    const { status, body, text } = await globex.api.get('/threads');
    expect(status, text).toBe(200);
    expect(ids(body.data)).toEqual([order, own, plain, query].map(({ thread_id }) => thread_id));
    expect(body.next_cursor).toBeNull();
    const { last_message, ...first } = body.data[0];
    const party = (handle: string) => ({ kind: 'handle', handle, display_name: `The ${handle} company` });
    expect(first).toEqual({
      id: order.thread_id,
      subject: 'Your order',
      parties: [party('globex'), party('acme')],
      with: party('acme'),
      message_count: 3,
      unread_count: 2,
      status: 'open',
      assignee: null,
      labels: [],
      has_files: false,
      failed_schema: false,
      type: 'order.placed',
      document: null,
      updated_at: expect.any(String),
    });
    // Between two shards, a message may have a slightly later position in its recipient's ledger.
    expect(Date.parse(first.updated_at) - Date.parse(reply.received_at)).toBeGreaterThanOrEqual(0);
    const { json, ...summary } = reply;
    expect(last_message).toEqual({ ...summary, json_bytes: JSON.stringify(json).length });
  });

  test('gives a message to oneself once', async () => {
    expect(await threadOf(globex.api, own.thread_id)).toMatchObject({ message_count: 1, subject: 'To myself', with: { handle: 'globex' } });
  });

  test('shows each business its own threads', async () => {
    expect(ids(await threadsOf(acme.api))).toEqual([order.thread_id]);
    expect(ids(await threadsOf(umbrella.api))).toEqual([plain.thread_id, query.thread_id]);
  });

  const filters: [filter: Record<string, string>, expected: () => Envelope[]][] = [
    [{ box: 'in' }, () => [order, own, query]],
    [{ box: 'out' }, () => [order, own, plain]],
    [{ status: 'open' }, () => [order, own, plain, query]],
    [{ status: 'done' }, () => []],
    [{ assignee: 'none' }, () => [order, own, plain, query]],
    [{ assignee: 'me' }, () => []],
    [{ label: 'urgent' }, () => []],
    [{ type: 'order.placed' }, () => [order]],
    [{ type: 'query', box: 'in' }, () => [query]],
    [{ type: 'query', box: 'out' }, () => []],
    [{ with: 'acme' }, () => [order]],
    [{ with: 'umbrella' }, () => [plain, query]],
    [{ with: 'umbrella', type: 'query' }, () => [query]],
    [{ with: 'nobody-at-all' }, () => []],
    [{ with: 'nobody.example' }, () => []],
    [{ with: 'ann@nobody.example' }, () => []],
    [{ segment: 'orders' }, () => [order]],
    [{ segment: 'globex/orders' }, () => [order]],
    [{ failed_schema: 'true' }, () => [query]],
    [{ failed_schema: 'false', box: 'in' }, () => [order, own]],
    [{ unread: 'true' }, () => [order, own, query]],
    [{ unread: 'false' }, () => [plain]],
    [{ until: '2020-01-01' }, () => []],
    [{ since: '2020-01-01' }, () => [order, own, plain, query]],
  ];
  test.each(filters)('is filtered by %o', async (filter, expected) => {
    expect(ids(await threadsOf(globex.api, filter))).toEqual(expected().map(({ thread_id }) => thread_id));
    for (const limit of [1, 2])
      expect((await everyPage(globex.api, '/threads', { ...filter, limit })).flat()).toHaveLength(expected().length);
  });

  test('since and until go by the last message', async () => {
    expect(ids(await threadsOf(globex.api, { since: reply.received_at }))).toEqual([order.thread_id]);
    expect(ids(await threadsOf(globex.api, { until: reply.received_at }))).not.toContain(order.thread_id);
    expect(ids(await threadsOf(globex.api, { until: '2999-01-01' }))).toContain(order.thread_id);
  });

  test.each([
    { box: 'both' },
    { status: 'x' },
    { assignee: 'you' },
    { with: 'a b' },
    { segment: '!' },
    { since: 'x' },
    { unread: 'maybe' },
    { label: '' },
  ])('refuses %o', async (filter) => {
    expectInvalid(await list(globex.api, '/threads', filter), Object.keys(filter)[0] ?? '');
  });

  test('a cursor is for the same list, filters and reader', async () => {
    const { next_cursor: cursor } = (await list(globex.api, '/threads', { limit: 1 })).body;
    expectInvalid(await list(globex.api, '/threads', { cursor, box: 'in' }), 'cursor');
    expectInvalid(await list(acme.api, '/threads', { cursor }), 'cursor');
  });
});

test('a page of threads that are rare among many ends early, and the cursors lead to all of them, once each and in order', async () => {
  const copies = 2_500;
  await service.sql(
    `INSERT INTO threads SELECT (jsonb_populate_record(t, jsonb_build_object('thread_id', gen_random_uuid(), 'last_position', t.last_position - 10 * n,
            'type', CASE WHEN n % 1200 = 0 THEN 'rare' ELSE 'common' END, 'counterparty_id', (SELECT id FROM parties WHERE handle = 'acme')))).*
       FROM threads t, generate_series(1, ${copies}) AS n WHERE t.thread_id = uuid_in_id($1) AND t.party_id = (SELECT id FROM parties WHERE handle = 'globex')`,
    [plain.thread_id],
  );
  const pages = await everyPage(globex.api, '/threads', { with: 'acme', type: 'rare', box: 'out' });
  expect(pages.flat()).toHaveLength(2);
  expect(pages.length).toBeGreaterThan(1);
  const all = (await everyPage(globex.api, '/threads', { unread: 'false', limit: 200 })).flat();
  expect(all).toHaveLength(copies + 1);
  expect(new Set(ids(all)).size).toBe(all.length);
  const times = all.map(({ updated_at }) => updated_at);
  expect(times).toEqual(times.toSorted().reverse());
  const { body } = await globex.api.get('/threads/counts');
  expect(body.sent).toEqual({ count: 1_000, capped: true });
  expect(body.all).toEqual({ count: 1_000, capped: true });
});
