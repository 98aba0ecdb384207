import { getDomain } from 'tldts';
import { nameKeyOf } from '../../contract/look-alikes.ts';
import { inLetters } from '../../contract/mail-names.ts';
import { foldCase } from '../../contract/names.ts';
import type { Business, Party, ReceiptDetail } from '../../contract/parties.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { prepared, statement } from '../../platform/postgres/statement.ts';
import { BUSINESS_ROW, PARTY_ROW, toBusiness, toParty } from './party-row.ts';

const VERIFIED_DOMAINS = 'ARRAY(SELECT d.domain FROM verified_domains d WHERE d.party_id = p.id ORDER BY d.domain) AS verified_domains';
const COLUMNS = `p.id, p.handle, p.display_name, p.accepting_drops, p.minimal_receipts, p.has_agent_card, p.takes_replies, p.created_at, ${VERIFIED_DOMAINS}`;

const BY_HANDLE = prepared('party-by-handle', `SELECT ${COLUMNS} FROM parties p WHERE p.handle = $1`, BUSINESS_ROW);

export async function findByHandle(db: Queryable, handle: string): Promise<Business | undefined> {
  const [row] = await db.query(BY_HANDLE, [handle]);
  return row && toBusiness(row);
}

const BY_DOMAIN = prepared(
  'party-by-verified-domain',
  `SELECT ${COLUMNS} FROM verified_domains v JOIN parties p ON p.id = v.party_id WHERE v.domain = $1`,
  BUSINESS_ROW,
);

export async function findByDomain(db: Queryable, domain: string): Promise<Business | undefined> {
  const [row] = await db.query(BY_DOMAIN, [domain]);
  return row && toBusiness(row);
}

const BY_ID = prepared('party-by-id', `SELECT ${COLUMNS}, p.domain, p.email FROM parties p WHERE p.id = $1`, {
  ...BUSINESS_ROW,
  ...PARTY_ROW,
});

export async function findById(db: Queryable, id: bigint): Promise<Party | undefined> {
  const [row] = await db.query(BY_ID, [id]);
  return row && toParty(row);
}

const INSERT_BUSINESS = statement(
  `WITH party AS (
     INSERT INTO parties (handle, display_name, folded_name, name_key, claimed_at) VALUES ($1, $2, $4, $5, CASE WHEN $3 THEN now() END) RETURNING *
   )
   SELECT ${COLUMNS} FROM party p`,
  BUSINESS_ROW,
);

/** Fails with a unique violation when the handle is taken. */
export async function insertBusiness(tx: Queryable, handle: string, displayName: string, isClaimed: boolean): Promise<Business> {
  return toBusiness(
    onlyRow(await tx.query(INSERT_BUSINESS, [handle, displayName, isClaimed, foldCase(displayName), nameKeyOf(displayName)])),
  );
}

const UPDATE_BUSINESS = statement(
  `WITH p AS (
     UPDATE parties SET display_name = coalesce($2, display_name), folded_name = coalesce($3, folded_name),
                        accepting_drops = coalesce($4, accepting_drops), name_key = coalesce($5, name_key),
                        minimal_receipts = coalesce($6, minimal_receipts), has_agent_card = coalesce($7, has_agent_card)
      WHERE id = $1 RETURNING *
   ) SELECT ${COLUMNS} FROM p`,
  BUSINESS_ROW,
);

/** Leaves columns with an undefined value unchanged: another request may be changing them. */
export async function updateBusiness(
  tx: Queryable,
  id: bigint,
  displayName: string | undefined,
  { acceptingDrops, receipts, hasAgentCard }: { acceptingDrops?: boolean; receipts?: ReceiptDetail; hasAgentCard?: boolean },
): Promise<Business> {
  const rows = await tx.query(UPDATE_BUSINESS, [
    id,
    displayName ?? null,
    displayName === undefined ? null : foldCase(displayName),
    acceptingDrops ?? null,
    displayName === undefined ? null : nameKeyOf(displayName),
    receipts === undefined ? null : receipts === 'minimal',
    hasAgentCard ?? null,
  ]);
  return toBusiness(onlyRow(rows));
}

const VERIFIED_WITH_NAME = statement(
  `SELECT FROM parties p WHERE p.name_key = $1 AND p.handle IS NOT NULL AND p.id <> $2
      AND EXISTS (SELECT FROM verified_domains d WHERE d.party_id = p.id) LIMIT 1`,
);

export async function isNameOfVerified(tx: Queryable, displayName: string, exceptId: bigint): Promise<boolean> {
  return (await tx.query(VERIFIED_WITH_NAME, [nameKeyOf(displayName), exceptId])).length > 0;
}

const WITHOUT_NAME_KEY = statement(
  'SELECT id, display_name FROM parties WHERE handle IS NOT NULL AND name_key IS NULL ORDER BY id LIMIT $1',
  { id: 'bigint', display_name: 'text' },
);
const FILL_NAME_KEYS = statement(
  `UPDATE parties p SET name_key = f.key FROM unnest($1::bigint[], $2::text[], $3::text[]) AS f (id, name, key)
    WHERE p.id = f.id AND p.display_name = f.name AND p.name_key IS NULL`,
);

/** Stores the keys of names from before names had keys. Returns how many. */
export async function fillNameKeys(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(WITHOUT_NAME_KEY, [limit]);
  const names = rows.map(({ display_name }) => display_name);
  await db.query(FILL_NAME_KEYS, [rows.map(({ id }) => id), names, names.map(nameKeyOf)]);
  return rows.length;
}

const BY_PREFIX = prepared(
  'parties-by-prefix',
  'SELECT handle, display_name FROM parties WHERE starts_with(handle, $1) AND handle >= $1 AND handle > $2 ORDER BY handle LIMIT $3',
  { handle: 'text!', display_name: 'text' },
);

export async function searchByPrefix(
  db: Queryable,
  prefix: string,
  after: string,
  limit: number,
): Promise<{ handle: string; display_name: string }[]> {
  return db.query(BY_PREFIX, [prefix, after, limit]);
}

/** Exactly one of the fields is set, in its stored form. */
export interface PartyName {
  handle?: string;
  domain?: string;
  email?: string;
}

const ID = statement('SELECT id FROM parties WHERE handle = $1 OR domain = $2 OR email = $3', { id: 'bigint' });

export async function findId(db: Queryable, { handle, domain, email }: PartyName): Promise<bigint | undefined> {
  const [row] = await db.query(ID, [handle ?? null, domain ?? null, email ?? null]);
  return row && BigInt(row.id);
}

const INSERT_UNCLAIMED = statement(
  `INSERT INTO parties (id, domain, email, display_name, folded_name, accepting_drops, organisation) OVERRIDING SYSTEM VALUE
   VALUES (next_party_id($5::text), $1, $2, $3, $4, false, $5) ON CONFLICT DO NOTHING`,
);

/** Creates a party without a handle unless it exists. A search finds it by either spelling of its domain. */
export async function insertUnclaimed(db: Queryable, name: PartyName): Promise<void> {
  const shown = name.domain ?? name.email ?? '';
  await db.query(INSERT_UNCLAIMED, [
    name.domain ?? null,
    name.email ?? null,
    shown,
    foldCase(inLetters(shown)),
    organisationOf(name.domain),
  ]);
}

/** The owner of a registrable domain has all its subdomains. Subdomains of suffixes such as github.io have owners of their own. */
function organisationOf(domain: string | undefined): string | null {
  return domain === undefined ? null : (getDomain(domain, { allowPrivateDomains: true }) ?? domain);
}

const INSERT_MAILBOX = statement(
  'INSERT INTO mailboxes (id, email) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM mailboxes WHERE email = $2) ON CONFLICT DO NOTHING',
);
const MAILBOX = statement('SELECT id FROM mailboxes WHERE email = $1', { id: 'uuid' });

export async function mailboxId(db: Queryable, newId: string, email: string): Promise<string> {
  await db.query(INSERT_MAILBOX, [newId, email]);
  return onlyRow(await db.query(MAILBOX, [email])).id;
}

const INSERT_VERIFIED_DOMAIN = statement(
  'INSERT INTO verified_domains (domain, party_id) SELECT $2, $1 WHERE NOT EXISTS (SELECT FROM verified_domains WHERE domain = $2 AND party_id = $1)',
);

/** Fails with a unique violation when another business has the domain. The history of the domain's mailboxes joins the business. */
export async function insertVerifiedDomain(tx: Queryable, partyId: bigint, domain: string): Promise<void> {
  await tx.query(INSERT_VERIFIED_DOMAIN, [partyId, domain]);
  const unclaimed = await findId(tx, { domain });
  if (unclaimed !== undefined) await queueJoin(tx, partyId, unclaimed, null);
}

const QUEUE_RENAME = statement(
  `SELECT FROM graphile_worker.add_job('rename-contact', $1::json, job_key => $2, run_at => $3, job_key_mode => 'preserve_run_at')`,
);
const RENAMED_AFTER_MS = 5_000;

/** Queues the job that sorts a business by its new name in the contacts of others. Several changes in short order share one job. */
export async function queueRename(tx: Queryable, id: bigint): Promise<void> {
  const partyId = id.toString();
  await tx.query(QUEUE_RENAME, [
    JSON.stringify({ party_id: partyId }),
    `rename-contact ${partyId}`,
    new Date(Date.now() + RENAMED_AFTER_MS),
  ]);
}

const QUEUE_JOIN = statement(`SELECT FROM graphile_worker.add_job('join-history', $1::json)`);

export async function queueJoin(tx: Queryable, businessId: bigint, unclaimedId: bigint, mailbox: string | null): Promise<void> {
  await tx.query(QUEUE_JOIN, [JSON.stringify({ business_id: String(businessId), unclaimed_id: String(unclaimedId), mailbox })]);
}

const DELETE_VERIFIED_DOMAIN = statement('DELETE FROM verified_domains WHERE party_id = $1 AND domain = $2 RETURNING domain', {
  domain: 'text',
});

export async function deleteVerifiedDomain(tx: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  return (await tx.query(DELETE_VERIFIED_DOMAIN, [partyId, domain])).length > 0;
}
