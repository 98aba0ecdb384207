import { parseParameters } from '@waybill/client';
import { formatId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type DomainKeyParts, domainKeyPartsOf } from '../domain-keys/domain-keys.ts';
import { findKey } from './key-store.ts';
import { findSignature } from './signature-store.ts';
import type { SignedRequest } from './signed-request.ts';

/** The log has a statement as the first leaf of a batch in the party's shard. */
interface Leaf {
  partyId: bigint;
  batchId: string;
  slot: 0;
}

/** The parts of `signature` in a proof, which prove who signed a request, and the location of the key's leaf. */
export interface SignatureParts {
  /** The statement of the key's registration, in canonical JSON. */
  key: string;
  keyLeaf: Leaf;
  /** The statement of the key's revocation, if it was revoked, before or after it signed. */
  revocation: { statement: string; leaf: Leaf } | undefined;
  keyId: string;
  keyRevokedAt: Date | null;
  /** Undefined: no domain vouches for the key. */
  domain: DomainKeyParts | undefined;
  createdAt: Date;
  signatureInput: string;
  signature: Buffer;
  components: Record<string, string>;
  body: Buffer;
}

/** `json` is that of the message. Returns undefined if the message was not signed. */
export async function signatureOf(
  database: Database,
  senderId: bigint,
  messageId: string,
  json: string | null,
): Promise<SignatureParts | undefined> {
  const found = await findSignature(database.of(senderId), senderId, messageId);
  if (!found) return undefined;
  const { bodyBefore, bodyAfter, ...signed } = found;
  return partsOf(database, senderId, { ...signed, body: Buffer.concat([bodyBefore, Buffer.from(json ?? ''), bodyAfter]) });
}

export async function partsOf(database: Database, partyId: bigint, signed: SignedRequest): Promise<SignatureParts> {
  const key = await findKey(database, partyId, signed.keyId);
  if (!key) throw new Error('the key of a signature is gone');
  const leafOf = (batchId: string): Leaf => ({ partyId, batchId, slot: 0 });
  const createdAt = new Date(1_000 * (parseParameters(signed.signatureInput).created ?? 0));
  return {
    key: key.registration,
    keyLeaf: leafOf(key.logBatch),
    revocation: key.revocation ? { statement: key.revocation.text, leaf: leafOf(key.revocation.logBatch) } : undefined,
    keyId: formatId('sgk', key.id),
    keyRevokedAt: key.revokedAt,
    domain: await domainKeyPartsOf(database, partyId, key.publicKey, createdAt),
    createdAt,
    signatureInput: signed.signatureInput,
    signature: signed.signature,
    components: JSON.parse(signed.components),
    body: signed.body,
  };
}
