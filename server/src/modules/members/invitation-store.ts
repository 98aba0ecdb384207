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
  given: { id: string; email: string; role: Role; segment: string | null; invitedBy: string; tokenHash: Buffer; days: number },
): Promise<Invitation> {
  const [row] = await tx.query<InvitationRow>(
    `INSERT INTO invitations (party_id, id, email, role, segment, invited_by, token_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8))
     ON CONFLICT (party_id, email) DO UPDATE
       SET id = excluded.id, role = excluded.role, segment = excluded.segment, invited_by = excluded.invited_by,
           token_hash = excluded.token_hash, created_at = now(), expires_at = excluded.expires_at
     RETURNING ${COLUMNS}`,
    [partyId, given.id, given.email, given.role, given.segment, given.invitedBy, given.tokenHash, given.days],
  );
  return toInvitation(row as InvitationRow);
}

export async function findInvitation(db: Queryable, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await db.query<InvitationRow>(`SELECT ${COLUMNS} FROM invitations WHERE token_hash = $1 AND expires_at > now()`, [
    tokenHash,
  ]);
  return row && toInvitation(row);
}

/** Takes it away, so that it counts once; false when it counts no more. */
export async function spendInvitation(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const rows = await tx.query('DELETE FROM invitations WHERE party_id = $1 AND id = $2 AND expires_at > now() RETURNING 1', [partyId, id]);
  return rows.length > 0;
}

/** The row stays for the day, because its mail counts. It ends before any transaction that accepts it at the same time began. */
export async function withdrawInvitation(db: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const rows = await db.query(
    `UPDATE invitations SET expires_at = '-infinity' WHERE party_id = $1 AND id = $2 AND expires_at > now() RETURNING 1`,
    [partyId, id],
  );
  return rows.length > 0;
}

/** Ends the open invitations of somebody, or those of them with one of the roles. The lock of the members has to be held. */
export async function voidInvitations(tx: Queryable, partyId: bigint, invitedBy: string, roles: readonly Role[]): Promise<void> {
  await tx.query(
    `UPDATE invitations SET expires_at = '-infinity'
      WHERE party_id = $1 AND invited_by = $2 AND role = ANY ($3::member_role[]) AND expires_at > now()`,
    [partyId, invitedBy, roles],
  );
}

/** Those that count no more, neither as invitations nor as mails of the day. */
export async function forgetSpent(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query(`DELETE FROM invitations WHERE party_id = $1 AND expires_at <= now() AND created_at <= now() - interval '1 day'`, [
    partyId,
  ]);
}

/** How many the business invited in the last 24 hours, when there will be fewer, and how long ago this mailbox was. */
export async function recentInvitations(
  tx: Queryable,
  partyId: bigint,
  email: string,
): Promise<{ ofTheDay: number; fewerInS: number; sinceLastS: number | null }> {
  const [row] = await tx.query<{ of_the_day: number; fewer_in_s: number | null; since_last_s: number | null }>(
    `SELECT count(*)::integer AS of_the_day,
            extract(epoch FROM min(created_at) + interval '1 day' - now())::float8 AS fewer_in_s,
            extract(epoch FROM now() - max(created_at) FILTER (WHERE email = $2))::float8 AS since_last_s
       FROM invitations WHERE party_id = $1 AND created_at > now() - interval '1 day'`,
    [partyId, email],
  );
  return { ofTheDay: row?.of_the_day ?? 0, fewerInS: row?.fewer_in_s ?? 0, sinceLastS: row?.since_last_s ?? null };
}
