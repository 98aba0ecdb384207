import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';

const DOMAIN_SENDERS = ['everybody', 'members'] as const;

export type DomainSenders = (typeof DOMAIN_SENDERS)[number];

const DOMAIN_ROW = columns({
  domain: 'text',
  /** Null when the operator vouches for the domain. */
  token: 'text?',
  verified_at: 'timestamptz?',
  checked_at: 'timestamptz?',
  missing_since: 'timestamptz?',
  senders: oneOf('text', DOMAIN_SENDERS),
});

export type DomainRow = RowOf<typeof DOMAIN_ROW>;

const SELECT_DOMAINS = `SELECT coalesce(r.domain, v.domain) AS domain, r.token, v.verified_at, r.checked_at, r.missing_since,
         coalesce(v.senders, 'everybody') AS senders
  FROM (SELECT * FROM domain_requests WHERE party_id = $1) r
  FULL JOIN (SELECT * FROM verified_domains WHERE party_id = $1) v ON v.domain = r.domain`;

const DOMAINS = statement(`${SELECT_DOMAINS} ORDER BY 1`, DOMAIN_ROW);

export function listDomains(db: Queryable, partyId: bigint): Promise<DomainRow[]> {
  return db.query(DOMAINS, [partyId]);
}

const DOMAIN = statement(`${SELECT_DOMAINS} WHERE coalesce(r.domain, v.domain) = $2`, DOMAIN_ROW);

export async function findDomain(db: Queryable, partyId: bigint, domain: string): Promise<DomainRow | undefined> {
  const [row] = await db.query(DOMAIN, [partyId, domain]);
  return row;
}

const UPDATE_SENDERS = statement('UPDATE verified_domains SET senders = $3 WHERE party_id = $1 AND domain = $2 RETURNING domain', {
  domain: 'text',
});

export async function updateSenders(db: Queryable, partyId: bigint, domain: string, senders: DomainSenders): Promise<boolean> {
  return (await db.query(UPDATE_SENDERS, [partyId, domain, senders])).length > 0;
}

const LOCK_DOMAINS = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const INSERT_REQUEST = statement(
  `WITH known AS (SELECT 1 FROM domain_requests WHERE party_id = $1 AND domain = $2
                  UNION ALL SELECT 1 FROM verified_domains WHERE party_id = $1 AND domain = $2),
        added AS (INSERT INTO domain_requests (party_id, domain, token)
                  SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM known) AND (SELECT count(*) FROM domain_requests WHERE party_id = $1) < $4 RETURNING 1)
   SELECT FROM known UNION ALL SELECT FROM added`,
);

/** Keeps the token of an earlier request, and a domain that the operator vouches for. Returns false when the limit is reached. */
export async function insertRequest(tx: Queryable, partyId: bigint, domain: string, token: string, max: number): Promise<boolean> {
  await tx.query(LOCK_DOMAINS, [partyId]);
  return (await tx.query(INSERT_REQUEST, [partyId, domain, token, max])).length > 0;
}

const DELETE_REQUEST = statement('DELETE FROM domain_requests WHERE party_id = $1 AND domain = $2 RETURNING domain', { domain: 'text' });

export async function deleteRequest(tx: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  return (await tx.query(DELETE_REQUEST, [partyId, domain])).length > 0;
}

const NOTE_CHECK = statement(
  `UPDATE domain_requests
      SET checked_at = now(),
          missing_since = CASE WHEN $3::boolean IS NULL THEN missing_since WHEN NOT $3 THEN coalesce(missing_since, now()) END
    WHERE party_id = $1 AND domain = $2 AND ($4::text IS NULL OR token = $4)
   RETURNING extract(epoch FROM now() - missing_since)::float8 / 3600 AS missing_hours`,
  { missing_hours: 'float8?' },
);

/**
 * Returns for how many hours the record has been missing, or undefined when there is no such request, or it has another token now. If DNS
 * did not respond, the number of hours does not change.
 */
export async function noteCheck(
  tx: Queryable,
  partyId: bigint,
  domain: string,
  isThere: boolean | undefined,
  token?: string,
): Promise<{ missingHours: number } | undefined> {
  const [row] = await tx.query(NOTE_CHECK, [partyId, domain, isThere ?? null, token ?? null]);
  return row && { missingHours: row.missing_hours ?? 0 };
}

const HOLDER = statement(
  'SELECT r.party_id, r.token FROM verified_domains v JOIN domain_requests r ON r.party_id = v.party_id AND r.domain = v.domain WHERE v.domain = $1',
  { party_id: 'bigint', token: 'text' },
);

export async function findHolder(db: Queryable, domain: string): Promise<{ partyId: bigint; token: string } | undefined> {
  const [row] = await db.query(HOLDER, [domain]);
  return row && { partyId: BigInt(row.party_id), token: row.token };
}

export interface DomainToRecheck {
  partyId: bigint;
  domain: string;
  token: string;
}

const DOMAINS_TO_RECHECK = statement(
  `SELECT r.party_id, r.domain, r.token
     FROM verified_domains v JOIN domain_requests r ON r.party_id = v.party_id AND r.domain = v.domain
    WHERE r.checked_at < now() - make_interval(hours => $1) ORDER BY r.checked_at LIMIT $2`,
  { party_id: 'bigint', domain: 'text', token: 'text' },
);

export async function domainsToRecheck(db: Queryable, hours: number, limit: number): Promise<DomainToRecheck[]> {
  const rows = await db.query(DOMAINS_TO_RECHECK, [hours, limit]);
  return rows.map((row) => ({ partyId: BigInt(row.party_id), domain: row.domain, token: row.token }));
}
