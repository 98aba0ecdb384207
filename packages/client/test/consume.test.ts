import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { Waybill } from '../src/index.ts';
import { startUnsteadyNetwork } from './support/unsteady-network.ts';

let service: TestService;
let [acme, globex] = [] as unknown as [Waybill, Waybill];
let business: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  business = await service.business('globex');
  acme = new Waybill({ baseUrl: service.url, key: (await service.business('acme')).secret });
  globex = new Waybill({ baseUrl: service.url, key: business.secret });
});
afterAll(() => service.stop());

const send = async (type: string, count: number) => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await acme.send({ to: 'globex', type, jsonText: `{"i":${i}.0}` })).id);
  return ids;
};

function begin(type: string, handle: Parameters<Waybill['consume']>[1], options: Parameters<Waybill['consume']>[2] = {}) {
  const stopping = new AbortController();
  const settings = { start: 'beginning', filter: { types: [type] } };
  const ended = globex.consume(type, handle, { settings, signal: stopping.signal, ...options });
  return { ended, stop: () => stopping.abort() };
}

describe('consume', () => {
  test('hands over each message, acknowledges it, and stops when told to', async () => {
    const ids = await send('plain', 5);
    const got: string[] = [];
    const { ended, stop } = begin('plain', (message) => {
      expect(message.jsonText).toBe(`{"i":${got.length}.0}`);
      got.push(message.id);
    });
    await expect.poll(() => got).toEqual(ids);
    stop();
    await ended;
    expect(await globex.consumer('plain').get()).toMatchObject({ lag: 0, leased: 0, parked: 0 });
  });

  test('creates a consumer that does not exist, and leaves the settings of one that does', async () => {
    await globex.consumer('kept').put({ filter: { types: ['kept'] }, start: 'beginning' });
    await send('kept', 1);
    for (const name of ['kept', 'fresh']) {
      const stopping = new AbortController();
      const ended = globex.consume(name, () => stopping.abort(), { signal: stopping.signal });
      if (name === 'fresh') {
        await expect
          .poll(() =>
            globex
              .consumer(name)
              .get()
              .then(
                () => true,
                () => false,
              ),
          )
          .toBe(true);
        await send('anything', 1);
      }
      await ended;
    }
    expect((await globex.consumer('kept').get()).filter).toEqual({ types: ['kept'] });
    expect((await globex.consumer('fresh').get()).filter).toEqual({});
  });

  test('releases what fails with the reason, and gets it again', async () => {
    await send('flaky', 1);
    const tries: number[] = [];
    const reported: [string, string | undefined][] = [];
    const { ended, stop } = begin(
      'flaky',
      (_message, context) => {
        tries.push(context.tries);
        if (context.tries < 3) throw new Error(`try ${context.tries}`);
      },
      { retryDelayS: () => 0, onError: (error, message) => reported.push([(error as Error).message, message?.type ?? undefined]) },
    );
    await expect.poll(() => tries).toEqual([1, 2, 3]);
    stop();
    await ended;
    expect(reported).toEqual([
      ['try 1', 'flaky'],
      ['try 2', 'flaky'],
    ]);
    expect(await globex.consumer('flaky').get()).toMatchObject({ leased: 0, lag: 0 });
  });

  test('parks what fails again and again', async () => {
    const [id] = await send('poison', 1);
    const settings = { start: 'beginning', filter: { types: ['poison'] }, max_tries: 2 };
    const fail = () => {
      throw new Error('can’t read it');
    };
    const { ended, stop } = begin('poison', fail, { settings, retryDelayS: () => 0 });
    const consumer = globex.consumer('poison');
    await expect.poll(async () => (await consumer.get()).parked).toBe(1);
    expect(await consumer.parked().take(9)).toMatchObject([{ message_id: id, tries: 2, reason: 'can’t read it' }]);
    stop();
    await ended;
    expect(await consumer.unpark([id ?? ''])).toEqual({ unparked: 1, unknown: [] });
    const [leased] = await consumer.lease();
    expect(leased?.message.id).toBe(id);
    expect(await consumer.ack([id ?? ''])).toEqual({ acknowledged: 1, unknown: [] });
  });

  test('extends leases while a handler works: nobody else gets the message', async () => {
    await send('slow', 1);
    let begun = 0;
    let finish = () => {};
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handle = () => {
      begun++;
      return work;
    };
    const one = begin('slow', handle, { leaseS: 1 });
    await expect.poll(() => begun).toBe(1);
    const consumer = globex.consumer('slow', { holder: 'another' });
    const until = Date.now() + 3_000;
    while (Date.now() < until) expect(await consumer.lease({ wait_s: 1 })).toEqual([]);
    finish();
    one.stop();
    await one.ended;
    expect([begun, (await consumer.get()).leased, (await consumer.get()).oldest_unacknowledged_at]).toEqual([1, 0, null]);
  });

  test('tells a handler whose lease is lost, and does not acknowledge for it', async () => {
    const [id] = await send('lost', 1);
    let lost: AbortSignal | undefined;
    const { ended, stop } = begin(
      'lost',
      (_message, { signal }) => {
        lost = signal;
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
      { leaseS: 1 },
    );
    await expect.poll(() => lost).toBeDefined();
    // The consumer forgets the leases, and leases the message to another holder.
    const other = globex.consumer('lost', { holder: 'another' });
    await other.seek('beginning');
    stop();
    await ended;
    expect(lost?.aborted).toBe(true);
    expect((await other.lease({ wait_s: 5 })).map(({ message }) => message.id)).toEqual([id]);
  });

  test('handles several at a time, no more than wanted', async () => {
    await send('many', 12);
    let [running, most, done] = [0, 0, 0];
    const { ended, stop } = begin(
      'many',
      async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running--;
        done++;
      },
      { concurrency: 4 },
    );
    await expect.poll(() => done).toBe(12);
    stop();
    await ended;
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    expect(await globex.consumer('many').get()).toMatchObject({ lag: 0, leased: 0 });
  });

  test('finishes what is under way before it ends', async () => {
    await send('graceful', 1);
    let isDone = false;
    let hasBegun = false;
    const { ended, stop } = begin('graceful', async () => {
      hasBegun = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
      isDone = true;
    });
    await expect.poll(() => hasBegun).toBe(true);
    stop();
    await ended;
    expect(isDone).toBe(true);
    expect(await globex.consumer('graceful').get()).toMatchObject({ lag: 0, leased: 0, oldest_unacknowledged_at: null });
  });

  test('ends with the reason when the key may not, or the consumer is deleted', async () => {
    const reader = new Waybill({ baseUrl: service.url, key: (await business.withKey('read')).secret ?? '' });
    await expect(reader.consume('x', () => {})).rejects.toMatchObject({ code: 'forbidden' });
    const { ended } = begin('deleted', () => {});
    const outcome = expect(ended).rejects.toMatchObject({ code: 'not_found' });
    await expect
      .poll(() =>
        globex
          .consumer('deleted')
          .get()
          .then(
            () => true,
            () => false,
          ),
      )
      .toBe(true);
    await globex.consumer('deleted').delete();
    await send('deleted', 1);
    await outcome;
  });

  test('loses nothing when connections break', async () => {
    const network = await startUnsteadyNetwork(service.url);
    const worker = new Waybill({ baseUrl: network.url, key: business.secret });
    const ids = await send('unsteady', 30);
    const got = new Set<string>();
    const stopping = new AbortController();
    const settings = { start: 'beginning', filter: { types: ['unsteady'] } };
    const ended = worker.consume(
      'unsteady',
      async ({ id }) => {
        if (got.size % 5 === 0) network.cutAll();
        got.add(id);
      },
      { settings, signal: stopping.signal, leaseS: 2, concurrency: 3 },
    );
    await expect.poll(() => got.size, { timeout: 60_000 }).toBe(ids.length);
    await expect.poll(async () => (await globex.consumer('unsteady').get()).oldest_unacknowledged_at, { timeout: 60_000 }).toBeNull();
    stopping.abort();
    await ended;
    await network.stop();
  });
});

test('a consumer is worked with by hand', async () => {
  const ids = await send('manual', 3);
  const consumer = globex.consumer('manual', { holder: 'me' });
  await consumer.put({ start: 'beginning', filter: { types: ['manual'] } });
  const leased = await consumer.lease({ limit: 3, lease_s: 60 });
  expect(leased.map(({ message }) => message.id)).toEqual(ids);
  expect(leased[0]).toMatchObject({ tries: 1, message: { jsonText: '{"i":0.0}' } });
  expect(await consumer.extend(ids, { lease_s: 120 })).toMatchObject({ extended: 3, unknown: [] });
  expect(await globex.consumer('manual', { holder: 'you' }).ack(ids)).toMatchObject({ acknowledged: 0 });
  expect(await consumer.ack({ through: leased[1]?.position ?? '' })).toMatchObject({ acknowledged: 2 });
  expect(await consumer.release(ids.slice(2), { delay_s: 0, reason: 'later' })).toMatchObject({ released: 1 });
  expect((await consumer.lease({ wait_s: 5 })).map(({ tries }) => tries)).toEqual([2]);
  await consumer.seek('beginning');
  expect(await consumer.lease({ wait_s: 5 })).toHaveLength(3);
  await consumer.delete();
  await expect(consumer.get()).rejects.toMatchObject({ code: 'not_found' });
});
