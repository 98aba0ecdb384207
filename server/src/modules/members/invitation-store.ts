import { ROLES, type Role } from '../../contract/members.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';

export interface Invitation {
  partyId: bigint;
  id: string;
  email: string;
  role: Role;
  segment: string | null;
  createdAt: Date;
  expiresAt: Date;
}

const INVITATION_ROW = columns({
  party_id: 'bigint',
  id: 'uuid',
  email: 'text',
  role: oneOf('member_role', ROLES),
  segment: 'text?',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
});

const COLUMNS = namesOf(INVITATION_ROW);

function toInvitation(row: RowOf<typeof INVITATION_ROW>): Invitation {
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

const INVITATIONS = statement(`SELECT ${COLUMNS} FROM invitations WHERE party_id = $1 AND expires_at > now() ORDER BY id`, INVITATION_ROW);

export async function listInvitations(db: Queryable, partyId: bigint): Promise<Invitation[]> {
  const rows = await db.query(INVITATIONS, [partyId]);
  return rows.map(toInvitation);
}

const UPSERT_INVITATION = statement(
  `INSERT INTO invitations (party_id, id, email, role, segment, invited_by, token_hash, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8))
   ON CONFLICT (party_id, email) DO UPDATE
     SET id = excluded.id, role = excluded.role, segment = excluded.segment, invited_by = excluded.invited_by,
         token_hash = excluded.token_hash, created_at = now(), expires_at = excluded.expires_at
   RETURNING ${COLUMNS}`,
  INVITATION_ROW,
);

/** Replaces an earlier invitation of the same mailbox, whose token is then invalid. */
export async function upsertInvitation(
  tx: Queryable,
  partyId: bigint,
  given: { id: string; email: string; role: Role; segment: string | null; invitedBy: string; tokenHash: Buffer; days: number },
): Promise<Invitation> {
  const { id, email, role, segment, invitedBy, tokenHash, days } = given;
  return toInvitation(onlyRow(await tx.query(UPSERT_INVITATION, [partyId, id, email, role, segment, invitedBy, tokenHash, days])));
}

const INVITATION = statement(`SELECT ${COLUMNS} FROM invitations WHERE token_hash = $1 AND expires_at > now()`, INVITATION_ROW);

export async function findInvitation(db: Queryable, tokenHash: Buffer): Promise<Invitation | undefined> {
  const [row] = await db.query(INVITATION, [tokenHash]);
  return row && toInvitation(row);
}

const INVITER = statement('SELECT p.name FROM invitations i JOIN people p ON p.id = i.invited_by WHERE i.party_id = $1 AND i.id = $2', {
  name: 'text',
});

export async function findInviter(db: Queryable, partyId: bigint, id: string): Promise<string | undefined> {
  const [row] = await db.query(INVITER, [partyId, id]);
  return row?.name;
}

const SPEND_INVITATION = statement('DELETE FROM invitations WHERE party_id = $1 AND id = $2 AND expires_at > now() RETURNING id', {
  id: 'uuid',
});

/** Deletes an invitation, so that it is accepted only once. Returns false when it is no longer open. */
export async function spendInvitation(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  return (await tx.query(SPEND_INVITATION, [partyId, id])).length > 0;
}

const WITHDRAW_INVITATION = statement(
  `UPDATE invitations SET expires_at = '-infinity' WHERE party_id = $1 AND id = $2 AND expires_at > now() RETURNING id`,
  { id: 'uuid' },
);

/**
 * Expires an invitation. The row stays for a day, because its mail counts. Expiry at -infinity lies before the start of any concurrent
 * transaction that accepts the invitation.
 */
export async function withdrawInvitation(db: Queryable, partyId: bigint, id: string): Promise<boolean> {
  return (await db.query(WITHDRAW_INVITATION, [partyId, id])).length > 0;
}

const VOID_INVITATIONS = statement(
  `UPDATE invitations SET expires_at = '-infinity'
    WHERE party_id = $1 AND invited_by = $2 AND role = ANY ($3::member_role[]) AND expires_at > now()`,
);

/** Expires a member's open invitations to one of the roles. The caller holds the lock of the members. */
export async function voidInvitations(tx: Queryable, partyId: bigint, invitedBy: string, roles: readonly Role[]): Promise<void> {
  await tx.query(VOID_INVITATIONS, [partyId, invitedBy, roles]);
}

const FORGET_SPENT = statement(
  `DELETE FROM invitations WHERE party_id = $1 AND expires_at <= now() AND created_at <= now() - interval '1 day'`,
);

/** Deletes expired invitations whose mails are older than a day, and so no longer count. */
export async function forgetSpent(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query(FORGET_SPENT, [partyId]);
}

const RECENT_INVITATIONS = statement(
  `SELECT count(*)::integer AS of_the_day,
          extract(epoch FROM min(created_at) + interval '1 day' - now())::float8 AS fewer_in_s,
          extract(epoch FROM now() - max(created_at) FILTER (WHERE email = $2))::float8 AS since_last_s
     FROM invitations WHERE party_id = $1 AND created_at > now() - interval '1 day'`,
  { of_the_day: 'integer', fewer_in_s: 'float8?', since_last_s: 'float8?' },
);

export async function recentInvitations(
  tx: Queryable,
  partyId: bigint,
  email: string,
): Promise<{ ofTheDay: number; fewerInS: number; sinceLastS: number | null }> {
  const [row] = await tx.query(RECENT_INVITATIONS, [partyId, email]);
  return { ofTheDay: row?.of_the_day ?? 0, fewerInS: row?.fewer_in_s ?? 0, sinceLastS: row?.since_last_s ?? null };
}
