import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { partsOf, type SignatureParts } from '../signatures/signatures.ts';
import type { AcknowledgementStatement } from './acknowledge.ts';
import { type AcknowledgementRecord, findThread, listAcknowledgements } from './store.ts';

/** All that proves an acknowledgement: the parts of `acknowledgements` in a proof, and where its leaf is. */
export interface AcknowledgementParts {
  /** In canonical JSON. */
  statement: string;
  /** Where the log has that statement: the first leaf of a batch in the shard of the party. */
  leaf: { partyId: bigint; batchId: string; slot: 0 };
  /** If the request was signed. */
  signature: SignatureParts | undefined;
}

/** What the recipient has said of a message, the oldest first; `partyId` is one of its two parties. */
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

/** As the API shows it. */
export function acknowledgementView({ statement, signature }: AcknowledgementParts) {
  const { status, reason, at, party, actor }: AcknowledgementStatement = JSON.parse(statement);
  return { status, reason, at, party, actor, signing_key_id: signature?.keyId ?? null };
}

/** The body of the event message.acknowledged: what has been said of the message by now. Undefined if the message is gone. */
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

/** Refuses if the party has no such message. */
export async function requireMessage(database: Database, partyId: bigint, messageId: string): Promise<void> {
  if ((await findThread(database.of(partyId), partyId, messageId)) === undefined)
    throw new Refusal('not_found', 'The message was not found.');
}
