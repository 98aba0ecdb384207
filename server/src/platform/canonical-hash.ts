import { hash } from 'node:crypto';
import { canonicalBytes } from './canonical-bytes.ts';

/** SHA-256 of the RFC 8785 form of a JSON text that scanJson has accepted. */
export function canonicalHash(json: Uint8Array): Buffer {
  return hash('sha256', canonicalBytes(Buffer.from(json.buffer, json.byteOffset, json.byteLength)), 'buffer');
}
