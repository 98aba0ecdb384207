import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { dueAt } from '../../src/modules/threads/due-notifications.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let globex: TestBusiness;
let owner: MemberApi;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  globex = await service.business('globex');
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
});
afterAll(async () => {
  await service.stop();
});

interface Kept {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

const settled = () =>
  expect
    .poll(async () => [
      ...(await service.sql('SELECT FROM queued_jobs')),
      ...(await service.sql(
        `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('mail-notifications', 'send-mail') AND run_at <= now()`,
      )),
    ])
    .toEqual([]);

async function mailsTo(email: string): Promise<Kept[]> {
  await settled();
  const mails = await service.sql<{ mail: Kept }>('SELECT mail FROM kept_mails ORDER BY id');
  return mails.map(({ mail }) => mail).filter(({ to, subject }) => to === email && subject.includes('notification'));
}

/** Makes notifications older, and checks them again. */
async function later(minutes: number): Promise<void> {
  await settled();
  await service.sql(`UPDATE notifications SET created_at = created_at - make_interval(mins => $1)`, [minutes]);
  await service.sql(
    `UPDATE graphile_worker._private_jobs j SET run_at = now() FROM graphile_worker._private_tasks t
      WHERE t.id = j.task_id AND t.identifier = 'mail-notifications' AND j.locked_at IS NULL`,
  );
}

let people = 0;
async function newMember() {
  const email = `member${++people}@tailor-works.test`;
  const api = await joinedBy(service, owner, email, 'member');
  return { api, email, id: await personIdOf(api) };
}

const thread = async () => (await globex.api.send({ to: 'tailor', subject: 'SECRET-SUBJECT', note: 'SECRET-NOTE' })).body.thread_id;
const mention = async (id: string, threadId?: string) => {
  const { status, text } = await owner.post(`/threads/${threadId ?? (await thread())}/comments`, {
    text: 'SECRET-COMMENT',
    mentions: [id],
  });
  expect(status, text).toBe(201);
};

describe('a member who is mentioned or assigned', () => {
  test('gets one mail about all that came together, with names, numbers and a link, and nothing of what was written', async () => {
    const { email, id } = await newMember();
    const threadId = await thread();
    await mention(id, threadId);
    await mention(id, threadId);
    await owner.patch(`/threads/${threadId}`, { assignee: id });
    expect(await mailsTo(email)).toEqual([]);
    await later(1);
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('3 notifications in The tailor company');
    expect(mail?.text).toContain('ann has mentioned you in 2 comments and assigned a thread to you');
    expect(mail?.text).toContain(`${service.url}/threads/${threadId}`);
    expect(JSON.stringify(mail)).not.toMatch(/SECRET/);
    expect(mail?.headers).toMatchObject({
      'List-Unsubscribe': expect.stringMatching(/^<http.+\/mail\/unsubscribe\/.+>$/),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    // A mailed notification is not mailed again, neither alone nor with later ones.
    await later(1);
    expect(await mailsTo(email)).toHaveLength(1);
    await mention(id);
    await later(1);
    const all = await mailsTo(email);
    expect(all.map(({ subject }) => subject)).toEqual([mail?.subject, '1 notification in The tailor company']);
  });

  test('gets none about what is read already, nor after leaving the business', async () => {
    const reader = await newMember();
    await mention(reader.id);
    await reader.api.post('/notifications/read', {});
    const gone = await newMember();
    await mention(gone.id);
    expect((await owner.delete(`/members/${gone.id}`)).status).toBe(204);
    await later(1);
    expect([await mailsTo(reader.email), await mailsTo(gone.email)]).toEqual([[], []]);
  });

  test('gets one mail, however many processes work', async () => {
    const { email, id } = await newMember();
    const siblings = [await service.sibling(), await service.sibling()];
    await Promise.all(Array.from({ length: 10 }, () => mention(id)));
    await later(1);
    const [mail, ...others] = await mailsTo(email);
    expect([mail?.subject, others]).toEqual(['10 notifications in The tailor company', []]);
    expect(mail?.text).toMatch(/^Open: http\S+\/inbox$/m);
    for (const sibling of siblings) await sibling.stop();
  });
});

describe('the account', () => {
  const setting = async ({ browser }: MemberApi) => (await browser.get('/v1/account')).body.notification_mail;
  const choose = (api: MemberApi, notification_mail: string) =>
    api.browser.request('PATCH', '/v1/account', { body: { notification_mail } });

  test('says how often: at once by default, hourly, daily or never', async () => {
    const { api, email, id } = await newMember();
    expect(await setting(api)).toBe('at_once');
    for (const frequency of ['hourly', 'daily'] as const) {
      expect((await choose(api, frequency)).body.notification_mail).toBe(frequency);
      const before = (await mailsTo(email)).length;
      await mention(id);
      await mailsTo(email);
      // The job waits for the full hour, or for the morning.
      const [job] = await service.sql<{ run_at: Date }>(`SELECT run_at FROM graphile_worker.jobs WHERE key LIKE $1`, [
        `mail-notifications % ${parseId('usr', id)}`,
      ]);
      const [{ created_at } = { created_at: new Date(0) }] = await service.sql<{ created_at: Date }>(
        'SELECT created_at FROM notifications WHERE recipient_id = $1 AND mailed_at IS NULL',
        [parseId('usr', id)],
      );
      expect(job?.run_at).toEqual(dueAt(frequency, created_at));
      expect(await mailsTo(email)).toHaveLength(before);
      await later(frequency === 'hourly' ? 61 : 25 * 60);
      expect(await mailsTo(email)).toHaveLength(before + 1);
    }
    await choose(api, 'never');
    await mention(id);
    await later(25 * 60);
    // The notification is not mailed later either, when mails are wanted again.
    await choose(api, 'at_once');
    expect(await mailsTo(email)).toHaveLength(2);
    expectInvalid(await choose(api, 'weekly'), 'notification_mail');
    expect((await api.browser.request('PATCH', '/v1/account', { body: {} })).status).toBe(400);
  });

  test('shows that its mailbox was unsubscribed with one click, and takes that back', async () => {
    const { api, email, id } = await newMember();
    await mention(id);
    await later(1);
    const [mail] = await mailsTo(email);
    const link = /<(.+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
    const click = await fetch(link, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) });
    expect(click.status).toBe(200);
    expect(await setting(api)).toBe('never');
    await mention(id);
    await later(1);
    expect(await mailsTo(email)).toHaveLength(1);
    expect((await choose(api, 'at_once')).body.notification_mail).toBe('at_once');
    await mention(id);
    await later(1);
    expect(await mailsTo(email)).toHaveLength(2);
  });
});

test.each([
  ['at_once', '2026-11-17T06:59:45Z', '2026-11-17T07:00:15Z'],
  ['hourly', '2026-11-17T06:59:45Z', '2026-11-17T07:00:00Z'],
  ['hourly', '2026-11-17T07:00:00Z', '2026-11-17T08:00:00Z'],
  ['daily', '2026-11-17T06:59:45Z', '2026-11-17T07:00:00Z'],
  ['daily', '2026-11-17T07:00:00Z', '2026-11-18T07:00:00Z'],
] as const)('%s: what waits since %s is due at %s', (frequency, since, due) => {
  expect(dueAt(frequency, new Date(since))).toEqual(new Date(due));
});
