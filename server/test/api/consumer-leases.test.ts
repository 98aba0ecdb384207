import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONSUMER_UNACKNOWLEDGED_MAX, PAGE_MAX_BYTES } from '../../src/contract/limits.ts';
import { ConsumerClient, idsOf, type Leased, passTime, sendTo } from '../support/consumers.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let sender: TestBusiness;
let acme: TestBusiness;
let consumer: ConsumerClient;
let one: ConsumerClient;
let two: ConsumerClient;
let businesses = 0;

beforeAll(async () => {
  service = await startTestService();
  sender = await service.business('sender');
});
beforeEach(async () => {
  acme = await service.business(`acme-${++businesses}`);
  consumer = new ConsumerClient(acme.api, 'billing');
  [one, two] = [consumer.as('one'), consumer.as('two')];
});
afterAll(() => service.stop());

const send = (fields: object = {}) => sendTo(sender.api, acme.handle, fields);

async function sendMany(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await send({ json: i }));
  return ids;
}

describe('a lease', () => {
  test('has whole messages in order of delivery, with tries and the end of the lease', async () => {
    await consumer.put();
    const id = await send({ type: 'order', json: { n: 1.0 }, note: 'hello' });
    const before = Date.now();
    const [leased] = await consumer.lease({ lease_s: 60 });
    expect(leased).toEqual({
      message: (await acme.api.get(`/messages/${id}`)).body,
      tries: 1,
      lease_until: expect.any(String),
      position: (await consumer.get()).position,
    });
    expect(Date.parse(leased.lease_until) - before).toBeGreaterThanOrEqual(60_000 - 1_000);
  });

  test('gives each message to one worker only, however many ask at once, in two processes', async () => {
    await consumer.put();
    const ids = await sendMany(60);
    const sibling = await service.sibling();
    const workers = Array.from({ length: 12 }, (_, i) => consumer.as(`w${i}`, i % 2 ? acme.api : acme.api.at(sibling.url)));
    const leases = await Promise.all(workers.map((worker) => worker.leaseIds({ limit: 7 })));
    expect(leases.flat().toSorted()).toEqual(ids.toSorted());
    const acks = await Promise.all(workers.map((worker, i) => worker.do('ack', leases[i]?.length ? leases[i] : ['none'])));
    expect(acks.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBe(60);
    expect(await consumer.get()).toMatchObject({ lag: 0, leased: 0 });
    await sibling.stop();
  });

  test.each([false, true])('ends early when it has about 4 MB, but has one message at least (ordered: %s)', async (ordered) => {
    await consumer.put({ ordered });
    const large = 'x'.repeat(900_000);
    for (let i = 0; i < 6; i++) await send({ json: large });
    const first = await consumer.lease({ limit: 100 });
    expect(first.length).toBe(Math.floor(PAGE_MAX_BYTES / (900_000 + 1_024)));
    expect(first[0].message.json).toBe(large);
    expect(await consumer.lease({ limit: 100 })).toHaveLength(6 - first.length);
    await passTime(service);
    expect(await consumer.lease({ limit: 100 })).toHaveLength(first.length);
  });

  test('carries files, with URLs to download them', async () => {
    await consumer.put();
    const form = new FormData();
    form.set('to', acme.handle);
    form.set('file', new File(['hello'], 'a.txt'));
    await fetch(`${service.url}/v1/messages`, { method: 'POST', headers: { authorization: `Bearer ${sender.secret}` }, body: form });
    const [{ message }] = await consumer.lease();
    expect(await (await fetch(message.files[0].download_url)).text()).toBe('hello');
  });

  test.each([
    ['limit', 0],
    ['limit', 101],
    ['lease_s', 0],
    ['lease_s', 43_201],
    ['wait_s', 31],
    ['holder', ''],
    ['holder', 'a\0'],
  ])('refuses %s %j', async (name, value) => {
    await consumer.put();
    expectInvalid(await consumer.post('lease', { [name]: value }), name);
  });
});

describe('a worker that dies', () => {
  test('loses its lease, not the message; too late, it can do nothing to what another worker holds', async () => {
    await consumer.put();
    const id = await send();
    const [first] = await one.lease();
    expect(await two.leaseIds()).toEqual([]);
    await passTime(service);
    const [second] = await two.lease({ lease_s: 600 });
    expect([first.tries, second.tries, second.message.id]).toEqual([1, 2, id]);
    for (const what of ['extend', 'release', 'ack'] as const) expect((await one.do(what, [id])).unknown).toEqual([id]);
    expect((await one.post('ack', { through: first.position })).body).toEqual({ acknowledged: 0, unknown: [] });
    expect((await consumer.get()).holders).toEqual([{ holder: 'two', leased: 1, lease_until: second.lease_until }]);
    expect(await two.do('ack', [id])).toEqual({ acknowledged: 1, unknown: [] });
  });

  test('and comes back in time can acknowledge or extend what nobody has leased since', async () => {
    await consumer.put();
    const [a, b] = await sendMany(2);
    await one.lease();
    await passTime(service);
    expect(await one.do('ack', [a as string])).toEqual({ acknowledged: 1, unknown: [] });
    expect(await one.do('extend', [b as string], { lease_s: 900 })).toMatchObject({ extended: 1, unknown: [] });
    expect(await two.leaseIds()).toEqual([]);
    expect((await consumer.get()).holders).toMatchObject([{ holder: 'one', leased: 1 }]);
  });

  test('is known by its agent, unless it gives a name', async () => {
    await consumer.put();
    const id = await send();
    await consumer.lease();
    expect((await one.do('ack', [id])).unknown).toEqual([id]);
    const otherKey = new ConsumerClient(await acme.withKey('read_write'), 'billing');
    expect(await otherKey.do('ack', [id])).toEqual({ acknowledged: 1, unknown: [] });
  });
});

describe('acknowledging', () => {
  test('through a position takes what the worker holds up to there', async () => {
    await consumer.put();
    const ids = await sendMany(4);
    const mine = await one.lease({ limit: 2 });
    await two.lease({ limit: 1 });
    const later = await one.lease({ limit: 1 });
    expect((await one.post('ack', { through: mine[1].position })).body).toEqual({ acknowledged: 2, unknown: [] });
    expect((await consumer.get()).leased).toBe(2);
    expect((await one.post('ack', { through: later[0].position })).body).toEqual({ acknowledged: 1, unknown: [] });
    await passTime(service);
    expect(await one.leaseIds()).toEqual([ids[2]]);
  });

  test('the same twice does it once', async () => {
    await consumer.put();
    const id = await send();
    await one.lease();
    const both = await Promise.all([one.do('ack', [id]), one.do('ack', [id, id])]);
    expect(both.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBe(1);
  });
});

describe('releasing', () => {
  test('gives a message back at once, or after a delay', async () => {
    await consumer.put();
    const [a, b] = await sendMany(2);
    await one.lease();
    expect(await one.do('release', [a as string])).toEqual({ released: 1, unknown: [] });
    expect(await one.do('release', [b as string], { delay_s: 3_600, reason: 'later' })).toEqual({ released: 1, unknown: [] });
    expect(await two.leaseIds()).toEqual([a]);
    await passTime(service, '30 minutes');
    expect(await two.leaseIds({ limit: 1 })).toEqual([a]);
    await passTime(service, '31 minutes');
    expect(await two.leaseIds()).toContain(b);
  });
});

describe('a message that nobody can deal with', () => {
  test('is parked after so many tries that lapsed or were released, and listed', async () => {
    await consumer.put({ max_tries: 3 });
    const [poison, good] = await sendMany(2);
    for (const tries of [1, 2]) {
      expect((await one.lease({ limit: 1 }))[0]).toMatchObject({ tries, message: { id: poison } });
      if (tries === 1) await passTime(service);
      else await one.do('release', [poison as string]);
    }
    expect((await one.lease({ limit: 1 }))[0]).toMatchObject({ tries: 3 });
    expect(await one.do('release', [poison as string], { reason: 'can’t be parsed' })).toEqual({ released: 1, unknown: [] });
    expect(await two.leaseIds()).toEqual([good]);
    expect(await consumer.parked()).toEqual([
      { message_id: poison, tries: 3, reason: 'can’t be parsed', parked_at: expect.stringMatching(/Z$/) },
    ]);
    expect(await consumer.get()).toMatchObject({ parked: 1, leased: 1 });
  });

  test('is parked when its last lease lapses', async () => {
    await consumer.put({ max_tries: 1 });
    const [poison, good] = await sendMany(2);
    await one.lease({ limit: 1 });
    await passTime(service);
    expect(await two.leaseIds()).toEqual([good]);
    expect(await consumer.parked()).toMatchObject([{ message_id: poison, tries: 1, reason: null }]);
    // The worker acknowledges the parked message after all.
    expect(await one.do('ack', [poison as string])).toEqual({ acknowledged: 1, unknown: [] });
    expect(await consumer.parked()).toEqual([]);
  });

  test('can be put back, with all its tries', async () => {
    await consumer.put({ max_tries: 1 });
    const ids = await sendMany(3);
    await one.do('release', await one.leaseIds());
    const { body } = await acme.api.get('/consumers/billing/parked?limit=2');
    expect(body.data.map(({ message_id }: Leased) => message_id)).toEqual(ids.slice(0, 2));
    const rest = await acme.api.get(`/consumers/billing/parked?limit=2&cursor=${body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ message_id: ids[2] }], next_cursor: null });
    expect(await consumer.do('unpark', ids.slice(1))).toEqual({ unparked: 2, unknown: [] });
    expect(await two.lease()).toMatchObject(ids.slice(1).map((id) => ({ tries: 1, message: { id } })));
    expect(await consumer.get()).toMatchObject({ parked: 1, leased: 2 });
  });
});

describe('an ordered consumer', () => {
  async function thread(count: number): Promise<string[]> {
    const ids = [await send()];
    for (let i = 1; i < count; i++) {
      const { status, body } = await sender.api.send({ in_reply_to: ids.at(-1) });
      expect(status).toBe(201);
      ids.push(body.id);
    }
    return ids;
  }

  test('gives messages of a thread one at a time, in order; other threads go on', async () => {
    await consumer.put({ ordered: true });
    const [a1, a2, a3] = await thread(3);
    const [b1, b2] = await thread(2);
    expect(await one.leaseIds({ limit: 100 })).toEqual([a1, b1]);
    expect(await two.leaseIds({ limit: 100 })).toEqual([]);
    await one.do('ack', [b1 as string]);
    expect(await two.leaseIds({ limit: 100 })).toEqual([b2]);
    // A message that came meanwhile waits behind the leased one.
    const { body: a4 } = await sender.api.send({ in_reply_to: a3 });
    expect(await two.leaseIds()).toEqual([]);
    await one.do('release', [a1 as string]);
    expect(await two.leaseIds()).toEqual([a1]);
    await passTime(service);
    expect((await one.leaseIds()).toSorted()).toEqual([a1, b2].toSorted());
    for (const [done, next] of [
      [a1, a2],
      [a2, a3],
      [a3, a4.id],
    ] as [string, string][]) {
      expect((await one.do('ack', [done])).acknowledged).toBe(1);
      expect(await one.leaseIds()).toEqual([next]);
    }
  });

  test('goes on behind a parked message; put back, that comes before what is left', async () => {
    await consumer.put({ ordered: true, max_tries: 1 });
    const [a1, a2, a3] = (await thread(3)) as [string, string, string];
    await one.lease();
    await passTime(service);
    expect(await one.leaseIds()).toEqual([a2]);
    expect((await consumer.do('unpark', [a1])).unparked).toBe(1);
    expect(await two.leaseIds()).toEqual([]);
    await one.do('ack', [a2]);
    expect(await two.leaseIds()).toEqual([a1]);
    await two.do('release', [a1]);
    expect(await two.leaseIds()).toEqual([a3]);
  });

  test('keeps the order while many workers take turns, fail and lose leases', async () => {
    await consumer.put({ ordered: true, max_tries: 100 });
    const threads = await Promise.all([thread(8), thread(8), thread(8)]);
    const seen: string[] = [];
    const work = async (worker: ConsumerClient, seed: number) => {
      for (let turn = seed; seen.length < 24; turn++) {
        const [item] = await worker.lease({ limit: 1, lease_s: 600, wait_s: 1 });
        if (!item) continue;
        if (turn % 3 === 0) await worker.do('release', [item.message.id]);
        else {
          // Recorded before the acknowledgement, because from then on another worker may get the next message.
          seen.push(item.message.id);
          expect((await worker.do('ack', [item.message.id])).acknowledged).toBe(1);
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map((n) => work(consumer.as(`w${n}`), n)));
    for (const ids of threads) expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
  });
});

describe('a consumer with as many unacknowledged messages as it may have', () => {
  test('gives no new ones, but those that are due; one less, and it goes on', async () => {
    await consumer.put();
    const ids = await sendMany(3);
    const [first] = await one.leaseIds({ limit: 1 });
    await service.sql(`UPDATE consumers SET kept = $1 WHERE name = 'billing' AND party_id = (SELECT id FROM parties WHERE handle = $2)`, [
      CONSUMER_UNACKNOWLEDGED_MAX,
      acme.handle,
    ]);
    expect(await two.leaseIds()).toEqual([]);
    await one.do('release', [first as string]);
    expect(await two.leaseIds()).toEqual([first]);
    const waiting = one.lease({ wait_s: 30 });
    await two.do('ack', [first as string]);
    expect(idsOf(await waiting)).toEqual([ids[1]]);
  });
});
