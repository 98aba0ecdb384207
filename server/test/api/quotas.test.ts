import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, ApiResponse } from '../support/api.ts';
import { Operator } from '../support/operator.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const MONTHLY = 40;
const DAILY_WHEN_NEW = 5;

let service: TestService;
let made = 0;

beforeAll(async () => {
  service = await startTestService({
    MONTHLY_MESSAGE_LIMIT: String(MONTHLY),
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: String(DAILY_WHEN_NEW),
  });
  await service.business('globex');
});
afterAll(() => service.stop());

function fresh(options: { claimed?: boolean } = {}): Promise<TestBusiness> {
  return service.business(`sender-${++made}`, options);
}

function sendMany(count: number, apis: Api[], headersOf: (i: number) => Record<string, string> = () => ({})): Promise<ApiResponse[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => (apis[i % apis.length] as Api).send({ to: 'globex' }, headersOf(i))));
}

async function usageOf({ api }: TestBusiness): Promise<{ used: number; limit: number }> {
  return (await api.get('/me')).body.usage.messages;
}

/** Every request either succeeded or was refused for the quota, and the usage agrees. */
async function expectExactly(accepted: number, responses: ApiResponse[], sender: TestBusiness): Promise<void> {
  const delivered = responses.filter(({ status }) => status === 201);
  expect(delivered).toHaveLength(accepted);
  for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'quota_exceeded');
  const outbox = (await sender.api.get('/outbox?limit=200')).body.data;
  expect(outbox.map(({ id }: { id: string }) => id).sort()).toEqual(delivered.map(({ body }) => body.id).sort());
  expect((await usageOf(sender)).used).toBe(accepted);
}

/** The refusal says in whole seconds when `resetsAt` is. */
function expectRetryAfter(response: ApiResponse, resetsAt: string, asked: number, responded: number): void {
  const seconds = Number(response.headers.get('retry-after'));
  expect(Number.isInteger(seconds)).toBe(true);
  expect(asked + seconds * 1000).toBeLessThanOrEqual(Date.parse(resetsAt) + 1000);
  expect(responded + seconds * 1000).toBeGreaterThanOrEqual(Date.parse(resetsAt));
}

async function moveUsage({ handle }: TestBusiness, interval: string): Promise<void> {
  await service.sql(`UPDATE daily_usage SET day = day - $2::interval WHERE party_id = (SELECT id FROM parties WHERE handle = $1)`, [
    handle,
    interval,
  ]);
}

async function moveClaim({ handle }: TestBusiness, interval: string): Promise<void> {
  await service.sql('UPDATE parties SET claimed_at = now() - $2::interval WHERE handle = $1', [handle, interval]);
}

describe('the monthly limit', () => {
  test('lets exactly as many of 200 parallel sends through as it says', async () => {
    const sender = await fresh();
    await expectExactly(MONTHLY, await sendMany(200, [sender.api]), sender);
  });

  test('holds over two processes', async () => {
    const sender = await fresh();
    const sibling = await service.sibling();
    try {
      await expectExactly(MONTHLY, await sendMany(200, [sender.api, sender.api.at(sibling.url)]), sender);
    } finally {
      await sibling.stop();
    }
  });

  test('is one for all keys of a business, and nobody else’s', async () => {
    const [sender, other] = [await fresh(), await fresh()];
    const responses = await sendMany(120, [sender.api, await sender.withKey('read_write'), other.api]);
    await expectExactly(
      MONTHLY,
      responses.filter((_, i) => i % 3 !== 2),
      sender,
    );
    await expectExactly(
      40,
      responses.filter((_, i) => i % 3 === 2),
      other,
    );
  });

  test('refuses with the name of the limit, and Retry-After until the month is over', async () => {
    const sender = await fresh();
    await sendMany(MONTHLY, [sender.api]);
    const asked = Date.now();
    const response = await sender.api.send({ to: 'globex' });
    const responded = Date.now();
    expectRefusal(response, 'quota_exceeded');
    expect(response.status).toBe(429);
    expect(response.body.error.details).toEqual([{ path: '', message: expect.stringContaining('40'), limit: 'monthly_messages' }]);
    const { usage } = (await sender.api.get('/me')).body;
    expect(usage.messages).toEqual({ used: MONTHLY, limit: MONTHLY });
    expect(usage.resets_at).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
    expectRetryAfter(response, usage.resets_at, asked, responded);
  });

  test('is back with the next month', async () => {
    const sender = await fresh();
    await sendMany(MONTHLY, [sender.api]);
    await moveUsage(sender, '1 month');
    expect((await usageOf(sender)).used).toBe(0);
    const responses = await sendMany(MONTHLY + 1, [sender.api]);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(MONTHLY);
    expect((await usageOf(sender)).used).toBe(MONTHLY);
  });

  test('of 0 is none', async () => {
    const sender = await fresh();
    const sibling = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '0' });
    try {
      await expectExactly(MONTHLY + 10, await sendMany(MONTHLY + 10, [sender.api.at(sibling.url)]), sender);
      expect((await sender.api.at(sibling.url).get('/me')).body.usage.messages).toEqual({ used: MONTHLY + 10, limit: 0 });
    } finally {
      await sibling.stop();
    }
  });
});

describe('usage', () => {
  test('counts every message sent, one to oneself once, and none received', async () => {
    const [sender, receiver] = [await fresh(), await fresh()];
    expect(await usageOf(sender)).toEqual({ used: 0, limit: MONTHLY });
    await sender.api.send({ to: receiver.handle });
    await sender.api.send({ to: sender.handle });
    await sender.api.send({ to: 'demo' });
    expect((await usageOf(sender)).used).toBe(3);
    expect((await usageOf(receiver)).used).toBe(0);
  });

  test('is not touched by refused sends, so that all of the limit is left', async () => {
    const sender = await fresh();
    const wrong = [{ to: 'nobody' }, { to: 'globex', josn: 1 }, { to: 'globex', files: ['x'] }, { in_reply_to: 'x' }, '{'];
    await Promise.all(Array.from({ length: 100 }, (_, i) => sender.api.send(wrong[i % wrong.length])));
    expect((await usageOf(sender)).used).toBe(0);
    await expectExactly(MONTHLY, await sendMany(MONTHLY + 5, [sender.api]), sender);
  });

  test('is not touched by sends that the limit refused', async () => {
    const sender = await fresh();
    await sendMany(MONTHLY + 20, [sender.api]);
    expect((await usageOf(sender)).used).toBe(MONTHLY);
  });

  test('is not used by repeats, which succeed even when nothing is left', async () => {
    const sender = await fresh();
    const key = { 'idempotency-key': 'first' };
    const original = await sender.api.send({ to: 'globex' }, key);
    await sendMany(MONTHLY, [sender.api], () => key);
    expect((await usageOf(sender)).used).toBe(1);
    await sendMany(MONTHLY, [sender.api]);
    const repeat = await sender.api.send({ to: 'globex' }, key);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(repeat.text).toBe(original.text);
  });

  test('grows by one for the last message, however many repeats of it come at once', async () => {
    const sender = await fresh();
    await sendMany(MONTHLY - 1, [sender.api]);
    const responses = await sendMany(50, [sender.api], () => ({ 'idempotency-key': 'last' }));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(201);
    expect((await usageOf(sender)).used).toBe(MONTHLY);
  });

  test('holds when each of 200 parallel sends has its key: those refused are refused again', async () => {
    const sender = await fresh();
    const headersOf = (i: number) => ({ 'idempotency-key': `key-${i}` });
    const responses = await sendMany(200, [sender.api], headersOf);
    await expectExactly(MONTHLY, responses, sender);
    const again = await sendMany(200, [sender.api], headersOf);
    expect(again.map(({ status }) => status)).toEqual(responses.map(({ status }) => status));
    await expectExactly(
      MONTHLY,
      again.filter((_, i) => responses[i]?.status === 201).concat(again.filter(({ status }) => status !== 201)),
      sender,
    );
  });
});

describe('the daily limit of a new account', () => {
  test('applies to a business that was claimed just now', async () => {
    const sender = await fresh({ claimed: true });
    await expectExactly(DAILY_WHEN_NEW, await sendMany(200, [sender.api]), sender);
  });

  test('refuses with its own name, and Retry-After until the day is over', async () => {
    const sender = await fresh({ claimed: true });
    await sendMany(DAILY_WHEN_NEW, [sender.api]);
    const asked = Date.now();
    const response = await sender.api.send({ to: 'globex' });
    const responded = Date.now();
    expectRefusal(response, 'quota_exceeded');
    expect(response.body.error.details).toEqual([{ path: '', message: expect.stringContaining('5'), limit: 'new_account_daily_messages' }]);
    const { usage } = (await sender.api.get('/me')).body;
    // Uploads have the same days.
    expectRetryAfter(response, usage.uploads.resets_at, asked, responded);
  });

  test('is back with the next day', async () => {
    const sender = await fresh({ claimed: true });
    await sendMany(DAILY_WHEN_NEW, [sender.api]);
    await moveUsage(sender, '1 day');
    const responses = await sendMany(DAILY_WHEN_NEW + 3, [sender.api]);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(DAILY_WHEN_NEW);
  });

  test('applies until seven days after the claim, and not from then on', async () => {
    const sender = await fresh({ claimed: true });
    await moveClaim(sender, '6 days 23 hours 59 minutes');
    await expectExactly(DAILY_WHEN_NEW, await sendMany(DAILY_WHEN_NEW + 3, [sender.api]), sender);
    await moveClaim(sender, '7 days 1 second');
    const responses = await sendMany(MONTHLY, [sender.api]);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(MONTHLY - DAILY_WHEN_NEW);
    for (const { body, status } of responses) if (status !== 201) expect(body.error.details[0].limit).toBe('monthly_messages');
  });

  test('does not apply to a business that the operator made', async () => {
    const sender = await fresh();
    await expectExactly(DAILY_WHEN_NEW * 3, await sendMany(DAILY_WHEN_NEW * 3, [sender.api]), sender);
  });

  test('does not apply to one that has verified a domain, for as long as it has it', async () => {
    const sender = await fresh({ claimed: true });
    await expectExactly(DAILY_WHEN_NEW, await sendMany(DAILY_WHEN_NEW + 1, [sender.api]), sender);
    const operator = new Operator(service);
    await operator.verifyDomain(sender.handle, `${sender.handle}.example`);
    const responses = await sendMany(DAILY_WHEN_NEW, [sender.api]);
    expect(responses.map(({ status }) => status)).toEqual(Array(DAILY_WHEN_NEW).fill(201));
    await operator.removeDomain(sender.handle, `${sender.handle}.example`);
    await operator.close();
    expectRefusal(await sender.api.send({ to: 'globex' }), 'quota_exceeded');
  });

  test('does not stand in the way of being written to', async () => {
    const [sender, claimed] = [await fresh(), await fresh({ claimed: true })];
    const responses = await Promise.all(Array.from({ length: 20 }, () => sender.api.send({ to: claimed.handle })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await claimed.api.send({ to: sender.handle })).status).toBe(201);
  });

  test('counts replies too', async () => {
    const [sender, claimed] = [await fresh(), await fresh({ claimed: true })];
    const { body: parent } = await sender.api.send({ to: claimed.handle });
    const responses = await Promise.all(Array.from({ length: 20 }, () => claimed.api.send({ in_reply_to: parent.id })));
    await expectExactly(DAILY_WHEN_NEW, responses, claimed);
  });
});
