import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, type RowOf, statement } from '../../platform/postgres/statement.ts';

const IS_VERIFIED = statement('SELECT FROM verified_domains WHERE party_id = $1 AND domain = $2');

export async function isVerified(db: Queryable, partyId: bigint, domain: string): Promise<boolean> {
  return (await db.query(IS_VERIFIED, [partyId, domain])).length > 0;
}

const LOCK_FILES = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const ASK = statement(
  `INSERT INTO domain_key_files AS f (party_id, domain, asked_at, checked_at)
   SELECT $1, $2, clock_timestamp(), '-infinity'
    WHERE (SELECT count(*) FROM domain_key_files o WHERE o.party_id = $1 AND o.domain <> $2) < $4
   ON CONFLICT (party_id, domain) DO UPDATE SET asked_at = excluded.asked_at
     WHERE f.asked_at < clock_timestamp() - make_interval(secs => $3) RETURNING domain`,
  { domain: 'text' },
);

/** From now on the file is fetched each day. Returns false if the business has asked for a fetch a moment ago, or has too many files. */
export async function ask(
  tx: Queryable,
  partyId: bigint,
  domain: string,
  { pauseS, filesMax }: { pauseS: number; filesMax: number },
): Promise<boolean> {
  await tx.query(LOCK_FILES, [partyId]);
  return (await tx.query(ASK, [partyId, domain, pauseS, filesMax])).length > 0;
}

const FILE_ROW = columns({
  checked_at: 'timestamptz?',
  missing_since: 'timestamptz?',
  problem: 'text?',
  holds: 'integer?',
  keys: 'text[]?',
  at: 'timestamptz?',
});

export interface KeyFile {
  /** Null: it was not fetched yet. */
  checkedAt: Date | null;
  missingSince: Date | null;
  problem: string | null;
  /** The statement that holds. */
  holds: { number: number; keys: string[]; at: Date } | null;
}

function toFile({ holds: number, keys, at, ...row }: RowOf<typeof FILE_ROW>): KeyFile {
  return {
    checkedAt: row.checked_at,
    missingSince: row.missing_since,
    problem: row.problem,
    holds: number === null || keys === null || at === null ? null : { number, keys, at },
  };
}

const FILE = `SELECT nullif(f.checked_at, '-infinity') AS checked_at, f.missing_since, f.problem, f.holds, s.keys, s.at
  FROM domain_key_files f
  LEFT JOIN domain_key_statements s ON s.party_id = f.party_id AND s.domain = f.domain AND s.number = f.holds
 WHERE f.party_id = $1 AND f.domain = $2`;
const READ_FILE = statement(FILE, FILE_ROW);
const LOCK_FILE = statement(`${FILE} FOR UPDATE OF f`, FILE_ROW);

export async function readFile(db: Queryable, partyId: bigint, domain: string): Promise<KeyFile | undefined> {
  const [row] = await db.query(READ_FILE, [partyId, domain]);
  return row && toFile(row);
}

/** Fetches of one file take turns to note what they found. */
export async function lockFile(tx: Queryable, partyId: bigint, domain: string): Promise<KeyFile | undefined> {
  const [row] = await tx.query(LOCK_FILE, [partyId, domain]);
  return row && toFile(row);
}

const NOTE = statement(
  'UPDATE domain_key_files SET checked_at = $3, missing_since = $4, problem = $5, holds = $6 WHERE party_id = $1 AND domain = $2',
);

export async function noteCheck(
  tx: Queryable,
  partyId: bigint,
  domain: string,
  { checkedAt, missingSince, problem, holds }: Omit<KeyFile, 'checkedAt' | 'holds'> & { checkedAt: Date; holds: number | null },
): Promise<void> {
  await tx.query(NOTE, [partyId, domain, checkedAt, missingSince, problem, holds]);
}

const POSTPONE = statement('UPDATE domain_key_files SET checked_at = clock_timestamp() WHERE party_id = $1 AND domain = $2');

/** A fetch that could not be noted is made again the next day. */
export async function postponeCheck(db: Queryable, partyId: bigint, domain: string): Promise<void> {
  await db.query(POSTPONE, [partyId, domain]);
}

const FORGET = statement('DELETE FROM domain_key_files WHERE party_id = $1 AND domain = $2');

export async function forgetFile(tx: Queryable, partyId: bigint, domain: string): Promise<void> {
  await tx.query(FORGET, [partyId, domain]);
}

const BEFORE = statement(
  `SELECT coalesce(max(number), 0) AS number, count(*) FILTER (WHERE at > clock_timestamp() - interval '1 day')::integer AS in_a_day
     FROM domain_key_statements WHERE party_id = $1 AND domain = $2`,
  { number: 'integer', in_a_day: 'integer' },
);

/** The number of the last statement, and how many were made in the last 24 hours. */
export async function statementsBefore(tx: Queryable, partyId: bigint, domain: string): Promise<{ number: number; inADay: number }> {
  const { number, in_a_day } = onlyRow(await tx.query(BEFORE, [partyId, domain]));
  return { number, inADay: in_a_day };
}

const DOMAIN_KEYS_LEAF = 0x06;
const LOG = statement('SELECT log_statement($1::bytea, $2::text, $3::timestamptz) AS batch', { batch: 'uuid' });
const INSERT = statement(
  'INSERT INTO domain_key_statements (party_id, domain, number, at, keys, statement, log_batch) VALUES ($1, $2, $3, $4, $5, $6, $7)',
);
const END_SPANS = statement(
  'UPDATE domain_key_spans SET to_number = $4 WHERE party_id = $1 AND key = ANY ($2::text[]) AND domain = $3 AND to_number IS NULL',
);
const BEGIN_SPANS = statement(
  'INSERT INTO domain_key_spans (party_id, key, domain, from_number) SELECT $1, key, $3, $4 FROM unnest($2::text[]) AS key',
);

/** `former`: the keys of the statement that held until now. */
export async function logStatement(
  tx: Queryable,
  partyId: bigint,
  domain: string,
  { number, at, former, keys, text }: { number: number; at: Date; former: readonly string[]; keys: readonly string[]; text: string },
): Promise<void> {
  const { batch } = onlyRow(await tx.query(LOG, [Buffer.from([DOMAIN_KEYS_LEAF]), text, at]));
  await tx.query(INSERT, [partyId, domain, number, at, keys, text, batch]);
  await tx.query(END_SPANS, [partyId, former.filter((key) => !keys.includes(key)), domain, number]);
  await tx.query(BEGIN_SPANS, [partyId, keys.filter((key) => !former.includes(key)), domain, number]);
}

const NOW = statement('SELECT clock_timestamp() AS time', { time: 'timestamptz' });

export async function databaseTime(db: Queryable): Promise<Date> {
  return onlyRow(await db.query(NOW)).time;
}

export interface FileName {
  partyId: bigint;
  domain: string;
}

const FILES_TO_CHECK = statement(
  `SELECT f.party_id, f.domain, v.domain IS NULL AS is_lost
     FROM domain_key_files f LEFT JOIN verified_domains v ON v.party_id = f.party_id AND v.domain = f.domain
    WHERE (f.party_id, f.domain) > ($1, $2) AND (v.domain IS NULL OR f.checked_at < clock_timestamp() - make_interval(hours => $3))
    ORDER BY f.party_id, f.domain LIMIT $4`,
  { party_id: 'bigint', domain: 'text', is_lost: 'boolean' },
);

/** Files that are due, and those of domains that their business has lost, after this one. */
export async function filesToCheck(
  db: Queryable,
  { partyId, domain }: FileName,
  { hours, limit }: { hours: number; limit: number },
): Promise<(FileName & { isLost: boolean })[]> {
  const rows = await db.query(FILES_TO_CHECK, [partyId, domain, hours, limit]);
  return rows.map((row) => ({ partyId: BigInt(row.party_id), domain: row.domain, isLost: row.is_lost }));
}
