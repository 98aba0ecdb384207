import { KEY_SCOPES, type KeyScope } from '../../contract/api-key.ts';
import { formatId } from '../../contract/ids.ts';
import type { Agent, Caller } from '../../contract/parties.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { toBusiness } from '../parties/party-row.ts';

const AGENT_ROW = columns({ id: 'uuid', name: 'text', description: 'text?', segment: 'text?', created_at: 'timestamptz' });

const SELECT_AGENTS = `SELECT a.id, a.name, a.description, s.segment, a.created_at
  FROM agents a LEFT JOIN segments s ON s.party_id = a.party_id AND s.agent_id = a.id`;

function toAgent(row: RowOf<typeof AGENT_ROW>): Agent {
  return { id: row.id, name: row.name, description: row.description, segment: row.segment, createdAt: row.created_at };
}

const AGENTS = statement(`${SELECT_AGENTS} WHERE a.party_id = $1 AND ($2::uuid IS NULL OR a.id > $2) ORDER BY a.id LIMIT $3`, AGENT_ROW);

export async function listAgents(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Agent[]> {
  const rows = await db.query(AGENTS, [partyId, afterId, limit]);
  return rows.map(toAgent);
}

const AGENT = statement(`${SELECT_AGENTS} WHERE a.party_id = $1 AND a.id = $2`, AGENT_ROW);

export async function findAgent(db: Queryable, partyId: bigint, id: string): Promise<Agent | undefined> {
  const [row] = await db.query(AGENT, [partyId, id]);
  return row && toAgent(row);
}

const BUSINESS_OF_AGENT = statement('SELECT party_id FROM agents WHERE id = $1', { party_id: 'bigint' });

export async function findBusinessOfAgent(db: Queryable, agentId: string): Promise<bigint | undefined> {
  const [row] = await db.query(BUSINESS_OF_AGENT, [agentId]);
  return row && BigInt(row.party_id);
}

const INSERT_AGENT = statement('INSERT INTO agents (party_id, id, name, description) VALUES ($1, $2, $3, $4)');

export async function insertAgent(
  tx: Queryable,
  partyId: bigint,
  agent: { id: string; name: string; description: string | null },
): Promise<void> {
  await tx.query(INSERT_AGENT, [partyId, agent.id, agent.name, agent.description]);
}

const UPDATE_AGENT = statement(
  `UPDATE agents SET name = coalesce($3, name), description = CASE WHEN $4 THEN $5 ELSE description END
    WHERE party_id = $1 AND id = $2`,
);

export async function updateAgent(
  tx: Queryable,
  partyId: bigint,
  id: string,
  change: { name: string | undefined; description: string | null | undefined },
): Promise<void> {
  await tx.query(UPDATE_AGENT, [partyId, id, change.name ?? null, change.description !== undefined, change.description ?? null]);
}

const COUNT_AGENTS = statement('SELECT count(*)::integer AS count FROM (SELECT FROM agents WHERE party_id = $1 LIMIT $2) a', {
  count: 'integer',
});

export async function countAgents(tx: Queryable, partyId: bigint, upTo: number): Promise<number> {
  const [row] = await tx.query(COUNT_AGENTS, [partyId, upTo]);
  return row?.count ?? 0;
}

const LOCK_AGENT = statement('SELECT FROM agents WHERE party_id = $1 AND id = $2 FOR NO KEY UPDATE');

/** Serializes the creation of an agent's keys, so that they can be counted. */
export async function lockAgent(tx: Queryable, partyId: bigint, id: string): Promise<void> {
  await tx.query(LOCK_AGENT, [partyId, id]);
}

const COUNT_KEYS = statement(
  'SELECT count(*)::integer AS count FROM api_keys WHERE party_id = $1 AND agent_id = $2 AND revoked_at IS NULL',
  { count: 'integer' },
);

export async function countKeys(tx: Queryable, partyId: bigint, agentId: string): Promise<number> {
  const [row] = await tx.query(COUNT_KEYS, [partyId, agentId]);
  return row?.count ?? 0;
}

const FORGET_REVOKED = statement(
  `DELETE FROM api_keys WHERE party_id = $1 AND id IN
     (SELECT id FROM api_keys WHERE party_id = $1 AND agent_id = $2 AND revoked_at IS NOT NULL ORDER BY id DESC OFFSET $3)`,
);

export async function forgetRevoked(tx: Queryable, partyId: bigint, agentId: string, kept: number): Promise<void> {
  await tx.query(FORGET_REVOKED, [partyId, agentId, kept]);
}

interface NewKey {
  id: string;
  agentId: string;
  scope: KeyScope;
  prefix: string;
  secretHash: Buffer;
}

const INSERT_KEY = statement('INSERT INTO api_keys (party_id, id, agent_id, scope, prefix, secret_hash) VALUES ($1, $2, $3, $4, $5, $6)');

export async function insertKey(tx: Queryable, partyId: bigint, key: NewKey): Promise<void> {
  await tx.query(INSERT_KEY, [partyId, key.id, key.agentId, key.scope, key.prefix, key.secretHash]);
}

const REVOKE_KEY = statement('UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE party_id = $1 AND id = $2 RETURNING id', {
  id: 'uuid',
});

/** Returns false when the business has no such key. Revoking twice keeps the first time. */
export async function revokeKey(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  return (await tx.query(REVOKE_KEY, [partyId, id])).length > 0;
}

const BUSINESS_OF_KEY = statement('SELECT party_id FROM api_keys WHERE id = $1', { party_id: 'bigint' });

export async function findBusinessOfKey(db: Queryable, keyId: string): Promise<bigint | undefined> {
  const [row] = await db.query(BUSINESS_OF_KEY, [keyId]);
  return row && BigInt(row.party_id);
}

export interface KeyRecord {
  id: string;
  scope: KeyScope;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

const KEYS = statement(
  `SELECT id, scope, prefix, created_at, last_used_at, revoked_at FROM api_keys
    WHERE party_id = $1 AND agent_id = $2 AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`,
  {
    id: 'uuid',
    scope: oneOf('key_scope', KEY_SCOPES),
    prefix: 'text',
    created_at: 'timestamptz',
    last_used_at: 'timestamptz?',
    revoked_at: 'timestamptz?',
  },
);

export async function listKeys(
  db: Queryable,
  partyId: bigint,
  agentId: string,
  afterId: string | null,
  limit: number,
): Promise<KeyRecord[]> {
  const rows = await db.query(KEYS, [partyId, agentId, afterId, limit]);
  return rows.map((row) => ({
    id: row.id,
    scope: row.scope,
    prefix: row.prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }));
}

const CALLER = prepared(
  'caller-by-secret',
  `SELECT p.id AS party_id, p.handle, p.display_name, p.accepting_drops, p.minimal_receipts, p.has_agent_card, p.takes_replies, p.created_at AS party_created_at,
          ARRAY(SELECT d.domain FROM verified_domains d WHERE d.party_id = p.id ORDER BY d.domain) AS verified_domains,
          a.id, a.name, a.description, s.segment, a.created_at,
          k.id AS key_id, k.scope, k.prefix, k.created_at AS key_created_at
     FROM api_keys k
     JOIN parties p ON p.id = k.party_id
     JOIN agents a ON a.party_id = k.party_id AND a.id = k.agent_id
     LEFT JOIN segments s ON s.party_id = k.party_id AND s.agent_id = k.agent_id
    WHERE k.secret_hash = $1 AND k.revoked_at IS NULL`,
  {
    party_id: 'bigint',
    handle: 'text!',
    display_name: 'text',
    accepting_drops: 'boolean',
    minimal_receipts: 'boolean',
    has_agent_card: 'boolean',
    takes_replies: 'boolean',
    party_created_at: 'timestamptz',
    verified_domains: 'text[]',
    ...AGENT_ROW,
    key_id: 'uuid',
    scope: oneOf('key_scope', KEY_SCOPES),
    prefix: 'text',
    key_created_at: 'timestamptz',
  },
);

export async function findCaller(db: Queryable, secretHash: Buffer): Promise<Caller | undefined> {
  const [row] = await db.query(CALLER, [secretHash]);
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

const RECORD_USE = statement('UPDATE api_keys SET last_used_at = now() WHERE id = ANY ($1::uuid[])');

export async function recordUse(db: Queryable, keyIds: string[]): Promise<void> {
  await db.query(RECORD_USE, [keyIds]);
}
