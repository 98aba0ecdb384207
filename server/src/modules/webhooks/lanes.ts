import type { WebhookKey } from './attempt-store.ts';

/** Attempts taken by this process and not over, of all webhooks. */
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
/** How many more are taken for a webhook at full width, so that the next is at hand when one is over. */
const AHEAD = 128;
/** How many idle webhooks are remembered for how they behaved. */
const REMEMBERED_MAX = 10_000;

interface Lane<T> extends WebhookKey {
  width: number;
  /** Taken, or about to be. */
  taken: number;
  /** Of those, the requests that are open. */
  open: number;
  /** Of those, the ones that are ready to be sent. */
  ready: T[];
  /** Whether there may be attempts due that nobody has taken. */
  hasMore: boolean;
  /** How often it was woken: a claim that found nothing says nothing about what came after it. */
  wakes: number;
}

/** How an attempt went, as far as it tells what to expect of the next. */
export interface Result {
  isAnswered: boolean;
  succeeded: boolean;
  responseMs: number;
}

export interface Room extends WebhookKey {
  room: number;
  wakes: number;
}

/**
 * Who may have how many attempts under way. Each webhook has a lane of its own, as wide as its behaviour earns: one that
 * hangs holds few places for its ten seconds, however many attempts wait for it, and one that answers gets on at full width.
 */
export class Lanes<T extends WebhookKey> {
  readonly #lanes = new Map<string, Lane<T>>();
  /** Those with something to do; the one longest unserved comes first. */
  readonly #waiting = new Set<Lane<T>>();
  readonly #takenOf = new Map<bigint, number>();
  #total = 0;
  #troubled = 0;

  get taken(): number {
    return this.#total;
  }

  wake(key: WebhookKey): void {
    const lane = this.#laneOf(key);
    lane.hasMore = true;
    lane.wakes++;
    this.#waiting.add(lane);
  }

  /** Places for the webhooks that have something to do. They count as taken until told otherwise. */
  take(): Room[] {
    const rooms: Room[] = [];
    const served: Lane<T>[] = [];
    let claimed = 0;
    for (const lane of this.#waiting) {
      const room = Math.min(this.#roomOf(lane), CLAIM_MAX - claimed);
      if (room <= 0) continue;
      this.#count(lane, room);
      claimed += room;
      rooms.push({ partyId: lane.partyId, webhookId: lane.webhookId, room, wakes: lane.wakes });
      served.push(lane);
      if (claimed >= CLAIM_MAX) break;
    }
    for (const lane of served) {
      this.#waiting.delete(lane);
      this.#waiting.add(lane);
    }
    return rooms;
  }

  /** So many attempts were found for a room; undefined when it could not be found out. */
  filled(given: Room, found: number | undefined): void {
    const lane = this.#laneOf(given);
    this.#count(lane, (found ?? 0) - given.room);
    if (found === undefined || found === given.room || lane.wakes !== given.wakes) return;
    lane.hasMore = false;
    this.#waiting.delete(lane);
  }

  /** Taken attempts that will not be made after all. */
  returned(items: readonly WebhookKey[]): void {
    for (const key of items) this.#count(this.#laneOf(key), -1);
  }

  /** Lines an attempt up to be sent. */
  ready(item: T): void {
    this.#laneOf(item).ready.push(item);
  }

  /** The next to be sent, if its lane is wide enough; its request counts as open. */
  next(key: WebhookKey): T | undefined {
    const lane = this.#laneOf(key);
    const item = lane.open < lane.width ? lane.ready.shift() : undefined;
    if (item !== undefined) lane.open++;
    return item;
  }

  /** A request is over; without a result when it tells nothing. */
  finished(key: WebhookKey, result: Result | undefined): void {
    const lane = this.#laneOf(key);
    lane.open--;
    this.#count(lane, -1);
    if (result === undefined) return;
    const before = isTroubled(lane);
    lane.width = nextWidth(lane.width, result);
    const after = isTroubled(lane);
    if (before !== after) this.#troubled += after ? lane.taken : -lane.taken;
  }

  #roomOf(lane: Lane<T>): number {
    const ahead = lane.width === WIDTH_MAX ? AHEAD : 0;
    const ofBusiness = BUSINESS_MAX - (this.#takenOf.get(lane.partyId) ?? 0);
    const ofTroubled = isTroubled(lane) ? TROUBLED_MAX - this.#troubled : Number.POSITIVE_INFINITY;
    return Math.min(lane.width + ahead - lane.taken, TOTAL_MAX - this.#total, ofBusiness, ofTroubled);
  }

  #count(lane: Lane<T>, change: number): void {
    lane.taken += change;
    this.#total += change;
    if (isTroubled(lane)) this.#troubled += change;
    const ofBusiness = (this.#takenOf.get(lane.partyId) ?? 0) + change;
    if (ofBusiness > 0) this.#takenOf.set(lane.partyId, ofBusiness);
    else this.#takenOf.delete(lane.partyId);
  }

  #laneOf({ partyId, webhookId }: WebhookKey): Lane<T> {
    const known = this.#lanes.get(webhookId);
    if (known) return known;
    if (this.#lanes.size >= REMEMBERED_MAX) this.#forgetIdle();
    const lane: Lane<T> = { partyId, webhookId, width: WIDTH_AT_FIRST, taken: 0, open: 0, ready: [], hasMore: false, wakes: 0 };
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

function nextWidth(width: number, { isAnswered, succeeded, responseMs }: Result): number {
  const isPrompt = isAnswered && responseMs <= PROMPT_MS;
  if (isPrompt && succeeded) return Math.min(WIDTH_MAX, width + 1);
  // What is refused promptly takes nobody's place. What answers late keeps a few, what does not answer just one.
  const least = isPrompt ? WIDTH_AT_FIRST : isAnswered ? WIDTH_AT_FIRST - 1 : 1;
  return Math.max(least, width >> 1);
}
