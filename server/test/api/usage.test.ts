import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Operator } from '../support/operator.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const DAILY_WHEN_NEW = 5;
const DAY_MS = 86_400_000;

interface Day {
  date: string;
  sent: number;
  received: number;
  uploaded_bytes: number;
}

let service: TestService;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: String(DAILY_WHEN_NEW), NEW_ACCOUNT_DAYS: '7' });
  globex = await service.business('globex');
});
afterAll(() => service.stop());

async function daysOf({ api }: TestBusiness, days: number): Promise<Day[]> {
  const { status, body, text } = await api.get(`/usage?days=${days}`);
  expect(status, text).toBe(200);
  return body.days;
}

const receivedOn = (days: Day[]) => days.map(({ received }) => received);

/** Moves everything of the business this many days back. */
async function moveBack({ handle }: TestBusiness, days: number): Promise<void> {
  const ofParty = '(SELECT id FROM parties WHERE handle = $1)';
  await service.sql(`UPDATE daily_usage SET day = day - $2::integer WHERE party_id = ${ofParty}`, [handle, days]);
  await service.sql(`UPDATE ledger_entries SET position = position - $2::bigint WHERE party_id = ${ofParty}`, [
    handle,
    BigInt(days) * BigInt(DAY_MS) * 4096n,
  ]);
}

describe('GET /v1/usage', () => {
  test('has what /v1/me says, and thirty days of which the last is today', async () => {
    const acme = await service.business('acme');
    await acme.api.write('POST', '/uploads', { filename: 'a.txt', content_type: 'text/plain', size_bytes: 1_234 });
    for (let i = 0; i < 3; i++) await acme.api.send({ to: 'globex' });
    await globex.api.send({ to: 'acme' });
    await acme.api.send({ to: 'acme' });

    const { days, new_account, ...rest } = (await acme.api.get('/usage')).body;
    expect(rest).toEqual((await acme.api.get('/me')).body.usage);
    expect(rest).toMatchObject({ messages: { used: 4 }, uploads: { used_bytes: 1_234 } });
    expect(new_account).toBeNull();
    const today = Date.parse(rest.uploads.resets_at) - DAY_MS;
    const dates = Array.from({ length: 30 }, (_, i) => new Date(today - (29 - i) * DAY_MS).toISOString().slice(0, 10));
    const nothing = { sent: 0, received: 0, uploaded_bytes: 0 };
    expect(days.slice(0, -1)).toEqual(dates.slice(0, -1).map((date) => ({ date, ...nothing })));
    expect(days.at(-1)).toEqual({ date: dates.at(-1), sent: 4, received: 2, uploaded_bytes: 1_234 });
  });

  test('counts each day for itself, whenever it is asked for', async () => {
    const shop = await service.business('shop');
    const receive = async (count: number) => {
      for (let i = 0; i < count; i++) await globex.api.send({ to: 'shop' });
    };
    await receive(3);
    await shop.api.send({ to: 'globex' });
    await moveBack(shop, 4);
    await receive(2);
    expect(receivedOn(await daysOf(shop, 2))).toEqual([0, 2]);
    for (let asked = 0; asked < 2; asked++) {
      const days = await daysOf(shop, 6);
      expect(receivedOn(days)).toEqual([0, 3, 0, 0, 0, 2]);
      expect(days.map(({ sent }) => sent)).toEqual([0, 1, 0, 0, 0, 0]);
    }
    await receive(1);
    expect(receivedOn(await daysOf(shop, 1))).toEqual([3]);
    expect(receivedOn(await daysOf(shop, 90)).slice(-6)).toEqual([0, 3, 0, 0, 0, 3]);
  });

  test('has the first and the last moment of a day in it', async () => {
    const edge = await service.business('edge');
    for (let i = 0; i < 4; i++) await globex.api.send({ to: 'edge' });
    const party = `(SELECT id FROM parties WHERE handle = 'edge')`;
    // The day before yesterday has no hour left to settle. The times are just before it, at its beginning, at its end, and just after it.
    await service.sql(
      `UPDATE ledger_entries e SET position = m.position FROM (
         SELECT o.position AS was, (d.day + (row_number() OVER (ORDER BY o.position) > 2)::integer) * 353894400000 - (row_number() OVER (ORDER BY o.position) % 2) AS position
           FROM ledger_entries o, (SELECT (now() AT TIME ZONE 'UTC')::date - 2 - DATE '1970-01-01' AS day) d WHERE o.party_id = ${party}
       ) m WHERE e.party_id = ${party} AND e.position = m.was`,
    );
    for (let asked = 0; asked < 2; asked++) expect(receivedOn(await daysOf(edge, 5))).toEqual([0, 1, 2, 1, 0]);
  });

  test.each(['0', '91', '-1', '1.5', 'x', '', '1&days=2'])('refuses days=%s', async (days) => {
    expectInvalid(await globex.api.get(`/usage?days=${days}`), 'days');
  });

  test('is for read keys, too', async () => {
    expect((await (await globex.withKey('read')).get('/usage?days=1')).body.days).toHaveLength(1);
  });
});

describe('the limit of a new business', () => {
  const limitOf = async ({ api }: TestBusiness) => (await api.get('/usage?days=1')).body.new_account;

  test('is told with what is used of it, and until when it applies', async () => {
    const fresh = await service.business('fresh', { claimed: true });
    for (let i = 0; i < 2; i++) await fresh.api.send({ to: 'globex' });
    const [{ claimed_at } = { claimed_at: new Date(0) }] = await service.sql<{ claimed_at: Date }>(
      `SELECT claimed_at FROM parties WHERE handle = 'fresh'`,
    );
    const { body } = await fresh.api.get('/usage');
    expect(body.new_account).toEqual({
      ...{ used: 2, limit: DAILY_WHEN_NEW, resets_at: body.uploads.resets_at },
      until: new Date(claimed_at.getTime() + 7 * DAY_MS).toISOString(),
    });
  });

  test('is gone with a verified domain, and after its days', async () => {
    const [verified, old] = [await service.business('proven', { claimed: true }), await service.business('old', { claimed: true })];
    expect([await limitOf(verified), await limitOf(old)]).toMatchObject([{ used: 0 }, { used: 0 }]);
    const operator = new Operator(service);
    await operator.verifyDomain('proven', 'verified.example');
    await operator.close();
    await service.sql(`UPDATE parties SET claimed_at = now() - interval '7 days' WHERE handle = 'old'`);
    expect([await limitOf(verified), await limitOf(old)]).toEqual([null, null]);
  });
});
