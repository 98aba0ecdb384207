import { parseParameters } from '@waybill/client';
import { formatId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { findKey } from './key-store.ts';
import { findSignature } from './signature-store.ts';
import type { SignedRequest } from './signed-request.ts';

/** The parts of `signature` in a proof, which prove who signed a request, and the location of the key's leaf. */
export interface SignatureParts {
  /** The statement of the key's registration, in canonical JSON. */
  key: string;
  /** The log has that statement as the first leaf of a batch in the party's shard. */
  keyLeaf: { partyId: bigint; batchId: string; slot: 0 };
  keyId: string;
  keyRevokedAt: Date | null;
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
  return {
    key: key.registration,
    keyLeaf: { partyId, batchId: key.logBatch, slot: 0 },
    keyId: formatId('sgk', key.id),
    keyRevokedAt: key.revokedAt,
    createdAt: new Date(1_000 * (parseParameters(signed.signatureInput).created ?? 0)),
    signatureInput: signed.signatureInput,
    signature: signed.signature,
    components: JSON.parse(signed.components),
    body: signed.body,
  };
}
