import { inLetters } from '../../contract/mail-names.ts';
import { foldCase } from '../../contract/names.ts';
import type { Business } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres.ts';

interface BusinessRow {
  id: string;
  handle: string;
  display_name: string;
  accepting_drops: boolean;
  takes_replies: boolean;
  verified_domains: string[];
  created_at: Date;
  [column: string]: unknown;
}

const VERIFIED_DOMAINS = 'ARRAY(SELECT d.domain FROM verified_domains d WHERE d.party_id = p.id ORDER BY d.domain) AS verified_domains';
const COLUMNS = `p.id, p.handle, p.display_name, p.accepting_drops, p.takes_replies, p.created_at, ${VERIFIED_DOMAINS}`;

export function toBusiness(row: BusinessRow): Business {
  return {
    id: BigInt(row.id),
    handle: row.handle,
    displayName: row.display_name,
    acceptingDrops: row.accepting_drops,
    takesReplies: row.takes_replies,
    verifiedDomains: row.verified_domains,
    createdAt: row.created_at,
  };
}

export async function findByHandle(db: Queryable, handle: string): Promise<Business | undefined> {
  const [row] = await db.query<BusinessRow>({ name: 'party-by-handle', text: `SELECT ${COLUMNS} FROM parties p WHERE p.handle = $1` }, [
    handle,
  ]);
  return row && toBusiness(row);
}

export async function findById(db: Queryable, id: bigint): Promise<Business | undefined> {
  const [row] = await db.query<BusinessRow>(
    { name: 'party-by-id', text: `SELECT ${COLUMNS} FROM parties p WHERE p.id = $1 AND p.handle IS NOT NULL` },
    [id],
  );
  return row && toBusiness(row);
}

/** Fails with a unique violation when the handle is taken. */
export async function insertBusiness(tx: Queryable, handle: string, displayName: string, claimed: boolean): Promise<Business> {
  const [row] = await tx.query<BusinessRow>(
    `WITH party AS (
       INSERT INTO parties (handle, display_name, folded_name, claimed_at) VALUES ($1, $2, $4, CASE WHEN $3 THEN now() END) RETURNING *
     ), ledger AS (INSERT INTO ledgers (party_id) SELECT id FROM party)
     SELECT ${COLUMNS} FROM party p`,
    [handle, displayName, claimed, foldCase(displayName)],
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

/** How a party is known: exactly one of them, in its stored form. */
export interface PartyName {
  handle?: string;
  domain?: string;
  email?: string;
}

export async function findId(db: Queryable, { handle, domain, email }: PartyName): Promise<bigint | undefined> {
  const [row] = await db.query<{ id: string }>('SELECT id FROM parties WHERE handle = $1 OR domain = $2 OR email = $3', [
    handle ?? null,
    domain ?? null,
    email ?? null,
  ]);
  return row && BigInt(row.id);
}

/** A party without a handle, which is made the first time somebody has to do with it. It is found by either way to write its domain. */
export async function insertUnclaimed(db: Queryable, name: PartyName): Promise<void> {
  const shown = name.domain ?? name.email ?? '';
  await db.query(
    `WITH party AS (
       INSERT INTO parties (domain, email, display_name, folded_name, accepting_drops) VALUES ($1, $2, $3, $4, false) ON CONFLICT DO NOTHING RETURNING id
     ) INSERT INTO ledgers (party_id) SELECT id FROM party`,
    [name.domain ?? null, name.email ?? null, shown, foldCase(inLetters(shown))],
  );
}

/** Fails with a unique violation when another business has the domain. */
export async function insertVerifiedDomain(tx: Queryable, partyId: bigint, domain: string): Promise<void> {
  await tx.query(
    'INSERT INTO verified_domains (domain, party_id) SELECT $2, $1 WHERE NOT EXISTS (SELECT FROM verified_domains WHERE domain = $2 AND party_id = $1)',
    [partyId, domain],
  );
}

export async function deleteVerifiedDomain(tx: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  const rows = await tx.query('DELETE FROM verified_domains WHERE party_id = $1 AND domain = $2 RETURNING domain', [partyId, domain]);
  return rows.length > 0;
}
