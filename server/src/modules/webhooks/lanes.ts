import { MB } from '../../contract/limits.ts';
import type { DueAttempt, WebhookKey } from './attempt-store.ts';

/** Attempts of all webhooks that this process has taken and not made yet. */
const TOTAL_MAX = 4_096;
/** Of all webhooks that answer late or not at all, so that the others always find a place. */
const TROUBLED_MAX = 512;
/** Of one business, whatever it registers, and of what their bodies may take up together. */
const BUSINESS_MAX = 1_024;
const BUSINESS_MAX_BYTES = 128 * MB;
const USUAL_BYTES_AT_FIRST = 1_024;
const CLAIM_MAX = 512;

/** How many requests a webhook may have open: a few at first, one more with each prompt success, half as many with each failure. */
const WIDTH_AT_FIRST = 4;
const WIDTH_MAX = 128;
const PROMPT_MS = 1_000;
/**
 * How many more are taken for a webhook at full width, so that the next is at hand when one is over. A quarter of its
 * business's places is left even then: should it stop answering, it keeps what it has for ten seconds.
 */
const AHEAD = 0.75 * BUSINESS_MAX - WIDTH_MAX;
/** With so many ahead, there is no hurry to take a few more, as long as the claim on them is fresh: each claim names all anew. */
const ROOM_MIN_AHEAD = AHEAD / 2;
const CLAIM_FRESH_MS = 1_000;
/** What was made and is not written down yet takes no place, but each claim names it anew. */
const HELD_MAX = 2_048;
/** How many idle webhooks are remembered for how they behaved. */
const REMEMBERED_MAX = 10_000;

/** What this process has of a webhook until its lease ends; renewed whenever more is taken in time. */
export interface Claim {
  /** When it was last asked for, by the clock of this process, and what the database's showed then. */
  at: number;
  clockMs: number;
  url: string;
  secret: string;
}

/** An attempt that is this process's to make. */
export interface HeldAttempt extends DueAttempt {
  lane: Lane;
  claim: Claim;
  /** Of its body; as many as others of its webhook have had, until that is read. */
  bytes: number;
}

/** With the body it carries, which is not kept once it is over. */
export interface PreparedAttempt {
  held: HeldAttempt;
  body: Buffer;
}

/** What one business has of the places. */
interface Share {
  taken: number;
  bytes: number;
}

export interface Lane extends WebhookKey {
  business: Share;
  /** Whether the endpoint has ever responded 2xx, as far as a claim has shown. Until then it gets one attempt at a time. */
  isProven: boolean;
  width: number;
  claim: Claim | undefined;
  /** The ids of attempts taken and neither recorded nor given up. */
  held: Set<string>;
  /** How many of those are not made yet, along with those about to be taken. */
  taken: number;
  /** The requests that are open. */
  open: number;
  /** Those that can be sent. */
  ready: PreparedAttempt[];
  /** Of a body, as they have been lately. */
  usualBytes: number;
  /** Whether there may be attempts due that nobody has taken. */
  hasMore: boolean;
  /** How often it was woken: a claim that found nothing says nothing about what came after it. */
  wakes: number;
}

/** How an attempt went, as far as it tells what to expect of the next. */
export interface Result {
  succeeded: boolean;
  statusCode: number | null;
  responseMs: number;
}

export interface Room {
  lane: Lane;
  room: number;
  bytes: number;
  wakes: number;
}

/**
 * Who may have how many attempts under way. Each webhook has a lane of its own, as wide as its behaviour earns: one that
 * hangs holds few places for its ten seconds, however many attempts wait for it, and one that answers gets on at full width.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those with something to do; the one longest unserved comes first. */
  readonly #waiting = new Set<Lane>();
  readonly #businesses = new Map<bigint, Share>();
  #total = 0;
  #troubled = 0;

  get taken(): number {
    return this.#total;
  }

  wake(key: WebhookKey): void {
    this.#wake(this.#laneOf(key));
  }

  /** Places for the webhooks that have something to do. They count as taken until told otherwise. */
  take(): Room[] {
    const rooms: Room[] = [];
    let claimed = 0;
    for (const lane of this.#waiting) {
      const room = Math.min(this.#roomOf(lane), CLAIM_MAX - claimed);
      if (room <= 0) continue;
      const bytes = room * lane.usualBytes;
      this.#count(lane, room, bytes);
      claimed += room;
      rooms.push({ lane, room, bytes, wakes: lane.wakes });
      if (claimed >= CLAIM_MAX) break;
    }
    for (const { lane } of rooms) {
      this.#waiting.delete(lane);
      this.#waiting.add(lane);
    }
    return rooms;
  }

  /** These attempts were found for a room; undefined when it could not be found out. */
  filled({ lane, room, bytes, wakes }: Room, found: readonly HeldAttempt[] | undefined): void {
    this.#count(lane, -room, -bytes);
    for (const attempt of found ?? []) {
      lane.held.add(attempt.id);
      this.#count(lane, 1, attempt.bytes);
    }
    if (found === undefined || found.length === room || lane.wakes !== wakes) return;
    lane.hasMore = false;
    this.#waiting.delete(lane);
  }

  /** Its body was read. */
  prepared(held: HeldAttempt, body: Buffer): void {
    const { lane } = held;
    this.#count(lane, 0, body.length - held.bytes);
    lane.usualBytes += (body.length - lane.usualBytes) / 16;
    held.bytes = body.length;
    lane.ready.push({ held, body });
  }

  /** The next to be sent, if its lane is wide enough. */
  next(lane: Lane): PreparedAttempt | undefined {
    return lane.open < lane.width ? lane.ready.shift() : undefined;
  }

  opened(lane: Lane): void {
    lane.open++;
  }

  /** A request is over; without a result when it tells nothing. */
  closed(held: HeldAttempt, result: Result | undefined): void {
    const { lane } = held;
    lane.open--;
    this.over(held);
    if (result === undefined) return;
    const before = isTroubled(lane);
    lane.width = nextWidth(lane.width, result);
    const after = isTroubled(lane);
    if (before !== after) this.#troubled += after ? lane.taken : -lane.taken;
  }

  /** There is nothing left to do for an attempt but to write it down. */
  over({ lane, bytes }: HeldAttempt): void {
    this.#count(lane, -1, -bytes);
  }

  /** What is written down need not be held any more. */
  recorded(attempts: readonly HeldAttempt[]): void {
    for (const { lane, id } of attempts) lane.held.delete(id);
  }

  /** What will not be made after all, by this claim: it can be taken again. */
  givenUp(attempts: readonly HeldAttempt[]): void {
    this.recorded(attempts);
    for (const attempt of attempts) {
      this.over(attempt);
      this.#wake(attempt.lane);
    }
  }

  #wake(lane: Lane): void {
    lane.hasMore = true;
    lane.wakes++;
    this.#waiting.add(lane);
  }

  #roomOf(lane: Lane): number {
    const isFullWidth = lane.isProven && lane.width === WIDTH_MAX;
    const ofLane = lane.isProven ? lane.width + (isFullWidth ? AHEAD : 0) - lane.taken : 1 - Math.max(lane.taken, lane.held.size);
    const isFresh = lane.claim !== undefined && performance.now() - lane.claim.at < CLAIM_FRESH_MS;
    if (isFullWidth && ofLane < ROOM_MIN_AHEAD && isFresh) return 0;
    const ofHeld = HELD_MAX - lane.held.size;
    const ofBusiness = Math.min(
      BUSINESS_MAX - lane.business.taken,
      Math.ceil((BUSINESS_MAX_BYTES - lane.business.bytes) / lane.usualBytes),
    );
    const ofTroubled = isTroubled(lane) ? TROUBLED_MAX - this.#troubled : Number.POSITIVE_INFINITY;
    return Math.min(ofLane, ofHeld, TOTAL_MAX - this.#total, ofBusiness, ofTroubled);
  }

  #count(lane: Lane, change: number, bytes: number): void {
    lane.taken += change;
    lane.business.taken += change;
    lane.business.bytes += bytes;
    this.#total += change;
    if (isTroubled(lane)) this.#troubled += change;
  }

  #laneOf({ partyId, webhookId }: WebhookKey): Lane {
    const known = this.#lanes.get(webhookId);
    if (known) return known;
    if (this.#lanes.size >= REMEMBERED_MAX) this.#forgetIdle();
    const progress = { width: WIDTH_AT_FIRST, taken: 0, open: 0, hasMore: false, wakes: 0 };
    const business = this.#businesses.get(partyId) ?? { taken: 0, bytes: 0 };
    this.#businesses.set(partyId, business);
    const lane: Lane = {
      partyId,
      webhookId,
      business,
      isProven: false,
      claim: undefined,
      held: new Set(),
      ready: [],
      usualBytes: USUAL_BYTES_AT_FIRST,
      ...progress,
    };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const [id, lane] of this.#lanes) if (lane.taken + lane.held.size === 0 && !lane.hasMore) this.#lanes.delete(id);
    const remembered = new Set(this.#lanes.values().map(({ partyId }) => partyId));
    for (const partyId of this.#businesses.keys()) if (!remembered.has(partyId)) this.#businesses.delete(partyId);
  }
}

function isTroubled({ width }: { width: number }): boolean {
  return width < WIDTH_AT_FIRST;
}

function nextWidth(width: number, { statusCode, succeeded, responseMs }: Result): number {
  const isAnswered = statusCode !== null;
  const isPrompt = isAnswered && responseMs <= PROMPT_MS;
  if (isPrompt && succeeded) return Math.min(WIDTH_MAX, width + 1);
  // What is refused promptly takes nobody's place. What answers late keeps a few, what does not answer just one.
  const least = isPrompt ? WIDTH_AT_FIRST : isAnswered ? WIDTH_AT_FIRST - 1 : 1;
  return Math.max(least, width >> 1);
}
