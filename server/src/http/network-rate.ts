import type { FastifyReply } from 'fastify';
import { IPV6_SITE_FACTOR } from '../contract/limits.ts';
import { networkOf, siteOf } from '../platform/fairness/network.ts';
import type { TokenExchange } from '../platform/postgres/token-exchange.ts';
import { admitBy, type Bucket, RateLimiter } from './rate-limit.ts';

/** Limits the rate of each network, and of all networks of one IPv6 site together. */
export class NetworkRate {
  readonly #networks: RateLimiter;
  readonly #sites: RateLimiter;

  constructor(perMinute: number, counted: string, exchange: TokenExchange) {
    this.#networks = new RateLimiter(perMinute, perMinute, counted, exchange);
    const ofSite = perMinute * IPV6_SITE_FACTOR;
    this.#sites = new RateLimiter(ofSite, ofSite, `${counted} (all of an IPv6 /48)`, exchange);
  }

  bucketsOf(address: string): Bucket[] {
    const site = siteOf(address);
    const buckets = [this.#networks.bucketOf(networkOf(address)), site === undefined ? undefined : this.#sites.bucketOf(site)];
    return buckets.filter((bucket) => bucket !== undefined);
  }

  admit(address: string, reply?: FastifyReply): void {
    const [network, site] = this.bucketsOf(address);
    admitBy(network, site, reply);
  }
}
