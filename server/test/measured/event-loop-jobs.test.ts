import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { claimedBy } from '../support/businesses.ts';
import { sendFormData } from '../support/form.ts';
import { hostileJson } from '../support/hostile-json.ts';
import { filesForm } from '../support/largest/business.ts';
import { LARGEST_CLEAN_UPS } from '../support/largest/clean-ups.ts';
import { HoldMeter } from '../support/largest/hold.ts';
import { LARGEST_OF_QUEUE, LARGEST_UPKEEP, largestRecovery, manyMessages } from '../support/largest/jobs.ts';
import { type MeteredService, startMetered } from '../support/largest/metered-service.ts';
import { han, LONGEST_COMMENT, LONGEST_NAMES, LONGEST_NOTE, salam } from '../support/largest/texts.ts';
import type { MemberApi } from '../support/member.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { until } from '../support/process.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { untilSearchable } from '../support/search.ts';
import type { TestBusiness } from '../support/service.ts';

/** Work in the background must not make others wait: what follows from the largest messages, and every chore with as much to do as it may meet. */
let names: NameServer;
let metered: MeteredService;
let meter: HoldMeter;
let receiver: Receiver;
let acme: TestBusiness;
let owner: MemberApi;

beforeAll(async () => {
  receiver = await startReceiver({ plain: true });
  names = await startNameServer();
  metered = await startMetered({ ...receiverSettings, DNS_SERVERS: names.address, NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  const { service } = metered;
  acme = await service.business('acme', { claimed: true });
  owner = await claimedBy(service, 'olga@corp.example', 'globex');
  await owner.patch('/business', { display_name: han(100) });
  expect((await owner.post('/webhooks', { url: receiver.url('/hook'), events: ['message.received', 'thread.updated'] })).status).toBe(201);
  // Messages are indexed for a business that has searched.
  await acme.api.send({ to: 'globex' });
  await untilSearchable(service);
  meter = new HoldMeter(metered.process);
  await meter.calibrate();
});
afterAll(async () => {
  await metered.stop();
  await receiver.stop();
  await names.stop();
});

const LEFT = [
  'committed_batches',
  'noted_hand_overs',
  'search_queue',
  'expiries WHERE due_at <= now()',
  'queued_jobs',
  `webhook_attempts WHERE status = 'pending'`,
  `graphile_worker.jobs WHERE locked_at IS NOT NULL OR attempts = 0 AND run_at <= now()`,
  'log_batches WHERE first_index IS NULL OR first_index >= (SELECT coalesce(max(size), 0) FROM log_checkpoints)',
];

/** Waits until nothing is due. */
function untilDone(): Promise<void> {
  const { sql } = metered.service;
  const hasLeft = async (rows: string) => (await sql(`SELECT FROM ${rows} LIMIT 1`)).length > 0;
  return until(async () => !(await Promise.all(LEFT.map(hasLeft))).includes(true));
}

const works: [name: string, work: () => Promise<ApiResponse>][] = [
  ...hostileJson.map(([name, json]): (typeof works)[number] => [name, () => acme.api.send(`{"to":"globex","json":${json}}`)]),
  ...LONGEST_NAMES.map((name, i): (typeof works)[number] => [
    `100 long names (${i + 1})`,
    () => sendFormData(acme.api, filesForm('globex', name)),
  ]),
  ['the longest texts', () => acme.api.send({ to: 'globex', subject: salam(200), note: LONGEST_NOTE, json: LONGEST_NOTE })],
  ['a long comment', () => commentOn(LONGEST_COMMENT)],
  ['a comment that grows when it is folded', () => commentOn(salam(10_000))],
  ['an invitation', () => owner.post('/invitations', { email: `${'x'.repeat(60)}@${'y'.repeat(60)}.example`, role: 'member' })],
];

async function commentOn(text: string): Promise<ApiResponse> {
  const { thread_id } = (await acme.api.send({ to: 'globex', subject: han(200) })).body;
  return owner.post(`/threads/${thread_id}/comments`, { text, mentions: [] });
}

test.each(works)('%s: what follows does not hold the event loop', async (name, work) => {
  await meter.measure(name, async () => {
    const { status, text } = await work();
    expect(status, text).toBeLessThan(500);
    await untilDone();
  });
  meter.expectShort();
});

test('all of it was delivered', () => {
  expect(receiver.at('/hook').length).toBeGreaterThan(works.length - 1);
});

const world = () => ({ service: metered.service, acme, owner, hook: receiver.url('/hook') });
const largest = { ...LARGEST_CLEAN_UPS, ...LARGEST_UPKEEP, ...LARGEST_OF_QUEUE };

/** Chores that do the same however much there is, and why. */
const NEVER_LARGE = {
  'acknowledge-message': 'at most two things are said of one message, each with a reason of 1,000 characters',
  'encrypt-log-keys': 'a log has few keys',
  'filter-entries': 'one statement for 1,000 entries at a time, which returns a boolean',
  'filter-threads': 'one statement for 500 threads at a time, which returns a boolean',
  'forget-checkpoints': 'one statement, which returns nothing',
  'notify-of-answer': 'the former name of notify-of-reply',
  'notify-of-reply': 'one mail about one message, with the names of two parties',
  'send-mail': 'take-over-mails has thousands of mails sent',
};

test('every chore has a case', async () => {
  // Runners register the chores of server/src/chores.ts, and that of mails, once they have started.
  const registered = 'SELECT identifier FROM graphile_worker._private_tasks';
  const all = (await metered.service.sql<{ identifier: string }>(registered)).map(({ identifier }) => identifier);
  expect([...Object.keys(largest), ...Object.keys(NEVER_LARGE)].sort()).toEqual(all.sort());
});

test.each(Object.entries(largest))('the chore %s does not hold the event loop', async (name, work) => {
  await meter.measure(name, async () => {
    await work(world());
    await untilDone();
  });
  meter.expectShort();
});

test('a recovery of many messages does not hold the event loop, and delivers all', async () => {
  await manyMessages(world());
  await meter.measure('recovery', async () => {
    await largestRecovery(world());
    await untilDone();
  });
  meter.expectShort();
  expect(receiver.at('/hook-recovered').length).toBeGreaterThan(1_000);
});
