import { LEAF, leafOfStatement } from '@waybill/proof';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { formatId } from '../../contract/ids.ts';

/** Leaves of the types 02, 05 and 09 are hashes of these statements: canonical JSON, which a proof carries along. */

/** A large file was hashed after its message was delivered. record_hash.sql writes the same text. */
export function fileStatement(file: { id: string; messageId: string; sha256: Buffer; sizeBytes: number }): string {
  return canonicalJson({
    file: formatId('file', file.id),
    message: formatId('msg', file.messageId),
    sha256: `sha256:${file.sha256.toString('hex')}`,
    size_bytes: file.sizeBytes,
  });
}

export function successionStatement(succession: { log: string; oldKey: string; newKey: string; at: Date }): string {
  const { log, oldKey, newKey, at } = succession;
  return canonicalJson({ at: at.toISOString(), log, new_key: newKey, old_key: oldKey, statement: 'key_succession' });
}

export function newLogStatement(start: {
  log: string;
  previous: { origin: string; size: number; root: string };
  reason: string;
  at: Date;
}): string {
  const { log, previous, reason, at } = start;
  return canonicalJson({ at: at.toISOString(), log, previous_log: previous, reason, statement: 'new_log' });
}

/** Hashes are those of the checkpoint's text, of the timestamp, and of the lists of revoked certificates beside it. */
export function timestampStatement(said: { at: Date; checkpoint: string; crls: readonly string[]; size: number; token: string }): string {
  return canonicalJson({ ...said, at: said.at.toISOString() });
}

export function auditLeaf(statement: string): Uint8Array {
  return leafOfStatement(LEAF.audit, statement);
}
