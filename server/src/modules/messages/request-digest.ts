import type { ErrorCode } from '../../contract/errors.ts';
import { TEXT_NAMES } from '../../contract/message-fields.ts';
import { sha256 } from '../../contract/sha256.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { SendRequest } from './send-request.ts';

/** Enough that no two requests of a sender have the same digest by chance. */
const DIGEST_BYTES = 16;

/**
 * A digest of the content of a message request, from hashes that sending needs anyway. A repeat has the same digest if it differs only in
 * its form: with other boundaries, or with the same files uploaded again.
 */
export function digestOf(request: SendRequest, jsonSha256: Buffer | null, files: readonly DeliveredFile[]): Buffer {
  const { to, inReplyTo } = request;
  // Only given fields count, so that a field of a new version leaves other digests unchanged.
  const texts = TEXT_NAMES.filter((name) => request[name] !== null).map((name) => [name, request[name]]);
  const contents = files.map(({ filename, contentType, sizeBytes, sha256 }) => [filename, contentType, sizeBytes, sha256?.toString('hex')]);
  const text = JSON.stringify([to, inReplyTo, texts, jsonSha256?.toString('hex'), contents]);
  return sha256(text).subarray(0, DIGEST_BYTES);
}

/** Refusals that depend on the request alone. The first request with the same key was not refused, so it was another one. */
const REFUSED_ALONE: ReadonlySet<ErrorCode> = new Set(['validation_error', 'invalid_json', 'json_too_large', 'file_too_large']);

export function isRefusedAlone(code: ErrorCode): boolean {
  return REFUSED_ALONE.has(code);
}
