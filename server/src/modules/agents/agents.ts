import { apiKeyHash, apiKeyPrefix, type KeyScope, newApiKey } from '../../contract/api-key.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { AGENT_NAME_MAX_CHARS, SEGMENT_MAX_CHARS } from '../../contract/limits.ts';
import { parseSegment } from '../../contract/names.ts';
import type { Agent } from '../../contract/parties.ts';
import { changingCached } from '../../platform/change-feed.ts';
import { type Database, isUniqueViolation } from '../../platform/postgres.ts';
import * as store from './store.ts';

export interface AgentChange {
  name?: string;
  description?: string | null;
  segment?: string | null;
}

export const listAgents = store.listAgents;

export async function getAgent(database: Database, partyId: bigint, id: string): Promise<Agent> {
  return (await store.findAgent(database, partyId, id)) ?? noSuchAgent();
}

export async function createAgent(database: Database, partyId: bigint, nameText: string, segmentText?: string): Promise<Agent> {
  const id = newUuid();
  const name = checkedName(nameText);
  const segment = segmentText === undefined ? null : checkedSegment(segmentText);
  return refusingTakenSegment(segment, () =>
    database.transaction(async (tx) => {
      await store.insertAgent(tx, partyId, { id, name });
      await store.assignSegment(tx, partyId, id, segment);
      return (await store.findAgent(tx, partyId, id)) ?? noSuchAgent();
    }),
  );
}

export async function changeAgent(database: Database, partyId: bigint, id: string, change: AgentChange): Promise<Agent> {
  const name = change.name === undefined ? undefined : checkedName(change.name);
  const segment = typeof change.segment === 'string' ? checkedSegment(change.segment) : change.segment;
  return refusingTakenSegment(segment, () =>
    changingCached(database, async (tx) => {
      if (segment !== undefined) await store.lockAgents(tx, partyId);
      if (!(await store.findAgent(tx, partyId, id))) noSuchAgent();
      await store.updateAgent(tx, partyId, id, { name, description: change.description });
      if (segment !== undefined) await store.assignSegment(tx, partyId, id, segment);
      return (await store.findAgent(tx, partyId, id)) ?? noSuchAgent();
    }),
  );
}

export interface MintedKey {
  id: string;
  scope: KeyScope;
  /** Known only here and to whoever is shown it now. */
  secret: string;
}

export async function createKey(database: Database, agentId: string, scope: KeyScope): Promise<MintedKey> {
  const partyId = await store.findBusinessOfAgent(database, agentId);
  if (partyId === undefined) return noSuchAgent();
  const secret = newApiKey();
  const id = newUuid();
  await store.insertKey(database, partyId, { id, agentId, scope, prefix: apiKeyPrefix(secret), secretHash: apiKeyHash(secret) });
  return { id, scope, secret };
}

export async function revokeKey(database: Database, id: string): Promise<void> {
  const found = await changingCached(database, (tx) => store.revokeKey(tx, id));
  if (!found) throw new Refusal('not_found', 'There is no such key.');
}

function noSuchAgent(): never {
  throw new Refusal('not_found', 'There is no such agent.');
}

function checkedName(text: string): string {
  const name = text.trim();
  if (name !== '' && [...name].length <= AGENT_NAME_MAX_CHARS) return name;
  throw invalid([{ path: '/name', message: `has to have 1 to ${AGENT_NAME_MAX_CHARS} characters` }]);
}

function checkedSegment(text: string): string {
  const segment = parseSegment(text);
  if (segment !== undefined) return segment;
  throw invalid([
    { path: '/segment', message: `has to be 1 to ${SEGMENT_MAX_CHARS} letters, digits and hyphens, no hyphen at either end` },
  ]);
}

async function refusingTakenSegment<T>(segment: string | null | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new Refusal('conflict', `The segment ${segment} is already taken in this business.`);
    throw error;
  }
}
