import type { FastifyReply } from 'fastify';
import { Refusal } from '../contract/errors.ts';

const SWEEP_EVERY_MS = 60_000;

interface Rate {
  perMinute: number;
  perMs: number;
  burst: number;
  /** Whose requests are counted together, in the words of the refusal. */
  counted: string;
}

class Bucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  get tokens(): number {
    return this.#tokens;
  }

  get isFull(): boolean {
    return this.#tokens >= this.#rate.burst;
  }

  fill(now: number): void {
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + (now - this.#filledAt) * this.#rate.perMs);
    this.#filledAt = now;
  }

  take(tokens: number): void {
    this.#tokens -= tokens;
  }

  describe(reply: FastifyReply): void {
    reply.header('ratelimit-limit', this.#rate.perMinute);
    reply.header('ratelimit-remaining', Math.floor(this.#tokens));
    reply.header('ratelimit-reset', this.#secondsFor(this.#rate.burst - this.#tokens));
  }

  refusal(): Refusal {
    const { perMinute, counted } = this.#rate;
    const retryAfterS = Math.max(1, this.#secondsFor(1 - this.#tokens));
    return new Refusal(
      'rate_limited',
      `Too many requests: ${perMinute} a minute and ${counted} are allowed. Try again in ${retryAfterS} s.`,
      {
        retryAfterS,
      },
    );
  }

  #secondsFor(tokens: number): number {
    return Math.ceil(tokens / this.#rate.perMs / 1000);
  }
}

/** A token bucket for each key: `burst` requests at once, then `perMinute` evenly. Each process counts separately. */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #buckets = new Map<string | bigint, Bucket>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(perMinute: number, burst: number, counted: string) {
    this.#rate = { perMinute, perMs: perMinute / 60_000, burst: Math.min(burst, perMinute), counted };
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
  }

  /** Undefined when there is no limit. */
  bucketOf(key: string | bigint): Bucket | undefined {
    if (this.#rate.perMinute === 0) return undefined;
    const now = performance.now();
    let bucket = this.#buckets.get(key);
    if (bucket) bucket.fill(now);
    else {
      bucket = new Bucket(this.#rate, now);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }

  /** Takes one token, states the rest in the headers of the reply, and refuses when no token is left. */
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

/** Takes one token of each bucket, or none at all if either is empty. The headers describe the bucket with fewer tokens. */
export function admitBy(one: Bucket | undefined, other: Bucket | undefined, reply?: FastifyReply): void {
  const tighter = one && other ? (other.tokens < one.tokens ? other : one) : (one ?? other);
  if (!tighter) return;
  const isAdmitted = tighter.tokens >= 1;
  if (isAdmitted) {
    one?.take(1);
    other?.take(1);
  }
  if (reply) tighter.describe(reply);
  if (!isAdmitted) throw tighter.refusal();
}
