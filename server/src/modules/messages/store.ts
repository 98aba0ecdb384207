import { IDEMPOTENCY_WINDOW_HOURS } from '../../contract/limits.ts';
import type { ReceiptDetail } from '../../contract/parties.ts';
import {
  bigintArray,
  bigintField,
  byteaField,
  enumField,
  type Field,
  smallintField,
  textField,
  uuidArray,
  uuidField,
} from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';
import type { PreparedMessage, StoredMessage } from './envelope.ts';

/** How a message is written: the attributes of the type prepared_message after those of the plan (commit-store.ts), in its order. */
export const MESSAGE_FIELDS: readonly Field<PreparedMessage>[] = [
  bigintField((m) => m.senderId),
  bigintField((m) => m.recipientId),
  uuidField((m) => m.id),
  textField((m) => m.segment),
  uuidField((m) => m.threadId),
  uuidField((m) => m.inReplyTo),
  textField((m) => m.sender),
  textField((m) => m.recipient),
  textField((m) => m.type),
  textField((m) => m.subject),
  textField((m) => m.note),
  textField((m) => m.json),
  byteaField((m) => m.jsonSha256),
  enumField((m) => m.validation),
  textField((m) => m.validationErrors),
  byteaField((m) => m.receiptToken),
  textField((m) => m.idempotencyKey),
  smallintField((m) => m.files.length),
  textField((m) => m.fromEmail),
  textField((m) => m.fromDomain),
  textField((m) => m.hashedBeforeTime),
  textField((m) => m.hashedAfterTime),
  bigintField((m) => BigInt(m.inlineBytes)),
];

export interface MessageRow {
  id: string;
  thread_id: string;
  in_reply_to: string | null;
  sender: string;
  recipient: string;
  type: string | null;
  subject: string | null;
  note: string | null;
  json: string | null;
  json_sha256: Buffer | null;
  validation: StoredMessage['validation'];
  validation_errors: string;
  received_at: Date;
  content_hash: Buffer;
  receipt_token: Buffer;
  idempotency_key: string | null;
  file_count: number;
  [column: string]: unknown;
}

export const MESSAGE_COLUMNS = `m.id, m.thread_id, m.in_reply_to, m.sender, m.recipient, m.type, m.subject, m.note, m.json, m.json_sha256,
  m.validation, m.validation_errors, m.received_at, m.content_hash, m.receipt_token, m.idempotency_key, m.file_count`;

/** From a ledger's entry to the message, which is stored with its sender. */
const MESSAGE_OF_ENTRY = `m.sender_id = coalesce(e.author_id, CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END) AND m.id = e.message_id`;
export const JOIN_MESSAGE = `JOIN messages m ON ${MESSAGE_OF_ENTRY}`;

/** A message as the table has it: how many files there are, not yet which. */
export interface MessageRecord extends Omit<StoredMessage, 'files'> {
  fileCount: number;
}

export function toMessage(row: MessageRow): MessageRecord {
  return {
    id: row.id,
    threadId: row.thread_id,
    inReplyTo: row.in_reply_to,
    sender: row.sender,
    recipient: row.recipient,
    type: row.type,
    subject: row.subject,
    note: row.note,
    json: row.json,
    jsonSha256: row.json_sha256,
    validation: row.validation,
    validationErrors: row.validation_errors,
    receivedMs: row.received_at.getTime(),
    contentHash: row.content_hash,
    receiptToken: row.receipt_token,
    idempotencyKey: row.idempotency_key,
    fileCount: row.file_count,
  };
}

export async function findMessage(db: Queryable, partyId: bigint, messageId: string): Promise<MessageRecord | undefined> {
  const [row] = await db.query<MessageRow>(
    {
      name: 'message-of-party',
      text: `SELECT ${MESSAGE_COLUMNS} FROM ledger_entries e ${JOIN_MESSAGE} WHERE e.party_id = $1 AND e.message_id = $2 LIMIT 1`,
    },
    [partyId, messageId],
  );
  return row && toMessage(row);
}

/** Whether or not it still stands in the sender's ledger. */
export async function findSent(db: Queryable, senderId: bigint, messageId: string): Promise<MessageRecord | undefined> {
  const [row] = await db.query<MessageRow>(
    { name: 'message-of-sender', text: `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.sender_id = $1 AND m.id = $2` },
    [senderId, messageId],
  );
  return row && toMessage(row);
}

/** Whether anything of the thread came to the party. */
export async function hasReceived(db: Queryable, partyId: bigint, threadId: string): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'thread-received',
      text: `SELECT FROM ledger_entries WHERE party_id = $1 AND thread_id = $2 AND box = 'in' LIMIT 1`,
    },
    [partyId, threadId],
  );
  return rows.length > 0;
}

export interface Received {
  partyId: bigint;
  messageId: string;
}

/** What stands in the ledgers of these parties, in no order. Row by row, so that no plan can think of reading whole tables. */
export async function findReceived(db: Queryable, wanted: readonly Received[]): Promise<(Received & { message: MessageRecord })[]> {
  const rows = await db.query<MessageRow & { party_id: string }>(
    {
      name: 'messages-received',
      text: `SELECT f.*
               FROM unnest($1::bigint[], $2::uuid[]) AS k (party_id, message_id),
                    LATERAL (SELECT e.party_id, ${MESSAGE_COLUMNS} FROM ledger_entries e, LATERAL (SELECT * FROM messages m WHERE ${MESSAGE_OF_ENTRY} LIMIT 1) m
                              WHERE e.party_id = k.party_id AND e.message_id = k.message_id LIMIT 1) f`,
    },
    [bigintArray(wanted.map(({ partyId }) => partyId)), uuidArray(wanted.map(({ messageId }) => messageId))],
  );
  return rows.map((row) => ({ partyId: BigInt(row.party_id), messageId: row.id, message: toMessage(row) }));
}

export interface Parent {
  threadId: string;
  otherPartyId: bigint;
  /** Of a message received: what its sender has now, at the other party. Of one's own: what it was addressed to. */
  segment: string | null;
}

export async function findParent(db: Queryable, partyId: bigint, messageId: string): Promise<Parent | undefined> {
  const [row] = await db.query<{ thread_id: string; counterparty_id: string; segment: string | null }>(
    {
      name: 'parent-of-reply',
      // What a party sent to itself stands in both boxes.
      text: `SELECT e.thread_id, e.counterparty_id, CASE e.box WHEN 'in' THEN s.segment ELSE m.segment END AS segment
               FROM (SELECT * FROM ledger_entries WHERE party_id = $1 AND message_id = $2 ORDER BY box = 'in' DESC LIMIT 1) e
               ${JOIN_MESSAGE}
               LEFT JOIN LATERAL (SELECT uuid_in_id(m.sender::json #>> '{actor,id}') AS id OFFSET 0) actor ON e.box = 'in'
               LEFT JOIN segments s ON s.party_id = e.counterparty_id AND (s.agent_id = actor.id OR s.person_id = actor.id)`,
    },
    [partyId, messageId],
  );
  return row && { threadId: row.thread_id, otherPartyId: BigInt(row.counterparty_id), segment: row.segment };
}

export async function findByIdempotencyKey(db: Queryable, partyId: bigint, key: string): Promise<MessageRecord | undefined> {
  const [row] = await db.query<MessageRow>(
    `SELECT ${MESSAGE_COLUMNS} FROM idempotency_keys k JOIN messages m ON m.sender_id = k.party_id AND m.id = k.message_id
      WHERE k.party_id = $1 AND k.key = $2 AND k.created_at > now() - window_of_key(k.key, make_interval(hours => $3))`,
    [partyId, key, IDEMPOTENCY_WINDOW_HOURS],
  );
  return row && toMessage(row);
}

/** The id of a message that one of the parties sent with a key that begins so; `prefix` ends in a space. */
export async function findByKeyPrefix(db: Queryable, partyIds: readonly bigint[], prefix: string): Promise<string | undefined> {
  const [row] = await db.query<{ message_id: string }>(
    `SELECT k.message_id FROM idempotency_keys k
      WHERE k.party_id = ANY ($1) AND k.key >= $2 AND k.key < $3 AND k.created_at > now() - window_of_key(k.key, make_interval(hours => $4))
      ORDER BY k.created_at LIMIT 1`,
    [partyIds, prefix, prefix.replace(/ $/, '!'), IDEMPOTENCY_WINDOW_HOURS],
  );
  return row?.message_id;
}

export interface ReceiptRecord {
  senderId: bigint;
  /** What the sender lets everybody see, now. */
  detail: ReceiptDetail;
  message: MessageRecord;
}

/** With whose it is: the token is all that the reader has. */
export async function findByReceipt(db: Queryable, token: Buffer): Promise<ReceiptRecord | undefined> {
  const [row] = await db.query<MessageRow & { sender_id: string; minimal_receipts: boolean }>(
    {
      name: 'message-by-receipt',
      text: `SELECT m.sender_id, p.minimal_receipts, ${MESSAGE_COLUMNS} FROM messages m JOIN parties p ON p.id = m.sender_id WHERE m.receipt_token = $1`,
    },
    [token],
  );
  return row && { senderId: BigInt(row.sender_id), detail: row.minimal_receipts ? 'minimal' : 'full', message: toMessage(row) };
}

export async function purgeIdempotencyKeys(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: string }>(
    `WITH purged AS (DELETE FROM idempotency_keys WHERE created_at <= now() - make_interval(hours => $1) AND created_at <= now() - window_of_key(key, make_interval(hours => $1)) RETURNING 1) SELECT count(*) FROM purged`,
    [IDEMPOTENCY_WINDOW_HOURS],
  );
  return Number(rows[0]?.count ?? 0);
}

/** Counts of days that nobody asks for any more. */
export async function purgeOrganisationUsage(db: Queryable): Promise<void> {
  await db.query("DELETE FROM daily_organisation_usage WHERE day < (now() AT TIME ZONE 'UTC')::date - 1");
}
