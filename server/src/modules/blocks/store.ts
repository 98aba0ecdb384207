import type { Queryable } from '../../platform/postgres.ts';

export interface Block {
  /** A uuid. */
  id: string;
  userId: string | null;
  emailDomain: string | null;
  createdAt: Date;
}

interface BlockRow {
  id: string;
  user_id: string | null;
  email_domain: string | null;
  created_at: Date;
  [column: string]: unknown;
}

const COLUMNS = 'id, user_id, email_domain, created_at';

function toBlock(row: BlockRow): Block {
  return { id: row.id, userId: row.user_id, emailDomain: row.email_domain, createdAt: row.created_at };
}

/** In the order of their creation. */
export async function listBlocks(db: Queryable, partyId: bigint, afterId: string | null, limit: number | null): Promise<Block[]> {
  const rows = await db.query<BlockRow>(
    `SELECT ${COLUMNS} FROM blocks WHERE party_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
    [partyId, afterId, limit],
  );
  return rows.map(toBlock);
}

/** The block that was made, or the one there was already. */
export async function insertBlock(
  tx: Queryable,
  partyId: bigint,
  block: Pick<Block, 'id' | 'userId' | 'emailDomain'>,
): Promise<{ block: Block; isNew: boolean }> {
  const { id, userId, emailDomain } = block;
  for (;;) {
    const [made] = await tx.query<BlockRow>(
      `INSERT INTO blocks (party_id, id, user_id, email_domain) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [partyId, id, userId, emailDomain],
    );
    if (made) return { block: toBlock(made), isNew: true };
    const [known] = await tx.query<BlockRow>(`SELECT ${COLUMNS} FROM blocks WHERE party_id = $1 AND (user_id = $2 OR email_domain = $3)`, [
      partyId,
      userId,
      emailDomain,
    ]);
    if (known) return { block: toBlock(known), isNew: false };
    // It was removed in between, so there is room for it now.
  }
}

export async function deleteBlock(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const rows = await tx.query('DELETE FROM blocks WHERE party_id = $1 AND id = $2 RETURNING id', [partyId, id]);
  return rows.length > 0;
}
