import { bigintArray } from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';

/** Whom a block is of: exactly one of them. */
export interface Target {
  /** Of a person or mailbox, as envelopes show it. */
  userId: string | null;
  emailDomain: string | null;
  businessId: bigint | null;
}

export interface Block {
  /** A uuid. */
  id: string;
  userId: string | null;
  emailDomain: string | null;
  handle: string | null;
  createdAt: Date;
}

/** What of a sender can be blocked. Its domains are that of the mailbox, and those that its business has verified. */
export interface Blockable {
  /** Null for a party that is not there yet. */
  partyId: bigint | null;
  /** Of a person or mailbox, as envelopes show it; agents are not blocked one by one. */
  actorId: string | null;
  /** A mailbox that was proven to be the sender's. */
  email: string | null;
}

interface BlockRow {
  id: string;
  user_id: string | null;
  email_domain: string | null;
  handle: string | null;
  created_at: Date;
  [column: string]: unknown;
}

const SELECT_BLOCKS = `SELECT b.id, b.user_id, b.email_domain, p.handle, b.created_at
  FROM blocks b LEFT JOIN parties p ON p.id = b.business_id`;

function toBlock(row: BlockRow): Block {
  return { id: row.id, userId: row.user_id, emailDomain: row.email_domain, handle: row.handle, createdAt: row.created_at };
}

export async function isBlocked(db: Queryable, recipientId: bigint, { partyId, actorId, email }: Blockable): Promise<boolean> {
  const [row] = await db.query<{ blocked: boolean }>({ name: 'is-blocked', text: 'SELECT is_blocked($1, $2, $3, $4, $5) AS blocked' }, [
    recipientId,
    partyId,
    actorId,
    email,
    email?.split('@').at(-1) ?? null,
  ]);
  return row?.blocked === true;
}

/** Those of the parties that a block covers altogether, by id. */
export async function blockedAmong(db: Queryable, partyId: bigint, otherIds: readonly bigint[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    `SELECT p.id FROM parties p
      WHERE p.id = ANY ($2::bigint[]) AND is_blocked($1, p.id, NULL, p.email, coalesce(p.domain, split_part(p.email, '@', 2)))`,
    [partyId, bigintArray(otherIds)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** In the order of their creation. */
export async function listBlocks(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Block[]> {
  const rows = await db.query<BlockRow>(
    `${SELECT_BLOCKS} WHERE b.party_id = $1 AND ($2::uuid IS NULL OR b.id > $2) ORDER BY b.id LIMIT $3`,
    [partyId, afterId, limit],
  );
  return rows.map(toBlock);
}

/** Makes additions to a business's blocks wait for each other, so that none is there twice and their number can be counted. */
export async function lockAndFind(tx: Queryable, partyId: bigint, target: Target): Promise<Block | undefined> {
  await tx.query('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE', [partyId]);
  const [row] = await tx.query<BlockRow>(
    `${SELECT_BLOCKS} WHERE b.party_id = $1 AND (b.user_id = $2 OR b.email_domain = $3 OR b.business_id = $4)`,
    [partyId, target.userId, target.emailDomain, target.businessId],
  );
  return row && toBlock(row);
}

/** Whether the business has fewer blocks than that. */
export async function hasRoom(db: Queryable, partyId: bigint, max: number): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM (SELECT FROM blocks WHERE party_id = $1 LIMIT $2) b',
    [partyId, max],
  );
  return (row?.count ?? 0) < max;
}

export async function insertBlock(tx: Queryable, partyId: bigint, id: string, target: Target): Promise<Block> {
  await tx.query('INSERT INTO blocks (party_id, id, user_id, email_domain, business_id) VALUES ($1, $2, $3, $4, $5)', [
    partyId,
    id,
    target.userId,
    target.emailDomain,
    target.businessId,
  ]);
  const [row] = await tx.query<BlockRow>(`${SELECT_BLOCKS} WHERE b.party_id = $1 AND b.id = $2`, [partyId, id]);
  return toBlock(row as BlockRow);
}

export async function deleteBlock(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const rows = await tx.query('DELETE FROM blocks WHERE party_id = $1 AND id = $2 RETURNING id', [partyId, id]);
  return rows.length > 0;
}
