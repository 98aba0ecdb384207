import { ROLES, type Role } from '../../contract/members.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

export interface Member {
  personId: string;
  name: string;
  email: string | null;
  role: Role;
  segment: string | null;
  joinedAt: Date;
}

const MEMBER_ROW = columns({
  person_id: 'uuid',
  name: 'text',
  email: 'text?',
  role: oneOf('member_role', ROLES),
  segment: 'text?',
  joined_at: 'timestamptz',
});

const SELECT_MEMBERS = `SELECT m.person_id, p.name, CASE WHEN p.email_verified THEN p.email END AS email, m.role, s.segment, m.joined_at
  FROM members m JOIN people p ON p.id = m.person_id LEFT JOIN segments s ON s.party_id = m.party_id AND s.person_id = m.person_id`;

function toMember(row: RowOf<typeof MEMBER_ROW>): Member {
  return {
    personId: row.person_id,
    name: row.name,
    email: row.email,
    role: row.role,
    segment: row.segment,
    joinedAt: row.joined_at,
  };
}

const MEMBERS = statement(
  `${SELECT_MEMBERS} WHERE m.party_id = $1 AND ($2::uuid IS NULL OR m.person_id > $2) ORDER BY m.person_id LIMIT $3`,
  MEMBER_ROW,
);

export async function listMembers(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Member[]> {
  const rows = await db.query(MEMBERS, [partyId, afterId, limit]);
  return rows.map(toMember);
}

const MEMBER = prepared('member', `${SELECT_MEMBERS} WHERE m.party_id = $1 AND m.person_id = $2`, MEMBER_ROW);

export async function findMember(db: Queryable, partyId: bigint, personId: string): Promise<Member | undefined> {
  const [row] = await db.query(MEMBER, [partyId, personId]);
  return row && toMember(row);
}

const MEMBER_BY_EMAIL = statement(
  'SELECT FROM members m JOIN people p ON p.id = m.person_id WHERE m.party_id = $1 AND p.email = $2 AND p.email_verified',
);

export async function isMemberByEmail(db: Queryable, partyId: bigint, email: string): Promise<boolean> {
  return (await db.query(MEMBER_BY_EMAIL, [partyId, email])).length > 0;
}

const MEMBERS_ONLY = statement(`SELECT FROM verified_domains WHERE party_id = $1 AND domain = $2 AND senders = 'members'`);

export async function isMembersOnly(db: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  return (await db.query(MEMBERS_ONLY, [partyId, domain])).length > 0;
}

const BUSINESSES = statement(
  'SELECT b.handle, b.display_name, m.role FROM members m JOIN parties b ON b.id = m.party_id WHERE m.person_id = $1 ORDER BY b.handle',
  { handle: 'text!', display_name: 'text', role: oneOf('member_role', ROLES) },
);

export async function businessesOf(db: Queryable, personId: string): Promise<{ handle: string; display_name: string; role: Role }[]> {
  return db.query(BUSINESSES, [personId]);
}

const LOCK_PERSON = statement('SELECT FROM people WHERE id = $1 FOR NO KEY UPDATE');

/** Serializes a person's claims, so that they can be counted. */
export async function lockPerson(tx: Queryable, personId: string): Promise<void> {
  await tx.query(LOCK_PERSON, [personId]);
}

const LOCK_MEMBERS = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');

export async function lockMembers(tx: Queryable, partyId: bigint): Promise<void> {
  await tx.query(LOCK_MEMBERS, [partyId]);
}

const COUNT_OWNED = statement(`SELECT count(*) FROM members WHERE person_id = $1 AND role = 'owner'`, { count: 'bigint' });

export async function countOwned(tx: Queryable, personId: string): Promise<number> {
  const [row] = await tx.query(COUNT_OWNED, [personId]);
  return Number(row?.count ?? 0);
}

const COUNT_OWNERS = statement(`SELECT count(*) FROM members WHERE party_id = $1 AND role = 'owner'`, { count: 'bigint' });

export async function countOwners(tx: Queryable, partyId: bigint): Promise<number> {
  const [row] = await tx.query(COUNT_OWNERS, [partyId]);
  return Number(row?.count ?? 0);
}

const COUNT_PEOPLE = statement(
  `SELECT (SELECT count(*)::integer FROM members WHERE party_id = $1) AS members,
          (SELECT count(*)::integer FROM invitations WHERE party_id = $1 AND expires_at > now() AND email <> $2) AS invited`,
  { members: 'integer', invited: 'integer' },
);

export async function countPeople(tx: Queryable, partyId: bigint, email: string): Promise<{ members: number; invited: number }> {
  return onlyRow(await tx.query(COUNT_PEOPLE, [partyId, email]));
}

const NOTE_CLAIM = statement('UPDATE parties SET claimed_by = $2 WHERE id = $1');
const COUNT_CLAIMS = statement(
  `SELECT count(*)::integer AS count FROM parties WHERE claimed_by = $1 AND claimed_at > now() - interval '30 days'`,
  { count: 'integer' },
);

export async function noteClaim(tx: Queryable, partyId: bigint, personId: string): Promise<number> {
  await tx.query(NOTE_CLAIM, [partyId, personId]);
  return onlyRow(await tx.query(COUNT_CLAIMS, [personId])).count;
}

const INSERT_MEMBER = statement('INSERT INTO members (party_id, person_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING');

export async function insertMember(tx: Queryable, partyId: bigint, personId: string, role: Role): Promise<void> {
  await tx.query(INSERT_MEMBER, [partyId, personId, role]);
}

const UPDATE_ROLE = statement('UPDATE members SET role = $3 WHERE party_id = $1 AND person_id = $2');

export async function updateRole(tx: Queryable, partyId: bigint, personId: string, role: Role): Promise<void> {
  await tx.query(UPDATE_ROLE, [partyId, personId, role]);
}

const DELETE_SEGMENT = statement('DELETE FROM segments WHERE party_id = $1 AND person_id = $2');
const DELETE_MEMBER = statement('DELETE FROM members WHERE party_id = $1 AND person_id = $2');
const QUEUE_UNASSIGN = statement(`SELECT FROM graphile_worker.add_job('unassign-threads', $1::json)`);

/** A job unassigns the member's threads soon after. */
export async function deleteMember(tx: Queryable, partyId: bigint, personId: string): Promise<void> {
  await tx.query(DELETE_SEGMENT, [partyId, personId]);
  await tx.query(DELETE_MEMBER, [partyId, personId]);
  await tx.query(QUEUE_UNASSIGN, [JSON.stringify({ party_id: partyId.toString(), person_id: personId })]);
}

const VOID_DEVICE_LOGINS = statement('DELETE FROM device_logins WHERE party_id = $1 AND allowed_by = $2');

export async function voidDeviceLogins(tx: Queryable, partyId: bigint, personId: string): Promise<void> {
  await tx.query(VOID_DEVICE_LOGINS, [partyId, personId]);
}

const ADMIN_EMAILS = statement(
  `SELECT p.email FROM members m JOIN people p ON p.id = m.person_id
    WHERE m.party_id = $1 AND m.role IN ('owner', 'admin') AND p.email_verified ORDER BY p.email`,
  { email: 'text' },
);

export async function adminEmails(db: Queryable, partyId: bigint): Promise<string[]> {
  const rows = await db.query(ADMIN_EMAILS, [partyId]);
  return rows.map(({ email }) => email);
}

const OWNER_EMAILS = statement(
  `SELECT p.email FROM members m JOIN people p ON p.id = m.person_id WHERE m.party_id = $1 AND m.role = 'owner' AND p.email_verified`,
  { email: 'text' },
);

export async function ownerEmails(db: Queryable, partyId: bigint): Promise<string[]> {
  const rows = await db.query(OWNER_EMAILS, [partyId]);
  return rows.map(({ email }) => email);
}
