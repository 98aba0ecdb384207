import { ACKNOWLEDGEMENT_STATUSES, type AcknowledgementStatus } from '../../contract/acknowledgements.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { SignedRequest } from '../signatures/signed-request.ts';

export interface AcknowledgementRecord {
  /** Counts the acknowledgements of the message from 1. */
  number: number;
  /** Its number in the chain of the message. Null: it is from before there were chains. */
  chainNumber: number | null;
  recipientId: bigint;
  status: AcknowledgementStatus;
  /** The statement in the log, in canonical JSON. It is the first leaf of this batch in the recipient's shard. */
  statement: string;
  logBatch: string;
  signed: SignedRequest | undefined;
}

const HOLD_SENT = statement(`SELECT FROM ledger_entries WHERE party_id = $1 AND message_id = $2 AND box = 'out' FOR KEY SHARE`);

/** Keeps a message in the outbox of its sender. Returns false if it has moved to the ledger of a business. */
export async function holdSent(tx: Queryable, partyId: bigint, messageId: string): Promise<boolean> {
  return (await tx.query(HOLD_SENT, [partyId, messageId])).length > 0;
}

const THREAD = statement('SELECT thread_id FROM ledger_entries WHERE party_id = $1 AND message_id = $2 LIMIT 1', { thread_id: 'uuid' });

export async function findThread(db: Queryable, partyId: bigint, messageId: string): Promise<string | undefined> {
  const [row] = await db.query(THREAD, [partyId, messageId]);
  return row?.thread_id;
}

const ENTRY = prepared(
  'entry-of-message',
  'SELECT box, counterparty_id, thread_id FROM ledger_entries WHERE party_id = $1 AND message_id = $2 ORDER BY box LIMIT 1',
  { box: oneOf('ledger_box', ['in', 'out']), counterparty_id: 'bigint', thread_id: 'uuid' },
);

interface Entry {
  /** It is not in the inbox of the party itself. */
  isSent: boolean;
  counterpartyId: bigint;
  threadId: string;
}

export async function findEntry(db: Queryable, partyId: bigint, messageId: string): Promise<Entry | undefined> {
  const [row] = await db.query(ENTRY, [partyId, messageId]);
  return row && { isSent: row.box === 'out', counterpartyId: BigInt(row.counterparty_id), threadId: row.thread_id };
}

const ROW = columns({
  number: 'smallint',
  chain_number: 'smallint?',
  recipient_id: 'bigint',
  status: oneOf('acknowledgement_status', ACKNOWLEDGEMENT_STATUSES),
  statement: 'text',
  log_batch: 'uuid',
  key_id: 'uuid?',
  signature_input: 'text?',
  signature: 'bytea?',
  components: 'text?',
  body: 'bytea?',
});

function toRecord(row: RowOf<typeof ROW>): AcknowledgementRecord {
  const { key_id: keyId, signature_input: signatureInput, signature, components, body } = row;
  const signed =
    keyId && signatureInput && signature && components && body ? { keyId, signatureInput, signature, components, body } : undefined;
  return {
    number: row.number,
    chainNumber: row.chain_number,
    recipientId: BigInt(row.recipient_id),
    status: row.status,
    statement: row.statement,
    logBatch: row.log_batch,
    signed,
  };
}

const OF_MESSAGE = statement(`SELECT ${namesOf(ROW)} FROM acknowledgements WHERE party_id = $1 AND message_id = $2 ORDER BY number`, ROW);

export async function listAcknowledgements(db: Queryable, partyId: bigint, messageId: string): Promise<AcknowledgementRecord[]> {
  return (await db.query(OF_MESSAGE, [partyId, messageId])).map(toRecord);
}

/** The state of the thread's document may follow from it (modules/document-facts), which a worker finds out once the message is indexed. */
const INSERT = statement(
  `WITH queued AS (
     INSERT INTO document_queue (is_rebuild, party_id, id, thread_id, after)
     SELECT false, $1, new_uuid(clock_timestamp()), e.thread_id, e.position - 1
       FROM (SELECT e.thread_id, e.position FROM ledger_entries e JOIN parties p ON p.id = e.party_id AND p.handle IS NOT NULL
              WHERE e.party_id = $1 AND e.message_id = $2 LIMIT 1) e
   )
   INSERT INTO acknowledgements (party_id, message_id, number, chain_number, recipient_id, status, statement, log_batch, key_id, signature_input, signature,
                                 components, body)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

export async function insertAcknowledgement(
  tx: Queryable,
  partyId: bigint,
  messageId: string,
  { number, chainNumber, recipientId, status, statement: text, logBatch, signed }: AcknowledgementRecord,
): Promise<void> {
  const signature = [signed?.keyId, signed?.signatureInput, signed?.signature, signed?.components, signed?.body].map(
    (part) => part ?? null,
  );
  await tx.query(INSERT, [partyId, messageId, number, chainNumber, recipientId, status, text, logBatch, ...signature]);
}

const TAKE_DUE = prepared(
  'take-due-acknowledgements',
  `DELETE FROM due_acknowledgements d USING messages m
    WHERE d.party_id = $1 AND d.message_id = $2 AND m.sender_id = d.party_id AND m.id = d.reply_id
   RETURNING d.status, d.reason, m.sender`,
  { status: oneOf('acknowledgement_status', ACKNOWLEDGEMENT_STATUSES), reason: 'text?', sender: 'text' },
);

/** What came with replies, with their senders as JSON text. */
export function takeDue(tx: Queryable, partyId: bigint, messageId: string) {
  return tx.query(TAKE_DUE, [partyId, messageId]);
}
