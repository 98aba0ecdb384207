import { bigintArray } from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

/** Exactly one of the fields is set. */
export interface Target {
  userId: string | null;
  emailDomain: string | null;
  businessId: bigint | null;
}

export interface Block {
  id: string;
  userId: string | null;
  emailDomain: string | null;
  handle: string | null;
  createdAt: Date;
}

/** The properties of a sender that can be blocked. Its domains are that of the mailbox, and those that its business has verified. */
export interface Blockable {
  partyId: bigint | null;
  /** The id of a person or mailbox in envelopes. Single agents can't be blocked. */
  actorId: string | null;
  email: string | null;
}

const BLOCK_ROW = columns({ id: 'uuid', user_id: 'text?', email_domain: 'text?', handle: 'text?', created_at: 'timestamptz' });

const SELECT_BLOCKS = `SELECT b.id, b.user_id, b.email_domain, p.handle, b.created_at
  FROM blocks b LEFT JOIN parties p ON p.id = b.business_id`;

function toBlock(row: RowOf<typeof BLOCK_ROW>): Block {
  return { id: row.id, userId: row.user_id, emailDomain: row.email_domain, handle: row.handle, createdAt: row.created_at };
}

const IS_BLOCKED = prepared('is-blocked', 'SELECT is_blocked($1::bigint, $2::bigint, $3::text, $4::text, $5::text) AS blocked', {
  blocked: 'boolean',
});

export async function isBlocked(db: Queryable, recipientId: bigint, { partyId, actorId, email }: Blockable): Promise<boolean> {
  const [row] = await db.query(IS_BLOCKED, [recipientId, partyId, actorId, email, email?.split('@').at(-1) ?? null]);
  return row?.blocked === true;
}

const BLOCKED_AMONG = statement(
  `SELECT p.id FROM parties p
    WHERE p.id = ANY ($2::bigint[]) AND is_blocked($1::bigint, p.id, NULL, p.email, coalesce(p.domain, split_part(p.email, '@', 2)))`,
  { id: 'bigint' },
);

export async function blockedAmong(db: Queryable, partyId: bigint, otherIds: readonly bigint[]): Promise<Set<string>> {
  const rows = await db.query(BLOCKED_AMONG, [partyId, bigintArray(otherIds)]);
  return new Set(rows.map(({ id }) => id));
}

const BLOCKS = statement(`${SELECT_BLOCKS} WHERE b.party_id = $1 AND ($2::uuid IS NULL OR b.id > $2) ORDER BY b.id LIMIT $3`, BLOCK_ROW);

export async function listBlocks(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Block[]> {
  const rows = await db.query(BLOCKS, [partyId, afterId, limit]);
  return rows.map(toBlock);
}

const LOCK_BLOCKS = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const BLOCK_OF_TARGET = statement(
  `${SELECT_BLOCKS} WHERE b.party_id = $1 AND (b.user_id = $2 OR b.email_domain = $3 OR b.business_id = $4)`,
  BLOCK_ROW,
);

/** Serializes additions to a business's blocks, so that they can be counted and none is added twice. */
export async function lockAndFind(tx: Queryable, partyId: bigint, target: Target): Promise<Block | undefined> {
  await tx.query(LOCK_BLOCKS, [partyId]);
  const [row] = await tx.query(BLOCK_OF_TARGET, [partyId, target.userId, target.emailDomain, target.businessId]);
  return row && toBlock(row);
}

const COUNT_BLOCKS = statement('SELECT count(*)::integer AS count FROM (SELECT FROM blocks WHERE party_id = $1 LIMIT $2) b', {
  count: 'integer',
});

export async function hasRoom(db: Queryable, partyId: bigint, max: number): Promise<boolean> {
  const [row] = await db.query(COUNT_BLOCKS, [partyId, max]);
  return (row?.count ?? 0) < max;
}

const INSERT_BLOCK = statement('INSERT INTO blocks (party_id, id, user_id, email_domain, business_id) VALUES ($1, $2, $3, $4, $5)');
const BLOCK = statement(`${SELECT_BLOCKS} WHERE b.party_id = $1 AND b.id = $2`, BLOCK_ROW);

export async function insertBlock(tx: Queryable, partyId: bigint, id: string, target: Target): Promise<Block> {
  await tx.query(INSERT_BLOCK, [partyId, id, target.userId, target.emailDomain, target.businessId]);
  return toBlock(onlyRow(await tx.query(BLOCK, [partyId, id])));
}

const DELETE_BLOCK = statement('DELETE FROM blocks WHERE party_id = $1 AND id = $2 RETURNING id', { id: 'uuid' });

export async function deleteBlock(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  return (await tx.query(DELETE_BLOCK, [partyId, id])).length > 0;
}
