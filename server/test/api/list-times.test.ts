import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ids, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { businessesOfOneShard } from '../support/same-shard.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let past: TestBusiness;
let future: TestBusiness;
let early: TestBusiness;
let late: TestBusiness;
/** The messages, newest first, each in another millisecond. */
let sent: { id: string; received_at: string }[];
let middle: { id: string; received_at: string };

beforeAll(async () => {
  service = await startTestService();
  const all = await businessesOfOneShard(service, 'acme', 'globex', 'past', 'future', 'early', 'late');
  [acme, globex, past, future, early, late] = all as [TestBusiness, TestBusiness, TestBusiness, TestBusiness, TestBusiness, TestBusiness];
  sent = [];
  for (let i = 0; i < 5; i++) {
    sent.unshift((await acme.api.send({ to: 'globex' })).body);
    await sleep(5);
  }
  middle = sent[2] as (typeof sent)[number];
});
afterAll(() => service.stop());

async function found(filters: Record<string, string>): Promise<string[]> {
  const inbox = await list(globex.api, '/inbox', filters);
  const outbox = await list(acme.api, '/outbox', filters);
  expect(inbox.status, inbox.text).toBe(200);
  expect(outbox.text).toBe(inbox.text);
  return ids(inbox.body.data);
}

/** The same moment in another notation, or a moment that is `ms` later. */
const written = (ms = 0) => new Date(Date.parse(middle.received_at) + ms).toISOString();

describe('since and until', () => {
  test('since includes its own millisecond', async () => {
    expect(await found({ since: middle.received_at })).toEqual(ids(sent.slice(0, 3)));
    expect(await found({ since: written(1) })).toEqual(ids(sent.slice(0, 2)));
  });

  test('until excludes its own millisecond', async () => {
    expect(await found({ until: middle.received_at })).toEqual(ids(sent.slice(3)));
    expect(await found({ until: written(1) })).toEqual(ids(sent.slice(2)));
  });

  test('together they are a span that can be as short as a millisecond, or empty', async () => {
    expect(await found({ since: middle.received_at, until: written(1) })).toEqual([middle.id]);
    expect(await found({ since: middle.received_at, until: middle.received_at })).toEqual([]);
    expect(await found({ since: written(1), until: written(-1) })).toEqual([]);
  });

  test('spans that touch part the list without gap or repeat', async () => {
    const cut = middle.received_at;
    expect([...(await found({ since: cut })), ...(await found({ until: cut }))]).toEqual(ids(sent));
  });

  test('an offset from UTC is honoured', async () => {
    const at = Date.parse(middle.received_at);
    const inZone = (minutes: number, sign: string) => {
      const local = new Date(at + (sign === '+' ? 1 : -1) * minutes * 60_000).toISOString().slice(0, -1);
      const two = (n: number) => String(n).padStart(2, '0');
      return [
        `${local}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`,
        `${local}${sign}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`,
      ];
    };
    for (const time of [...inZone(330, '+'), ...inZone(480, '-'), ...inZone(0, '+'), ...inZone(840, '+')]) {
      expect(await found({ since: time, until: written(1) }), time).toEqual([middle.id]);
    }
  });

  test('a fraction finer than a millisecond is not rounded away', async () => {
    const finer = (digits: string) => middle.received_at.replace('Z', `${digits}Z`);
    expect(await found({ since: finer('000') })).toEqual(ids(sent.slice(0, 3)));
    expect(await found({ since: finer('000001') })).toEqual(ids(sent.slice(0, 2)));
    expect(await found({ since: finer('9') })).toEqual(ids(sent.slice(0, 2)));
    expect(await found({ until: finer('000') })).toEqual(ids(sent.slice(3)));
    expect(await found({ until: finer('000001') })).toEqual(ids(sent.slice(2)));
  });

  test('a time without seconds, a date alone and small letters are read too', async () => {
    const minute = `${middle.received_at.slice(0, 16)}Z`;
    const nextDay = new Date(Date.parse(middle.received_at) + 86_400_000).toISOString().slice(0, 10);
    expect(await found({ since: minute })).toEqual(ids(sent.filter(({ received_at }) => received_at >= minute.slice(0, 16))));
    expect(await found({ since: nextDay })).toEqual([]);
    expect(await found({ until: nextDay })).toEqual(ids(sent.filter(({ received_at }) => received_at.slice(0, 10) < nextDay)));
    expect(await found({ since: middle.received_at.toLowerCase() })).toEqual(ids(sent.slice(0, 3)));
    expect(await found({ since: middle.received_at.replace('.', ',') })).toEqual(ids(sent.slice(0, 3)));
  });

  test('the far past and the far future are times like any other', async () => {
    for (const past of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+14:00', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z']) {
      expect(await found({ since: past }), past).toEqual(ids(sent));
      expect(await found({ until: past }), past).toEqual([]);
    }
    const future = '9999-12-31T23:59:59.999-14:00';
    expect(await found({ since: future })).toEqual([]);
    expect(await found({ until: future })).toEqual(ids(sent));
  });
});

const NONSENSE = [
  '',
  'yesterday',
  'now',
  '0',
  '1767225600',
  '1767225600000',
  '2026-02-30',
  '2026-02-30T00:00:00Z',
  '2025-02-29T12:00:00Z',
  '2026-04-31T12:00:00+02:00',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T12:60:00Z',
  '2026-01-01T12:00:61Z',
  '2026-01-01T12:00:00',
  '2026-01-01T12:00:00 02:00',
  '2026-01-01 12:00:00Z',
  '2026-01-01T12:00:00+99:00',
  '2026-01-01T12:00:00+02:75',
  '2026-01-01T12:00:00.Z',
  '2026-01-01T12:00:00.1234567890Z',
  '+012026-01-01T00:00:00Z',
  '26-01-01',
  '2026-1-1',
  '2026-W01-1',
  '20260101T000000Z',
  'Thu, 01 Jan 2026 00:00:00 GMT',
  "2026-01-01'--",
  '２０２６-01-01',
];

describe.each(['since', 'until'])('%s', (name) => {
  test.each(NONSENSE)('refuses "%s"', async (text) => {
    expectInvalid(await list(globex.api, '/inbox', { [name]: text }), name);
    expectInvalid(await list(acme.api, '/outbox', { [name]: text }), name);
  });
});

test('29 February of a leap year is a day', async () => {
  expect(await found({ since: '2024-02-29T00:00:00Z', until: '2024-03-01T00:00:00Z' })).toEqual([]);
});

test('a plus sign that a URL has turned into a space is explained', async () => {
  const response = await globex.api.get('/inbox?since=2026-01-01T12:00:00+02:00');
  expectInvalid(response, 'since');
  expect(response.body.error.message).toContain('%2B');
});

describe('when the clock was set back', () => {
  test('new messages still come after those before, and have one time in both lists', async () => {
    const { body: before } = await future.api.send({ to: 'future' });
    // Moves the times as if the clock had been an hour fast until now.
    await service.sql(
      `UPDATE ledgers SET head = head + 3600000 * 4096::bigint WHERE party_id = (SELECT id FROM parties WHERE handle = 'future')`,
    );
    const { body: first } = await past.api.send({ to: 'future' });
    const { body: second } = await past.api.send({ to: 'future' });
    expect([before.received_at, first.received_at, second.received_at]).toEqual(
      [before.received_at, first.received_at, second.received_at].sort(),
    );
    expect(ids((await list(future.api, '/inbox')).body.data)).toEqual([second.id, first.id, before.id]);
    for (const { received_at } of [first, second]) {
      const expected = [second, first].filter((envelope) => envelope.received_at >= received_at);
      for (const [api, box] of [
        [future.api, '/inbox'],
        [past.api, '/outbox'],
      ] as const) {
        const since = (await list(api, box, { since: received_at })).body.data;
        const until = (await list(api, box, { until: received_at })).body.data;
        expect(ids(since)).toEqual(ids(expected));
        expect(ids(until)).not.toContain(expected.at(-1)?.id);
      }
    }
  });

  test('a recipient of such a business sees its time, too, and polls without a gap', async () => {
    await early.api.send({ to: 'early' });
    await service.sql(
      `UPDATE ledgers SET head = head + 3600000 * 4096::bigint WHERE party_id = (SELECT id FROM parties WHERE handle = 'early')`,
    );
    const { body: ahead } = await early.api.send({ to: 'late' });
    const { body: next } = await acme.api.send({ to: 'late' });
    expect(next.received_at >= ahead.received_at).toBe(true);
    const polled = ids((await list(late.api, '/inbox', { since: ahead.received_at })).body.data);
    expect(polled).toEqual([next.id, ahead.id]);
    expect(ids((await list(acme.api, '/outbox', { since: next.received_at })).body.data)).toContain(next.id);
  });
});
