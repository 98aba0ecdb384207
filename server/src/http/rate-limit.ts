import type { FastifyReply } from 'fastify';
import { Refusal } from '../contract/errors.ts';
import { RATE_DEBT_MAX_S } from '../contract/limits.ts';
import type { TokenExchange, TokenKey } from '../platform/postgres/token-exchange.ts';

const SWEEP_EVERY_MS = 60_000;
/** A process reports to the others each time it has given out this part of a burst. */
const TOLD_PART = 1 / 8;

interface Rate {
  perMinute: number;
  perMs: number;
  burst: number;
  counted: string;
  policy: string;
}

export class Bucket {
  readonly #rate: Rate;
  readonly #tell: (tokens: number) => void;
  /** Negative if requests cost more than there was, or if processes together have given out more. Then the bucket must fill up first. */
  #tokens: number;
  #untold = 0;
  #filledAt: number;

  constructor(rate: Rate, now: number, tell: (tokens: number) => void) {
    this.#rate = rate;
    this.#tell = tell;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  get tokens(): number {
    return this.#tokens;
  }

  get isFull(): boolean {
    return this.#tokens >= this.#rate.burst;
  }

  get policy(): string {
    return this.#rate.policy;
  }

  fill(now: number): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + (now - this.#filledAt) * this.#rate.perMs);
    this.#filledAt = now;
  }

  take(tokens: number): void {
    this.#tokens -= tokens;
    this.#untold += tokens;
    if (this.#untold < this.#rate.burst * TOLD_PART) return;
    this.#tell(this.#untold);
    this.#untold = 0;
  }

  /** Takes tokens for work already done, into a bounded debt. */
  takeUsed(tokens: number): void {
    const debtMax = RATE_DEBT_MAX_S * 1_000 * this.#rate.perMs;
    this.take(Math.min(tokens, Math.max(0, this.#tokens + debtMax)));
  }

  wasTaken(tokens: number): void {
    this.#tokens -= tokens;
  }

  get burst(): number {
    return this.#rate.burst;
  }

  msUntil(tokens: number): number {
    return Math.max(0, (tokens - this.#tokens) / this.#rate.perMs);
  }

  /** `policies`: those of all buckets that count the request. */
  describe(reply: FastifyReply, policies: string): void {
    const { burst, counted } = this.#rate;
    const remaining = Math.max(0, Math.floor(this.#tokens));
    reply.header('ratelimit-policy', policies);
    reply.header('ratelimit', `"${counted}";r=${remaining};t=${this.#secondsUntil(Math.min(burst, remaining + 1))}`);
    // The header names of earlier drafts of the standard, for one more version.
    reply.header('ratelimit-limit', burst);
    reply.header('ratelimit-remaining', remaining);
    reply.header('ratelimit-reset', this.#secondsUntil(burst));
  }

  refusal(): Refusal {
    const { perMinute, counted } = this.#rate;
    const retryAfterS = Math.max(1, this.#secondsUntil(1));
    return new Refusal(
      'rate_limited',
      `Too many requests: ${perMinute} a minute and ${counted} are allowed, and a large one counts as several. Try again in ${retryAfterS} s.`,
      { retryAfterS },
    );
  }

  #secondsUntil(tokens: number): number {
    return Math.ceil(this.msUntil(tokens) / 1000);
  }
}

/**
 * A token bucket for each key: `burst` units at once, then `perMinute` evenly. Each process has its own buckets and learns a moment later
 * how many tokens the others have taken. At first, each process may give out a burst. Then all wait until the excess is made up for.
 */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #exchange: TokenExchange;
  readonly #buckets = new Map<TokenKey, Bucket>();
  readonly #sweeper: NodeJS.Timeout;

  /** `counted` is also the name under which processes exchange tokens. */
  constructor(perMinute: number, burst: number, counted: string, exchange: TokenExchange) {
    const most = Math.min(burst, perMinute);
    // An empty bucket is full again after the window, so quota and window state the same rate as `perMinute`.
    const policy = `"${counted}";q=${most};w=${Math.max(1, Math.ceil((60 * most) / perMinute))}`;
    this.#rate = { perMinute, perMs: perMinute / 60_000, burst: most, counted, policy };
    this.#exchange = exchange;
    exchange.onTaken(counted, (key, tokens) => this.bucketOf(key)?.wasTaken(tokens));
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
  }

  /** Undefined: the key has no limit. */
  bucketOf(key: TokenKey): Bucket | undefined {
    if (this.#rate.perMinute === 0) return undefined;
    const now = performance.now();
    let bucket = this.#buckets.get(key);
    if (bucket) bucket.fill(now);
    else {
      bucket = new Bucket(this.#rate, now, (tokens) => this.#exchange.tell(this.#rate.counted, key, tokens));
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  admit(key: string, reply?: FastifyReply): void {
    admitBy(this.bucketOf(key), undefined, reply);
  }

  stop(): void {
    clearInterval(this.#sweeper);
  }

  /** Removes full buckets: a new bucket is full, too. */
  #sweep(): void {
    const now = performance.now();
    for (const [key, bucket] of this.#buckets) {
      bucket.fill(now);
      if (bucket.isFull) this.#buckets.delete(key);
    }
  }
}

/** Takes one token of each bucket, or none if either is empty. The headers describe the bucket with fewer tokens. */
export function admitBy(one: Bucket | undefined, other: Bucket | undefined, reply?: FastifyReply): void {
  const tighter = tighterOf(one, other);
  if (!tighter) return;
  const isAdmitted = tighter.tokens >= 1;
  if (isAdmitted) {
    one?.take(1);
    other?.take(1);
  }
  if (reply) describe(one, other, reply);
  if (!isAdmitted) throw tighter.refusal();
}

export function describe(one: Bucket | undefined, other: Bucket | undefined, reply: FastifyReply): void {
  const policies = one && other ? `${one.policy}, ${other.policy}` : (one ?? other)?.policy;
  if (policies !== undefined) tighterOf(one, other)?.describe(reply, policies);
}

function tighterOf(one: Bucket | undefined, other: Bucket | undefined): Bucket | undefined {
  return one && other ? (other.tokens < one.tokens ? other : one) : (one ?? other);
}
