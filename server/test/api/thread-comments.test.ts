import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import { VIEWS_PER_WORKER_MAX } from '../../src/contract/limits.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import { listen } from '../support/event-stream.ts';
import type { MemberApi } from '../support/member.ts';
import { everyPage, ids } from '../support/pages.ts';
import { receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { expectThread, untilIndexed } from '../support/threads.ts';

let service: TestService;
let globex: TestBusiness;
let owner: MemberApi;
let member: MemberApi;
let ownerId: string;
let memberId: string;
let agentId: string;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0', ...receiverSettings });
  globex = await service.business('globex');
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
  member = await joinedBy(service, owner, 'ben@tailor-works.test', 'member');
  [ownerId, memberId] = [await personIdOf(owner), await personIdOf(member)];
  agentId = (await owner.post('/agents', { name: 'Till' })).body.id;
});
afterAll(() => service.stop());

async function received(): Promise<{ id: string; thread_id: string; receipt_url: string }> {
  return (await globex.api.send({ to: 'tailor', subject: 'Suit' })).body;
}

test('GET /threads/assignees lists members and agents, for agents as for people', async () => {
  const { data } = (await member.get('/threads/assignees')).body;
  expect(data.map(({ kind, id }: { kind: string; id: string }) => [kind, id])).toEqual([
    ['person', ownerId],
    ['person', memberId],
    ['agent', agentId],
  ]);
  expect((await globex.api.get('/threads/assignees')).body.data).toEqual([{ kind: 'agent', id: globex.agentId, name: 'Agent of globex' }]);
});

describe('comments', () => {
  test('are listed oldest first, with authors and mentions', async () => {
    const { thread_id: id } = await received();
    const { status, body, text } = await owner.post(`/threads/${id}/comments`, {
      text: 'Who takes this?',
      mentions: [memberId, agentId, memberId],
    });
    expect(status, text).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^cmt_/),
      author: { kind: 'person', id: ownerId, name: expect.any(String) },
      text: 'Who takes this?',
      mentions: [
        { kind: 'person', id: memberId, name: expect.any(String) },
        { kind: 'agent', id: agentId, name: 'Till' },
      ],
      created_at: expect.any(String),
    });
    const second = (await member.post(`/threads/${id}/comments`, { text: 'I do' })).body;
    expect((await owner.get(`/threads/${id}/comments`)).body).toEqual({ data: [body, second], next_cursor: null });
    expect((await everyPage(member, `/threads/${id}/comments`, { limit: 1 })).flat()).toEqual([body, second]);
  });

  test.each<[string, () => object, string]>([
    ['no text', () => ({}), 'text'],
    ['blanks', () => ({ text: ' \n' }), 'text'],
    ['too much text', () => ({ text: 'x'.repeat(10_001) }), 'text'],
    ['NUL', () => ({ text: 'a\u0000' }), 'text'],
    ['a mention of an agent of another business', () => ({ text: 'x', mentions: [agentId, globex.agentId] }), 'mentions/1'],
    ['a mention of nobody', () => ({ text: 'x', mentions: [formatId('usr', newUuid())] }), 'mentions/0'],
    ['a mention that is no id', () => ({ text: 'x', mentions: ['ann'] }), 'mentions/0'],
  ])('refuse %s', async (_name, body, field) => {
    const { thread_id: id } = await received();
    expectInvalid(await owner.post(`/threads/${id}/comments`, body()), field);
  });
});

test('the other party sees nothing of comments, status, assignee and labels, in any response, webhook or receipt', async () => {
  const SECRET = 'xyzzy';
  const receiver = await startReceiver();
  await globex.api.write('POST', '/webhooks', { url: receiver.url() });
  const { id, thread_id, receipt_url } = await received();
  await owner.patch(`/threads/${thread_id}`, { status: 'done', assignee: memberId, labels: [SECRET] });
  await owner.post(`/threads/${thread_id}/comments`, { text: SECRET, mentions: [memberId] });
  await owner.post('/views', { name: SECRET, filter: { label: SECRET }, shared: true });
  const reply = (await owner.post('/messages', { in_reply_to: id, note: 'Tomorrow' })).body;
  await expectThread(globex.api, thread_id, { message_count: 2, status: 'open', assignee: null, labels: [] });
  await expect.poll(() => receiver.deliveries.length).toBeGreaterThan(0);
  const seen = [JSON.stringify(receiver.deliveries.map(({ body }) => String(body))), reply];
  for (const path of [
    '/inbox',
    '/outbox',
    '/threads',
    `/threads/${thread_id}`,
    `/messages/${reply.id}`,
    `/messages/${id}`,
    `/threads/${thread_id}/comments`,
  ])
    seen.push((await globex.api.get(path)).text);
  for (const path of ['/views', '/threads/labels', '/notifications', '/threads/counts', `/threads?label=${SECRET}`])
    seen.push((await globex.api.get(path)).text.replace(`"label":"${SECRET}"`, ''));
  for (const url of [receipt_url, reply.receipt_url]) seen.push((await service.anonymous.get(`/receipts/${url.split('/r/')[1]}`)).text);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(JSON.stringify(seen)).not.toContain(memberId);
  expect((await globex.api.get(`/threads/${thread_id}/comments`)).body.data).toEqual([]);
  await receiver.stop();
});

describe('notifications', () => {
  test('tell of mentions and assignments, not of what one does oneself, and are marked as read', async () => {
    const fresh = await joinedBy(service, owner, 'eva@tailor-works.test', 'member');
    const id = await personIdOf(fresh);
    const { thread_id } = await received();
    const comment = (await owner.post(`/threads/${thread_id}/comments`, { text: 'See this', mentions: [id, ownerId] })).body;
    await member.patch(`/threads/${thread_id}`, { assignee: id });
    await fresh.patch(`/threads/${thread_id}`, { assignee: null });
    await fresh.patch(`/threads/${thread_id}`, { assignee: 'me' });
    const { data } = (await fresh.get('/notifications')).body;
    expect(data).toEqual([
      {
        ...{ id: expect.stringMatching(/^ntf_/), kind: 'assignment', thread_id, subject: 'Suit', comment_id: null, read: false },
        ...{ by: { kind: 'person', id: memberId, name: expect.any(String) }, created_at: expect.any(String) },
      },
      {
        ...{ id: expect.stringMatching(/^ntf_/), kind: 'mention', thread_id, subject: 'Suit', comment_id: comment.id, read: false },
        ...{ by: { kind: 'person', id: ownerId, name: expect.any(String) }, created_at: expect.any(String) },
      },
    ]);
    expect(ids((await everyPage(fresh, '/notifications', { limit: 1 })).flat())).toEqual(ids(data));
    expect((await fresh.post('/notifications/read', { ids: [data[0].id] })).body).toEqual({ read: 1 });
    expect(ids((await fresh.get('/notifications?unread=true')).body.data)).toEqual([data[1].id]);
    expect((await member.post('/notifications/read', { ids: [data[1].id] })).body.read).toBe(0);
    expect((await fresh.post('/notifications/read', {})).body).toEqual({ read: 1 });
    expect((await fresh.get('/notifications?unread=true')).body.data).toEqual([]);
    expectInvalid(await fresh.post('/notifications/read', { ids: ['x'] }), 'ids/0');
  });
});

describe('saved views', () => {
  test('are personal or shared, with counts', async () => {
    const { thread_id: id } = await received();
    await owner.patch(`/threads/${id}`, { labels: ['view'] });
    const { status, body, text } = await owner.post('/views', { name: ' Viewed ', filter: { label: 'view', status: 'open' } });
    expect(status, text).toBe(201);
    expect(body).toEqual({
      ...{ id: expect.stringMatching(/^view_/), name: 'Viewed', filter: { label: 'view', status: 'open' }, shared: false, mine: true },
      ...{ threads: { count: 1, capped: false }, digest: 'never', created_at: expect.any(String) },
    });
    const find = async (api: MemberApi) => (await api.get('/views')).body.data.find((view: { id: string }) => view.id === body.id);
    expect(await find(owner)).toEqual(body);
    expect(await find(member)).toBeUndefined();
    expectRefusal(await member.patch(`/views/${body.id}`, { name: 'x' }), 'not_found');
    expect((await owner.patch(`/views/${body.id}`, { shared: true, filter: { status: 'done' } })).body).toMatchObject({
      shared: true,
      name: 'Viewed',
    });
    expect(await find(member)).toMatchObject({ mine: false, filter: { status: 'done' } });
    expectRefusal(await member.delete(`/views/${body.id}`), 'forbidden');
    const shared = (await member.post('/views', { name: 'By Ben', filter: {}, shared: true })).body;
    expect((await owner.patch(`/views/${shared.id}`, { name: 'By an admin' })).status).toBe(200);
    for (const view of [body, shared]) expect((await owner.delete(`/views/${view.id}`)).status).toBe(204);
    expect(await find(owner)).toBeUndefined();
    expectRefusal(await globex.api.patch(`/views/${shared.id}`, { name: 'x' }), 'not_found');
  });

  test.each<[string, object, string]>([
    ['no name', { filter: {} }, 'name'],
    ['a blank name', { name: ' ', filter: {} }, 'name'],
    ['a filter that the list refuses', { name: 'x', filter: { since: 'yesterday' } }, 'filter/since'],
    ['a filter that nobody knows', { name: 'x', filter: { colour: 'red' } }, 'filter/colour'],
    ['NUL in a filter', { name: 'x', filter: { type: '\u0000' } }, 'filter/type'],
  ])('refuse %s', async (_name, body, field) => {
    expectInvalid(await owner.post('/views', body), field);
  });

  test('are limited', async () => {
    for (let n = 0; n < VIEWS_PER_WORKER_MAX; n++) expect((await member.post('/views', { name: `${n}`, filter: {} })).status).toBe(201);
    expectRefusal(await member.post('/views', { name: 'more', filter: {} }), 'conflict');
  });
});

test('/events tells the others of each change of a thread, in another process, too, and not the other party', async () => {
  const sibling = await service.sibling();
  const { secret } = (await owner.post(`/agents/${agentId}/keys`, { scope: 'read' })).body;
  const { thread_id: id } = await received();
  await untilIndexed(service);
  const here = await listen(service.url, { authorization: `Bearer ${secret}` });
  const there = await listen(sibling.url, { authorization: `Bearer ${secret}` });
  const other = await listen(service.url, { authorization: `Bearer ${globex.secret}` });
  const told = ({ text }: { text(): string }) => [...text().matchAll(/^event: threads\ndata: (.+)\n\n/gm)].length;
  for (const stream of [here, there, other]) await expect.poll(() => told(stream)).toBe(1);
  let events = 1;
  for (const change of [{ status: 'done' }, { assignee: 'me' }, { labels: ['x'] }]) {
    await owner.patch(`/threads/${id}`, change);
    events++;
    for (const stream of [here, there]) await expect.poll(() => told(stream)).toBe(events);
  }
  await owner.post(`/threads/${id}/comments`, { text: 'hello' });
  for (const stream of [here, there]) await expect.poll(() => told(stream)).toBe(events + 1);
  expect(told(other)).toBe(1);
  // A new message is announced at once, and again when it is in the list of threads.
  await received();
  for (const stream of [here, there]) await expect.poll(() => told(stream)).toBeGreaterThan(events + 1);
  expect(here.events().at(-1)).toEqual({ inbox: true, outbox: false });
  for (const stream of [here, there, other]) stream.leave();
  await sibling.stop();
});
