import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

const ROW = columns({
  id: 'uuid',
  agent_id: 'uuid',
  public_key: 'bytea',
  created_at: 'timestamptz',
  revoked_at: 'timestamptz?',
  registration: 'text',
  log_batch: 'uuid',
  revocation: 'text?',
  revocation_batch: 'uuid?',
});

/** A statement in the log: the first leaf of a batch in the shard of the key's party. */
export interface LoggedStatement {
  text: string;
  logBatch: string;
}

export interface SigningKeyRecord {
  id: string;
  agentId: string;
  publicKey: Buffer;
  createdAt: Date;
  revokedAt: Date | null;
  registration: string;
  logBatch: string;
  revocation: LoggedStatement | null;
}

function toKey(row: RowOf<typeof ROW>): SigningKeyRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    publicKey: row.public_key,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    registration: row.registration,
    logBatch: row.log_batch,
    revocation: row.revocation && row.revocation_batch ? { text: row.revocation, logBatch: row.revocation_batch } : null,
  };
}

const KEY = prepared('signing-key', `SELECT ${namesOf(ROW)} FROM signing_keys WHERE party_id = $1 AND id = $2`, ROW);

export async function findKey(db: Queryable, partyId: bigint, id: string): Promise<SigningKeyRecord | undefined> {
  const [row] = await db.query(KEY, [partyId, id]);
  return row && toKey(row);
}

const KEYS = statement(
  `SELECT ${namesOf(ROW)} FROM signing_keys WHERE party_id = $1 AND agent_id = $2 AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`,
  ROW,
);

export async function listKeys(
  db: Queryable,
  partyId: bigint,
  agentId: string,
  afterId: string | null,
  limit: number,
): Promise<SigningKeyRecord[]> {
  return (await db.query(KEYS, [partyId, agentId, afterId, limit])).map(toKey);
}

const LOCK_AGENT = statement('SELECT FROM agents WHERE party_id = $1 AND id = $2 FOR NO KEY UPDATE');

/** Serializes changes of an agent's keys, so that they can be counted. Returns false if there is no such agent. */
export async function lockAgent(tx: Queryable, partyId: bigint, agentId: string): Promise<boolean> {
  return (await tx.query(LOCK_AGENT, [partyId, agentId])).length > 0;
}

const HOLD_KEY = statement('SELECT FROM signing_keys WHERE party_id = $1 AND id = $2 FOR NO KEY UPDATE');

/** Waits for all that the key has signed and that is being committed. What comes later finds the key revoked (hold_valid_key). */
export async function holdKey(tx: Queryable, partyId: bigint, id: string): Promise<void> {
  await tx.query(HOLD_KEY, [partyId, id]);
}

const HOLD_VALID_KEY = statement('SELECT hold_valid_key($1::bigint, $2::uuid) AS is_valid', { is_valid: 'boolean' });

/** A revocation waits for the end of the transaction. Returns false if the key is revoked. */
export async function holdValidKey(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  return onlyRow(await tx.query(HOLD_VALID_KEY, [partyId, id])).is_valid;
}

const NOW = statement(`SELECT date_trunc('milliseconds', clock_timestamp()) AS now`, { now: 'timestamptz' });

/** The clock that also says when messages are received. */
export async function databaseTime(tx: Queryable): Promise<Date> {
  return onlyRow(await tx.query(NOW)).now;
}

const LOG = statement('SELECT log_statement($1::bytea, $2::text, $3::timestamptz) AS batch', { batch: 'uuid' });

export async function logStatement(tx: Queryable, text: string, at: Date): Promise<string> {
  const [row] = await tx.query(LOG, [Buffer.from([KEY_LEAF]), text, at]);
  return row?.batch ?? '';
}

const KEY_LEAF = 0x04;

const INSERT = statement(
  `INSERT INTO signing_keys (party_id, id, agent_id, public_key, created_at, registration, log_batch) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function insertKey(tx: Queryable, partyId: bigint, key: Omit<SigningKeyRecord, 'revokedAt' | 'revocation'>): Promise<void> {
  await tx.query(INSERT, [partyId, key.id, key.agentId, key.publicKey, key.createdAt, key.registration, key.logBatch]);
}

const REVOKE = statement(
  'UPDATE signing_keys SET revoked_at = $3, revocation = $4, revocation_batch = $5 WHERE party_id = $1 AND id = $2 AND revoked_at IS NULL',
);

export async function revokeKey(
  tx: Queryable,
  partyId: bigint,
  id: string,
  { at, text, logBatch }: LoggedStatement & { at: Date },
): Promise<void> {
  await tx.query(REVOKE, [partyId, id, at, text, logBatch]);
}
