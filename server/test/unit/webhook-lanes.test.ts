import { beforeEach, describe, expect, test } from 'vitest';
import { MB } from '../../src/contract/limits.ts';
import { STATES } from '../../src/modules/webhooks/attempt-states.ts';
import { Bag } from '../../src/modules/webhooks/bag.ts';
import type { LeasedAttempt } from '../../src/modules/webhooks/lane.ts';
import { LaneDriver, NO_RESPONSE } from '../support/lane-driver.ts';

let driver: LaneDriver;
beforeEach(() => {
  driver = new LaneDriver();
});

describe('states', () => {
  test('every state can be reached, and only what is over leads nowhere and counts for nothing', () => {
    const reachable = new Set(['queued', ...Object.values(STATES).flatMap(({ next }) => next)]);
    expect([...reachable].toSorted()).toEqual(Object.keys(STATES).toSorted());
    const last = Object.entries(STATES).filter(([, { next }]) => next.length === 0);
    expect(last.map(([state]) => state)).toEqual(['recorded', 'abandoned']);
    for (const [, { lease, place, request }] of [...last, ['queued', STATES.queued] as const])
      expect([lease, place, request]).toEqual([0, 0, 0]);
  });

  test('an attempt does not skip a state, nor enter one twice', () => {
    driver.wake(1n, 'a');
    const [attempt] = driver.lease() as [LeasedAttempt];
    expect(() => driver.lanes.record([attempt])).toThrow("can't go from leased to recorded");
    driver.prepare([attempt]);
    expect(() => driver.prepare([attempt])).toThrow("can't go from ready to ready");
    expect(() => driver.lanes.end(attempt, undefined)).toThrow("can't go from ready to ended");
    driver.send([attempt]);
    driver.lanes.end(attempt, NO_RESPONSE);
    driver.lanes.record([attempt]);
    expect(() => driver.lanes.abandon([attempt])).toThrow("can't go from recorded to abandoned");
    expect(driver.lanes.places).toBe(0);
  });

  test('an attempt whose message is gone ends without a request, and tells nothing about its endpoint', () => {
    driver.wake(1n, 'a');
    const [attempt] = driver.lease() as [LeasedAttempt];
    const { lane } = attempt;
    const { width } = lane;
    driver.lanes.end(attempt, undefined);
    expect([lane.width, lane.requests, lane.places, [...lane.leased]]).toEqual([width, 0, 0, [attempt.id]]);
    driver.lanes.record([attempt]);
    expect(lane.leased.size).toBe(0);
  });
});

describe('room', () => {
  test('a webhook that responds takes more and more, up to three quarters of the places of its business, and never just a few', () => {
    driver.wake(1n, 'a');
    // From the first lease on, it is known whether the endpoint has ever responded 2xx.
    driver.deliver(driver.lease());
    const second = driver.lease();
    expect(second).toHaveLength(5);
    driver.deliver(second);
    driver.widen();
    const leased = driver.lease();
    expect(leased).toHaveLength(512);
    driver.deliver(leased.splice(0, 50));
    expect(driver.lease()).toEqual([]);
    driver.deliver(leased.splice(0, 50));
    expect(driver.lease()).toHaveLength(768 - 412);
    expect(driver.lanes.places).toBe(768);
  });

  test('a lease that is a second old is renewed for fewer attempts than a fresh one', () => {
    driver.wake(1n, 'a');
    driver.widen();
    driver.deliver(driver.lease().slice(0, 10));
    driver.now += 999;
    expect(driver.lease()).toEqual([]);
    driver.now += 1;
    expect(driver.lease()).toHaveLength(768 - 502);
  });

  test('an ended attempt takes no place until it is recorded, but not without end', () => {
    driver.wake(1n, 'a');
    driver.widen();
    let ended = 0;
    for (let attempts = driver.lease(); attempts.length > 0; attempts = driver.lease()) {
      for (const attempt of attempts) driver.lanes.end(attempt, undefined);
      ended += attempts.length;
    }
    expect(ended).toBe(2_048);
    expect(driver.lanes.places).toBe(0);
  });

  test('one business has bodies of 128 MB at most in memory, and others have their own', () => {
    for (const webhookId of ['a', 'b', 'c']) driver.wake(1n, webhookId);
    driver.widen(MB);
    let leased = 0;
    for (let attempts = driver.lease(); attempts.length > 0; attempts = driver.lease()) {
      driver.prepare(attempts, MB);
      leased += attempts.length;
    }
    expect(leased).toBe(128);
    driver.wake(2n, 'd');
    expect(driver.lease()).toHaveLength(1);
    expect(driver.lease()).toHaveLength(3);
  });

  test('one business has 1,024 places at most, however many webhooks it has, and others have their own', () => {
    for (let i = 0; i < 1_500; i++) driver.wake(1n, `a${i}`);
    while (driver.lease().length > 0);
    expect(driver.lanes.places).toBe(1_024);
    driver.wake(2n, 'b');
    expect(driver.lease().map(({ lane }) => lane.webhookId)).toEqual(['b']);
  });

  test('webhooks that do not respond share 512 places, and the others find theirs', () => {
    for (let i = 0; i < 900; i++) driver.wake(BigInt(i), `dead${i}`);
    for (let rounds = 0; rounds < 2; rounds++) driver.deliver([...driver.lease(), ...driver.lease()], 1_000, NO_RESPONSE);
    while (driver.lease().length > 0);
    expect(driver.lanes.places).toBe(512);
    driver.wake(1_000n, 'alive');
    expect(driver.lease().map(({ lane }) => lane.webhookId)).toEqual(['alive']);
  });

  test('all webhooks together have 4,096 places', () => {
    for (let i = 0; i < 3_000; i++) driver.wake(BigInt(i), `a${i}`);
    while (driver.lease().length > 0);
    expect(driver.lanes.places).toBe(4_096);
  });

  test('an endpoint that has never responded 2xx has one attempt, until that is recorded', () => {
    driver.isProven = false;
    driver.wake(1n, 'a');
    const [attempt] = driver.lease() as [LeasedAttempt];
    expect(driver.lease()).toEqual([]);
    driver.prepare([attempt]);
    driver.send([attempt]);
    driver.lanes.end(attempt, { succeeded: false, statusCode: 500, responseMs: 5 });
    expect(driver.lease()).toEqual([]);
    driver.lanes.record([attempt]);
    expect(driver.lease()).toHaveLength(1);
  });
});

describe('turns', () => {
  test('the webhook that waits longest leases first: with 3,000 waiting, each is served within six leases', () => {
    driver.isProven = false;
    const served: string[] = [];
    for (let i = 0; i < 3_000; i++) driver.wake(BigInt(i), `a${i}`);
    for (let leases = 0; leases < 6; leases++) {
      const attempts = driver.lease();
      served.push(...attempts.map(({ lane }) => lane.webhookId));
      driver.deliver(attempts);
    }
    expect(new Set(served).size).toBe(3_000);
  });

  test('large bodies are sent one megabyte at a time, and the lane that used them up waits for the others', () => {
    for (const webhookId of ['a', 'b', 'c']) driver.wake(1n, webhookId);
    driver.deliver(driver.lease());
    const attempts = driver.lease();
    driver.prepare(attempts, MB);
    const order: string[] = [];
    let lanes = [...new Set(attempts.map(({ lane }) => lane))];
    while (lanes.length > 0) {
      const { batch, rest } = driver.lanes.send(new Set(lanes), driver.now);
      order.push(batch.map(({ attempt }) => attempt.lane.webhookId).join(''));
      lanes = rest;
    }
    expect(order.slice(0, 4)).toEqual(['a', 'b', 'c', 'a']);
    expect(order.join('')).toHaveLength(attempts.length);
  });

  test('a webhook woken while a lease was under way is asked for again, one that had nothing is not', () => {
    driver.wake(1n, 'a');
    const [first] = driver.lanes.reserve(driver.now);
    driver.wake(1n, 'a');
    driver.fill(first as NonNullable<typeof first>, 0);
    const [second] = driver.lanes.reserve(driver.now);
    driver.fill(second as NonNullable<typeof second>, 0);
    expect(driver.lanes.reserve(driver.now)).toEqual([]);
    expect(driver.lanes.places).toBe(0);
  });

  test('a webhook that may not begin more attempts this second is asked for again when it may', () => {
    driver.retryMs = 200;
    driver.wake(1n, 'a');
    for (const reservation of driver.lanes.reserve(driver.now)) driver.fill(reservation, 0);
    driver.wake(1n, 'a');
    driver.now += 199;
    expect(driver.lease()).toEqual([]);
    driver.now += 1;
    driver.retryMs = undefined;
    expect(driver.lease()).toHaveLength(4);
  });

  test('a lease that failed gives its places back, and is tried again', () => {
    driver.wake(1n, 'a');
    for (const reservation of driver.lanes.reserve(driver.now)) driver.lanes.release(reservation);
    expect(driver.lanes.places).toBe(0);
    expect(driver.lease()).toHaveLength(1);
  });
});

describe('what may be sent', () => {
  const statesAfterSending = (attempts: readonly LeasedAttempt[]) => {
    driver.send(attempts);
    return attempts.map(({ state }) => state);
  };

  beforeEach(() => {
    driver.wake(1n, 'a');
    driver.deliver(driver.lease());
  });

  test('nothing two seconds after the last renewal of its lease: the attempt is abandoned, and can be leased again', () => {
    const attempts = driver.lease();
    driver.prepare(attempts);
    driver.now = 2_000;
    expect(new Set(statesAfterSending(attempts))).toEqual(new Set(['abandoned']));
    expect(driver.lease()).toHaveLength(attempts.length);
  });

  test('a renewal in time covers what was leased before', () => {
    const early = driver.lease();
    driver.now = 1_999;
    driver.lanes.abandon(early.splice(0, 2));
    expect(driver.lease()).toHaveLength(2);
    driver.prepare(early);
    driver.now = 3_998;
    expect(new Set(statesAfterSending(early))).toEqual(new Set(['sending']));
  });

  test('a renewal that came too late does not: another worker may have leased it in between', () => {
    const early = driver.lease();
    driver.now = 2_000;
    driver.lanes.abandon(early.splice(0, 2));
    const late = driver.lease();
    driver.prepare([...early, ...late]);
    driver.send(late);
    expect(new Set(early.map(({ state }) => state))).toEqual(new Set(['abandoned']));
    expect(new Set(late.map(({ state }) => state))).toEqual(new Set(['sending']));
  });

  test('nothing to a deleted webhook, which is not leased for again', () => {
    const attempts = driver.lease();
    driver.prepare(attempts);
    driver.lanes.delete('a');
    expect(new Set(statesAfterSending(attempts))).toEqual(new Set(['abandoned']));
    driver.wake(1n, 'a');
    expect(driver.lease()).toEqual([]);
  });

  test('nothing that was leased before deletions were missed', () => {
    const before = driver.lease().slice(0, 2);
    driver.prepare(before);
    driver.now = 1;
    driver.lanes.distrustLeases(driver.now);
    expect(statesAfterSending(before)).toEqual(['abandoned', 'abandoned']);
    const after = driver.lease();
    driver.prepare(after);
    expect(new Set(statesAfterSending(after))).toEqual(new Set(['sending']));
  });

  test('nothing that was leased before a change of its webhook, not even after a renewal', () => {
    const before = driver.lease().slice(0, 2);
    driver.prepare(before);
    driver.now = 1;
    driver.lanes.change('a', driver.now);
    // It is unknown now whether the endpoint is proven, so it gets one attempt once it holds no other.
    expect(driver.lease()).toEqual([]);
    expect(statesAfterSending(before)).toEqual(['abandoned', 'abandoned']);
  });

  test('nothing by a lease that was requested before a change and comes after it', () => {
    const reservations = driver.lanes.reserve(driver.now);
    driver.now = 1;
    driver.lanes.change('a', driver.now);
    const attempts = reservations.flatMap((reservation) => driver.fill(reservation));
    driver.prepare(attempts);
    expect(new Set(statesAfterSending(attempts))).toEqual(new Set(['abandoned']));
    expect(driver.lease()).toHaveLength(1);
  });

  test('what went to a former URL keeps its version, whenever the lease is renewed', () => {
    const [open, ...rest] = driver.lease() as [LeasedAttempt, ...LeasedAttempt[]];
    driver.prepare([open]);
    driver.send([open]);
    driver.urlVersion = 1;
    driver.lanes.abandon(rest);
    const [next] = driver.lease() as [LeasedAttempt];
    expect([open.lease.urlVersion, next.lease.urlVersion]).toEqual([0, 1]);
  });

  test('nothing once closed', () => {
    const attempts = driver.lease();
    driver.prepare(attempts);
    driver.lanes.close();
    expect(new Set(statesAfterSending(attempts))).toEqual(new Set(['abandoned']));
    expect(driver.lease()).toEqual([]);
    expect(driver.lanes.places).toBe(0);
  });
});

test('a bag holds what was put in and not taken out, whatever the order', () => {
  const bag = new Bag<{ index: number; name: number }>();
  const kept = new Set<{ index: number; name: number }>();
  for (let name = 0; name < 500; name++) {
    const item = { index: 0, name };
    bag.add(item);
    kept.add(item);
    // The first item, the last one, or any between.
    const gone = [...kept][[0, kept.size - 1, (name * 7) % kept.size][name % 3] as number] as typeof item;
    if (name % 5 === 0) continue;
    bag.delete(gone);
    kept.delete(gone);
  }
  expect(bag.size).toBe(kept.size);
  expect(new Set(bag)).toEqual(kept);
});
