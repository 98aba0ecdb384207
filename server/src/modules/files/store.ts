import { UPLOAD_USABLE_FOR_S } from '../../contract/limits.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { DeliveredFile } from './delivered-file.ts';

export interface Upload {
  id: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  sealedBytes: number | null;
  /** Has the bytes once the upload is sealed. */
  objectId: string;
  /** Set once a message has referred to the upload, even if that message was refused. */
  sha256: Buffer | null;
}

export interface NewUpload extends Pick<Upload, 'id' | 'filename' | 'contentType' | 'sizeBytes'> {
  /** Only of an upload in upload parts: their size, and the object store's own name for the upload. */
  parts?: { partBytes: number; ref: string };
}

/** The bytes that may be uploaded per day. 0: no limit. */
export interface DayLimits {
  perBusiness: number;
  perOwner: number;
}

const ANNOUNCE_UPLOAD = statement(
  'SELECT refused_by, clock FROM announce_upload($1::bigint, $2::uuid, $3::text, $4::text, $5::bigint, $6::integer, $7::text, $8::integer, $9::bigint, $10::bigint)',
  {
    refused_by: oneOf('text?', ['business', 'owner']),
    clock: 'timestamptz',
  },
);

/** Counts the bytes toward the limits of the day and stores the upload. Does neither when a limit is reached. */
export async function insertUpload(
  db: Queryable,
  partyId: bigint,
  { id, filename, contentType, sizeBytes, parts }: NewUpload,
  limits: DayLimits,
): Promise<{ createdAt: Date; expiresAt: Date } | { refusedBy: 'business' | 'owner'; at: Date }> {
  const rows = await db.query(ANNOUNCE_UPLOAD, [
    partyId,
    id,
    filename,
    contentType,
    sizeBytes,
    parts?.partBytes ?? null,
    parts?.ref ?? null,
    UPLOAD_USABLE_FOR_S,
    limits.perBusiness,
    limits.perOwner,
  ]);
  const { refused_by: refusedBy, clock } = onlyRow(rows);
  if (refusedBy !== null) return { refusedBy, at: clock };
  return { createdAt: clock, expiresAt: new Date(clock.getTime() + UPLOAD_USABLE_FOR_S * 1000) };
}

const CHARGE_OWNER = statement('SELECT charge_owner($1::bigint, $2::bigint, $3::bigint) AS is_charged', { is_charged: 'boolean' });

/** Counts bytes toward an owner of the business who has room for them. Returns false when none has. */
export async function chargeOwner(db: Queryable, partyId: bigint, bytes: number, limitBytes: number): Promise<boolean> {
  const [row] = await db.query(CHARGE_OWNER, [partyId, bytes, limitBytes]);
  return row?.is_charged === true;
}

const REMOVE_OLD_PERSON_USAGE = statement(`DELETE FROM person_usage WHERE day < (now() AT TIME ZONE 'UTC')::date - 1`);

export async function removeOldPersonUsage(db: Queryable): Promise<void> {
  await db.query(REMOVE_OLD_PERSON_USAGE);
}

const UPLOADS = statement(
  `SELECT u.id, u.filename, u.content_type, u.size_bytes, u.sealed_bytes, COALESCE(u.object_id, u.id) AS object_id,
          COALESCE(u.sha256, o.sha256) AS sha256
     FROM uploads u LEFT JOIN objects o ON o.party_id = u.party_id AND o.id = COALESCE(u.object_id, u.id)
    WHERE u.party_id = $1 AND u.id = ANY ($2::uuid[]) AND u.expires_at > now()`,
  {
    id: 'uuid',
    filename: 'text',
    content_type: 'text',
    size_bytes: 'bigint',
    sealed_bytes: 'bigint?',
    object_id: 'uuid',
    sha256: 'bytea?',
  },
);

export async function findUploads(db: Queryable, partyId: bigint, ids: string[]): Promise<Upload[]> {
  const rows = await db.query(UPLOADS, [partyId, ids]);
  return rows.map((row) => ({
    id: row.id,
    filename: row.filename,
    contentType: row.content_type,
    sizeBytes: Number(row.size_bytes),
    sealedBytes: row.sealed_bytes === null ? null : Number(row.sealed_bytes),
    objectId: row.object_id,
    sha256: row.sha256,
  }));
}

export interface WholeUpload extends Pick<Upload, 'filename' | 'contentType' | 'sizeBytes'> {
  isSealed: boolean;
  expiresAt: Date;
}

const WHOLE_UPLOAD = statement(
  `SELECT filename, content_type, size_bytes, sealed_bytes IS NOT NULL AS is_sealed, expires_at
     FROM uploads WHERE party_id = $1 AND id = $2 AND part_bytes IS NULL AND expires_at > now()`,
  { filename: 'text', content_type: 'text', size_bytes: 'bigint', is_sealed: 'boolean', expires_at: 'timestamptz' },
);

export async function findWholeUpload(db: Queryable, partyId: bigint, id: string): Promise<WholeUpload | undefined> {
  const [row] = await db.query(WHOLE_UPLOAD, [partyId, id]);
  return (
    row && {
      filename: row.filename,
      contentType: row.content_type,
      sizeBytes: Number(row.size_bytes),
      isSealed: row.is_sealed,
      expiresAt: row.expires_at,
    }
  );
}

const RECORD_UPLOAD_HASH = statement('UPDATE uploads SET sha256 = $3 WHERE party_id = $1 AND id = $2');

export async function recordUploadHash(db: Queryable, partyId: bigint, id: string, sha256: Buffer): Promise<void> {
  await db.query(RECORD_UPLOAD_HASH, [partyId, id, sha256]);
}

const FILE_ROW = columns({
  message_id: 'uuid',
  id: 'uuid',
  object_id: 'uuid',
  filename: 'text',
  content_type: 'text',
  size_bytes: 'bigint',
  sha256: 'bytea?',
});

const SELECT_FILES = `SELECT f.message_id, f.id, f.object_id, f.filename, f.content_type, o.size_bytes, o.sha256
  FROM files f JOIN objects o ON o.party_id = f.owner_id AND o.id = f.object_id`;

function toFile(row: RowOf<typeof FILE_ROW>): DeliveredFile {
  return {
    id: row.id,
    objectId: row.object_id,
    filename: row.filename,
    contentType: row.content_type,
    sizeBytes: Number(row.size_bytes),
    sha256: row.sha256,
  };
}

const FILES_OF_MESSAGES = prepared(
  'files-of-messages',
  `${SELECT_FILES} WHERE f.party_id = $1 AND f.message_id = ANY ($2::uuid[]) ORDER BY f.message_id, f.ordinal`,
  FILE_ROW,
);

/** Key: message. The files are in the order in which they were attached. */
export async function filesOfMessages(db: Queryable, partyId: bigint, messageIds: string[]): Promise<Map<string, DeliveredFile[]>> {
  const rows = await db.query(FILES_OF_MESSAGES, [partyId, messageIds]);
  const files = new Map<string, DeliveredFile[]>();
  for (const row of rows) files.set(row.message_id, [...(files.get(row.message_id) ?? []), toFile(row)]);
  return files;
}

const FILE = statement(`${SELECT_FILES} WHERE f.party_id = $1 AND f.id = $2`, FILE_ROW);

export async function findFile(db: Queryable, partyId: bigint, id: string): Promise<DeliveredFile | undefined> {
  const [row] = await db.query(FILE, [partyId, id]);
  return row && toFile(row);
}

const RECORD_HASH = statement('SELECT record_hash($1::uuid, $2::bytea)', { record_hash: 'void' });

/** Webhooks that subscribe to the event are notified. */
export async function recordHash(db: Queryable, objectId: string, sha256: Buffer): Promise<void> {
  await db.query(RECORD_HASH, [objectId, sha256]);
}

export interface ExpiredUpload {
  id: string;
  objectId: string;
  partsRef: string | null;
  isReferredTo: boolean;
}

const TAKE_EXPIRED_UPLOADS = statement(
  `DELETE FROM uploads u WHERE u.expires_at < now() - make_interval(secs => $1)
   RETURNING u.id, COALESCE(u.object_id, u.id) AS object_id, u.parts_ref,
             EXISTS (SELECT 1 FROM objects o WHERE o.party_id = u.party_id AND o.id = COALESCE(u.object_id, u.id)) AS is_referred_to`,
  { id: 'uuid', object_id: 'uuid', parts_ref: 'text?', is_referred_to: 'boolean' },
);

export async function takeExpiredUploads(tx: Queryable, graceS: number): Promise<ExpiredUpload[]> {
  const rows = await tx.query(TAKE_EXPIRED_UPLOADS, [graceS]);
  return rows.map((row) => ({ id: row.id, objectId: row.object_id, partsRef: row.parts_ref, isReferredTo: row.is_referred_to }));
}

const UNKNOWN_OBJECTS = statement(
  `SELECT known.id FROM unnest($1::uuid[]) AS known (id)
    WHERE NOT EXISTS (SELECT 1 FROM objects o WHERE o.id = known.id) AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.id = known.id)
      AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.object_id = known.id)`,
  { id: 'uuid' },
);

export async function unknownObjects(db: Queryable, ids: string[]): Promise<string[]> {
  const rows = await db.query(UNKNOWN_OBJECTS, [ids]);
  return rows.map((row) => row.id);
}
