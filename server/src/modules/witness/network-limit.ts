import { IPV6_SITE_FACTOR } from '../../contract/limits.ts';
import { WITNESS_BURST, WITNESS_NETWORKS_MAX, WITNESS_PER_MINUTE } from '../../contract/witness-limits.ts';
import { networkOf, siteOf } from '../../platform/fairness/network.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket for each network, and for each IPv6 site. At the maximum, the least recently seen network is forgotten. */
export class NetworkLimit {
  readonly #buckets = new Map<string, Bucket>();

  admits(address: string, nowMs: number): boolean {
    const site = siteOf(address);
    const buckets = [this.#fill(networkOf(address), 1, nowMs), ...(site === undefined ? [] : [this.#fill(site, IPV6_SITE_FACTOR, nowMs)])];
    const isAdmitted = buckets.every(({ tokens }) => tokens >= 1);
    if (isAdmitted) for (const bucket of buckets) bucket.tokens--;
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= WITNESS_NETWORKS_MAX) break;
      this.#buckets.delete(oldest);
    }
    return isAdmitted;
  }

  #fill(name: string, factor: number, nowMs: number): Bucket {
    const known = this.#buckets.get(name);
    const filled = known ? known.tokens + ((nowMs - known.filledAt) * WITNESS_PER_MINUTE * factor) / 60_000 : Number.POSITIVE_INFINITY;
    const bucket = { tokens: Math.min(WITNESS_BURST * factor, filled), filledAt: nowMs };
    // Inserted again, so that it is the most recently seen.
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
