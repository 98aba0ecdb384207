import { hash } from 'node:crypto';

/** Hashes to a text first, because `hash` allocates each Buffer outside of the heap, which takes longer than to hash a kilobyte. */
export function sha256(data: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', data, 'binary'), 'latin1');
}
