import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import { LABELS_PER_THREAD_MAX } from '../../src/contract/limits.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { ids } from '../support/pages.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { expectThread, threadsOf, untilIndexed } from '../support/threads.ts';

let service: TestService;
let globex: TestBusiness;
/** The business under test, with an owner, a member and an agent. */
let owner: MemberApi;
let member: MemberApi;
let agent: Api;
let agentId: string;
let stranger: TestBusiness;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  globex = await service.business('globex');
  stranger = await service.business('stranger');
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
  member = await joinedBy(service, owner, 'ben@tailor-works.test', 'member');
  const created = (await owner.post('/agents', { name: 'Till' })).body;
  agentId = created.id;
  const { secret } = (await owner.post(`/agents/${agentId}/keys`, { scope: 'read_write' })).body;
  agent = new Api(service.url, secret);
});
afterAll(() => service.stop());

async function received(fields: object = {}): Promise<{ id: string; thread_id: string }> {
  const { status, body, text } = await globex.api.send({ to: 'tailor', ...fields });
  expect(status, text).toBe(201);
  return body;
}

describe('PATCH /threads/{id}', () => {
  test('finishes a thread at once, even one that came a moment ago', async () => {
    const { thread_id: id } = await received({ subject: 'Suit' });
    const { status, body, text } = await agent.patch(`/threads/${id}`, { status: 'done' });
    expect(status, text).toBe(200);
    expect(body).toEqual({
      subject: 'Suit',
      message_count: 1,
      unread_count: 1,
      status: 'done',
      assignee: null,
      labels: [],
      document: null,
    });
    expect(ids(await threadsOf(owner, { status: 'done' }))).toContain(id);
    expect(ids(await threadsOf(owner, { status: 'open' }))).not.toContain(id);
    expect((await owner.get(`/threads/${id}`)).body.state).toMatchObject({ status: 'done' });
  });

  test('a received message opens a thread again, a sent one does not', async () => {
    const { id, thread_id } = await received();
    await agent.patch(`/threads/${thread_id}`, { status: 'done' });
    const own = (await agent.send({ in_reply_to: id })).body;
    await expectThread(owner, thread_id, { message_count: 2, status: 'done' });
    await globex.api.send({ in_reply_to: own.id });
    await expectThread(owner, thread_id, { message_count: 3, status: 'open' });
    // The thread can be done again, and reopened by hand.
    expect((await owner.patch(`/threads/${thread_id}`, { status: 'done' })).body.status).toBe('done');
    expect((await owner.patch(`/threads/${thread_id}`, { status: 'open' })).body.status).toBe('open');
  });

  test('in a race of done and an arrival, the thread is open in the end, or was done after the message had come', async () => {
    const first = await received();
    for (let round = 0; round < 15; round++) {
      const [{ body: sent }, patched] = await Promise.all([
        globex.api.send({ in_reply_to: first.id }),
        agent.patch(`/threads/${first.thread_id}`, { status: 'done' }),
      ]);
      expect(patched.status, patched.text).toBe(200);
      await untilIndexed(service);
      const [row] = await service.sql<{ is_right: boolean }>(
        `SELECT t.is_done = (t.done_through >= t.last_in_position) AS is_right FROM threads t JOIN parties p ON p.id = t.party_id
          WHERE p.handle = 'tailor' AND t.last_message_id = uuid_in_id($1)`,
        [sent.id],
      );
      expect(row?.is_right).toBe(true);
    }
  });

  test('assigns a thread to a member, an agent or oneself, and takes it away', async () => {
    const { thread_id: id } = await received();
    const personId = await personIdOf(member);
    const person = { kind: 'person', id: personId, name: expect.any(String) };
    expect((await agent.patch(`/threads/${id}`, { assignee: personId })).body.assignee).toEqual(person);
    expect(ids(await threadsOf(member, { assignee: 'me' }))).toEqual([id]);
    expect(ids(await threadsOf(owner, { assignee: personId }))).toEqual([id]);
    expect(ids(await threadsOf(owner, { assignee: 'me' }))).toEqual([]);
    expect(ids(await threadsOf(owner, { assignee: 'none' }))).not.toContain(id);
    expect((await member.patch(`/threads/${id}`, { assignee: agentId })).body.assignee).toEqual({
      kind: 'agent',
      id: agentId,
      name: 'Till',
    });
    expect((await owner.patch(`/threads/${id}`, { assignee: 'me' })).body.assignee).toMatchObject({ id: await personIdOf(owner) });
    expect((await owner.patch(`/threads/${id}`, { assignee: null })).body.assignee).toBeNull();
    expect(ids(await threadsOf(owner, { assignee: 'none' }))).toContain(id);
  });

  test('sets labels, adds and removes them, and lists them', async () => {
    const { thread_id: id } = await received();
    expect((await agent.patch(`/threads/${id}`, { labels: ['urgent', ' vip ', 'urgent'] })).body.labels).toEqual(['urgent', 'vip']);
    expect((await agent.patch(`/threads/${id}`, { add_labels: ['late'], remove_labels: ['vip'] })).body.labels).toEqual(['late', 'urgent']);
    expect(ids(await threadsOf(owner, { label: 'late' }))).toEqual([id]);
    expect(ids(await threadsOf(owner, { label: 'late', status: 'open', box: 'in' }))).toEqual([id]);
    expect(ids(await threadsOf(owner, { label: 'vip' }))).toEqual([]);
    expect((await owner.get('/threads/labels')).body).toEqual({ data: [{ label: 'late' }, { label: 'urgent' }] });
    // The order of a filtered list is that of the latest activity.
    const other = await received();
    await agent.patch(`/threads/${other.thread_id}`, { labels: ['late'] });
    expect(ids(await threadsOf(owner, { label: 'late' }))).toEqual([other.thread_id, id]);
    await globex.api.send({ in_reply_to: (await owner.get(`/threads/${id}`)).body.data[0].id });
    await expect.poll(async () => ids(await threadsOf(owner, { label: 'late' }))).toEqual([id, other.thread_id]);
  });

  test.each<[string, object, string]>([
    ['another status', { status: 'closed' }, 'status'],
    ['somebody who is nobody', { assignee: 'usr_x' }, 'assignee'],
    ['somebody of nowhere', { assignee: formatId('usr', newUuid()) }, 'assignee'],
    ['an empty label', { labels: [' '] }, 'labels/0'],
    ['an invisible label', { labels: ['a', '\u200b\u0000'] }, 'labels/1'],
    ['a long label', { labels: ['x'.repeat(41)] }, 'labels/0'],
  ])('refuses %s', async (_name, change, field) => {
    const { thread_id: id } = await received();
    expectInvalid(await agent.patch(`/threads/${id}`, change), field);
  });

  test('refuses a member or agent of another business, and too many labels', async () => {
    const { thread_id: id } = await received();
    expectInvalid(await agent.patch(`/threads/${id}`, { assignee: globex.agentId }), 'assignee');
    const many = Array.from({ length: LABELS_PER_THREAD_MAX }, (_, n) => `label ${n}`);
    expect((await agent.patch(`/threads/${id}`, { labels: many })).status).toBe(200);
    expectRefusal(await agent.patch(`/threads/${id}`, { add_labels: ['more'] }), 'conflict');
    expect((await agent.get(`/threads/${id}`)).body.state.labels).toHaveLength(LABELS_PER_THREAD_MAX);
    await agent.patch(`/threads/${id}`, { labels: [] });
  });

  test('a read-only key sees, but does not change', async () => {
    const { thread_id: id } = await received();
    const { secret } = (await owner.post(`/agents/${agentId}/keys`, { scope: 'read' })).body;
    const reader = new Api(service.url, secret);
    expect((await reader.get(`/threads/${id}`)).body.state).toMatchObject({ status: 'open' });
    expectRefusal(await reader.patch(`/threads/${id}`, { status: 'done' }), 'forbidden');
    expectRefusal(await reader.write('POST', `/threads/${id}/read`, {}), 'forbidden');
    expectRefusal(await reader.write('POST', `/threads/${id}/comments`, { text: 'x' }), 'forbidden');
    expectRefusal(await reader.write('POST', '/threads/batch', { ids: [id], status: 'done' }), 'forbidden');
  });

  test('what a member had is nobody’s once the member has left', async () => {
    const leaver = await joinedBy(service, owner, 'cid@tailor-works.test', 'member');
    const { thread_id: id } = await received();
    const personId = await personIdOf(leaver);
    await owner.patch(`/threads/${id}`, { assignee: personId });
    await leaver.delete(`/members/${personId}`);
    expect((await owner.get(`/threads/${id}`)).body.state.assignee).toBeNull();
    await expect.poll(async () => ids(await threadsOf(owner, { assignee: 'none' }))).toContain(id);
  });
});

describe('POST /threads/{id}/read', () => {
  test('is for one person or agent alone', async () => {
    const { id, thread_id } = await received();
    await expectThread(agent, thread_id, { unread_count: 1 });
    expect((await agent.write('POST', `/threads/${thread_id}/read`, {})).status).toBe(204);
    await expectThread(agent, thread_id, { unread_count: 0 });
    await expectThread(owner, thread_id, { unread_count: 1 });
    expect(ids(await threadsOf(agent, { unread: 'true' }))).not.toContain(thread_id);
    expect(ids(await threadsOf(owner, { unread: 'true' }))).toContain(thread_id);
    await globex.api.send({ in_reply_to: id });
    await expectThread(agent, thread_id, { unread_count: 1, message_count: 2 });
    await expectThread(owner, thread_id, { unread_count: 2 });
    await owner.post(`/threads/${thread_id}/read`, {});
    await owner.post(`/threads/${thread_id}/read`, { unread: true });
    await expectThread(owner, thread_id, { unread_count: 1 });
  });

  test('what came before a member joined, or was sent, is not new', async () => {
    const { thread_id } = await received();
    const { thread_id: sent } = (await agent.send({ to: 'globex' })).body;
    const late = await joinedBy(service, owner, 'dan@tailor-works.test', 'member');
    await expectThread(late, thread_id, { unread_count: 0 });
    await expectThread(owner, sent, { unread_count: 0 });
  });
});

describe('POST /threads/batch', () => {
  test('changes all', async () => {
    const some = [await received(), await received(), await received()].map(({ thread_id }) => thread_id);
    const { status, body, text } = await owner.post('/threads/batch', {
      ids: some,
      status: 'done',
      assignee: 'me',
      add_labels: ['bulk'],
      unread: false,
    });
    expect(status, text).toBe(200);
    expect(body).toEqual({ changed: 3 });
    expect(ids(await threadsOf(owner, { label: 'bulk', status: 'done', assignee: 'me', unread: 'false' })).toSorted()).toEqual(
      some.toSorted(),
    );
  });

  test('or none, with an error for each that is not there', async () => {
    const { thread_id: id } = await received();
    const foreign = (await globex.api.send({ to: 'globex' })).body.thread_id;
    const response = await owner.post('/threads/batch', { ids: ['thr_x', id, foreign], status: 'done' });
    expectRefusal(response, 'not_found');
    expect(response.body.error.details.map(({ path }: { path: string }) => path)).toEqual(['/ids/0', '/ids/2']);
    expect((await owner.get(`/threads/${id}`)).body.state.status).toBe('open');
    expectInvalid(await owner.post('/threads/batch', { ids: [], status: 'done' }), 'ids');
    expectInvalid(await owner.post('/threads/batch', { ids: Array(501).fill(id), status: 'done' }), 'ids');
  });
});

describe('another business', () => {
  const ways: [string, (api: Api, id: string) => Promise<ApiResponse>][] = [
    ['PATCH', (api, id) => api.patch(`/threads/${id}`, { status: 'done' })],
    ['read', (api, id) => api.write('POST', `/threads/${id}/read`, {})],
    ['comments', (api, id) => api.get(`/threads/${id}/comments`)],
    ['a comment', (api, id) => api.write('POST', `/threads/${id}/comments`, { text: 'x' })],
    ['a batch', (api, id) => api.write('POST', '/threads/batch', { ids: [id], status: 'done' })],
  ];
  test.each(ways)('gets 404, as for a thread that nobody has, by %s', async (_name, ask) => {
    const { thread_id: id } = await received();
    const response = await ask(stranger.api, id);
    expectRefusal(response, 'not_found');
    expect(withoutTraces(response)).toEqual(withoutTraces(await ask(stranger.api, formatId('thr', newUuid()))));
  });
});

test('GET /threads/counts counts what the views have', async () => {
  await untilIndexed(service);
  const { status, body } = await owner.get('/threads/counts');
  expect(status).toBe(200);
  const filters: Record<string, Record<string, string>> = {
    open: { status: 'open', box: 'in' },
    mine: { status: 'open', assignee: 'me' },
    unassigned: { status: 'open', box: 'in', assignee: 'none' },
    unread: { box: 'in', unread: 'true' },
    failed_schema: { status: 'open', failed_schema: 'true' },
    done: { status: 'done' },
    sent: { box: 'out' },
    all: {},
  };
  expect(Object.keys(body)).toEqual(Object.keys(filters));
  for (const [name, filter] of Object.entries(filters))
    expect(body[name], name).toEqual({ count: (await threadsOf(owner, filter)).length, capped: false });
});
