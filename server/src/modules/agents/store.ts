import type { KeyScope } from '../../contract/api-key.ts';
import { formatId } from '../../contract/ids.ts';
import type { Agent, Caller } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { toBusiness } from '../parties/party-row.ts';

interface AgentRow {
  id: string;
  name: string;
  description: string | null;
  segment: string | null;
  created_at: Date;
  [column: string]: unknown;
}

const SELECT_AGENTS = `SELECT a.id, a.name, a.description, s.segment, a.created_at
  FROM agents a LEFT JOIN segments s ON s.party_id = a.party_id AND s.agent_id = a.id`;

function toAgent(row: AgentRow): Agent {
  return { id: row.id, name: row.name, description: row.description, segment: row.segment, createdAt: row.created_at };
}

export async function listAgents(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Agent[]> {
  const rows = await db.query<AgentRow>(
    `${SELECT_AGENTS} WHERE a.party_id = $1 AND ($2::uuid IS NULL OR a.id > $2) ORDER BY a.id LIMIT $3`,
    [partyId, afterId, limit],
  );
  return rows.map(toAgent);
}

export async function findAgent(db: Queryable, partyId: bigint, id: string): Promise<Agent | undefined> {
  const [row] = await db.query<AgentRow>(`${SELECT_AGENTS} WHERE a.party_id = $1 AND a.id = $2`, [partyId, id]);
  return row && toAgent(row);
}

/** For the operator, who names an agent without its business. */
export async function findBusinessOfAgent(db: Queryable, agentId: string): Promise<bigint | undefined> {
  const [row] = await db.query<{ party_id: string }>('SELECT party_id FROM agents WHERE id = $1', [agentId]);
  return row && BigInt(row.party_id);
}

export async function insertAgent(
  tx: Queryable,
  partyId: bigint,
  agent: { id: string; name: string; description: string | null },
): Promise<void> {
  await tx.query('INSERT INTO agents (party_id, id, name, description) VALUES ($1, $2, $3, $4)', [
    partyId,
    agent.id,
    agent.name,
    agent.description,
  ]);
}

export async function updateAgent(
  tx: Queryable,
  partyId: bigint,
  id: string,
  change: { name?: string; description?: string | null },
): Promise<void> {
  await tx.query(
    `UPDATE agents SET name = coalesce($3, name), description = CASE WHEN $4 THEN $5 ELSE description END
      WHERE party_id = $1 AND id = $2`,
    [partyId, id, change.name ?? null, change.description !== undefined, change.description ?? null],
  );
}

/** How many there are, up to a number. */
export async function countAgents(tx: Queryable, partyId: bigint, upTo: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM (SELECT FROM agents WHERE party_id = $1 LIMIT $2) a',
    [partyId, upTo],
  );
  return row?.count ?? 0;
}

/** Makes new keys of an agent wait for each other, so that their number can be counted. */
export async function lockAgent(tx: Queryable, partyId: bigint, id: string): Promise<void> {
  await tx.query('SELECT FROM agents WHERE party_id = $1 AND id = $2 FOR NO KEY UPDATE', [partyId, id]);
}

/** Of those that are not revoked. */
export async function countKeys(tx: Queryable, partyId: bigint, agentId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM api_keys WHERE party_id = $1 AND agent_id = $2 AND revoked_at IS NULL',
    [partyId, agentId],
  );
  return row?.count ?? 0;
}

/** Those that were created first, beyond a number. */
export async function forgetRevoked(tx: Queryable, partyId: bigint, agentId: string, kept: number): Promise<void> {
  await tx.query(
    `DELETE FROM api_keys WHERE party_id = $1 AND id IN
       (SELECT id FROM api_keys WHERE party_id = $1 AND agent_id = $2 AND revoked_at IS NOT NULL ORDER BY id DESC OFFSET $3)`,
    [partyId, agentId, kept],
  );
}

export interface NewKey {
  id: string;
  agentId: string;
  scope: KeyScope;
  prefix: string;
  secretHash: Buffer;
}

export async function insertKey(tx: Queryable, partyId: bigint, key: NewKey): Promise<void> {
  await tx.query('INSERT INTO api_keys (party_id, id, agent_id, scope, prefix, secret_hash) VALUES ($1, $2, $3, $4, $5, $6)', [
    partyId,
    key.id,
    key.agentId,
    key.scope,
    key.prefix,
    key.secretHash,
  ]);
}

/** False when the business has no such key. Revoking twice keeps the first time. */
export async function revokeKey(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const rows = await tx.query('UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE party_id = $1 AND id = $2 RETURNING id', [
    partyId,
    id,
  ]);
  return rows.length > 0;
}

/** For the operator, who names a key without its business. */
export async function findBusinessOfKey(db: Queryable, keyId: string): Promise<bigint | undefined> {
  const [row] = await db.query<{ party_id: string }>('SELECT party_id FROM api_keys WHERE id = $1', [keyId]);
  return row && BigInt(row.party_id);
}

/** A key as its business sees it: never the secret. */
export interface KeyRecord {
  id: string;
  scope: KeyScope;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** In the order of their creation. */
export async function listKeys(
  db: Queryable,
  partyId: bigint,
  agentId: string,
  afterId: string | null,
  limit: number,
): Promise<KeyRecord[]> {
  const rows = await db.query<{
    id: string;
    scope: KeyScope;
    prefix: string;
    created_at: Date;
    last_used_at: Date | null;
    revoked_at: Date | null;
  }>(
    `SELECT id, scope, prefix, created_at, last_used_at, revoked_at FROM api_keys
      WHERE party_id = $1 AND agent_id = $2 AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`,
    [partyId, agentId, afterId, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    scope: row.scope,
    prefix: row.prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }));
}

interface CallerRow extends AgentRow {
  party_id: string;
  handle: string;
  display_name: string;
  accepting_drops: boolean;
  minimal_receipts: boolean;
  takes_replies: boolean;
  verified_domains: string[];
  party_created_at: Date;
  key_id: string;
  scope: KeyScope;
  prefix: string;
  key_created_at: Date;
}

export async function findCaller(db: Queryable, secretHash: Buffer): Promise<Caller | undefined> {
  const [row] = await db.query<CallerRow>(
    {
      name: 'caller-by-secret',
      text: `SELECT p.id AS party_id, p.handle, p.display_name, p.accepting_drops, p.minimal_receipts, p.takes_replies, p.created_at AS party_created_at,
                    ARRAY(SELECT d.domain FROM verified_domains d WHERE d.party_id = p.id ORDER BY d.domain) AS verified_domains,
                    a.id, a.name, a.description, s.segment, a.created_at,
                    k.id AS key_id, k.scope, k.prefix, k.created_at AS key_created_at
               FROM api_keys k
               JOIN parties p ON p.id = k.party_id
               JOIN agents a ON a.party_id = k.party_id AND a.id = k.agent_id
               LEFT JOIN segments s ON s.party_id = k.party_id AND s.agent_id = k.agent_id
              WHERE k.secret_hash = $1 AND k.revoked_at IS NULL`,
    },
    [secretHash],
  );
  if (!row) return undefined;
  const business = toBusiness({ ...row, id: row.party_id, created_at: row.party_created_at });
  const agent = toAgent(row);
  const key = { id: row.key_id, scope: row.scope, prefix: row.prefix, createdAt: row.key_created_at };
  return {
    business,
    actor: { kind: 'agent', id: formatId('agt', agent.id), name: agent.name, email: null, verified: true, provider: 'api_key' },
    scope: key.scope,
    countedAs: key.id,
    by: { kind: 'key', agent, key },
  };
}

export async function recordUse(db: Queryable, keyIds: string[]): Promise<void> {
  await db.query('UPDATE api_keys SET last_used_at = now() WHERE id = ANY ($1::uuid[])', [keyIds]);
}
