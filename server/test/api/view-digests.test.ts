import { afterAll, beforeAll, expect, test } from 'vitest';
import { VIEW_DIGESTS_PER_MEMBER_MAX } from '../../src/contract/limits.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { untilIndexed } from '../support/threads.ts';

let service: TestService;
let globex: TestBusiness;
let owner: MemberApi;
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  globex = await service.business('globex');
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
});
afterAll(() => service.stop());

interface Kept {
  to: string;
  subject: string;
  text: string;
  headers: Record<string, string>;
}

let people = 0;
async function newMember() {
  const email = `member${++people}@tailor-works.test`;
  return { api: await joinedBy(service, owner, email, 'member'), email };
}

const send = async (request: object = {}) => {
  const { body } = await globex.api.send({ to: 'tailor', subject: 'SECRET-SUBJECT', note: 'SECRET-NOTE', ...request });
  await untilIndexed(service);
  return body;
};
const viewOf = async (api: MemberApi, filter: object, shared = false): Promise<string> => {
  const { status, body, text } = await api.post('/views', { name: 'SECRET-VIEW', filter, shared });
  expect(status, text).toBe(201);
  return body.id;
};
const choose = (api: MemberApi, view: string, frequency: string) => api.request('PUT', `/views/${view}/digest`, { frequency });

/** Makes all digests due, and waits until they and their mails are done. */
async function whenDue(): Promise<void> {
  await untilIndexed(service);
  await service.sql(`UPDATE view_digests SET due_at = now() - interval '1 second'`);
  await service.sql(`SELECT FROM graphile_worker.add_job('mail-view-digests')`);
  const waiting = async () => [
    ...(await service.sql('SELECT FROM view_digests WHERE due_at <= now()')),
    ...(await service.sql(`SELECT FROM graphile_worker.jobs WHERE task_identifier = 'send-mail'`)),
  ];
  await expect.poll(waiting, { timeout: 60_000 }).toEqual([]);
}

async function mailsTo(email: string): Promise<Kept[]> {
  const mails = await service.sql<{ mail: Kept }>('SELECT mail FROM kept_mails ORDER BY id');
  return mails.map(({ mail }) => mail).filter(({ to, subject }) => to === email && subject.includes('new messages'));
}

test('a member gets the number of threads with news since the last mail, with a link, and nothing of what was written', async () => {
  const { api, email } = await newMember();
  await send({ type: 'order' });
  const view = await viewOf(api, { type: 'order' });
  expect((await api.get('/views')).body.data.at(-1)).toMatchObject({ id: view, digest: 'never' });
  const chosen = await choose(api, view, 'hourly');
  expect([chosen.status, chosen.body]).toMatchObject([200, { id: view, digest: 'hourly' }]);
  expect((await api.get('/views')).body.data.at(-1)).toMatchObject({ id: view, digest: 'hourly' });
  // Earlier messages are not news.
  await whenDue();
  expect(await mailsTo(email)).toEqual([]);

  const first = await send({ type: 'order' });
  await send({ type: 'order' });
  await send({ type: 'order', in_reply_to: first.id });
  await send({ type: 'invoice' });
  await whenDue();
  const [mail, ...others] = await mailsTo(email);
  expect(others).toEqual([]);
  expect(mail?.subject).toBe('2 threads with new messages in The tailor company');
  expect(mail?.text).toContain(`${service.url}/inbox?view=${view}`);
  expect(JSON.stringify(mail)).not.toMatch(/SECRET|globex/i);
  expect(mail?.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
  await whenDue();
  expect(await mailsTo(email)).toHaveLength(1);

  await send({ type: 'order', in_reply_to: first.id });
  await whenDue();
  expect((await mailsTo(email)).map(({ subject }) => subject)).toEqual([mail?.subject, '1 thread with new messages in The tailor company']);

  expect((await choose(api, view, 'never')).body.digest).toBe('never');
  await send({ type: 'order' });
  await whenDue();
  expect(await mailsTo(email)).toHaveLength(2);
});

test('nobody gets a mail about what is read, nor after leaving, nor about a view that is gone or no longer shared', async () => {
  const reader = await newMember();
  const [leaver, other] = [await newMember(), await newMember()];
  const shared = await viewOf(reader.api, { box: 'in' }, true);
  const deleted = await viewOf(other.api, { box: 'in' });
  const unshared = await viewOf(reader.api, {}, true);
  for (const [api, view] of [
    [reader.api, shared],
    [leaver.api, shared],
    [other.api, deleted],
    [other.api, unshared],
  ] as const)
    expect((await choose(api, view, 'daily')).status).toBe(200);
  await other.api.delete(`/views/${deleted}`);
  await reader.api.patch(`/views/${unshared}`, { shared: false });
  await owner.delete(`/members/${await personIdOf(leaver.api)}`);
  const { thread_id } = await send();
  expect((await reader.api.post(`/threads/${thread_id}/read`, {})).status).toBeLessThan(300);
  await whenDue();
  for (const { email } of [reader, leaver, other]) expect(await mailsTo(email)).toEqual([]);
  expect(await service.sql(`SELECT view_id FROM view_digests d WHERE frequency = 'daily'`)).toHaveLength(1);
  await send();
  await whenDue();
  expect((await mailsTo(reader.email)).map(({ subject }) => subject)).toEqual(['1 thread with new messages in The tailor company']);
});

test('one mail comes, however many processes work, and a digest that fails delays no other', async () => {
  const [broken, { api, email }] = [await newMember(), await newMember()];
  const view = await viewOf(broken.api, {});
  await choose(broken.api, view, 'hourly');
  await service.sql(
    `UPDATE thread_views SET filter = '{"since":"no time"}' WHERE owner_id = (SELECT person_id FROM view_digests ORDER BY view_id DESC LIMIT 1)`,
  );
  await choose(api, await viewOf(api, {}), 'hourly');
  await send();
  const siblings = [await service.sibling(), await service.sibling()];
  await whenDue();
  await whenDue();
  expect([await mailsTo(broken.email), (await mailsTo(email)).length]).toEqual([[], 1]);
  for (const sibling of siblings) await sibling.stop();
});

test('a mailbox that was unsubscribed gets none, and is told so when it chooses', async () => {
  const { api, email } = await newMember();
  const view = await viewOf(api, {});
  await choose(api, view, 'hourly');
  await service.sql('INSERT INTO unsubscribed_mailboxes (email) VALUES ($1)', [email]);
  await send();
  await whenDue();
  expect(await mailsTo(email)).toEqual([]);
  expectRefusal(await choose(api, view, 'daily'), 'conflict');
  expect((await choose(api, view, 'never')).status).toBe(200);
  expect((await api.browser.request('PATCH', '/v1/account', { body: { notification_mail: 'daily' } })).status).toBe(200);
  expect((await choose(api, view, 'daily')).status).toBe(200);
});

test('refuses what is no choice, views of others, too many, and agents', async () => {
  const { api } = await newMember();
  const view = await viewOf(api, {});
  for (const frequency of ['at_once', '', 'weekly']) expectInvalid(await choose(api, view, frequency), 'frequency');
  expectRefusal(await choose(api, 'view_nope', 'daily'), 'not_found');
  expectRefusal(await choose(api, await viewOf(owner, {}), 'daily'), 'not_found');
  expect([401, 403]).toContain((await globex.api.write('PUT', `/views/${view}/digest`, { frequency: 'daily' })).status);

  const rows = `SELECT p.id, new_uuid(now()), (SELECT person_id FROM members m WHERE m.party_id = p.id ORDER BY joined_at DESC LIMIT 1), 'daily', 0, now() + interval '1 day'
                  FROM parties p, generate_series(1, ${VIEW_DIGESTS_PER_MEMBER_MAX}) WHERE p.handle = 'tailor'`;
  await service.sql(`INSERT INTO view_digests (party_id, view_id, person_id, frequency, told_through, due_at) ${rows}`);
  expectRefusal(await choose(api, view, 'daily'), 'conflict');
  expect((await api.get('/views')).body.data.find(({ id }: { id: string }) => id === view).digest).toBe('never');
});
