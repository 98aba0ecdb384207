import type { AttemptState } from './attempt-states.ts';
import type { DueAttempt, WebhookKey } from './attempt-store.ts';

/** Places of one business, whatever it registers. */
export const BUSINESS_MAX = 1_024;
const USUAL_BYTES_AT_FIRST = 1_024;

/** The limit of open requests of a webhook: a few at first, one more with each prompt success, half as many with each failure. */
const WIDTH_AT_FIRST = 4;
const WIDTH_MAX = 128;
const PROMPT_MS = 1_000;
/**
 * How many attempts a webhook at full width leases ahead, so that the next is at hand when a request ends. This leaves a quarter
 * of the business's places free: a webhook that stops responding keeps its places until its requests time out.
 */
const AHEAD = 0.75 * BUSINESS_MAX - WIDTH_MAX;
/** A fresh lease is not renewed for fewer attempts than this: each renewal names every attempt of the lease. */
const ROOM_MIN_AHEAD = AHEAD / 2;
const LEASE_FRESH_MS = 1_000;
/** An ended attempt takes no place until it is recorded, but each renewal names it. */
const LEASED_MAX = 2_048;

/** The right of this process to the attempts it holds of a webhook. Every renewal covers all of them. */
export interface Lease {
  /** When the lease was last requested, by this process's clock, and what the database's clock showed then. */
  at: number;
  clockMs: number;
  url: string;
  urlVersion: number;
  /** Each signs. */
  secrets: readonly string[];
  headers: Record<string, string> | undefined;
  showsCertificate: boolean;
}

/** An attempt that this process has leased. */
export interface LeasedAttempt extends DueAttempt {
  lane: Lane;
  lease: Lease;
  state: AttemptState;
  /** The size of its body; an estimate from earlier bodies of the webhook until the body is read. */
  bytes: number;
}

/** The body stands beside the attempt, not in it, so that it is freed when the request ends. */
export interface ReadyAttempt {
  attempt: LeasedAttempt;
  body: Buffer;
}

/** The places that attempts take, and the bytes of their bodies. */
export interface Share {
  places: number;
  bytes: number;
}

/** The state of a webhook in this process. */
export interface Lane extends WebhookKey {
  business: Share;
  /** Whether the endpoint has ever responded 2xx, as of the last lease. Until then it gets one attempt at a time. */
  isProven: boolean;
  isDeleted: boolean;
  /** How many requests may be open at once. */
  width: number;
  lease: Lease | undefined;
  /** The ids of the attempts that a renewal of the lease names. */
  leased: Set<string>;
  /** Places taken by attempts, and reserved for those that a lease under way may bring. */
  places: number;
  /** Open requests. */
  requests: number;
  ready: ReadyAttempt[];
  /** The size of a body, averaged over the latest. */
  usualBytes: number;
  /** Whether the database may have attempts that are due and not leased. */
  hasMore: boolean;
  /** When the limit of attempts per second lets the lane lease more. */
  leaseFrom: number;
  /** When the webhook was last changed or paused: what was leased before is not sent. */
  changedAt: number;
  /** How often the lane was woken: a lease that found nothing tells nothing about wakes after it began. */
  wakes: number;
}

/** The outcome of an attempt, as far as the next ones depend on it. */
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

/** How many attempts a lane may lease by its own limits. */
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

/** Whether the endpoint responds late, or not at all. */
export function isTroubled({ width }: Lane): boolean {
  return width < WIDTH_AT_FIRST;
}

export function nextWidth(width: number, { statusCode, succeeded, responseMs }: Result): number {
  const hasResponse = statusCode !== null;
  const isPrompt = hasResponse && responseMs <= PROMPT_MS;
  if (isPrompt && succeeded) return Math.min(WIDTH_MAX, width + 1);
  // A prompt refusal costs no places. An endpoint that responds late keeps a few requests, one that does not respond a single one.
  const least = isPrompt ? WIDTH_AT_FIRST : hasResponse ? WIDTH_AT_FIRST - 1 : 1;
  return Math.max(least, width >> 1);
}
