import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid, parseId } from '../../src/contract/ids.ts';
import { UNIT_ROWS, UNIT_THREADS, WEBHOOK_LOG_SCANNED_MAX } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { attemptsOf, createWebhook } from '../support/webhook-log.ts';

/** Requests that make the database look at many rows, or change many threads, are charged for that. */
let service: TestService;
let receiver: Receiver;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, RATE_LIMIT_PER_MINUTE: '1000000', RATE_LIMIT_BURST: '1000000' });
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

let webhooks = 0;
const newWebhook = () => createWebhook(globex.api, receiver.url(`/${++webhooks}`));

const costOf = ({ headers }: ApiResponse) => Number(headers.get('ratelimit-cost') ?? 1);

/** A webhook with so many failed attempts, each of another message. */
async function webhookWith(attempts: number): Promise<string> {
  const { id } = await newWebhook();
  await addAttempts(id, attempts);
  return id;
}

async function addAttempts(id: string, count: number): Promise<void> {
  await service.sql(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, status, due_at, created_at, attempted_at, response_ms)
     SELECT w.party_id, w.id, new_uuid(now()), gen_random_uuid(), 'message.received', 1, 'failed', now(), now(), now(), 5
       FROM webhooks w, generate_series(1, $2::int) WHERE w.id = $1`,
    [parseId('wh', id), count],
  );
  // PostgreSQL would soon analyze the table itself.
  await service.sql('ANALYZE webhook_attempts');
}

describe('the log of a webhook', () => {
  test('statistics pay for the attempts that they count, once for all who ask at the same time', async () => {
    const id = await webhookWith(20 * UNIT_ROWS);
    const asked = await Promise.all([1, 2].map(() => globex.api.get(`/webhooks/${id}/statistics`)));
    expect(asked.map(({ status, body }) => [status, body.totals.failed])).toEqual(Array(2).fill([200, 20 * UNIT_ROWS]));
    expect(asked.map(costOf).sort()).toEqual([1, 21]);
    expect(costOf(await globex.api.get(`/webhooks/${await webhookWith(10)}/statistics`))).toBe(1);
  });

  test('a list of deliveries pays for the attempts that it looks at in vain', async () => {
    const id = await webhookWith(4 * UNIT_ROWS);
    const page = await globex.api.get(`/webhooks/${id}/messages?limit=5`);
    expect([page.body.data.length, typeof page.body.next_cursor, costOf(page)]).toEqual([5, 'string', 1]);
    const none = await globex.api.get(`/webhooks/${id}/messages?state=delivered`);
    expect([none.status, none.body, costOf(none)]).toEqual([200, { data: [], next_cursor: null }, 5]);
    await addAttempts(id, WEBHOOK_LOG_SCANNED_MAX);
    const beginning = await globex.api.get(`/webhooks/${id}/messages?state=delivered`);
    expect([beginning.body.data, typeof beginning.body.next_cursor]).toEqual([[], 'string']);
    expect(costOf(beginning)).toBe(WEBHOOK_LOG_SCANNED_MAX / UNIT_ROWS + 1);
    const rest = await globex.api.get(`/webhooks/${id}/messages?state=delivered&cursor=${beginning.body.next_cursor}`);
    expect([rest.body, costOf(rest)]).toEqual([{ data: [], next_cursor: null }, 5]);
  });

  test('one delivery pays for the attempts among which its first one is looked for', async () => {
    const { id } = await newWebhook();
    const { id: messageId } = (await acme.api.send({ to: 'globex' })).body;
    await attemptsOf(globex.api, id, 1);
    await addAttempts(id, 4 * UNIT_ROWS);
    const paths = [`/webhooks/${id}/messages/${messageId}`, `/webhooks/${id}/messages?message=${messageId}`];
    for (const path of paths) expect(costOf(await globex.api.get(path))).toBe(1);
    await service.sql('UPDATE webhook_attempts SET message_id = $2 WHERE message_id = $1', [parseId('msg', messageId), newUuid()]);
    const [one = '', listed = ''] = paths;
    const missing = await globex.api.get(one);
    expectRefusal(missing, 'not_found');
    expect(costOf(missing)).toBe(5);
    expect(costOf(await globex.api.get(listed))).toBe(5);
  });
});

test('a change of many threads pays for each group of them, even if it is refused', async () => {
  const ids: string[] = [];
  for (let i = 0; i <= UNIT_THREADS; i++) ids.push((await acme.api.send({ to: 'globex' })).body.thread_id);
  const change = (some: readonly string[]) => globex.api.write('POST', '/threads/batch', { ids: some, status: 'done' });
  const [few, many] = [await change(ids.slice(1)), await change(ids)];
  expect([few.status, costOf(few)]).toEqual([200, 1]);
  expect([many.status, costOf(many)]).toEqual([200, 2]);
  const refused = await change(Array.from({ length: 2 * UNIT_THREADS + 1 }, (_, i) => `thr_${String(i).padStart(26, '0')}`));
  expectRefusal(refused, 'not_found');
  expect(costOf(refused)).toBe(3);
});
