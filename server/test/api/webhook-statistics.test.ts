import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import { attemptsByBucket } from '../../src/modules/webhooks/statistics-store.ts';
import type { ApiResponse } from '../support/api.ts';
import { type Receiver, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith } from '../support/sql-locks.ts';
import { attemptsOf, createWebhook } from '../support/webhook-log.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PERIODS = [
  ['24h', 24, HOUR_MS],
  ['7d', 28, 6 * HOUR_MS],
  ['30d', 30, DAY_MS],
] as const;
const NOTHING = { delivered: 0, failed: 0, p50_ms: null, p95_ms: null };

let service: TestService;
let receiver: Receiver;
let acme: TestBusiness;
let webhookId: string;
let businesses = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '600' });
});
beforeEach(async () => {
  receiver.respond = withStatus(204);
  acme = await service.business(`acme-${++businesses}`);
  webhookId = (await createWebhook(acme.api, receiver.url())).id;
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const statistics = (period?: string, id = webhookId, business = acme): Promise<ApiResponse> =>
  business.api.get(`/webhooks/${id}/statistics${period === undefined ? '' : `?period=${period}`}`);
const uuid = () => parseId('wh', webhookId);

/** The beginning of the hour by the database's clock, in milliseconds since 1970, so that no hour ends in between. */
async function thisHour(): Promise<number> {
  const [row] = await service.sql<{ ms: number }>(`SELECT extract(epoch FROM date_trunc('hour', now()))::float8 * 1000 AS ms`);
  return row?.ms ?? Number.NaN;
}

interface Made {
  /** In milliseconds since 1970. The attempt was queued `queuedForMs` before. */
  begunAt: number;
  queuedForMs?: number;
  responseMs?: number;
  status?: 'delivered' | 'retrying' | 'dropped' | 'failed';
  statusCode?: number | null;
}

/** Inserts attempts as if they had been made at these times. */
async function attempts(made: Made[], id = webhookId): Promise<void> {
  await service.sql(
    `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, status, status_code, response_ms, attempted_at)
     SELECT w.party_id, w.id, new_uuid(to_timestamp(queued / 1000)), gen_random_uuid(), 'message.received', 1, now(),
            to_timestamp(queued / 1000), status::attempt_status, code, response, to_timestamp(begun / 1000)
       FROM webhooks w, unnest($2::float8[], $3::float8[], $4::integer[], $5::text[], $6::integer[]) AS m (queued, begun, response, status, code)
      WHERE w.id = $1`,
    [
      parseId('wh', id),
      made.map(({ begunAt, queuedForMs = 0 }) => begunAt - queuedForMs),
      made.map(({ begunAt }) => begunAt),
      made.map(({ responseMs = 10 }) => responseMs),
      made.map(({ status = 'delivered' }) => status),
      made.map(({ statusCode = 200 }) => statusCode),
    ],
  );
}

describe('the statistics of a webhook', () => {
  test('count the outcomes of its attempts, and the response times', async () => {
    receiver.respond = ({ headers }, response) => {
      const nth = receiver.deliveries.filter(({ headers: { host } }) => host === headers.host).length;
      if (nth % 4 === 0) response.destroy();
      else response.writeHead(nth % 4 === 3 ? 500 : 204).end();
    };
    for (let i = 0; i < 3; i++) expect((await acme.api.send({ to: acme.handle })).status).toBe(201);
    expect((await acme.api.request('POST', `/v1/webhooks/${webhookId}/test`)).status).toBe(202);
    const made = await attemptsOf(acme.api, webhookId, 4);
    const responded = made.filter(({ status_code }) => status_code !== null).map(({ response_ms }) => response_ms as number);
    const times = responded.toSorted((a, b) => a - b);
    const { status, body, text } = await statistics();
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ webhook_id: webhookId, period: '24h', counted_since: null });
    expect(body.totals).toEqual({ delivered: 2, failed: 2, p50_ms: times[1], p95_ms: times[2] });
    // The next hour may have begun meanwhile.
    const lately = body.buckets.slice(-2) as { delivered: number; failed: number }[];
    expect(lately.reduce((sum, { delivered, failed }) => sum + delivered + failed, 0)).toBe(4);
    expect(body.buckets.slice(0, -2)).toEqual(body.buckets.slice(0, -2).map(({ start }: { start: string }) => ({ start, ...NOTHING })));
  });

  test.each(PERIODS)('of %s have %i buckets of one length that begin at whole ones in UTC', async (period, count, lengthMs) => {
    const before = await thisHour();
    const { body } = await statistics(period);
    const starts = body.buckets.map(({ start }: { start: string }) => Date.parse(start)) as number[];
    expect([body.period, starts.length]).toEqual([period, count]);
    const first = starts[0] as number;
    expect(starts).toEqual(starts.map((_, i) => first + i * lengthMs));
    expect(first % lengthMs).toBe(0);
    expect([before, before + HOUR_MS].map((at) => Math.floor(at / lengthMs) * lengthMs)).toContain(starts.at(-1));
    expect(body.totals).toEqual(NOTHING);
  });

  test('put each attempt where it ended, with exact percentiles of the response times', async () => {
    const hour = await thisHour();
    const inHour = (hoursAgo: number, ms = 0) => hour - hoursAgo * HOUR_MS + ms;
    await attempts([
      ...Array.from({ length: 100 }, (_, i): Made => ({ begunAt: inHour(3, 60_000), responseMs: 100 - i })),
      { begunAt: inHour(2, -100), responseMs: 99 },
      { begunAt: inHour(2, -100), responseMs: 100, status: 'retrying', statusCode: 500 },
      { begunAt: inHour(2), responseMs: 10_000, status: 'dropped', statusCode: null },
      // The receiver had delayed this retry by a day.
      { begunAt: inHour(5), queuedForMs: DAY_MS, responseMs: 1_234, status: 'failed', statusCode: 503 },
      { begunAt: inHour(1), status: 'retrying', statusCode: null, responseMs: 3 },
    ]);
    const { body } = await statistics('24h');
    const byStart = new Map(body.buckets.map(({ start, ...counted }: { start: string }) => [Date.parse(start), counted]));
    expect(byStart.get(inHour(3))).toEqual({ delivered: 101, failed: 0, p50_ms: 51, p95_ms: 96 });
    expect(byStart.get(inHour(2))).toEqual({ delivered: 0, failed: 2, p50_ms: 100, p95_ms: 100 });
    expect(byStart.get(inHour(5))).toEqual({ delivered: 0, failed: 1, p50_ms: 1_230, p95_ms: 1_230 });
    expect(byStart.get(inHour(1))).toEqual({ delivered: 0, failed: 1, p50_ms: null, p95_ms: null });
    expect(byStart.get(inHour(4))).toEqual(NOTHING);
    expect(body.totals).toEqual({ delivered: 101, failed: 4, p50_ms: 52, p95_ms: 98 });
  });

  test('reach as far back as their period, and no further', async () => {
    const hour = await thisHour();
    const daysAgo = [0.5, 3, 20, 40];
    await attempts(daysAgo.map((days) => ({ begunAt: hour - days * DAY_MS })));
    const totals = [];
    for (const [period] of PERIODS) totals.push((await statistics(period)).body.totals.delivered);
    expect(totals).toEqual([1, 2, 3]);
  });

  test('are of one webhook, and of the business’s own', async () => {
    const hour = await thisHour();
    const other = await createWebhook(acme.api, receiver.url('/other'));
    await attempts([{ begunAt: hour }]);
    await attempts([{ begunAt: hour }, { begunAt: hour }], other.id);
    const seen = [webhookId, other.id].map(async (id) => (await statistics('24h', id)).body.totals.delivered);
    expect(await Promise.all(seen)).toEqual([1, 2]);
    const stranger = await service.business(`stranger-${businesses}`);
    const unknown = await statistics('24h', formatId('wh', newUuid()), stranger);
    expectRefusal(unknown, 'not_found');
    for (const id of [webhookId, 'placeholder'])
      expect(withoutTraces(await statistics('24h', id, stranger))).toEqual(withoutTraces(unknown));
    const reader = await acme.withKey('read');
    expect((await reader.get(`/webhooks/${webhookId}/statistics?period=30d`)).body.totals.delivered).toBe(1);
    expect((await acme.api.request('DELETE', `/v1/webhooks/${webhookId}`)).status).toBe(204);
    expectRefusal(await statistics('24h'), 'not_found');
  });

  test.each(['1h', '', '24H', '0', '24h%00'])('of a period %j are refused', async (period) => {
    expectInvalid(await statistics(period), 'period');
  });

  test('say since when they count where there is more than they read', async () => {
    const hour = await thisHour();
    await attempts(Array.from({ length: 20 }, (_, i) => ({ begunAt: hour - i * HOUR_MS })));
    const [{ party_id } = { party_id: '' }] = await service.sql<{ party_id: string }>('SELECT party_id FROM webhooks WHERE id = $1', [
      uuid(),
    ]);
    const read = (attemptsMax: number) =>
      attemptsByBucket(
        service.database.of(BigInt(party_id)),
        BigInt(party_id),
        uuid() as string,
        { bucket: '1 hour', buckets: 24 },
        { attemptsMax, queuedForMaxH: 48 },
      );
    const [some, all] = [await read(5), await read(21)];
    expect([some.totals.delivered, some.countedSince?.getTime()]).toEqual([5, hour - 4 * HOUR_MS]);
    expect([all.totals.delivered, all.countedSince]).toEqual([20, null]);
  });
});

test('statistics that take too long are given up, those of one business take turns, and too many are refused', async () => {
  const ids = [webhookId];
  while (ids.length < 4) ids.push((await createWebhook(acme.api, receiver.url(`/${ids.length}`))).id);
  const other = await service.business(`other-${businesses}`);
  const ofOther = (await createWebhook(other.api, receiver.url())).id;
  const lock = await lockingWith(service, 'LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE');
  const first = statistics('24h');
  await connectionWaitingIn(service, 'webhook_attempts');
  // Equal questions share one count. Eight others wait.
  const same = statistics('24h');
  const asked = ids.flatMap((id) => PERIODS.map(([period]) => statistics(period, id))).slice(1);
  const elsewhere = statistics('24h', ofOther, other);
  expectRefusal(await first, 'unavailable');
  expectRefusal(await same, 'unavailable');
  await lock.rollBack();
  expect((await elsewhere).status).toBe(200);
  const responses = await Promise.all(asked);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(8).fill(200), ...Array(3).fill(429)]);
  for (const response of responses.filter(({ status }) => status === 429)) expectRefusal(response, 'rate_limited');
  expect((await statistics('24h')).status).toBe(200);
});
