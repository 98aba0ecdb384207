import type { DueAttempt, WebhookKey } from './attempt-store.ts';

/** Attempts held by this process, of all webhooks. */
const TOTAL_MAX = 2_048;
/** Of all webhooks that answer late or not at all, so that the others always find a place. */
const TROUBLED_MAX = 512;
/** Of one business, whatever it registers. */
const BUSINESS_MAX = 512;
const CLAIM_MAX = 256;

/** How many requests a webhook may have open: a few at first, one more with each prompt success, half as many with each failure. */
const WIDTH_AT_FIRST = 4;
const WIDTH_MAX = 128;
const PROMPT_MS = 1_000;
/**
 * How many more are taken for a webhook at full width, so that the next is at hand when one is over. A quarter of its
 * business's places is left even then: should it stop answering, it keeps what it has for ten seconds.
 */
const AHEAD = 0.75 * BUSINESS_MAX - WIDTH_MAX;
/** With so many ahead, there is no hurry to take a few more: a claim for many costs little more than one for few. */
const ROOM_MIN_AHEAD = 64;
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
}

/** Held, and with the body it carries. */
export interface PreparedAttempt extends HeldAttempt {
  body: Buffer;
}

export interface Lane extends WebhookKey {
  width: number;
  claim: Claim | undefined;
  /** The ids of attempts taken and neither recorded nor given up. */
  held: Set<string>;
  /** How many those are, along with those about to be taken. */
  taken: number;
  /** The requests that are open. */
  open: number;
  /** Those that can be sent. */
  ready: PreparedAttempt[];
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
  readonly #takenOf = new Map<bigint, number>();
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
      this.#count(lane, room);
      claimed += room;
      rooms.push({ lane, room, wakes: lane.wakes });
      if (claimed >= CLAIM_MAX) break;
    }
    for (const { lane } of rooms) {
      this.#waiting.delete(lane);
      this.#waiting.add(lane);
    }
    return rooms;
  }

  /** These attempts were found for a room; undefined when it could not be found out. */
  filled({ lane, room, wakes }: Room, found: readonly DueAttempt[] | undefined): void {
    for (const { id } of found ?? []) lane.held.add(id);
    this.#count(lane, (found?.length ?? 0) - room);
    if (found === undefined || found.length === room || lane.wakes !== wakes) return;
    lane.hasMore = false;
    this.#waiting.delete(lane);
  }

  /** The next to be sent, if its lane is wide enough. */
  next(lane: Lane): PreparedAttempt | undefined {
    return lane.open < lane.width ? lane.ready.shift() : undefined;
  }

  opened(lane: Lane): void {
    lane.open++;
  }

  /** A request is over; without a result when it tells nothing. */
  closed(lane: Lane, result: Result | undefined): void {
    lane.open--;
    if (result === undefined) return;
    const before = isTroubled(lane);
    lane.width = nextWidth(lane.width, result);
    const after = isTroubled(lane);
    if (before !== after) this.#troubled += after ? lane.taken : -lane.taken;
  }

  /** What is written down need not be held any more. */
  recorded(attempts: readonly HeldAttempt[]): void {
    for (const { lane, id } of attempts) if (lane.held.delete(id)) this.#count(lane, -1);
  }

  /** What will not be made after all, by this claim: it can be taken again. */
  givenUp(attempts: readonly HeldAttempt[]): void {
    this.recorded(attempts);
    for (const { lane } of attempts) this.#wake(lane);
  }

  #wake(lane: Lane): void {
    lane.hasMore = true;
    lane.wakes++;
    this.#waiting.add(lane);
  }

  #roomOf(lane: Lane): number {
    const isFullWidth = lane.width === WIDTH_MAX;
    const ofLane = lane.width + (isFullWidth ? AHEAD : 0) - lane.taken;
    if (isFullWidth && ofLane < ROOM_MIN_AHEAD) return 0;
    const ofBusiness = BUSINESS_MAX - (this.#takenOf.get(lane.partyId) ?? 0);
    const ofTroubled = isTroubled(lane) ? TROUBLED_MAX - this.#troubled : Number.POSITIVE_INFINITY;
    return Math.min(ofLane, TOTAL_MAX - this.#total, ofBusiness, ofTroubled);
  }

  #count(lane: Lane, change: number): void {
    lane.taken += change;
    this.#total += change;
    if (isTroubled(lane)) this.#troubled += change;
    const ofBusiness = (this.#takenOf.get(lane.partyId) ?? 0) + change;
    if (ofBusiness > 0) this.#takenOf.set(lane.partyId, ofBusiness);
    else this.#takenOf.delete(lane.partyId);
  }

  #laneOf({ partyId, webhookId }: WebhookKey): Lane {
    const known = this.#lanes.get(webhookId);
    if (known) return known;
    if (this.#lanes.size >= REMEMBERED_MAX) this.#forgetIdle();
    const progress = { width: WIDTH_AT_FIRST, taken: 0, open: 0, hasMore: false, wakes: 0 };
    const lane: Lane = { partyId, webhookId, claim: undefined, held: new Set(), ready: [], ...progress };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const [id, lane] of this.#lanes) if (lane.taken === 0 && !lane.hasMore) this.#lanes.delete(id);
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
