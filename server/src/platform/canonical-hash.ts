import { hash } from 'node:crypto';
import { canonicalBytes } from './canonical-bytes.ts';

/** The RFC 8785 form of a JSON text that scanJson has accepted. */
export function canonicalForm(json: Uint8Array): Buffer {
  return canonicalBytes(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}

/** Its SHA-256. */
export function canonicalHash(json: Uint8Array): Buffer {
  return hash('sha256', canonicalForm(json), 'buffer');
}
