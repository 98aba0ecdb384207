import type { Queryable } from '../../platform/postgres.ts';

/** Who may send for the business from a mailbox of the domain. */
export type DomainSenders = 'everybody' | 'members';

export interface DomainRow {
  domain: string;
  /** Null when the operator vouches for it. */
  token: string | null;
  verified_at: Date | null;
  checked_at: Date | null;
  missing_since: Date | null;
  senders: DomainSenders;
  [column: string]: unknown;
}

const SELECT_DOMAINS = `SELECT coalesce(r.domain, v.domain) AS domain, r.token, v.verified_at, r.checked_at, r.missing_since,
         coalesce(v.senders, 'everybody') AS senders
  FROM (SELECT * FROM domain_requests WHERE party_id = $1) r
  FULL JOIN (SELECT * FROM verified_domains WHERE party_id = $1) v ON v.domain = r.domain`;

export function listDomains(db: Queryable, partyId: bigint): Promise<DomainRow[]> {
  return db.query<DomainRow>(`${SELECT_DOMAINS} ORDER BY 1`, [partyId]);
}

export async function findDomain(db: Queryable, partyId: bigint, domain: string): Promise<DomainRow | undefined> {
  const [row] = await db.query<DomainRow>(`${SELECT_DOMAINS} WHERE coalesce(r.domain, v.domain) = $2`, [partyId, domain]);
  return row;
}

/** False when the domain is not one that the business has verified. */
export async function updateSenders(db: Queryable, partyId: bigint, domain: string, senders: DomainSenders): Promise<boolean> {
  const rows = await db.query('UPDATE verified_domains SET senders = $3 WHERE party_id = $1 AND domain = $2 RETURNING 1', [
    partyId,
    domain,
    senders,
  ]);
  return rows.length > 0;
}

/** Keeps the token of an earlier request, and what the operator vouches for. False when the business has as many as it may have. */
export async function insertRequest(tx: Queryable, partyId: bigint, domain: string, token: string, max: number): Promise<boolean> {
  await tx.query('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE', [partyId]);
  const rows = await tx.query(
    `WITH known AS (SELECT FROM domain_requests WHERE party_id = $1 AND domain = $2
                    UNION ALL SELECT FROM verified_domains WHERE party_id = $1 AND domain = $2),
          added AS (INSERT INTO domain_requests (party_id, domain, token)
                    SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM known) AND (SELECT count(*) FROM domain_requests WHERE party_id = $1) < $4 RETURNING 1)
     SELECT FROM known UNION ALL SELECT FROM added`,
    [partyId, domain, token, max],
  );
  return rows.length > 0;
}

export async function deleteRequest(tx: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  return (await tx.query('DELETE FROM domain_requests WHERE party_id = $1 AND domain = $2 RETURNING 1', [partyId, domain])).length > 0;
}

/**
 * Tells for how many hours the text has been missing; undefined when there is no such request, or none with the token
 * any more. When it could not be found out whether the text is there, it is as missing as it was.
 */
export async function noteCheck(
  tx: Queryable,
  partyId: bigint,
  domain: string,
  isThere: boolean | undefined,
  token?: string,
): Promise<{ missingHours: number } | undefined> {
  const [row] = await tx.query<{ missing_hours: number | null }>(
    `UPDATE domain_requests
        SET checked_at = now(),
            missing_since = CASE WHEN $3::boolean IS NULL THEN missing_since WHEN NOT $3 THEN coalesce(missing_since, now()) END
      WHERE party_id = $1 AND domain = $2 AND ($4::text IS NULL OR token = $4)
     RETURNING extract(epoch FROM now() - missing_since)::float8 / 3600 AS missing_hours`,
    [partyId, domain, isThere ?? null, token ?? null],
  );
  return row && { missingHours: row.missing_hours ?? 0 };
}

/** The business that holds a domain because of its DNS, with the text that is to stand there. */
export async function findHolder(db: Queryable, domain: string): Promise<{ partyId: bigint; token: string } | undefined> {
  const [row] = await db.query<{ party_id: string; token: string }>(
    'SELECT r.party_id, r.token FROM verified_domains v JOIN domain_requests r ON r.party_id = v.party_id AND r.domain = v.domain WHERE v.domain = $1',
    [domain],
  );
  return row && { partyId: BigInt(row.party_id), token: row.token };
}

export interface DomainToRecheck {
  partyId: bigint;
  domain: string;
  token: string;
}

/** Those longest unchecked, of all businesses. */
export async function domainsToRecheck(db: Queryable, hours: number, limit: number): Promise<DomainToRecheck[]> {
  const rows = await db.query<{ party_id: string; domain: string; token: string }>(
    `SELECT r.party_id, r.domain, r.token
       FROM verified_domains v JOIN domain_requests r ON r.party_id = v.party_id AND r.domain = v.domain
      WHERE r.checked_at < now() - make_interval(hours => $1) ORDER BY r.checked_at LIMIT $2`,
    [hours, limit],
  );
  return rows.map((row) => ({ partyId: BigInt(row.party_id), domain: row.domain, token: row.token }));
}
