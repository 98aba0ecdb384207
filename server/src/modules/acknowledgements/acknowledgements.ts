import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { partsOf, type SignatureParts } from '../signatures/signatures.ts';
import type { AcknowledgementStatement } from './acknowledge.ts';
import { type AcknowledgementRecord, findThread, listAcknowledgements } from './store.ts';

export interface AcknowledgementParts {
  statement: string;
  /** The log has that statement as the first leaf of a batch in the party's shard. */
  leaf: { partyId: bigint; batchId: string; slot: 0 };
  signature: SignatureParts | undefined;
}

export async function acknowledgementsOf(database: Database, messageId: string, partyId: bigint): Promise<AcknowledgementParts[]> {
  const records = await listAcknowledgements(database.of(partyId), partyId, messageId);
  return Promise.all(records.map((record) => acknowledgementParts(database, record)));
}

export async function acknowledgementParts(
  database: Database,
  { statement, recipientId, logBatch, signed }: AcknowledgementRecord,
): Promise<AcknowledgementParts> {
  return {
    statement,
    leaf: { partyId: recipientId, batchId: logBatch, slot: 0 },
    signature: signed && (await partsOf(database, recipientId, signed)),
  };
}

export function acknowledgementView({ statement, signature }: AcknowledgementParts) {
  const { status, reason, at, party, actor }: AcknowledgementStatement = JSON.parse(statement);
  return { status, reason, at, party, actor, signing_key_id: signature?.keyId ?? null };
}

/** The body of the event message.acknowledged has all acknowledgements so far. Undefined if the message is gone. */
export async function acknowledgedMessage(database: Database, partyId: bigint, messageId: string): Promise<string | undefined> {
  const threadId = await findThread(database.of(partyId), partyId, messageId);
  const said = (await acknowledgementsOf(database, messageId, partyId)).map(acknowledgementView);
  const latest = said.at(-1);
  if (threadId === undefined || !latest) return undefined;
  return JSON.stringify({
    message_id: formatId('msg', messageId),
    thread_id: formatId('thr', threadId),
    status: latest.status,
    acknowledgements: said,
  });
}

export async function requireMessage(database: Database, partyId: bigint, messageId: string): Promise<void> {
  if ((await findThread(database.of(partyId), partyId, messageId)) === undefined)
    throw new Refusal('not_found', 'The message was not found.');
}
