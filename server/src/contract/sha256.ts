import { hash } from 'node:crypto';

/** By way of a text, because `hash` makes each Buffer outside of the heap, which takes longer than to hash a kilobyte. */
export function sha256(data: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', data, 'binary'), 'latin1');
}
