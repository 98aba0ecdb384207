import { WITNESS_BURST, WITNESS_NETWORKS_MAX, WITNESS_PER_MINUTE } from '../../contract/witness-limits.ts';
import { networkOf } from '../../platform/network.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket for each network that asks. Beyond the number of networks that are counted, the one that has asked least recently is forgotten. */
export class NetworkLimit {
  readonly #buckets = new Map<string, Bucket>();

  /** Takes a token, if there is one. */
  admits(address: string, nowMs: number): boolean {
    const network = networkOf(address);
    const known = this.#buckets.get(network);
    const filled = known ? known.tokens + ((nowMs - known.filledAt) * WITNESS_PER_MINUTE) / 60_000 : WITNESS_BURST;
    const tokens = Math.min(WITNESS_BURST, filled);
    const isAdmitted = tokens >= 1;
    this.#buckets.delete(network);
    this.#buckets.set(network, { tokens: isAdmitted ? tokens - 1 : tokens, filledAt: nowMs });
    const [oldest] = this.#buckets.size > WITNESS_NETWORKS_MAX ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return isAdmitted;
  }
}
