import type { Role } from '../../contract/members.ts';
import type { Queryable } from '../../platform/postgres.ts';

export interface Member {
  personId: string;
  name: string;
  email: string | null;
  role: Role;
  segment: string | null;
  joinedAt: Date;
}

interface MemberRow {
  person_id: string;
  name: string;
  email: string | null;
  role: Role;
  segment: string | null;
  joined_at: Date;
  [column: string]: unknown;
}

const SELECT_MEMBERS = `SELECT m.person_id, p.name, CASE WHEN p.email_verified THEN p.email END AS email, m.role, s.segment, m.joined_at
  FROM members m JOIN people p ON p.id = m.person_id LEFT JOIN segments s ON s.party_id = m.party_id AND s.person_id = m.person_id`;

function toMember(row: MemberRow): Member {
  return {
    personId: row.person_id,
    name: row.name,
    email: row.email,
    role: row.role,
    segment: row.segment,
    joinedAt: row.joined_at,
  };
}

export async function listMembers(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Member[]> {
  const rows = await db.query<MemberRow>(
    `${SELECT_MEMBERS} WHERE m.party_id = $1 AND ($2::uuid IS NULL OR m.person_id > $2) ORDER BY m.person_id LIMIT $3`,
    [partyId, afterId, limit],
  );
  return rows.map(toMember);
}

export async function findMember(db: Queryable, partyId: bigint, personId: string): Promise<Member | undefined> {
  const [row] = await db.query<MemberRow>({ name: 'member', text: `${SELECT_MEMBERS} WHERE m.party_id = $1 AND m.person_id = $2` }, [
    partyId,
    personId,
  ]);
  return row && toMember(row);
}

export async function isMemberByEmail(db: Queryable, partyId: bigint, email: string): Promise<boolean> {
  const rows = await db.query(
    'SELECT FROM members m JOIN people p ON p.id = m.person_id WHERE m.party_id = $1 AND p.email = $2 AND p.email_verified',
    [partyId, email],
  );
  return rows.length > 0;
}

/** Whether only members send for the business from mailboxes of the domain. */
export async function isMembersOnly(db: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  const rows = await db.query(`SELECT FROM verified_domains WHERE party_id = $1 AND domain = $2 AND senders = 'members'`, [
    partyId,
    domain,
  ]);
  return rows.length > 0;
}

export async function businessesOf(db: Queryable, personId: string): Promise<{ handle: string; display_name: string; role: Role }[]> {
  return db.query(
    'SELECT b.handle, b.display_name, m.role FROM members m JOIN parties b ON b.id = m.party_id WHERE m.person_id = $1 ORDER BY b.handle',
    [personId],
  );
}

/** Makes a person's claims wait for each other, so that their number can be counted. */
export async function lockPerson(tx: Queryable, personId: string): Promise<void> {
  await tx.query('SELECT FROM people WHERE id = $1 FOR NO KEY UPDATE', [personId]);
}

/** Makes changes of who belongs to a business wait for each other. */
export async function lockMembers(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE', [partyId]);
}

export async function countOwned(tx: Queryable, personId: string): Promise<number> {
  const [row] = await tx.query<{ count: string }>(`SELECT count(*) FROM members WHERE person_id = $1 AND role = 'owner'`, [personId]);
  return Number(row?.count ?? 0);
}

export async function countOwners(tx: Queryable, partyId: bigint): Promise<number> {
  const [row] = await tx.query<{ count: string }>(`SELECT count(*) FROM members WHERE party_id = $1 AND role = 'owner'`, [partyId]);
  return Number(row?.count ?? 0);
}

/** Members, and whoever is invited, apart from one mailbox. */
export async function countPeople(tx: Queryable, partyId: bigint, email: string): Promise<{ members: number; invited: number }> {
  const [row] = await tx.query<{ members: number; invited: number }>(
    `SELECT (SELECT count(*)::integer FROM members WHERE party_id = $1) AS members,
            (SELECT count(*)::integer FROM invitations WHERE party_id = $1 AND expires_at > now() AND email <> $2) AS invited`,
    [partyId, email],
  );
  return row ?? { members: 0, invited: 0 };
}

/** Notes who claimed a business, and tells how many that person has claimed in 30 days. */
export async function noteClaim(tx: Queryable, partyId: bigint, personId: string): Promise<number> {
  await tx.query('UPDATE parties SET claimed_by = $2 WHERE id = $1', [partyId, personId]);
  const [row] = await tx.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM parties WHERE claimed_by = $1 AND claimed_at > now() - interval '30 days'`,
    [personId],
  );
  return row?.count ?? 0;
}

export async function insertMember(tx: Queryable, partyId: bigint, personId: string, role: Role): Promise<void> {
  await tx.query('INSERT INTO members (party_id, person_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [partyId, personId, role]);
}

export async function updateRole(tx: Queryable, partyId: bigint, personId: string, role: Role): Promise<void> {
  await tx.query('UPDATE members SET role = $3 WHERE party_id = $1 AND person_id = $2', [partyId, personId, role]);
}

export async function deleteMember(tx: Queryable, partyId: bigint, personId: string): Promise<void> {
  await tx.query('DELETE FROM segments WHERE party_id = $1 AND person_id = $2', [partyId, personId]);
  await tx.query('DELETE FROM members WHERE party_id = $1 AND person_id = $2', [partyId, personId]);
}

/** Where those who answer for a business can be written to. */
/** The mailboxes of owners and admins. */
export async function adminEmails(db: Queryable, partyId: bigint): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `SELECT p.email FROM members m JOIN people p ON p.id = m.person_id
      WHERE m.party_id = $1 AND m.role IN ('owner', 'admin') AND p.email_verified ORDER BY p.email`,
    [partyId],
  );
  return rows.map(({ email }) => email);
}

export async function ownerEmails(db: Queryable, partyId: bigint): Promise<string[]> {
  const rows = await db.query<{ email: string }>(
    `SELECT p.email FROM members m JOIN people p ON p.id = m.person_id WHERE m.party_id = $1 AND m.role = 'owner' AND p.email_verified`,
    [partyId],
  );
  return rows.map(({ email }) => email);
}
