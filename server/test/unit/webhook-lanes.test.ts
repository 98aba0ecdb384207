import { expect, test } from 'vitest';
import { Bag } from '../../src/modules/webhooks/bag.ts';
import { type HeldAttempt, type Lane, Lanes, type PreparedAttempt } from '../../src/modules/webhooks/lanes.ts';

const MB = 1_048_576;
const PROMPT = { succeeded: true, statusCode: 204, responseMs: 5 };
let ids = 0;

/** What there is room for, as a worker would claim it. */
function claim(lanes: Lanes): HeldAttempt[] {
  return lanes.take().flatMap((room) => {
    const { lane } = room;
    lane.isProven = true;
    lane.claim = { at: performance.now(), clockMs: 0, url: '', secret: '' };
    const held = Array.from({ length: room.room }, () => ({
      ...{ id: String(++ids), messageId: '', event: 'message.received' as const, createdMs: 0 },
      ...{ lane, claim: lane.claim as NonNullable<Lane['claim']>, bytes: lane.usualBytes },
    }));
    lanes.filled(room, held);
    return held;
  });
}

/** Claims and makes attempts with bodies of this size until the lane is at full width and nothing is under way. */
function widen(lanes: Lanes, bytes: number): void {
  for (let rounds = 0; rounds < 40; rounds++) make(lanes, claim(lanes), bytes);
}

function make(lanes: Lanes, attempts: HeldAttempt[], bytes: number): void {
  const body = Buffer.alloc(bytes);
  for (const attempt of attempts) lanes.prepared(attempt, body);
  for (const { lane } of attempts) {
    const { held } = lanes.next(lane) as PreparedAttempt;
    lanes.opened(lane);
    lanes.closed(held, PROMPT);
    lanes.recorded([held]);
  }
}

test('a webhook that answers takes more and more, up to three quarters of the places of its business, and never just a few', () => {
  const lanes = new Lanes();
  lanes.wake({ partyId: 1n, webhookId: 'a' });
  // Whether the endpoint has ever succeeded is known from the first claim on.
  make(lanes, claim(lanes), 1_000);
  const second = claim(lanes);
  expect(second).toHaveLength(5);
  make(lanes, second, 1_000);
  widen(lanes, 1_000);
  const taken = claim(lanes);
  expect(taken).toHaveLength(512);
  make(lanes, taken.splice(0, 50), 1_000);
  expect(claim(lanes)).toEqual([]);
  make(lanes, taken.splice(0, 50), 1_000);
  expect(claim(lanes)).toHaveLength(768 - 412);
  expect(lanes.taken).toBe(768);
});

test('what was made takes no place while it waits to be written down, but not without end', () => {
  const lanes = new Lanes();
  lanes.wake({ partyId: 1n, webhookId: 'a' });
  widen(lanes, 1_000);
  let unwritten = 0;
  for (let attempts = claim(lanes); attempts.length > 0; attempts = claim(lanes)) {
    for (const attempt of attempts) lanes.over(attempt);
    unwritten += attempts.length;
  }
  expect(unwritten).toBe(2_048);
  expect(lanes.taken).toBe(0);
});

test('one business has bodies of 128 MB at most in memory, and others have their own', () => {
  const lanes = new Lanes();
  for (const webhookId of ['a', 'b', 'c']) lanes.wake({ partyId: 1n, webhookId });
  widen(lanes, MB);
  const body = Buffer.alloc(MB);
  let held = 0;
  for (let attempts = claim(lanes); attempts.length > 0; attempts = claim(lanes)) {
    for (const attempt of attempts) lanes.prepared(attempt, body);
    held += attempts.length;
  }
  expect(held).toBe(128);
  lanes.wake({ partyId: 2n, webhookId: 'd' });
  expect(claim(lanes)).toHaveLength(1);
  expect(claim(lanes)).toHaveLength(3);
});

test('an endpoint that has never succeeded has one attempt, until that is recorded', () => {
  const lanes = new Lanes();
  lanes.wake({ partyId: 1n, webhookId: 'a' });
  const [attempt] = claim(lanes) as [HeldAttempt];
  attempt.lane.isProven = false;
  expect(lanes.take()).toEqual([]);
  lanes.prepared(attempt, Buffer.alloc(1));
  lanes.next(attempt.lane);
  lanes.opened(attempt.lane);
  lanes.closed(attempt, { succeeded: false, statusCode: 500, responseMs: 5 });
  expect(lanes.take()).toEqual([]);
  lanes.recorded([attempt]);
  expect(lanes.take()).toMatchObject([{ room: 1 }]);
});

test('a bag holds what was put in and not taken out, whatever the order', () => {
  const bag = new Bag<{ place: number; name: number }>();
  const kept = new Set<{ place: number; name: number }>();
  for (let name = 0; name < 500; name++) {
    const thing = { place: 0, name };
    bag.add(thing);
    kept.add(thing);
    // The first, the last and any between.
    const gone = [...kept][[0, kept.size - 1, (name * 7) % kept.size][name % 3] as number] as typeof thing;
    if (name % 5 === 0) continue;
    bag.delete(gone);
    kept.delete(gone);
  }
  expect(bag.size).toBe(kept.size);
  expect(new Set(bag)).toEqual(kept);
});
