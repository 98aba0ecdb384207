import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { formatId } from '../../contract/ids.ts';
import { HASHED_AT_DELIVERY_MAX_BYTES } from '../../contract/limits.ts';
import { hashedTextOf, type StoredMessage } from '../messages/envelope.ts';

/**
 * The text whose hash is in the log, made from the stored row. A row that was changed since has another hash, and is never served as
 * proven. `hashedLater` has the ids of files without a hash at delivery, as far as the log knows.
 */
export async function provenEnvelope(message: StoredMessage, hashedLater: ReadonlySet<string>): Promise<string> {
  for (const isLater of [({ id }: { id: string }) => hashedLater.has(id), ...bySize(message)]) {
    const files = message.files.map((file) => (isLater(file) ? { ...file, sha256: null } : file));
    const text = hashedTextOf({ ...message, files });
    if (createHash('sha256').update(text).digest().equals(message.contentHash)) return text;
    // Yields to other work: with many long names, each try takes some milliseconds.
    await setImmediate();
  }
  throw new Error(`the stored message ${formatId('msg', message.id)} does not have its content_hash: the row was changed`);
}

/** Messages that are older than the log are tried without the hash of the largest file, of the two largest, and so on. */
function bySize({ files }: StoredMessage): ((file: { sizeBytes: number }) => boolean)[] {
  const large = files.map(({ sizeBytes }) => sizeBytes).filter((bytes) => bytes > HASHED_AT_DELIVERY_MAX_BYTES);
  const bounds = [...new Set(large)].sort((a, b) => b - a);
  return bounds.map(
    (bound) =>
      ({ sizeBytes }) =>
        sizeBytes >= bound,
  );
}
