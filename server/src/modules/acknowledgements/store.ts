import { ACKNOWLEDGEMENT_STATUSES, type AcknowledgementStatus } from '../../contract/acknowledgements.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { SignedRequest } from '../signatures/signed-request.ts';

export interface AcknowledgementRecord {
  number: number;
  recipientId: bigint;
  status: AcknowledgementStatus;
  /** The statement in the log, in canonical JSON. It is the first leaf of this batch in the recipient's shard. */
  statement: string;
  logBatch: string;
  signed: SignedRequest | undefined;
}

export interface Received {
  contentHash: Buffer;
  now: Date;
}

const LOCK_RECEIVED = statement(
  `SELECT m.content_hash, clock_timestamp() AS now
     FROM ledger_entries e JOIN messages m ON m.sender_id = coalesce(e.author_id, e.counterparty_id) AND m.id = e.message_id
    WHERE e.party_id = $1 AND e.message_id = $2 AND e.box = 'in' FOR UPDATE OF e`,
  { content_hash: 'bytea', now: 'timestamptz' },
);

/** Serializes acknowledgements of a message. Returns undefined if the message is not in the party's inbox. */
export async function lockReceived(tx: Queryable, partyId: bigint, messageId: string): Promise<Received | undefined> {
  const [row] = await tx.query(LOCK_RECEIVED, [partyId, messageId]);
  return row && { contentHash: row.content_hash, now: row.now };
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

const ROW = columns({
  number: 'smallint',
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

const LOG = statement('SELECT log_statement($1::bytea, $2::text, $3::timestamptz) AS batch', { batch: 'uuid' });
const ACKNOWLEDGEMENT_LEAF = 0x03;

export async function logStatement(tx: Queryable, text: string, at: Date): Promise<string> {
  return onlyRow(await tx.query(LOG, [Buffer.from([ACKNOWLEDGEMENT_LEAF]), text, at])).batch ?? '';
}

const INSERT = statement(
  `INSERT INTO acknowledgements (party_id, message_id, number, recipient_id, status, statement, log_batch, key_id, signature_input, signature, components, body)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

export async function insertAcknowledgement(
  tx: Queryable,
  partyId: bigint,
  messageId: string,
  { number, recipientId, status, statement: text, logBatch, signed }: AcknowledgementRecord,
): Promise<void> {
  const signature = [signed?.keyId, signed?.signatureInput, signed?.signature, signed?.components, signed?.body].map(
    (part) => part ?? null,
  );
  await tx.query(INSERT, [partyId, messageId, number, recipientId, status, text, logBatch, ...signature]);
}
