import { UPLOAD_PUT_WITHIN_S } from '../../contract/limits.ts';
import type { PartedUpload } from '../../platform/objects/parts.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

export interface StoredPartedUpload extends PartedUpload {
  filename: string;
  contentType: string;
  isComplete: boolean;
  expiresAt: Date;
  /** The expiry of an upload part's URL if it is signed now. */
  putBefore: Date;
}

const PARTED_UPLOAD = statement(
  `SELECT filename, content_type, size_bytes, part_bytes, parts_ref, sealed_bytes IS NOT NULL AS is_complete, expires_at,
          LEAST(expires_at, now() + make_interval(secs => $3)) AS put_before
     FROM uploads WHERE party_id = $1 AND id = $2 AND expires_at > now()`,
  {
    filename: 'text',
    content_type: 'text',
    size_bytes: 'bigint',
    part_bytes: 'integer?',
    parts_ref: 'text?',
    is_complete: 'boolean',
    expires_at: 'timestamptz',
    put_before: 'timestamptz',
  },
);

export async function findPartedUpload(db: Queryable, partyId: bigint, id: string): Promise<StoredPartedUpload | null | undefined> {
  const [row] = await db.query(PARTED_UPLOAD, [partyId, id, UPLOAD_PUT_WITHIN_S]);
  if (!row) return undefined;
  if (row.part_bytes === null || row.parts_ref === null) return null;
  return {
    id,
    ref: row.parts_ref,
    sizeBytes: Number(row.size_bytes),
    partBytes: row.part_bytes,
    filename: row.filename,
    contentType: row.content_type,
    isComplete: row.is_complete,
    expiresAt: row.expires_at,
    putBefore: row.put_before,
  };
}

const RECORD_COMPLETE = statement('UPDATE uploads SET sealed_bytes = size_bytes WHERE party_id = $1 AND id = $2');

export async function recordComplete(db: Queryable, partyId: bigint, id: string): Promise<void> {
  await db.query(RECORD_COMPLETE, [partyId, id]);
}
