import { UNKNOWN_KEY_LOOKUPS_WAITING_MAX } from '../contract/limits.ts';
import { networkOf, siteOf } from '../platform/fairness/network.ts';
import { TooMuchWaiting, Turns } from '../platform/fairness/turns.ts';
import type { NetworkRate } from './network-rate.ts';

const LOOKUP_PATIENCE_MS = 10_000;

/**
 * Counts requests without a valid key, by network. A valid key uses up no token, and is admitted even from a network without tokens: there, keys are
 * looked up one at a time.
 */
export class UnknownKeys {
  readonly #rate: NetworkRate;
  readonly #lookups = new Turns({ waitingMax: UNKNOWN_KEY_LOOKUPS_WAITING_MAX, patienceMs: LOOKUP_PATIENCE_MS });

  constructor(rate: NetworkRate) {
    this.#rate = rate;
  }

  async identify<T>(address: string, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    const buckets = this.#rate.bucketsOf(address);
    const empty = buckets.find(({ tokens }) => tokens < 1);
    if (!empty) {
      // The token is taken before the look-up, so that concurrent requests are counted, too.
      for (const bucket of buckets) bucket.take(1);
      const known = await lookUp();
      if (known !== undefined) for (const bucket of buckets) bucket.take(-1);
      return known;
    }
    const known = await this.#lookups.take(siteOf(address) ?? networkOf(address), lookUp).catch((error) => {
      throw error instanceof TooMuchWaiting ? empty.refusal() : error;
    });
    if (known === undefined) throw empty.refusal();
    return known;
  }
}
