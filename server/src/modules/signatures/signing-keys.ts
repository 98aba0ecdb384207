import { setTimeout as pause } from 'node:timers/promises';
import { isWeakKey } from '@waybill/client';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { invalid, Refusal } from '../../contract/errors.ts';
import { formatId, newUuid } from '../../contract/ids.ts';
import { SIGNING_KEYS_EVER_PER_AGENT_MAX, SIGNING_KEYS_PER_AGENT_MAX } from '../../contract/limits.ts';
import type { Business } from '../../contract/parties.ts';
import type { Database, Queryable } from '../../platform/postgres/postgres.ts';
import * as store from './key-store.ts';

export type { SigningKeyRecord } from './key-store.ts';
export const listSigningKeys = store.listKeys;

type Owner = Pick<Business, 'id' | 'view'>;

const KEY_BYTES = 32;
/** The log places what waits by the millisecond of its time. So a revocation comes after all messages that were committed before it. */
const NEXT_MILLISECOND_MS = 2;

/** Registers the public half of an agent's key, and logs a statement of it. */
export function registerKey(database: Database, business: Owner, agentId: string, publicKey: string): Promise<store.SigningKeyRecord> {
  const bytes = publicKeyIn(publicKey);
  const id = newUuid();
  // The log's leaves are in the party's shard. The keys are where all parties are.
  return database.acrossShards(async (of) => {
    const tx = of(business.id);
    if (!(await store.lockAgent(tx, business.id, agentId))) noSuchAgent();
    const known = await store.listKeys(tx, business.id, agentId, null, SIGNING_KEYS_EVER_PER_AGENT_MAX);
    const repeated = known.find((key) => key.publicKey.equals(bytes));
    if (repeated) return repeated.revokedAt ? refuse('This key has been revoked. Create a new one.') : repeated;
    if (known.filter(({ revokedAt }) => revokedAt === null).length >= SIGNING_KEYS_PER_AGENT_MAX)
      refuse(`An agent can have ${SIGNING_KEYS_PER_AGENT_MAX} signing keys at most: revoke one first.`);
    if (known.length >= SIGNING_KEYS_EVER_PER_AGENT_MAX)
      refuse(`An agent can have ${SIGNING_KEYS_EVER_PER_AGENT_MAX} signing keys at most, revoked ones included. Create another agent.`);
    const createdAt = await store.databaseTime(tx);
    const key = { id, agentId, publicKey: bytes, createdAt };
    const registration = statementOf(business, key, 'registered', createdAt);
    const logBatch = await store.logStatement(tx, registration, createdAt);
    await store.insertKey(tx, business.id, { ...key, registration, logBatch });
    return { ...key, registration, logBatch, revokedAt: null, revocation: null };
  });
}

/** From the next request on, signatures of the key are refused. Revoking twice keeps the first time. */
export function revokeSigningKey(database: Database, business: Owner, agentId: string, keyId: string): Promise<void> {
  return database.acrossShards(async (of) => {
    const tx = of(business.id);
    if (!(await store.lockAgent(tx, business.id, agentId))) noSuchAgent();
    const key = await store.findKey(tx, business.id, keyId);
    if (key?.agentId !== agentId) throw new Refusal('not_found', 'The signing key was not found.');
    if (key.revokedAt) return;
    await store.holdKey(tx, business.id, keyId);
    await pause(NEXT_MILLISECOND_MS);
    const at = await store.databaseTime(tx);
    const text = statementOf(business, key, 'revoked', at);
    await store.revokeKey(tx, business.id, keyId, { at, text, logBatch: await store.logStatement(tx, text, at) });
  });
}

/**
 * Refuses what is signed with a key that was revoked since the signature was checked. A revocation waits for the transaction, so that the log has it
 * after all that the key signed. For messages, keep_signatures does the same.
 */
export async function requireValidKey(tx: Queryable, partyId: bigint, keyId: string): Promise<void> {
  if (!(await store.holdValidKey(tx, partyId, keyId))) throw new Refusal('invalid_signature', 'The signing key is revoked.');
}

type Stated = Pick<store.SigningKeyRecord, 'id' | 'agentId' | 'publicKey'>;

function statementOf({ view }: Owner, { id, agentId, publicKey }: Stated, state: 'registered' | 'revoked', at: Date): string {
  return canonicalJson({
    agent: formatId('agt', agentId),
    at: at.toISOString(),
    id: formatId('sgk', id),
    party: view,
    public_key: publicKey.toString('base64'),
    state,
  });
}

function publicKeyIn(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === KEY_BYTES && bytes.toString('base64') === text && !isWeakKey(bytes)) return bytes;
  throw invalid([{ path: '/public_key', message: 'must be the 32 bytes of an Ed25519 public key in base64' }]);
}

function noSuchAgent(): never {
  throw new Refusal('not_found', 'The agent was not found.');
}

function refuse(message: string): never {
  throw new Refusal('conflict', message);
}
