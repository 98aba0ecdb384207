import { canonicalJson } from './canonical-json.ts';
import { hashedText } from './hashed-text.ts';
import type { EnvelopeFields } from './message.ts';
import type { MinimalReceipt, Receipt } from './schema.ts';
import { sha256Of } from './sha256.ts';

export interface ReceiptCheck {
  /**
   * Whether `content_hash` is the hash of the receipt's contents. `unknown` for a minimal receipt, which leaves the hashed contents out.
   */
  content: 'matches' | 'differs' | 'unknown';
  /** Whether the given JSON is that of the message. Undefined if none was given. */
  json: 'matches' | 'differs' | undefined;
  /**
   * Whether the given JSON is written as it was sent, byte for byte except for space around it. `json` alone does not show repeated keys,
   * or digits that `JSON.parse` drops. `unknown` for messages from before this hash was recorded. Undefined if no JSON was given.
   */
  jsonBytes: 'matches' | 'differs' | 'unknown' | undefined;
  /** Files that the service hashed after delivery, because they are large: `content_hash` does not cover their bytes. */
  hashedLater: string[];
}

/**
 * Recomputes the hashes of a receipt or a message, and compares JSON that you have. Asks nobody. What matches is consistent, which anybody can make it: to have it
 * proven, verify the proof by a key of the log that you trust.
 */
export function checkReceipt(receipt: Receipt | MinimalReceipt | EnvelopeFields, jsonText?: string): ReceiptCheck {
  const compared = compareJson(receipt, jsonText);
  if (!('thread_id' in receipt)) return { content: 'unknown', ...compared, hashedLater: [] };
  // At delivery, large files had no hash yet. So content_hash is compared without those of the largest file, the two largest, and so on.
  const sizes = [...new Set(receipt.files.map(({ size_bytes }) => size_bytes))].sort((a, b) => b - a);
  for (const bound of [Number.POSITIVE_INFINITY, ...sizes]) {
    if (sha256Of(hashedText(receipt, bound)) !== receipt.content_hash) continue;
    const later = receipt.files.filter(({ size_bytes, sha256 }) => size_bytes >= bound && sha256 !== null);
    return { content: 'matches', ...compared, hashedLater: later.map(({ id }) => id) };
  }
  return { content: 'differs', ...compared, hashedLater: [] };
}

type Hashes = Pick<Receipt, 'json_sha256'> & Partial<Pick<Receipt, 'json_bytes_sha256'>>;

function compareJson({ json_sha256, json_bytes_sha256 }: Hashes, jsonText: string | undefined): Pick<ReceiptCheck, 'json' | 'jsonBytes'> {
  if (jsonText === undefined) return { json: undefined, jsonBytes: undefined };
  const json = jsonHash(jsonText) === json_sha256 ? 'matches' : 'differs';
  if (json === 'differs') return { json, jsonBytes: 'differs' };
  // A receipt that was saved before has no such field.
  if (json_bytes_sha256 == null) return { json, jsonBytes: 'unknown' };
  return { json, jsonBytes: sha256Of(jsonText.trim()) === json_bytes_sha256 ? 'matches' : 'differs' };
}

/** `json_sha256` of a message with this JSON. */
export function jsonHash(jsonText: string): string {
  return sha256Of(canonicalJson(JSON.parse(jsonText)));
}
