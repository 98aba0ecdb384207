import { canonicalJson } from './canonical-json.ts';
import type { EnvelopeFields } from './message.ts';
import { ALWAYS_HASHED, HASHED_IF_GIVEN, type HashedTexts } from './message-texts.ts';
import type { Receipt } from './schema.ts';

/** Messages without JSON, and those from before this hash was recorded, have no hash of their JSON as it was written. */
const IF_GIVEN: readonly (keyof HashedTexts | 'json_bytes_sha256')[] = [...HASHED_IF_GIVEN, 'json_bytes_sha256'];

/**
 * The text whose SHA-256 is `content_hash`. The service hashes large files after delivery, so files of `unhashedFromBytes` or more are written
 * without their hash.
 */
export function hashedText(receipt: Receipt | EnvelopeFields, unhashedFromBytes: number): string {
  const { id, thread_id, in_reply_to, from, to, json_sha256, received_at } = receipt;
  const files = receipt.files.map(({ id, filename, content_type, size_bytes, sha256 }) => ({
    id,
    filename,
    content_type,
    size_bytes,
    sha256: size_bytes >= unhashedFromBytes ? null : sha256,
  }));
  const texts: Record<string, string | null> = {};
  for (const name of ALWAYS_HASHED) texts[name] = receipt[name];
  // A receipt that was saved by an older version lacks the fields that came later.
  for (const name of IF_GIVEN) if (receipt[name] != null) texts[name] = receipt[name];
  return canonicalJson({ id, thread_id, in_reply_to, from, to, ...texts, json_sha256, files, received_at });
}
