import type { FastifyReply } from 'fastify';
import { Refusal } from '../contract/errors.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

const SWEEP_EVERY_MS = 60_000;

/** A token bucket a key: `burst` at once, then `perMinute` evenly. Each process counts for itself. */
export class RateLimiter {
  readonly #perMs: number;
  readonly #perMinute: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(perMinute: number, burst: number) {
    this.#perMinute = perMinute;
    this.#perMs = perMinute / 60_000;
    this.#burst = Math.min(burst, perMinute);
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_EVERY_MS).unref();
  }

  /** Takes one token, says in the headers of a reply what is left, and refuses when there was none. */
  admit(key: string, reply?: FastifyReply): void {
    if (this.#perMinute === 0) return;
    const now = performance.now();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, filledAt: now };
    this.#buckets.set(key, bucket);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + (now - bucket.filledAt) * this.#perMs);
    bucket.filledAt = now;
    const admitted = bucket.tokens >= 1;
    if (admitted) bucket.tokens -= 1;
    reply?.header('ratelimit-limit', this.#perMinute);
    reply?.header('ratelimit-remaining', Math.floor(bucket.tokens));
    reply?.header('ratelimit-reset', this.#seconds(this.#burst - bucket.tokens));
    if (!admitted) {
      const retryAfterS = Math.max(1, this.#seconds(1 - bucket.tokens));
      throw new Refusal('rate_limited', `Too many requests: ${this.#perMinute} a minute are allowed. Try again in ${retryAfterS} s.`, {
        retryAfterS,
      });
    }
  }

  stop(): void {
    clearInterval(this.#sweeper);
  }

  #seconds(tokens: number): number {
    return Math.ceil(tokens / this.#perMs / 1000);
  }

  /** A full bucket is the same as none. */
  #sweep(): void {
    const now = performance.now();
    for (const [key, { tokens, filledAt }] of this.#buckets) {
      if (tokens + (now - filledAt) * this.#perMs >= this.#burst) this.#buckets.delete(key);
    }
  }
}
