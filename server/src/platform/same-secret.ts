import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that tells nothing of how much of a guess was right. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'));
}
