import { getDomain } from 'tldts';
import { nameKeyOf } from '../../contract/look-alikes.ts';
import { inLetters } from '../../contract/mail-names.ts';
import { foldCase } from '../../contract/names.ts';
import type { Business, Party, ReceiptDetail } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { type BusinessRow, type PartyRow, toBusiness, toParty } from './party-row.ts';

type Row = BusinessRow & PartyRow & { [column: string]: unknown };

const VERIFIED_DOMAINS = 'ARRAY(SELECT d.domain FROM verified_domains d WHERE d.party_id = p.id ORDER BY d.domain) AS verified_domains';
const COLUMNS = `p.id, p.handle, p.domain, p.email, p.display_name, p.accepting_drops, p.minimal_receipts, p.takes_replies, p.created_at, ${VERIFIED_DOMAINS}`;

export async function findByHandle(db: Queryable, handle: string): Promise<Business | undefined> {
  const [row] = await db.query<Row>({ name: 'party-by-handle', text: `SELECT ${COLUMNS} FROM parties p WHERE p.handle = $1` }, [handle]);
  return row && toBusiness(row);
}

export async function findByDomain(db: Queryable, domain: string): Promise<Business | undefined> {
  const [row] = await db.query<Row>(
    {
      name: 'party-by-verified-domain',
      text: `SELECT ${COLUMNS} FROM verified_domains v JOIN parties p ON p.id = v.party_id WHERE v.domain = $1`,
    },
    [domain],
  );
  return row && toBusiness(row);
}

/** Of whatever kind it is. */
export async function findById(db: Queryable, id: bigint): Promise<Party | undefined> {
  const [row] = await db.query<Row>({ name: 'party-by-id', text: `SELECT ${COLUMNS} FROM parties p WHERE p.id = $1` }, [id]);
  return row && toParty(row);
}

/** Fails with a unique violation when the handle is taken. */
export async function insertBusiness(tx: Queryable, handle: string, displayName: string, claimed: boolean): Promise<Business> {
  const [row] = await tx.query<Row>(
    `WITH party AS (
       INSERT INTO parties (handle, display_name, folded_name, name_key, claimed_at) VALUES ($1, $2, $4, $5, CASE WHEN $3 THEN now() END) RETURNING *
     ), ledger AS (INSERT INTO ledgers (party_id) SELECT id FROM party)
     SELECT ${COLUMNS} FROM party p`,
    [handle, displayName, claimed, foldCase(displayName), nameKeyOf(displayName)],
  );
  return toBusiness(row as Row);
}

/** Leaves alone what is undefined: somebody else may be changing it. */
export async function updateBusiness(
  tx: Queryable,
  id: bigint,
  displayName: string | undefined,
  acceptingDrops: boolean | undefined,
  receipts: ReceiptDetail | undefined,
): Promise<Business> {
  const [row] = await tx.query<Row>(
    `WITH p AS (
       UPDATE parties SET display_name = coalesce($2, display_name), folded_name = coalesce($3, folded_name),
                          accepting_drops = coalesce($4, accepting_drops), name_key = coalesce($5, name_key),
                          minimal_receipts = coalesce($6, minimal_receipts)
        WHERE id = $1 RETURNING *
     ) SELECT ${COLUMNS} FROM p`,
    [
      id,
      displayName ?? null,
      displayName === undefined ? null : foldCase(displayName),
      acceptingDrops ?? null,
      displayName === undefined ? null : nameKeyOf(displayName),
      receipts === undefined ? null : receipts === 'minimal',
    ],
  );
  return toBusiness(row as Row);
}

/** Whether another business than this one has shown a domain to be its own and has a name that looks like this one. */
export async function isNameOfVerified(tx: Queryable, displayName: string, exceptId: bigint): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM parties p WHERE p.name_key = $1 AND p.handle IS NOT NULL AND p.id <> $2
        AND EXISTS (SELECT FROM verified_domains d WHERE d.party_id = p.id) LIMIT 1`,
    [nameKeyOf(displayName), exceptId],
  );
  return rows.length > 0;
}

/** Names from before keys were kept get theirs; returns how many did. */
export async function fillNameKeys(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query<{ id: string; display_name: string }>(
    'SELECT id, display_name FROM parties WHERE handle IS NOT NULL AND name_key IS NULL ORDER BY id LIMIT $1',
    [limit],
  );
  await db.query(
    `UPDATE parties p SET name_key = f.key FROM unnest($1::bigint[], $2::text[], $3::text[]) AS f (id, name, key)
      WHERE p.id = f.id AND p.display_name = f.name AND p.name_key IS NULL`,
    [rows.map(({ id }) => id), rows.map(({ display_name }) => display_name), rows.map(({ display_name }) => nameKeyOf(display_name))],
  );
  return rows.length;
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
       INSERT INTO parties (domain, email, display_name, folded_name, accepting_drops, organisation)
       VALUES ($1, $2, $3, $4, false, $5) ON CONFLICT DO NOTHING RETURNING id
     ) INSERT INTO ledgers (party_id) SELECT id FROM party`,
    [name.domain ?? null, name.email ?? null, shown, foldCase(inLetters(shown)), organisationOf(name.domain)],
  );
}

/** Whoever has a domain has all below it; what is below github.io and the like belongs to others each. */
function organisationOf(domain: string | undefined): string | null {
  return domain === undefined ? null : (getDomain(domain, { allowPrivateDomains: true }) ?? domain);
}

/** The id under which a mailbox is known, which is the given one if it is not known yet. */
export async function mailboxId(db: Queryable, newId: string, email: string): Promise<string> {
  await db.query(
    'INSERT INTO mailboxes (id, email) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM mailboxes WHERE email = $2) ON CONFLICT DO NOTHING',
    [newId, email],
  );
  const [row] = await db.query<{ id: string }>('SELECT id FROM mailboxes WHERE email = $1', [email]);
  if (!row) throw new Error('a mailbox that was just made is gone');
  return row.id;
}

/** Fails with a unique violation when another business has the domain. What the domain's mailboxes exchanged joins the business. */
export async function insertVerifiedDomain(tx: Queryable, partyId: bigint, domain: string): Promise<void> {
  await tx.query(
    'INSERT INTO verified_domains (domain, party_id) SELECT $2, $1 WHERE NOT EXISTS (SELECT FROM verified_domains WHERE domain = $2 AND party_id = $1)',
    [partyId, domain],
  );
  const unclaimed = await findId(tx, { domain });
  if (unclaimed !== undefined) await queueJoin(tx, partyId, unclaimed, null);
}

/** Has threads join a business: all of a party's, or those that one mailbox began. */
export async function queueJoin(tx: Queryable, businessId: bigint, unclaimedId: bigint, mailbox: string | null): Promise<void> {
  await tx.query(`SELECT graphile_worker.add_job('join-history', $1::json)`, [
    JSON.stringify({ business_id: String(businessId), unclaimed_id: String(unclaimedId), mailbox }),
  ]);
}

export async function deleteVerifiedDomain(tx: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  const rows = await tx.query('DELETE FROM verified_domains WHERE party_id = $1 AND domain = $2 RETURNING domain', [partyId, domain]);
  return rows.length > 0;
}
