import { sha256 } from '../../contract/sha256.ts';
import { canonicalBytes } from './canonical-bytes.ts';

export interface JsonHashes {
  canonical: Buffer;
  bytes: Buffer;
}

export function canonicalForm(json: Uint8Array): Buffer {
  return canonicalBytes(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}

export function hashesOf(json: Uint8Array): JsonHashes {
  return { canonical: sha256(canonicalForm(json)), bytes: sha256(json) };
}
