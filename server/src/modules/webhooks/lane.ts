import type { AttemptState } from './attempt-states.ts';
import type { DueAttempt, WebhookKey } from './attempt-store.ts';

/** The concurrency limit of one business. */
export const BUSINESS_MAX = 1_024;
const USUAL_BYTES_AT_FIRST = 1_024;

/** The concurrency limit of a webhook starts low, grows by one with each prompt success and halves with each failure. */
const WIDTH_AT_FIRST = 4;
const WIDTH_MAX = 128;
const PROMPT_MS = 1_000;
/**
 * A webhook at full width leases this many attempts ahead, so that the next is at hand when a request ends. A quarter of the business's
 * places stays free: a webhook that stops responding keeps its places until its requests time out.
 */
const AHEAD = 0.75 * BUSINESS_MAX - WIDTH_MAX;
/** A fresh lease is renewed only if it can grow by this many attempts, because each renewal names every attempt of the lease. */
const ROOM_MIN_AHEAD = AHEAD / 2;
const LEASE_FRESH_MS = 1_000;
/** An ended attempt takes no place, but each renewal names it until it is recorded. */
const LEASED_MAX = 2_048;

/** A lease covers all attempts that this process holds of a webhook. So does every renewal. */
export interface Lease {
  /** The time of the last lease request by this process's clock, and by the database's clock. */
  at: number;
  clockMs: number;
  url: string;
  urlVersion: number;
  secrets: readonly string[];
  headers: Record<string, string> | undefined;
  showsCertificate: boolean;
}

export interface LeasedAttempt extends DueAttempt {
  lane: Lane;
  lease: Lease;
  state: AttemptState;
  /** The size of the body: until the body is read, an estimate from earlier bodies of the webhook. */
  bytes: number;
}

/** The body is kept beside the attempt, so that it is freed when the request ends. */
export interface ReadyAttempt {
  attempt: LeasedAttempt;
  body: Buffer;
}

export interface Share {
  places: number;
  bytes: number;
}

export interface Lane extends WebhookKey {
  business: Share;
  /** Whether the endpoint had ever responded 2xx at the last lease. Until then it gets one attempt at a time. */
  isProven: boolean;
  isDeleted: boolean;
  width: number;
  lease: Lease | undefined;
  leased: Set<string>;
  /** The places taken by attempts, and those reserved for a lease under way. */
  places: number;
  requests: number;
  ready: ReadyAttempt[];
  usualBytes: number;
  /** The database may have due attempts that are not leased. */
  hasMore: boolean;
  /** The rate limit lets the lane lease again at this time. */
  leaseFrom: number;
  /** The time of the webhook's last change or pause. Attempts leased before it are not sent. */
  changedAt: number;
  /** Counts wakes, because a lease that found nothing says nothing about attempts announced after it began. */
  wakes: number;
}

export interface Result {
  succeeded: boolean;
  statusCode: number | null;
  responseMs: number;
}

export function newLane({ partyId, webhookId }: WebhookKey, business: Share): Lane {
  return {
    partyId,
    webhookId,
    business,
    isProven: false,
    isDeleted: false,
    width: WIDTH_AT_FIRST,
    lease: undefined,
    leased: new Set(),
    places: 0,
    requests: 0,
    ready: [],
    usualBytes: USUAL_BYTES_AT_FIRST,
    hasMore: false,
    leaseFrom: Number.NEGATIVE_INFINITY,
    changedAt: Number.NEGATIVE_INFINITY,
    wakes: 0,
  };
}

export function roomOf(lane: Lane, now: number): number {
  if (now < lane.leaseFrom) return 0;
  if (!lane.isProven) return 1 - Math.max(lane.places, lane.leased.size);
  const isFullWidth = lane.width === WIDTH_MAX;
  const room = lane.width + (isFullWidth ? AHEAD : 0) - lane.places;
  const isFresh = lane.lease !== undefined && now - lane.lease.at < LEASE_FRESH_MS;
  if (isFullWidth && isFresh && room < ROOM_MIN_AHEAD) return 0;
  return Math.min(room, LEASED_MAX - lane.leased.size);
}

export function isIdle({ places, leased, hasMore }: Lane): boolean {
  return places + leased.size === 0 && !hasMore;
}

export function isTroubled({ width }: Lane): boolean {
  return width < WIDTH_AT_FIRST;
}

export function nextWidth(width: number, { statusCode, succeeded, responseMs }: Result): number {
  const hasResponse = statusCode !== null;
  const isPrompt = hasResponse && responseMs <= PROMPT_MS;
  if (isPrompt && succeeded) return Math.min(WIDTH_MAX, width + 1);
  // A prompt failure leaves at least the first width, a late response one less, and silence a single request.
  const least = isPrompt ? WIDTH_AT_FIRST : hasResponse ? WIDTH_AT_FIRST - 1 : 1;
  return Math.max(least, width >> 1);
}
