import { MB } from '../../contract/limits.ts';
import { type AttemptState, STATES } from './attempt-states.ts';
import type { LeasedAttempts, StoredSecrets, WebhookKey } from './attempt-store.ts';
import {
  BUSINESS_MAX,
  isIdle,
  isTroubled,
  type Lane,
  type Lease,
  type LeasedAttempt,
  newLane,
  nextWidth,
  type ReadyAttempt,
  type Result,
  roomOf,
  type Share,
} from './lane.ts';

/** The concurrency limit of all webhooks in this process. */
const TOTAL_MAX = 4_096;
/** The concurrency limit of webhooks that respond late or not at all, so that the others always find a place. */
const TROUBLED_MAX = 512;
const BUSINESS_MAX_BYTES = 128 * MB;
const LEASE_MAX = 512;
/**
 * A request begins within this time of the last renewal, or not at all. Otherwise the lease might lapse before the request ends, and
 * another worker would repeat it.
 */
const SEND_WITHIN_MS = 2_000;
/** Signing this many bytes blocks the event loop for a few milliseconds. */
const BATCH_MAX_BYTES = MB;
const REMEMBERED_MAX = 10_000;

export type OpenedLease = Omit<LeasedAttempts, keyof StoredSecrets> & Pick<Lease, 'secrets' | 'headers'>;

export interface Reservation {
  lane: Lane;
  places: number;
  bytes: number;
  at: number;
  wakes: number;
}

/**
 * Decides which attempts this process leases and sends, and moves each through the states of attempt-states.ts. Each webhook has a lane
 * whose width depends on its behaviour: a silent webhook holds few places however many attempts wait, and a prompt one runs at full width.
 * There is no I/O and no clock here: the caller passes the time of a monotonic clock, in milliseconds.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  /** The lanes with more to lease, the one longest unserved first. */
  readonly #waiting = new Set<Lane>();
  readonly #businesses = new Map<bigint, Share>();
  #places = 0;
  #troubledPlaces = 0;
  #isClosed = false;
  /** Attempts leased before this time may belong to webhooks whose deletion this process has missed. */
  #deletionsMissedAt = Number.NEGATIVE_INFINITY;

  get places(): number {
    return this.#places;
  }

  wake(key: WebhookKey): void {
    this.#wake(this.#laneOf(key));
  }

  /** Reserves places in turn for the webhooks that may have due attempts. */
  reserve(now: number): Reservation[] {
    const reservations: Reservation[] = [];
    let left = this.#isClosed ? 0 : LEASE_MAX;
    for (const lane of this.#waiting) {
      if (left <= 0) break;
      const places = Math.min(roomOf(lane, now), this.#sharedRoomOf(lane), left);
      if (places <= 0) continue;
      const bytes = places * lane.usualBytes;
      this.#count(lane, places, bytes);
      left -= places;
      reservations.push({ lane, places, bytes, at: now, wakes: lane.wakes });
    }
    for (const { lane } of reservations) {
      this.#waiting.delete(lane);
      this.#waiting.add(lane);
    }
    return reservations;
  }

  fill(reservation: Reservation, found: OpenedLease | undefined): LeasedAttempt[] {
    const { lane, places, at, wakes } = reservation;
    this.release(reservation);
    const attempts: LeasedAttempt[] = [];
    if (found) {
      const lease = renewLease(lane, found, at);
      for (const due of found.attempts) attempts.push({ ...due, lane, lease, state: 'queued', bytes: lane.usualBytes });
    }
    for (const attempt of attempts) this.#move(attempt, 'leased');
    if (found?.retryMs !== undefined) lane.leaseFrom = at + found.retryMs;
    else if (attempts.length < places && lane.wakes === wakes) {
      lane.hasMore = false;
      this.#waiting.delete(lane);
    }
    return attempts;
  }

  /** Gives back the places of a reservation, for example when the database could not be queried. */
  release({ lane, places, bytes }: Reservation): void {
    this.#count(lane, -places, -bytes);
  }

  prepare(attempt: LeasedAttempt, body: Buffer): void {
    const { lane } = attempt;
    this.#move(attempt, 'ready');
    this.#count(lane, 0, body.length - attempt.bytes);
    lane.usualBytes += (body.length - lane.usualBytes) / 16;
    attempt.bytes = body.length;
    lane.ready.push({ attempt, body });
  }

  /** Returns the attempts whose requests begin now, and the lanes not reached because of the byte limit. */
  send(lanes: ReadonlySet<Lane>, now: number): { batch: ReadyAttempt[]; rest: Lane[] } {
    const batch: ReadyAttempt[] = [];
    const rest = [...lanes];
    let bytes = 0;
    for (let lane = rest[0]; lane && bytes < BATCH_MAX_BYTES; lane = rest[0]) {
      const ready = lane.requests < lane.width ? lane.ready.shift() : undefined;
      if (!ready) rest.shift();
      else if (!this.#maySend(ready.attempt, now)) this.abandon([ready.attempt]);
      else {
        bytes += ready.body.length;
        this.#move(ready.attempt, 'sending');
        batch.push(ready);
      }
    }
    // The lane that used up the bytes goes to the end.
    return { batch, rest: [...rest.slice(1), ...rest.slice(0, 1)] };
  }

  /** The outcome is known and waits to be recorded. No result means that there was no request. */
  end(attempt: LeasedAttempt, result: Result | undefined): void {
    const { lane } = attempt;
    this.#move(attempt, 'ended');
    if (result === undefined) return;
    const wasTroubled = isTroubled(lane);
    lane.width = nextWidth(lane.width, result);
    if (isTroubled(lane) !== wasTroubled) this.#troubledPlaces += wasTroubled ? -lane.places : lane.places;
  }

  record(attempts: readonly LeasedAttempt[]): void {
    for (const attempt of attempts) this.#move(attempt, 'recorded');
  }

  abandon(attempts: readonly LeasedAttempt[]): void {
    for (const attempt of attempts) {
      this.#move(attempt, 'abandoned');
      this.#wake(attempt.lane);
    }
  }

  /** Sends nothing more to a webhook: its DELETE request may already have its response. */
  delete(webhookId: string): void {
    const lane = this.#lanes.get(webhookId);
    if (!lane) return;
    lane.isDeleted = true;
    lane.hasMore = false;
    this.#waiting.delete(lane);
  }

  /** Sends nothing that was leased before now: the webhook has other settings, maybe another URL, or is paused. */
  change(webhookId: string, now: number): Lane | undefined {
    const lane = this.#lanes.get(webhookId);
    if (!lane) return undefined;
    lane.changedAt = now;
    lane.leaseFrom = now;
    lane.isProven = false;
    this.#wake(lane);
    return lane;
  }

  /** Sends nothing that was leased before now: a webhook may have been deleted while the listener had no connection. */
  distrustLeases(now: number): void {
    this.#deletionsMissedAt = now;
  }

  close(): void {
    this.#isClosed = true;
  }

  #maySend({ lane, lease }: LeasedAttempt, now: number): boolean {
    const isTrusted = lease.at >= this.#deletionsMissedAt && lease.at >= lane.changedAt;
    return !this.#isClosed && !lane.isDeleted && isTrusted && now - lease.at < SEND_WITHIN_MS;
  }

  #move(attempt: LeasedAttempt, to: AttemptState): void {
    const before = STATES[attempt.state];
    const after = STATES[to];
    if (!before.next.includes(to)) throw new Error(`a webhook attempt can't go from ${attempt.state} to ${to}`);
    const { lane } = attempt;
    attempt.state = to;
    if (after.lease > before.lease) lane.leased.add(attempt.id);
    else if (after.lease < before.lease) lane.leased.delete(attempt.id);
    lane.requests += after.request - before.request;
    const places = after.place - before.place;
    if (places !== 0) this.#count(lane, places, places * attempt.bytes);
  }

  #wake(lane: Lane): void {
    if (lane.isDeleted) return;
    lane.hasMore = true;
    lane.wakes++;
    this.#waiting.add(lane);
  }

  #sharedRoomOf(lane: Lane): number {
    const { business, usualBytes } = lane;
    const ofBytes = Math.ceil((BUSINESS_MAX_BYTES - business.bytes) / usualBytes);
    const ofTroubled = isTroubled(lane) ? TROUBLED_MAX - this.#troubledPlaces : Number.POSITIVE_INFINITY;
    return Math.min(TOTAL_MAX - this.#places, BUSINESS_MAX - business.places, ofBytes, ofTroubled);
  }

  #count(lane: Lane, places: number, bytes: number): void {
    lane.places += places;
    lane.business.places += places;
    lane.business.bytes += bytes;
    this.#places += places;
    if (isTroubled(lane)) this.#troubledPlaces += places;
  }

  #laneOf(key: WebhookKey): Lane {
    const known = this.#lanes.get(key.webhookId);
    if (known) return known;
    if (this.#lanes.size >= REMEMBERED_MAX) this.#forgetIdle();
    const business = this.#businesses.get(key.partyId) ?? { places: 0, bytes: 0 };
    this.#businesses.set(key.partyId, business);
    const lane = newLane(key, business);
    this.#lanes.set(key.webhookId, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const [id, lane] of this.#lanes) if (isIdle(lane)) this.#lanes.delete(id);
    const remembered = new Set(this.#lanes.values().map(({ partyId }) => partyId));
    for (const partyId of this.#businesses.keys()) if (!remembered.has(partyId)) this.#businesses.delete(partyId);
  }
}

/**
 * Attempts leased earlier share the lane's lease object, so a renewal covers them too. A lease that may have lapsed is replaced instead:
 * another worker may have its attempts, and their old lease keeps this process from sending them. A lease from before a change of the
 * webhook is replaced too, because its open requests went to the former URL.
 */
function renewLease(lane: Lane, found: OpenedLease, at: number): Lease {
  const { url, urlVersion, secrets, headers, showsCertificate, isProven, clockMs } = found;
  const last = lane.lease;
  const isRenewable = last !== undefined && last.at >= lane.changedAt && last.urlVersion === urlVersion && at - last.at < SEND_WITHIN_MS;
  const lease = Object.assign(isRenewable ? last : {}, { at, clockMs, url, urlVersion, secrets, headers, showsCertificate });
  lane.lease = lease;
  // A value read before a change may be about the former URL.
  lane.isProven = isProven && at >= lane.changedAt;
  return lease;
}
