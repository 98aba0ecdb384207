import type { Role } from '../../contract/members.ts';
import type { Queryable } from '../../platform/postgres.ts';

export interface Invitation {
  partyId: bigint;
  id: string;
  email: string;
  role: Role;
  segment: string | null;
  createdAt: Date;
  expiresAt: Date;
}

interface InvitationRow {
  party_id: string;
  id: string;
  email: string;
  role: Role;
  segment: string | null;
  created_at: Date;
  expires_at: Date;
  [column: string]: unknown;
}

const COLUMNS = 'party_id, id, email, role, segment, created_at, expires_at';

function toInvitation(row: InvitationRow): Invitation {
  return {
    partyId: BigInt(row.party_id),
    id: row.id,
    email: row.email,
    role: row.role,
    segment: row.segment,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

export async function listInvitations(db: Queryable, partyId: bigint): Promise<Invitation[]> {
  const rows = await db.query<InvitationRow>(`SELECT ${COLUMNS} FROM invitations WHERE party_id = $1 AND expires_at > now() ORDER BY id`, [
    partyId,
  ]);
  return rows.map(toInvitation);
}

/** Whoever was invited before is invited anew; the earlier token counts no more. */
export async function upsertInvitation(
  tx: Queryable,
  partyId: bigint,
  given: { id: string; email: string; role: Role; segment: string | null; tokenHash: Buffer; days: number },
): Promise<Invitation> {
  const [row] = await tx.query<InvitationRow>(
    `INSERT INTO invitations (party_id, id, email, role, segment, token_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
     ON CONFLICT (party_id, email) DO UPDATE
       SET id = excluded.id, role = excluded.role, segment = excluded.segment, token_hash = excluded.token_hash,
           created_at = now(), expires_at = excluded.expires_at
     RETURNING ${COLUMNS}`,
    [partyId, given.id, given.email, given.role, given.segment, given.tokenHash, given.days],
  );
  return toInvitation(row as InvitationRow);
}

export async function findInvitation(db: Queryable, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await db.query<InvitationRow>(`SELECT ${COLUMNS} FROM invitations WHERE token_hash = $1 AND expires_at > now()`, [
    tokenHash,
  ]);
  return row && toInvitation(row);
}

export async function deleteInvitation(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  return (await tx.query('DELETE FROM invitations WHERE party_id = $1 AND id = $2 RETURNING 1', [partyId, id])).length > 0;
}
