import { hash } from 'node:crypto';
import { canonicalBytes } from './canonical-bytes.ts';

export interface JsonHashes {
  canonical: Buffer;
  bytes: Buffer;
}

export function canonicalForm(json: Uint8Array): Buffer {
  return canonicalBytes(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}

export function hashesOf(json: Uint8Array): JsonHashes {
  return { canonical: hash('sha256', canonicalForm(json), 'buffer'), bytes: hash('sha256', json, 'buffer') };
}
