import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, so that the time does not show how much of a guess was right. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
