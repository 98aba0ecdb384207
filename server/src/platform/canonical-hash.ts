import { hash } from 'node:crypto';
import { canonicalJson } from '../contract/canonical-json.ts';

/** SHA-256 of a JSON text's RFC 8785 form. */
export function canonicalHash(json: Uint8Array): Buffer {
  return hash('sha256', canonicalJson(JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'))), 'buffer');
}
