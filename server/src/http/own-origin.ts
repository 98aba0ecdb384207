import type { FastifyRequest } from 'fastify';
import { Refusal } from '../contract/errors.ts';

const CHANGES_NOTHING = new Set(['GET', 'HEAD']);

/**
 * Browsers send the cookie with requests of any site, but say truthfully which site it was. A request that changes something must come from
 * our own pages.
 */
export function refuseOtherSites({ method, headers }: FastifyRequest, publicUrl: string): void {
  if (CHANGES_NOTHING.has(method)) return;
  const isOurs = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === new URL(publicUrl).origin;
  if (!isOurs)
    throw new Refusal('forbidden', 'This request must come from the service’s own pages: Origin is missing or names another site.');
}
