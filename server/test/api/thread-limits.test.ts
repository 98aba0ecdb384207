import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import {
  COMMENT_MAX_CHARS,
  COMMENTS_PER_BUSINESS_MAX,
  COMMENTS_PER_THREAD_MAX,
  LABELS_PER_BUSINESS_MAX,
  LABELS_PER_THREAD_MAX,
  MENTIONS_PER_COMMENT_MAX,
  NOTIFICATIONS_KEPT_MAX,
  SHARED_VIEWS_PER_BUSINESS_MAX,
  THREAD_LABEL_MAX_CHARS,
  THREADS_PER_CHANGE_MAX,
  VIEW_NAME_MAX_CHARS,
  VIEWS_PER_WORKER_MAX,
} from '../../src/contract/limits.ts';
import { createAgent, createKey } from '../../src/modules/agents/agents.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { everyPage } from '../support/pages.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { untilIndexed } from '../support/threads.ts';

let service: TestService;
let globex: TestBusiness;
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  globex = await service.business('globex');
});
afterAll(() => service.stop());

async function threadsFor(business: TestBusiness, count: number): Promise<string[]> {
  const sent = await Promise.all(Array.from({ length: count }, () => globex.api.send({ to: business.handle })));
  await untilIndexed(service);
  return sent.map(({ body }) => body.thread_id);
}

const comment = (api: Api, threadId: string, fields: object = {}) =>
  api.write('POST', `/threads/${threadId}/comments`, { text: 'x', ...fields });

/** Of these concurrent requests, this many succeed and the others are refused. */
function expectSuccesses(responses: readonly ApiResponse[], status: number, count: number): void {
  const refused = responses.filter((response) => response.status !== status);
  expect(responses.length - refused.length).toBe(count);
  for (const response of refused) expectRefusal(response, 'conflict');
}

describe('comments', () => {
  test(`are at most ${COMMENTS_PER_THREAD_MAX} on a thread, even if several are written at once`, async () => {
    const acme = await service.business('acme');
    const [first = '', second = ''] = await threadsFor(acme, 2);
    await comment(acme.api, first);
    await service.sql(
      `INSERT INTO thread_comments (party_id, thread_id, id, author_kind, author_id, author_name, text, mentions, created_at)
       SELECT party_id, thread_id, gen_random_uuid(), author_kind, author_id, author_name, text, mentions, created_at
         FROM thread_comments, generate_series(1, $2) WHERE thread_id = $1`,
      [parseId('thr', first), COMMENTS_PER_THREAD_MAX - 3],
    );
    expectSuccesses(await Promise.all(Array.from({ length: 6 }, () => comment(acme.api, first))), 201, 2);
    expect((await everyPage(acme.api, `/threads/${first}/comments`, { limit: 200 })).flat()).toHaveLength(COMMENTS_PER_THREAD_MAX);
    expect((await comment(acme.api, second)).status).toBe(201);
  });

  test('of a business are limited across its threads and processes; others are not concerned', async () => {
    const [initech, other] = [await service.business('initech'), await service.business('other')];
    const sibling = await service.sibling();
    const threads = await threadsFor(initech, 4);
    const [otherThread = ''] = await threadsFor(other, 1);
    for (const [api, id] of [[initech.api, threads[0]] as const, [other.api, otherThread] as const])
      expect((await comment(api, id ?? '')).status).toBe(201);
    const counted = () =>
      service.sql<{ comments: number }>(
        "SELECT comments FROM thread_changes c JOIN parties p ON p.id = c.party_id WHERE p.handle = 'initech'",
      );
    expect(await counted()).toEqual([{ comments: 1 }]);
    await service.sql("UPDATE thread_changes c SET comments = $1 FROM parties p WHERE p.id = c.party_id AND p.handle = 'initech'", [
      COMMENTS_PER_BUSINESS_MAX - 3,
    ]);
    const there = new Api(sibling.url, initech.secret);
    const written = await Promise.all(threads.flatMap((id) => [comment(initech.api, id), comment(there, id)]));
    expectSuccesses(written, 201, 3);
    // A refused comment does not count.
    expect(await counted()).toEqual([{ comments: COMMENTS_PER_BUSINESS_MAX }]);
    expect((await comment(other.api, otherThread)).status).toBe(201);
    await sibling.stop();
  });

  test('have a text and mentions of limited length', async () => {
    const hooli = await service.business('hooli');
    const [id = ''] = await threadsFor(hooli, 1);
    expect((await comment(hooli.api, id, { text: '…'.repeat(COMMENT_MAX_CHARS) })).status).toBe(201);
    expectInvalid(await comment(hooli.api, id, { text: '…'.repeat(COMMENT_MAX_CHARS + 1) }), 'text');
    const mentions = Array.from({ length: MENTIONS_PER_COMMENT_MAX }, () => hooli.agentId);
    expect((await comment(hooli.api, id, { mentions })).status).toBe(201);
    expectInvalid(await comment(hooli.api, id, { mentions: [...mentions, hooli.agentId] }), 'mentions');
  });
});

describe('labels', () => {
  test('of a thread are limited, even if several requests add some at once', async () => {
    const pied = await service.business('pied');
    const [id = ''] = await threadsFor(pied, 1);
    const labels = Array.from({ length: LABELS_PER_THREAD_MAX - 1 }, (_, n) => `label ${n}`);
    expect((await pied.api.patch(`/threads/${id}`, { labels })).status).toBe(200);
    const added = await Promise.all(['a', 'b', 'c', 'd'].map((label) => pied.api.patch(`/threads/${id}`, { add_labels: [label] })));
    expectSuccesses(added, 200, 1);
    expect((await pied.api.get(`/threads/${id}`)).body.state.labels).toHaveLength(LABELS_PER_THREAD_MAX);
    expectInvalid(await pied.api.patch(`/threads/${id}`, { labels: ['x'.repeat(THREAD_LABEL_MAX_CHARS + 1)] }), 'labels/0');
    expectInvalid(await pied.api.patch(`/threads/${id}`, { labels: [...labels, 'a', 'b'] }), 'labels');
  });

  test('of all threads of a business are limited; one that no thread has any more makes room', async () => {
    const umbrella = await service.business('umbrella');
    const full = Math.ceil(LABELS_PER_BUSINESS_MAX / LABELS_PER_THREAD_MAX);
    const threads = await threadsFor(umbrella, full + 3);
    const labels = Array.from({ length: LABELS_PER_BUSINESS_MAX - 1 }, (_, n) => `label ${n}`);
    for (let n = 0; n < full; n++) {
      const part = labels.slice(n * LABELS_PER_THREAD_MAX, (n + 1) * LABELS_PER_THREAD_MAX);
      expect((await umbrella.api.patch(`/threads/${threads[n]}`, { labels: part })).status).toBe(200);
    }
    const others = threads.slice(full);
    expectSuccesses(await Promise.all(others.map((id) => umbrella.api.patch(`/threads/${id}`, { labels: [id] }))), 200, 1);
    expect((await umbrella.api.get('/threads/labels')).body.data).toHaveLength(LABELS_PER_BUSINESS_MAX);
    expect((await umbrella.api.patch(`/threads/${others[0]}`, { labels: ['label 7'] })).status).toBe(200);
    await umbrella.api.write('POST', '/threads/batch', { ids: others, labels: [] });
    expect((await umbrella.api.patch(`/threads/${others[1]}`, { labels: ['new'] })).status).toBe(200);
    expectRefusal(await umbrella.api.patch(`/threads/${others[2]}`, { labels: ['newer'] }), 'conflict');
  });

  test('a request changes a limited number of threads', async () => {
    const ids = Array.from({ length: THREADS_PER_CHANGE_MAX + 1 }, () => formatId('thr', newUuid()));
    expectInvalid(await globex.api.write('POST', '/threads/batch', { ids, status: 'done' }), 'ids');
    expectRefusal(await globex.api.write('POST', '/threads/batch', { ids: ids.slice(1), status: 'done' }), 'not_found');
  });
});

describe('saved views', () => {
  const save = (api: Api, fields: object) => api.write('POST', '/views', { name: 'x', filter: {}, ...fields });

  test.each<[string, boolean, number]>([
    ['of one agent', false, VIEWS_PER_WORKER_MAX],
    ['that a business shares', true, SHARED_VIEWS_PER_BUSINESS_MAX],
  ])('%s are limited, even if several are saved at once', async (_name, shared, max) => {
    const { api } = await service.business(shared ? 'sharing' : 'private');
    expectSuccesses(await Promise.all(Array.from({ length: max + 5 }, () => save(api, { shared }))), 201, max);
    const { data } = (await api.get('/views')).body;
    expect(data).toHaveLength(max);
    // The other kind has its own limit, which a change of kind can't evade.
    const other = (await save(api, { shared: !shared })).body;
    expectRefusal(await api.patch(`/views/${other.id}`, { shared }), 'conflict');
    expect((await api.patch(`/views/${data[0].id}`, { shared: !shared })).status).toBe(200);
    expect((await api.patch(`/views/${other.id}`, { shared })).status).toBe(200);
  });

  test('have names of limited length', async () => {
    expect((await save(globex.api, { name: 'x'.repeat(VIEW_NAME_MAX_CHARS) })).status).toBe(201);
    expectInvalid(await save(globex.api, { name: 'x'.repeat(VIEW_NAME_MAX_CHARS + 1) }), 'name');
  });
});

test(`the newest ${NOTIFICATIONS_KEPT_MAX} notifications of an agent are kept`, async () => {
  const stark = await service.business('stark');
  const [id = ''] = await threadsFor(stark, 1);
  await service.sql(
    `INSERT INTO notifications (party_id, recipient_kind, recipient_id, id, kind, thread_id, by_kind, by_id, by_name, created_at)
     SELECT t.party_id, 'agent', $2, lpad(to_hex(n), 32, '0')::uuid, 'mention', t.thread_id, 'agent', $2, 'x', now()
       FROM threads t, generate_series(1, $3) n WHERE t.thread_id = $1 AND t.party_id = (SELECT p.id FROM parties p WHERE p.handle = 'stark')`,
    [parseId('thr', id), parseId('agt', stark.agentId), NOTIFICATIONS_KEPT_MAX],
  );
  const notifications = async () => (await everyPage(stark.api, '/notifications', { limit: 200 })).flat();
  const before = await notifications();
  expect(before).toHaveLength(NOTIFICATIONS_KEPT_MAX);
  const owner = await secondAgentOf(stark);
  await comment(owner, id, { mentions: [stark.agentId] });
  const after = await notifications();
  expect(after).toHaveLength(NOTIFICATIONS_KEPT_MAX);
  expect(after.slice(1)).toEqual(before.slice(0, -1));
});

/** Another agent, because nobody is notified of their own actions. */
async function secondAgentOf({ handle }: TestBusiness): Promise<Api> {
  const [party] = await service.sql<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [handle]);
  const agent = await createAgent(service.database, BigInt(party?.id ?? 0), { name: 'Second' });
  return new Api(service.url, (await createKey(service.database, BigInt(party?.id ?? 0), agent.id, 'read_write')).secret);
}
