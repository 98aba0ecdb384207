import { UNKNOWN_KEY_LOOKUPS_WAITING_MAX } from '../contract/limits.ts';
import { networkOf } from '../platform/network.ts';
import { TooMuchWaiting, Turns } from '../platform/turns.ts';
import type { RateLimiter } from './rate-limit.ts';

const LOOKUP_PATIENCE_MS = 10_000;

/**
 * Counts requests without a valid key, by network. A valid key uses up no token, and is admitted even from a network without
 * tokens: keys from such a network are looked up one at a time.
 */
export class UnknownKeys {
  readonly #limiter: RateLimiter;
  readonly #lookups = new Turns({ waitingMax: UNKNOWN_KEY_LOOKUPS_WAITING_MAX, patienceMs: LOOKUP_PATIENCE_MS });

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  async identify<T>(address: string, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    const network = networkOf(address);
    const bucket = this.#limiter.bucketOf(network);
    if (!bucket) return lookUp();
    if (bucket.tokens >= 1) {
      // Taken before the look-up, so that simultaneous requests are counted too.
      bucket.take(1);
      const known = await lookUp();
      if (known !== undefined) bucket.take(-1);
      return known;
    }
    const known = await this.#lookups.take(network, lookUp).catch((error) => {
      throw error instanceof TooMuchWaiting ? bucket.refusal() : error;
    });
    if (known === undefined) throw bucket.refusal();
    return known;
  }
}
