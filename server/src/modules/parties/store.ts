import type { Business } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres.ts';

interface BusinessRow {
  id: string;
  handle: string;
  display_name: string;
  accepting_drops: boolean;
  takes_replies: boolean;
  created_at: Date;
  [column: string]: unknown;
}

const COLUMNS = 'id, handle, display_name, accepting_drops, takes_replies, created_at';

export function toBusiness(row: BusinessRow): Business {
  return {
    id: BigInt(row.id),
    handle: row.handle,
    displayName: row.display_name,
    acceptingDrops: row.accepting_drops,
    takesReplies: row.takes_replies,
    createdAt: row.created_at,
  };
}

export async function findByHandle(db: Queryable, handle: string): Promise<Business | undefined> {
  const [row] = await db.query<BusinessRow>({ name: 'party-by-handle', text: `SELECT ${COLUMNS} FROM parties WHERE handle = $1` }, [
    handle,
  ]);
  return row && toBusiness(row);
}

export async function findById(db: Queryable, id: bigint): Promise<Business | undefined> {
  const [row] = await db.query<BusinessRow>({ name: 'party-by-id', text: `SELECT ${COLUMNS} FROM parties WHERE id = $1` }, [id]);
  return row && toBusiness(row);
}

/** Fails with a unique violation when the handle is taken. */
export async function insertBusiness(tx: Queryable, handle: string, displayName: string, claimed: boolean): Promise<Business> {
  const [row] = await tx.query<BusinessRow>(
    `WITH party AS (
       INSERT INTO parties (handle, display_name, claimed_at) VALUES ($1, $2, CASE WHEN $3 THEN now() END) RETURNING ${COLUMNS}
     ), ledger AS (INSERT INTO ledgers (party_id) SELECT id FROM party)
     SELECT * FROM party`,
    [handle, displayName, claimed],
  );
  return toBusiness(row as BusinessRow);
}

/** Handles that begin with the prefix, in alphabetical order, after the given one. */
export async function searchByPrefix(
  db: Queryable,
  prefix: string,
  after: string,
  limit: number,
): Promise<{ handle: string; display_name: string }[]> {
  return db.query(
    {
      name: 'parties-by-prefix',
      text: 'SELECT handle, display_name FROM parties WHERE starts_with(handle, $1) AND handle >= $1 AND handle > $2 ORDER BY handle LIMIT $3',
    },
    [prefix, after, limit],
  );
}
