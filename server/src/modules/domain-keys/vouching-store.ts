import type { Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';

/** A key counts from the first of the statements up to the one that holds which all have it. */
const VOUCHED = statement(
  `SELECT s.key, s.domain, f.at AS since
     FROM domain_key_spans s
     JOIN verified_domains v ON v.party_id = s.party_id AND v.domain = s.domain
     JOIN domain_key_statements f ON f.party_id = s.party_id AND f.domain = s.domain AND f.number = s.from_number
    WHERE s.party_id = $1 AND s.key = ANY ($2::text[]) AND s.to_number IS NULL ORDER BY f.at, s.domain`,
  { key: 'text', domain: 'text', since: 'timestamptz' },
);

export interface Vouched {
  key: string;
  domain: string;
  since: Date;
}

/** Which of these keys a domain of the party vouches for now, the earliest first. */
export function vouchedKeys(db: Queryable, partyId: bigint, keys: readonly string[]): Promise<Vouched[]> {
  return db.query(VOUCHED, [partyId, keys]);
}

/** The newest statement of its domain at that time, if it has the key; or else the one that holds now. */
const VOUCHING = statement(
  `SELECT h.domain, h.at, h.statement, h.log_batch
     FROM domain_key_spans s
     CROSS JOIN LATERAL (
       SELECT t.* FROM (SELECT * FROM domain_key_statements o WHERE o.party_id = s.party_id AND o.domain = s.domain AND o.at <= $3
                         ORDER BY o.at DESC, o.number DESC LIMIT 1) t
        WHERE t.number >= s.from_number AND (s.to_number IS NULL OR t.number < s.to_number)
       UNION ALL
       SELECT t.* FROM domain_key_files f
         JOIN verified_domains v ON v.party_id = f.party_id AND v.domain = f.domain
         JOIN domain_key_statements t ON t.party_id = f.party_id AND t.domain = f.domain AND t.number = f.holds
        WHERE f.party_id = s.party_id AND f.domain = s.domain AND s.to_number IS NULL) h
    WHERE s.party_id = $1 AND s.key = $2 ORDER BY h.at, h.domain LIMIT 1`,
  { domain: 'text', at: 'timestamptz', statement: 'text', log_batch: 'uuid' },
);

export interface VouchingStatement {
  domain: string;
  at: Date;
  statement: string;
  logBatch: string;
}

export async function findVouching(db: Queryable, partyId: bigint, key: string, at: Date): Promise<VouchingStatement | undefined> {
  const [row] = await db.query(VOUCHING, [partyId, key, at]);
  return row && { domain: row.domain, at: row.at, statement: row.statement, logBatch: row.log_batch };
}
