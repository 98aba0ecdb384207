import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';

export const DIGEST_FREQUENCIES = ['hourly', 'daily'] as const;
export type DigestFrequency = (typeof DIGEST_FREQUENCIES)[number];

const ROW = columns({
  party_id: 'bigint',
  view_id: 'uuid',
  person_id: 'uuid',
  frequency: oneOf('digest_frequency', DIGEST_FREQUENCIES),
  told_through: 'bigint',
});

export type DigestRow = RowOf<typeof ROW>;

const OF_PERSON = statement('SELECT view_id, frequency FROM view_digests WHERE party_id = $1 AND person_id = $2', {
  view_id: 'uuid',
  frequency: oneOf('digest_frequency', DIGEST_FREQUENCIES),
});

export async function digestsOf(db: Queryable, partyId: bigint, personId: string): Promise<Map<string, DigestFrequency>> {
  const rows = await db.query(OF_PERSON, [partyId, personId]);
  return new Map(rows.map(({ view_id, frequency }) => [view_id, frequency]));
}

const INDEXED_THROUGH = statement('SELECT indexed_through FROM thread_index WHERE party_id = $1', { indexed_through: 'bigint' });

export async function indexedThrough(db: Queryable, partyId: bigint): Promise<bigint> {
  const [row] = await db.query(INDEXED_THROUGH, [partyId]);
  return BigInt(row?.indexed_through ?? 0);
}

const SAVE = statement(
  `INSERT INTO view_digests (party_id, view_id, person_id, frequency, told_through, due_at) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (party_id, view_id, person_id) DO UPDATE SET frequency = excluded.frequency, due_at = excluded.due_at`,
);

/** `told_through` is used for a new digest only. */
export async function saveDigest(tx: Queryable, digest: DigestRow, dueAt: Date): Promise<void> {
  const { party_id, view_id, person_id, frequency, told_through } = digest;
  await tx.query(SAVE, [party_id, view_id, person_id, frequency, told_through, dueAt]);
}

const REMOVE = statement('DELETE FROM view_digests WHERE party_id = $1 AND view_id = $2 AND person_id = $3');

export async function removeDigest(db: Queryable, partyId: bigint, viewId: string, personId: string): Promise<void> {
  await db.query(REMOVE, [partyId, viewId, personId]);
}

const REMOVE_OF_VIEW = statement('DELETE FROM view_digests WHERE party_id = $1 AND view_id = $2');

export async function removeDigestsOfView(tx: Queryable, partyId: bigint, viewId: string): Promise<void> {
  await tx.query(REMOVE_OF_VIEW, [partyId, viewId]);
}

const DUE = statement(`SELECT ${namesOf(ROW)} FROM view_digests WHERE due_at <= $1 ORDER BY due_at LIMIT $2`, ROW);

export async function dueDigests(db: Queryable, now: Date, limit: number): Promise<DigestRow[]> {
  return db.query(DUE, [now, limit]);
}

const MEMBER = statement(
  `SELECT p.email, m.joined_at FROM members m JOIN people p ON p.id = m.person_id
    WHERE m.party_id = $1 AND m.person_id = $2 AND p.email_verified`,
  { email: 'text', joined_at: 'timestamptz' },
);

/** Returns undefined for a person who has left the business, or has no mailbox. */
export async function findMember(db: Queryable, partyId: bigint, personId: string): Promise<{ email: string; joinedAt: Date } | undefined> {
  const [row] = await db.query(MEMBER, [partyId, personId]);
  return row && { email: row.email, joinedAt: row.joined_at };
}

const UNSUBSCRIBED = statement('SELECT FROM unsubscribed_mailboxes WHERE email = $1');

export async function isUnsubscribed(db: Queryable, email: string): Promise<boolean> {
  return (await db.query(UNSUBSCRIBED, [email])).length > 0;
}

const ADVANCE = statement(
  `UPDATE view_digests SET told_through = $5, due_at = $6
    WHERE party_id = $1 AND view_id = $2 AND person_id = $3 AND told_through = $4 RETURNING view_id`,
  { view_id: 'uuid' },
);

/** Returns false if another process has advanced the digest meanwhile, or the member no longer wants it. */
export async function advanceDigest(tx: Queryable, digest: DigestRow, toldThrough: bigint, dueAt: Date): Promise<boolean> {
  const { party_id, view_id, person_id, told_through } = digest;
  return (await tx.query(ADVANCE, [party_id, view_id, person_id, told_through, toldThrough, dueAt])).length > 0;
}

const COUNT = statement('SELECT count(*)::integer AS count FROM view_digests WHERE party_id = $1 AND person_id = $2', { count: 'integer' });

export async function countDigests(tx: Queryable, partyId: bigint, personId: string): Promise<number> {
  return onlyRow(await tx.query(COUNT, [partyId, personId])).count;
}
