import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { claimedBy } from '../support/businesses.ts';
import { sendFormData } from '../support/form.ts';
import { hostileJson } from '../support/hostile-json.ts';
import { filesForm } from '../support/largest/business.ts';
import { HoldMeter } from '../support/largest/hold.ts';
import { type MeteredService, startMetered } from '../support/largest/metered-service.ts';
import { han, LONGEST_COMMENT, LONGEST_NAMES, LONGEST_NOTE, salam } from '../support/largest/texts.ts';
import type { MemberApi } from '../support/member.ts';
import { until } from '../support/process.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { untilSearchable } from '../support/search.ts';
import type { TestBusiness } from '../support/service.ts';

/** What follows from the largest messages in the background must not make others wait: deliveries, indexes, the log and mails. */
let metered: MeteredService;
let meter: HoldMeter;
let receiver: Receiver;
let acme: TestBusiness;
let owner: MemberApi;

beforeAll(async () => {
  receiver = await startReceiver({ plain: true });
  metered = await startMetered({ ...receiverSettings, NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
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
});

const LEFT = [
  'committed_batches',
  'search_queue',
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
