import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

/** The object that an upload was sealed into. */
export interface Sealed {
  objectId: string;
  sizeBytes: number;
}

// The object of an upload in upload parts has the id of its upload: the parts are joined, not copied.
const LEASE_SEALING = statement(
  `WITH leased AS (
     UPDATE uploads SET sealing_until = now() + make_interval(secs => $3), object_id = CASE WHEN part_bytes IS NULL THEN $4::uuid END
      WHERE party_id = $1 AND id = $2 AND sealed_bytes IS NULL AND (sealing_until IS NULL OR sealing_until < now())
     RETURNING 1)
   SELECT EXISTS (SELECT 1 FROM leased) AS is_leased, sealed_bytes, COALESCE(object_id, id) AS object_id,
          ceil(extract(epoch FROM sealing_until - now()))::integer AS left_s
     FROM uploads WHERE party_id = $1 AND id = $2`,
  { is_leased: 'boolean', sealed_bytes: 'bigint?', object_id: 'uuid', left_s: 'integer?' },
);

export interface SealingLease {
  isLeased: boolean;
  sealed: Sealed | undefined;
  /** The object that the holder of the lease makes, or that the one before made. */
  copyId: string;
  leftS: number;
}

/** If it grants the lease, the upload's object will be `objectId`. The lease saves work; the first copy that is recorded counts. */
export async function leaseSealing(db: Queryable, partyId: bigint, id: string, objectId: string, leaseS: number): Promise<SealingLease> {
  const [row] = await db.query(LEASE_SEALING, [partyId, id, leaseS, objectId]);
  const copyId = row?.object_id ?? id;
  const sealed = row?.sealed_bytes == null ? undefined : { objectId: copyId, sizeBytes: Number(row.sealed_bytes) };
  return { isLeased: row?.is_leased === true, sealed, copyId, leftS: row?.left_s ?? 0 };
}

const EXTEND_SEALING = statement(
  'UPDATE uploads SET sealing_until = now() + make_interval(secs => $3) WHERE party_id = $1 AND id = $2 AND sealing_until > now()',
);

export async function extendSealing(db: Queryable, partyId: bigint, id: string, leaseS: number): Promise<void> {
  await db.query(EXTEND_SEALING, [partyId, id, leaseS]);
}

const END_SEALING = statement('UPDATE uploads SET sealing_until = NULL WHERE party_id = $1 AND id = $2 AND sealed_bytes IS NULL');

export async function endSealing(db: Queryable, partyId: bigint, id: string): Promise<void> {
  await db.query(END_SEALING, [partyId, id]);
}

const RECORD_SEALED = statement(
  'UPDATE uploads SET sealed_bytes = $3, object_id = $4, sealing_until = NULL WHERE party_id = $1 AND id = $2 AND sealed_bytes IS NULL',
);
const SEALED = statement(
  'SELECT sealed_bytes, COALESCE(object_id, id) AS object_id FROM uploads WHERE party_id = $1 AND id = $2 AND sealed_bytes IS NOT NULL',
  { sealed_bytes: 'bigint!', object_id: 'uuid' },
);

/** Records the object unless another one was recorded before. Returns the one that is recorded. */
export async function recordSealed(db: Queryable, partyId: bigint, id: string, sealed: Sealed): Promise<Sealed | undefined> {
  await db.query(RECORD_SEALED, [partyId, id, sealed.sizeBytes, sealed.objectId]);
  return findSealed(db, partyId, id);
}

export async function findSealed(db: Queryable, partyId: bigint, id: string): Promise<Sealed | undefined> {
  const [row] = await db.query(SEALED, [partyId, id]);
  return row && { objectId: row.object_id, sizeBytes: Number(row.sealed_bytes) };
}
