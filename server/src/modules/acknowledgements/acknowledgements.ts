import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { StoredMessage } from '../messages/envelope.ts';
import { partsOf, type SignatureParts } from '../signatures/signatures.ts';
import type { AcknowledgementStatement } from './acknowledge.ts';
import { type Link, linksOf } from './chain.ts';
import { keyOf, readLinks } from './chain-store.ts';
import { findHandOver, findNonDelivery, type HandOver, type NonDelivery } from './hand-over-store.ts';
import { recipientNow } from './recipient.ts';
import { type AcknowledgementRecord, findThread, listAcknowledgements } from './store.ts';

export interface AcknowledgementParts {
  /** In the chain of the message. */
  number: number | null;
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
  { chainNumber, statement, recipientId, logBatch, signed }: AcknowledgementRecord,
): Promise<AcknowledgementParts> {
  return {
    number: chainNumber,
    statement,
    leaf: { partyId: recipientId, batchId: logBatch, slot: 0 },
    signature: signed && (await partsOf(database, recipientId, signed)),
  };
}

/** A statement about a message, and its leaf in the log. */
export interface ChainPart {
  kind: Link['kind'];
  statement: string;
  leaf: { partyId: bigint; batchId: string; slot: number };
  /** Of an acknowledgement. */
  signature: SignatureParts | undefined;
}

type Chained = Pick<StoredMessage, 'id' | 'contentHash' | 'recipient' | 'expires_at'>;

/** All that the log has about a message of this party: acknowledgements from before there were numbers, then the rest in the order of the numbers. */
export async function chainOf(database: Database, message: Chained, partyId: bigint): Promise<ChainPart[]> {
  const recipientId = await recipientNow(database, partyId, message.id);
  if (recipientId === undefined) return [];
  const received = { partyId: recipientId, messageId: message.id };
  const rows = await readLinks(database.of(recipientId), [received]);
  const said = await acknowledgementsOf(database, message.id, partyId);
  const older = said.filter(({ number }) => number === null).map((one): ChainPart => ({ kind: 'acknowledgement', ...one }));
  const links = linksOf({ ...message, expiresAt: message.expires_at }, rows.get(keyOf(received)) ?? []);
  const numbered = links.map(({ kind, statement, logBatch, logSlot }) => ({
    kind,
    statement,
    leaf: { partyId: recipientId, batchId: logBatch, slot: logSlot },
    signature: said.find((one) => one.statement === statement)?.signature,
  }));
  return [...older, ...numbered];
}

export interface Taking {
  handOver: HandOver | undefined;
  nonDelivery: NonDelivery | undefined;
}

/** Whether a system of the recipient has taken a message of this party, or it was noted that nobody did in time. */
export async function takingOf(database: Database, messageId: string, partyId: bigint): Promise<Taking> {
  const recipientId = await recipientNow(database, partyId, messageId);
  if (recipientId === undefined) return { handOver: undefined, nonDelivery: undefined };
  const db = database.of(recipientId);
  const [handOver, nonDelivery] = await Promise.all([
    findHandOver(db, recipientId, messageId),
    findNonDelivery(db, recipientId, messageId),
  ]);
  return { handOver, nonDelivery };
}

/** The number that the next acknowledgement has. A hand-over that waits for its number gets it before. */
export function nextNumber({ handOver, nonDelivery }: Taking, said: readonly AcknowledgementParts[]): number {
  const numbered = [handOver?.number, nonDelivery?.number, said.at(-1)?.number].map((number) => number ?? 0);
  return Math.max(...numbered) + (handOver?.isWaiting ? 1 : 0) + 1;
}

export function acknowledgementView({ number, statement, signature }: AcknowledgementParts) {
  const { status, reason, at, party, actor }: AcknowledgementStatement = JSON.parse(statement);
  return { status, reason, at, party, actor, number, signing_key_id: signature?.keyId ?? null };
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
