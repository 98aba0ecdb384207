import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Api } from '../support/api.ts';
import { type Receiver, type Responder, receiverSettings, startReceiver, withStatus } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { signedAt, verifyOwn } from '../support/verify-webhook.ts';
import {
  attemptsOf,
  type CreatedWebhook,
  createWebhook,
  dueIn,
  dueTimes,
  endOf,
  type LoggedAttempt,
  logOf,
} from '../support/webhook-log.ts';

const DELAYS_S = [60, 300, 1_800, 7_200, 43_200];
const DAY_S = 86_400;
/** The time between a failure and its record, on a busy machine. */
const SLACK_MS = 2_000;
/** Long enough for two sweeps, which would find attempts that should not exist. */
const QUIET_MS = 2_300;

let patient: TestService;
let hasty: TestService;
let receiver: Receiver;
const responders = new Map<string, Responder>();

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.respond = (delivery, response, request) => (responders.get(delivery.path) ?? withStatus(500))(delivery, response, request);
  patient = await startTestService(receiverSettings);
  hasty = await startTestService({ ...receiverSettings, WEBHOOK_RETRY_DELAYS_S: '1,1,1,1,1' });
});
afterAll(async () => {
  await receiver.stop();
  await patient.stop();
  await hasty.stop();
});

let parties = 0;

/** Creates a sender and a recipient for one test, because the tests are concurrent. */
async function pair(service: TestService) {
  const [from, to] = await Promise.all(['from', 'to'].map((name) => service.business(`${name}-${++parties}`)));
  if (!from || !to) throw new Error('no businesses');
  const send = async (message: object = {}) => {
    const { status, text, body } = await from.api.send({ to: to.handle, ...message });
    expect(status, text).toBe(201);
    return body as { id: string };
  };
  const hook = async (respond: Responder = withStatus(500)) => {
    const path = `/${to.handle}/${responders.size}`;
    responders.set(path, respond);
    return { path, ...(await createWebhook(to.api, receiver.url(path))) };
  };
  return { api: to.api, send, hook };
}

async function onlyAttempt(api: Api, webhook: CreatedWebhook): Promise<LoggedAttempt> {
  return (await attemptsOf(api, webhook.id, 1))[0] as LoggedAttempt;
}

/** Expects the next attempt this many seconds after the failure: never earlier, and a little later at most. */
function expectDelay(failed: LoggedAttempt, seconds: number): void {
  const delayMs = Date.parse(failed.next_attempt_at ?? '') - endOf(failed);
  // Three rounded times add up to 3 ms.
  expect(delayMs).toBeGreaterThanOrEqual(seconds * 1000 - 3);
  expect(delayMs).toBeLessThan(seconds * 1000 + SLACK_MS);
}

describe.concurrent('a message that is refused again and again', () => {
  test('is attempted six times, as late as the table says, and then dropped, but stays in the inbox', async () => {
    const { api, send, hook } = await pair(patient);
    const webhook = await hook();
    const { id } = await send({ subject: 'Stays' });
    for (const [i, delayS] of DELAYS_S.entries()) {
      const made = await attemptsOf(api, webhook.id, i + 1);
      const failed = made[i] as LoggedAttempt;
      expect(failed).toMatchObject({ attempt: i + 1, message_id: id, status: 'retrying', status_code: 500 });
      expectDelay(failed, delayS);
      const pending = (await logOf(api, webhook.id)).slice(i + 1);
      expect(pending).toEqual([
        expect.objectContaining({
          attempt: i + 2,
          message_id: id,
          status: 'pending',
          next_attempt_at: failed.next_attempt_at,
          ...{ attempted_at: null, status_code: null, response_ms: null, error: null },
        }),
      ]);
      // The time in the log is the time that workers use.
      expect((await dueTimes(patient, webhook)).map(Math.floor)).toEqual([Date.parse(failed.next_attempt_at ?? '')]);
      expect(receiver.at(webhook.path)).toHaveLength(i + 1);
      const dueAt = await dueIn(patient, webhook, 1);
      await vi.waitFor(() => expect(receiver.at(webhook.path)).toHaveLength(i + 2), { timeout: 60_000, interval: 10 });
      expect(receiver.at(webhook.path)[i + 1]?.at).toBeGreaterThanOrEqual(Math.floor(dueAt));
    }
    const log = await attemptsOf(api, webhook.id, 6);
    expect(log[5]).toMatchObject({ attempt: 6, status: 'dropped', status_code: 500, next_attempt_at: null });
    await sleep(QUIET_MS);
    expect(await logOf(api, webhook.id)).toEqual(log);
    expect(receiver.at(webhook.path)).toHaveLength(6);
    expect(await dueTimes(patient, webhook)).toEqual([]);
    expect((await api.get('/inbox')).body.data).toEqual([expect.objectContaining({ id, subject: 'Stays' })]);
    expect((await api.get(`/messages/${id}`)).status).toBe(200);
  });

  test('is attempted six times in real time, never earlier than a second after the failure before', async () => {
    const { api, send, hook } = await pair(hasty);
    const webhook = await hook();
    const { id } = await send();
    const log = await attemptsOf(api, webhook.id, 6, 40_000);
    await sleep(QUIET_MS);
    expect(await logOf(api, webhook.id)).toEqual(log);
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(log.map(({ status }) => status)).toEqual([...Array(5).fill('retrying'), 'dropped']);
    const received = receiver.at(webhook.path);
    expect(received.map(({ headers }) => headers['waybill-delivery-id'])).toEqual(log.map((entry) => entry.id));
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
    for (const [i, delivery] of received.entries()) {
      expect(verifyOwn(delivery, webhook.secret, delivery.at)).toBe(true);
      expect(Math.abs(signedAt(delivery).own - delivery.at / 1000)).toBeLessThan(5);
      const before = log[i - 1];
      if (before) expect(delivery.at).toBeGreaterThanOrEqual(endOf(before) + 1_000 - 3);
    }
  });

  test.each([2, 3, 6])('and taken at attempt %i is not sent again', async (lucky) => {
    const { api, send, hook } = await pair(hasty);
    const webhook = await hook(({ path }, response) => response.writeHead(receiver.at(path).length < lucky ? 503 : 200).end());
    await send();
    const log = await attemptsOf(api, webhook.id, lucky, 40_000);
    await sleep(QUIET_MS);
    expect(await logOf(api, webhook.id)).toEqual(log);
    expect(log.map(({ status }) => status)).toEqual([...Array(lucky - 1).fill('retrying'), 'delivered']);
    expect(log.at(-1)).toMatchObject({ attempt: lucky, status_code: 200, error: null, next_attempt_at: null });
    expect(receiver.at(webhook.path)).toHaveLength(lucky);
  });

  test('counts for itself: another message to the same webhook has its own attempts', async () => {
    const { api, send, hook } = await pair(hasty);
    const isRefused = ({ body }: { body: Buffer }) => body.includes('refuse me');
    const webhook = await hook((delivery, response) => response.writeHead(isRefused(delivery) ? 500 : 200).end());
    const refused = await send({ subject: 'refuse me' });
    const others = await Promise.all(Array.from({ length: 10 }, () => send()));
    const log = await attemptsOf(api, webhook.id, 16, 40_000);
    for (const { id } of others)
      expect(log.filter(({ message_id }) => message_id === id)).toEqual([expect.objectContaining({ attempt: 1, status: 'delivered' })]);
    expect(log.filter(({ message_id }) => message_id === refused.id).map(({ status }) => status)).toEqual([
      ...Array(5).fill('retrying'),
      'dropped',
    ]);
  });

  test('does not hold up another webhook of the same business, even if its receiver never responds', async () => {
    const { api, send, hook } = await pair(patient);
    const hanging = await hook(() => {});
    const failing = await hook();
    const healthy = await hook(withStatus(200));
    const messages = await Promise.all(Array.from({ length: 20 }, () => send()));
    const log = await attemptsOf(api, healthy.id, 20);
    expect(log.map(({ status }) => status)).toEqual(Array(20).fill('delivered'));
    expect(new Set(log.map(({ message_id }) => message_id))).toEqual(new Set(messages.map(({ id }) => id)));
    expect((await attemptsOf(api, failing.id, 20)).map(({ status }) => status)).toEqual(Array(20).fill('retrying'));
    // The hanging attempt has been tried, but has no outcome yet.
    expect(receiver.at(hanging.path).length).toBeGreaterThan(0);
    expect((await logOf(api, hanging.id)).map(({ status }) => status)).toEqual(Array(20).fill('pending'));
  });
});

describe.concurrent('Retry-After', () => {
  const httpDate = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
  const rfc850 = (seconds: number) => {
    const [, day, month, year, time] = httpDate(seconds).split(' ');
    return `Sunday, ${day}-${month}-${year?.slice(2)} ${time} GMT`;
  };

  const asctime = (seconds: number) => {
    const [weekday, day, month, year, time] = httpDate(seconds).replace(',', '').split(' ');
    return `${weekday} ${month} ${day?.replace(/^0/, ' ')} ${time} ${year}`;
  };

  /** A date has no fraction of a second, and is written before the failure. */
  async function expectNextAfter(seconds: number, status: number, value: () => string | string[], earlierMs = 0): Promise<void> {
    const { api, send, hook } = await pair(patient);
    const webhook = await hook((_, response) => response.setHeader('retry-after', value()).writeHead(status).end());
    await send();
    const failed = await onlyAttempt(api, webhook);
    expect(failed).toMatchObject({ status: 'retrying', status_code: status });
    const delayMs = Date.parse(failed.next_attempt_at ?? '') - endOf(failed);
    expect(delayMs).toBeGreaterThanOrEqual(seconds * 1000 - 3 - earlierMs);
    expect(delayMs).toBeLessThan(seconds * 1000 + SLACK_MS);
    expect((await dueTimes(patient, webhook)).map(Math.floor)).toEqual([Date.parse(failed.next_attempt_at ?? '')]);
  }

  test.each([429, 503])('on %i delays the next attempt, in seconds or until a date', async (status) => {
    await Promise.all([
      expectNextAfter(61, status, () => '61'),
      expectNextAfter(119, status, () => '119'),
      expectNextAfter(110, status, () => httpDate(110), SLACK_MS),
      expectNextAfter(110, status, () => rfc850(110), SLACK_MS),
      expectNextAfter(110, status, () => asctime(110), SLACK_MS),
    ]);
  });

  test.each([429, 503])('on %i never hastens it', async (status) => {
    const values = ['0', '1', '59', httpDate(5), httpDate(-86_400), 'Thu, 01 Jan 1970 00:00:00 GMT'];
    await Promise.all(values.map((value) => expectNextAfter(60, status, () => value)));
  });

  test.each([400, 404, 500, 502, 302])('on %i is ignored', async (status) => {
    await Promise.all(['600', httpDate(600)].map((value) => expectNextAfter(60, status, () => value)));
  });

  test.each([
    '-600',
    '+600',
    '600.5',
    '6e2',
    '0x600',
    '600s',
    '600, 600',
    '',
    'soon',
    'tomorrow 2099',
    '1 Jan 2099',
    'Thu, 99 Jan 2099 00:00:00 GMT',
    '2099-01-01T00:00:00Z',
    'NaN',
    'Infinity',
    '٦٠٠',
  ])('that is malformed is ignored: %j', async (value) => {
    // Headers are bytes, so characters beyond ASCII are sent as in UTF-8.
    await expectNextAfter(60, 503, () => Buffer.from(value).toString('latin1'));
  });

  test('given twice is ignored', async () => {
    await expectNextAfter(60, 503, () => ['600', '900']);
  });

  test('is followed for twice the delay of the table at most', async () => {
    const values = ['120', '121', String(DAY_S), '999999999999', '9'.repeat(400), httpDate(30 * DAY_S), 'Fri, 31 Dec 9999 23:59:59 GMT'];
    await Promise.all(values.map((value) => expectNextAfter(120, 429, () => value)));
  });

  test('of a day puts each attempt off to twice its delay, and adds none', async () => {
    const { api, send, hook } = await pair(patient);
    const webhook = await hook(withStatus(429, { 'retry-after': String(DAY_S * 30) }));
    await send();
    for (const [i, seconds] of DELAYS_S.entries()) {
      expectDelay((await attemptsOf(api, webhook.id, i + 1))[i] as LoggedAttempt, 2 * seconds);
      await dueIn(patient, webhook, 0);
    }
    const log = await attemptsOf(api, webhook.id, 6);
    expect(log[5]).toMatchObject({ status: 'dropped', next_attempt_at: null });
    expect(await logOf(api, webhook.id)).toEqual(log);
  });

  test('does not shorten the delays that follow, nor add an attempt', async () => {
    const { api, send, hook } = await pair(patient);
    const webhook = await hook(withStatus(503, { 'retry-after': '100' }));
    await send();
    for (const [i, seconds] of [100, 300, 1_800, 7_200, 43_200].entries()) {
      expectDelay((await attemptsOf(api, webhook.id, i + 1))[i] as LoggedAttempt, seconds);
      await dueIn(patient, webhook, 0);
    }
    const log = await attemptsOf(api, webhook.id, 6);
    expect(log[5]).toMatchObject({ status: 'dropped', next_attempt_at: null });
    expect(await logOf(api, webhook.id)).toEqual(log);
  });
});
