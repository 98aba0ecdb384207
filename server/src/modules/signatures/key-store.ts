import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';

const ROW = columns({
  id: 'uuid',
  agent_id: 'uuid',
  public_key: 'bytea',
  created_at: 'timestamptz',
  revoked_at: 'timestamptz?',
  registration: 'text',
  log_batch: 'uuid',
});

export interface SigningKeyRecord {
  id: string;
  agentId: string;
  publicKey: Buffer;
  createdAt: Date;
  revokedAt: Date | null;
  registration: string;
  logBatch: string;
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

const LOG = statement('SELECT log_statement($1::bytea, $2::text, $3::timestamptz) AS batch', { batch: 'uuid' });

export async function logStatement(tx: Queryable, text: string, at: Date): Promise<string> {
  const [row] = await tx.query(LOG, [Buffer.from([KEY_LEAF]), text, at]);
  return row?.batch ?? '';
}

const KEY_LEAF = 0x04;

const INSERT = statement(
  `INSERT INTO signing_keys (party_id, id, agent_id, public_key, created_at, registration, log_batch) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function insertKey(tx: Queryable, partyId: bigint, key: Omit<SigningKeyRecord, 'revokedAt'>): Promise<void> {
  await tx.query(INSERT, [partyId, key.id, key.agentId, key.publicKey, key.createdAt, key.registration, key.logBatch]);
}

const REVOKE = statement(
  'UPDATE signing_keys SET revoked_at = $3, revocation = $4, revocation_batch = $5 WHERE party_id = $1 AND id = $2 AND revoked_at IS NULL',
);

export async function revokeKey(
  tx: Queryable,
  partyId: bigint,
  id: string,
  { at, text, logBatch }: { at: Date; text: string; logBatch: string },
): Promise<void> {
  await tx.query(REVOKE, [partyId, id, at, text, logBatch]);
}
