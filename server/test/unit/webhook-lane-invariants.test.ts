import fc from 'fast-check';
import { expect, test } from 'vitest';
import { STATES } from '../../src/modules/webhooks/attempt-states.ts';
import type { Lane, LeasedAttempt } from '../../src/modules/webhooks/lane.ts';
import type { Reservation } from '../../src/modules/webhooks/lanes.ts';
import { LaneDriver, NO_RESPONSE, PROMPT } from '../support/lane-driver.ts';

const WEBHOOKS = 6;
const RESULTS = [PROMPT, NO_RESPONSE, { succeeded: false, statusCode: 500, responseMs: 5 }, { ...PROMPT, responseMs: 3_000 }];

/** The state of a dispatcher, recorded beside the lanes for comparison. */
class World extends LaneDriver {
  readonly attempts: LeasedAttempt[] = [];
  readonly reservations: Reservation[] = [];
  readonly seen = new Set<Lane>();

  in(state: LeasedAttempt['state']): LeasedAttempt[] {
    return this.attempts.filter((attempt) => attempt.state === state);
  }

  check(): void {
    const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
    for (const lane of this.seen) {
      const own = this.attempts.filter((attempt) => attempt.lane === lane);
      const reserved = this.reservations.filter((reservation) => reservation.lane === lane);
      const counted = (what: 'lease' | 'place' | 'request') => own.filter(({ state }) => STATES[state][what] === 1);
      expect([...lane.leased].toSorted()).toEqual(
        counted('lease')
          .map(({ id }) => id)
          .toSorted(),
      );
      expect(lane.places).toBe(counted('place').length + sum(reserved.map(({ places }) => places)));
      expect(lane.requests).toBe(counted('request').length);
      expect(new Set(lane.ready.map(({ attempt }) => attempt))).toEqual(new Set(own.filter(({ state }) => state === 'ready')));
    }
    for (const business of new Set([...this.seen].map((lane) => lane.business))) {
      const lanes = [...this.seen].filter((lane) => lane.business === business);
      expect(business.places).toBe(sum(lanes.map(({ places }) => places)));
      const bytes = [...this.attempts.filter(({ state, lane }) => lanes.includes(lane) && STATES[state].place === 1), ...this.reservations]
        .filter(({ lane }) => lanes.includes(lane))
        .map((holder) => holder.bytes);
      expect(business.bytes).toBeCloseTo(sum(bytes), 3);
    }
    expect(this.lanes.places).toBe(sum([...this.seen].map(({ places }) => places)));
  }
}

type Step = (world: World) => void;
const number = fc.nat({ max: 1_000 });
const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];

const steps: fc.Arbitrary<Step> = fc.oneof(
  number.map((n) => (world: World) => world.wake(BigInt(n % 2), `webhook${n % WEBHOOKS}`)),
  fc.constant((world: World) => {
    for (const reservation of world.lanes.reserve(world.now)) {
      const { lane, places } = reservation;
      world.reservations.push(reservation);
      world.seen.add(lane);
      if (!lane.isProven) expect(places + lane.leased.size).toBe(1);
    }
  }),
  fc.tuple(number, fc.boolean()).map(([n, isProven]) => (world: World) => {
    const [reservation] = world.reservations.splice(n % Math.max(1, world.reservations.length), 1);
    if (!reservation) return;
    world.isProven = isProven;
    if (n % 10 === 0) world.lanes.release(reservation);
    else world.attempts.push(...world.fill(reservation, n % (reservation.places + 1)));
  }),
  fc.tuple(number, number).map(([n, bytes]) => (world: World) => {
    const attempt = pick(world.in('leased'), n);
    if (attempt) world.prepare([attempt], bytes * 100);
  }),
  fc.constant((world: World) => {
    for (const attempt of world.send(world.in('ready'))) expect(attempt.lane.requests).toBeLessThanOrEqual(attempt.lane.width);
  }),
  fc.tuple(number, fc.constantFrom(...RESULTS)).map(([n, result]) => (world: World) => {
    const attempt = pick(world.in('sending'), n);
    if (attempt) world.lanes.end(attempt, result);
  }),
  number.map((n) => (world: World) => world.lanes.record(world.in('ended').slice(0, n % 5))),
  fc.tuple(number, fc.constantFrom('leased' as const, 'sending' as const, 'ended' as const)).map(([n, state]) => (world: World) => {
    const attempt = pick(world.in(state), n);
    if (attempt) world.lanes.abandon([attempt]);
  }),
  number.map((n) => (world: World) => {
    world.now += n;
  }),
  number.map((n) => (world: World) => {
    if (n % 50 === 0) world.lanes.delete(`webhook${n % WEBHOOKS}`);
    if (n % 50 === 1) world.lanes.distrustLeases(world.now);
    if (n % 10 === 2) world.lanes.change(`webhook${n % WEBHOOKS}`, world.now);
  }),
);

test('whatever happens in whatever order, counters equal what is held, and an unproven endpoint has one attempt at a time', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 120 }), (run) => {
      const world = new World();
      for (const step of run) {
        step(world);
        world.check();
      }
      // The rest is given up, and then nothing may stay counted.
      for (const reservation of world.reservations.splice(0)) world.lanes.release(reservation);
      const over = new Set(['recorded', 'abandoned', 'ready']);
      world.lanes.abandon(world.attempts.filter(({ state }) => !over.has(state)));
      world.lanes.close();
      while (world.in('ready').length > 0) world.send(world.in('ready'));
      world.check();
      expect(world.lanes.places).toBe(0);
    }),
    { numRuns: 200 },
  );
});
