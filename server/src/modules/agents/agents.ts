import { apiKeyHash, apiKeyPrefix, type KeyScope, newApiKey } from '../../contract/api-key.ts';
import { checkedDisplayName } from '../../contract/display-names.ts';
import { Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { AGENT_NAME_MAX_CHARS, AGENTS_PER_BUSINESS_MAX, KEYS_PER_AGENT_MAX, REVOKED_KEYS_PER_AGENT_MAX } from '../../contract/limits.ts';
import type { Agent } from '../../contract/parties.ts';
import { changeCached } from '../../platform/postgres/change-feed.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import { assignSegment, checkedSegment, lockSegments, refusingTakenSegment } from './segments.ts';
import * as store from './store.ts';

interface AgentChange {
  name?: string;
  description?: string | null;
  segment?: string | null;
}

export const listAgents = store.listAgents;

export async function getAgent(database: Database, partyId: bigint, id: string): Promise<Agent> {
  return (await store.findAgent(database, partyId, id)) ?? noSuchAgent();
}

export async function createAgent(
  database: Database,
  partyId: bigint,
  given: { name: string; description?: string | null; segment?: string | null | undefined },
): Promise<Agent> {
  const id = newUuid();
  const name = checkedDisplayName(given.name, '/name', AGENT_NAME_MAX_CHARS);
  const segment = given.segment == null ? null : checkedSegment(given.segment);
  return refusingTakenSegment(segment, () =>
    database.transaction(async (tx) => {
      await lockSegments(tx, partyId);
      if ((await store.countAgents(tx, partyId, AGENTS_PER_BUSINESS_MAX)) >= AGENTS_PER_BUSINESS_MAX)
        throw new Refusal('conflict', `A business can have ${AGENTS_PER_BUSINESS_MAX} agents at most.`);
      await store.insertAgent(tx, partyId, { id, name, description: given.description ?? null });
      await assignSegment(tx, partyId, { agentId: id }, segment);
      return (await store.findAgent(tx, partyId, id)) ?? noSuchAgent();
    }),
  );
}

export async function changeAgent(database: Database, partyId: bigint, id: string, change: AgentChange): Promise<Agent> {
  const name = change.name === undefined ? undefined : checkedDisplayName(change.name, '/name', AGENT_NAME_MAX_CHARS);
  const segment = typeof change.segment === 'string' ? checkedSegment(change.segment) : change.segment;
  return refusingTakenSegment(segment, () =>
    changeCached(database, partyId, async (tx) => {
      if (segment !== undefined) await lockSegments(tx, partyId);
      if (!(await store.findAgent(tx, partyId, id))) noSuchAgent();
      await store.updateAgent(tx, partyId, id, { name, description: change.description });
      if (segment !== undefined) await assignSegment(tx, partyId, { agentId: id }, segment);
      return (await store.findAgent(tx, partyId, id)) ?? noSuchAgent();
    }),
  );
}

export interface MintedKey {
  id: string;
  scope: KeyScope;
  /** Shown once, and never stored. */
  secret: string;
}

/** The operator names an agent or a key without its business. */
export async function businessOfAgent(database: Database, agentId: string): Promise<bigint> {
  return (await store.findBusinessOfAgent(database, agentId)) ?? noSuchAgent();
}

export async function businessOfKey(database: Database, keyId: string): Promise<bigint> {
  return (await store.findBusinessOfKey(database, keyId)) ?? noSuchKey();
}

export function createKey(database: Database, partyId: bigint, agentId: string, scope: KeyScope): Promise<MintedKey> {
  return database.transaction((tx) => addKey(tx, partyId, agentId, scope));
}

export async function addKey(tx: Queryable, partyId: bigint, agentId: string, scope: KeyScope): Promise<MintedKey> {
  if (!(await store.findAgent(tx, partyId, agentId))) noSuchAgent();
  const secret = newApiKey();
  const id = newUuid();
  await store.lockAgent(tx, partyId, agentId);
  if ((await store.countKeys(tx, partyId, agentId)) >= KEYS_PER_AGENT_MAX)
    throw new Refusal('conflict', `An agent can have ${KEYS_PER_AGENT_MAX} keys at most: revoke one first.`);
  await store.forgetRevoked(tx, partyId, agentId, REVOKED_KEYS_PER_AGENT_MAX);
  await store.insertKey(tx, partyId, { id, agentId, scope, prefix: apiKeyPrefix(secret), secretHash: apiKeyHash(secret) });
  return { id, scope, secret };
}

export async function listKeys(
  database: Database,
  partyId: bigint,
  agentId: string,
  afterId: string | null,
  limit: number,
): Promise<store.KeyRecord[]> {
  await getAgent(database, partyId, agentId);
  return store.listKeys(database, partyId, agentId, afterId, limit);
}

/** Every process refuses the key from the next request on. */
export async function revokeKey(database: Database, partyId: bigint, id: string): Promise<void> {
  if (!(await changeCached(database, partyId, (tx) => store.revokeKey(tx, partyId, id)))) noSuchKey();
}

function noSuchKey(): never {
  throw new Refusal('not_found', 'The key was not found.');
}

function noSuchAgent(): never {
  throw new Refusal('not_found', 'The agent was not found.');
}
