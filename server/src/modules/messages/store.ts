import type { SaidWithReply } from '../../contract/acknowledgements.ts';
import { mapTexts, TEXT_NAMES, textsOf } from '../../contract/message-fields.ts';
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
} from '../../platform/postgres/binary-array.ts';
import { JOIN_MESSAGE, MESSAGE_OF_ENTRY, SENDER_OF_ENTRY } from '../../platform/postgres/ledger-sql.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { PreparedMessage, StoredMessage } from './envelope.ts';

/** The attributes of the type prepared_message after those of the plan (commit-store.ts), in order. */
export const MESSAGE_FIELDS: readonly Field<PreparedMessage>[] = [
  bigintField((m) => m.senderId),
  bigintField((m) => m.recipientId),
  uuidField((m) => m.id),
  textField((m) => m.segment),
  uuidField((m) => m.threadId),
  uuidField((m) => m.inReplyTo),
  textField((m) => m.sender),
  textField((m) => m.recipient),
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
  byteaField((m) => m.jsonBytesSha256),
  byteaField((m) => m.requestDigest ?? null),
  byteaField((m) => m.mailDigest ?? null),
  textField((m) => m.document ?? null),
  ...TEXT_NAMES.map((name) => textField<PreparedMessage>((m) => m[name])),
];

export const MESSAGE_ROW = columns({
  id: 'uuid',
  recipient_id: 'bigint',
  thread_id: 'uuid',
  in_reply_to: 'uuid?',
  sender: 'text',
  recipient: 'text',
  ...mapTexts(() => 'text?' as const),
  json: 'text?',
  json_sha256: 'bytea?',
  json_bytes_sha256: 'bytea?',
  validation: oneOf('validation_status', ['passed', 'failed', 'not_applicable']),
  validation_errors: 'text',
  received_at: 'timestamptz',
  content_hash: 'bytea',
  receipt_token: 'bytea',
  idempotency_key: 'text?',
  file_count: 'smallint',
});

export const MESSAGE_COLUMNS = namesOf(MESSAGE_ROW, 'm');

export interface MessageRecord extends Omit<StoredMessage, 'files'> {
  fileCount: number;
}

export function toMessage(row: RowOf<typeof MESSAGE_ROW>): MessageRecord {
  return {
    id: row.id,
    recipientId: BigInt(row.recipient_id),
    threadId: row.thread_id,
    inReplyTo: row.in_reply_to,
    sender: row.sender,
    recipient: row.recipient,
    ...textsOf(row),
    json: row.json,
    jsonSha256: row.json_sha256,
    jsonBytesSha256: row.json_bytes_sha256,
    validation: row.validation,
    validationErrors: row.validation_errors,
    receivedMs: row.received_at.getTime(),
    contentHash: row.content_hash,
    receiptToken: row.receipt_token,
    idempotencyKey: row.idempotency_key,
    fileCount: row.file_count,
  };
}

const MESSAGE_OF_PARTY = prepared(
  'message-of-party',
  `SELECT m.sender_id, ${MESSAGE_COLUMNS} FROM ledger_entries e ${JOIN_MESSAGE} WHERE e.party_id = $1 AND e.message_id = $2 LIMIT 1`,
  { sender_id: 'bigint', ...MESSAGE_ROW },
);

interface SentRecord {
  senderId: bigint;
  message: MessageRecord;
}

export async function findMessage(db: Queryable, partyId: bigint, messageId: string): Promise<SentRecord | undefined> {
  const [row] = await db.query(MESSAGE_OF_PARTY, [partyId, messageId]);
  return row && { senderId: BigInt(row.sender_id), message: toMessage(row) };
}

const SENDER = prepared(
  'sender-of-message',
  `SELECT ${SENDER_OF_ENTRY} AS id FROM ledger_entries e WHERE e.party_id = $1 AND e.message_id = $2 LIMIT 1`,
  {
    id: 'bigint',
  },
);

export async function findSender(db: Queryable, partyId: bigint, messageId: string): Promise<bigint | undefined> {
  const [row] = await db.query(SENDER, [partyId, messageId]);
  return row && BigInt(row.id);
}

const MESSAGE_OF_SENDER = prepared(
  'message-of-sender',
  `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.sender_id = $1 AND m.id = $2`,
  MESSAGE_ROW,
);

/** Finds the message even if it is no longer in the sender's ledger. */
export async function findSent(db: Queryable, senderId: bigint, messageId: string): Promise<MessageRecord | undefined> {
  const [row] = await db.query(MESSAGE_OF_SENDER, [senderId, messageId]);
  return row && toMessage(row);
}

const POSITION = prepared(
  'position-of-sent',
  `SELECT position FROM ledger_entries WHERE party_id = $1 AND message_id = $2 AND box = 'out' LIMIT 1`,
  { position: 'bigint' },
);

/** Null if the message is no longer in the sender's ledger. */
export async function findPosition(db: Queryable, senderId: bigint, messageId: string): Promise<bigint | null> {
  const [row] = await db.query(POSITION, [senderId, messageId]);
  return row ? BigInt(row.position) : null;
}

const RECEIVED_FROM = prepared(
  'received-from',
  `SELECT thread_id, counterparty_id FROM ledger_entries WHERE party_id = $1 AND message_id = $2 AND box = 'in' LIMIT 1`,
  { thread_id: 'uuid', counterparty_id: 'bigint' },
);

export async function findReceivedFrom(db: Queryable, partyId: bigint, messageId: string): Promise<Omit<Parent, 'segment'> | undefined> {
  const [row] = await db.query(RECEIVED_FROM, [partyId, messageId]);
  return row && { threadId: row.thread_id, otherPartyId: BigInt(row.counterparty_id) };
}

const JUDGE = statement('SELECT judge_acknowledgement($1::bigint, $2::uuid, $3::acknowledgement_status, $4::text, false) AS verdict', {
  verdict: 'text',
});

/** Whether a party can say this of a message (server/sql/acknowledgements/judge_acknowledgement.sql). */
export async function judgeAcknowledgement(db: Queryable, partyId: bigint, messageId: string, said: SaidWithReply): Promise<string> {
  return onlyRow(await db.query(JUDGE, [partyId, messageId, said.status, said.reason])).verdict;
}

const THREAD_RECEIVED = prepared(
  'thread-received',
  `SELECT FROM ledger_entries WHERE party_id = $1 AND thread_id = $2 AND box = 'in' LIMIT 1`,
);

export async function hasReceived(db: Queryable, partyId: bigint, threadId: string): Promise<boolean> {
  return (await db.query(THREAD_RECEIVED, [partyId, threadId])).length > 0;
}

export interface Received {
  partyId: bigint;
  messageId: string;
}

const RECEIVED = prepared(
  'messages-received',
  `SELECT f.*
     FROM unnest($1::bigint[], $2::uuid[]) AS k (party_id, message_id),
          LATERAL (SELECT e.party_id, ${MESSAGE_COLUMNS} FROM ledger_entries e, LATERAL (SELECT * FROM messages m WHERE ${MESSAGE_OF_ENTRY} LIMIT 1) m
                    WHERE e.party_id = k.party_id AND e.message_id = k.message_id LIMIT 1) f`,
  { party_id: 'bigint', ...MESSAGE_ROW },
);

/** Finds messages in the ledgers of these parties, in any order. LATERAL with LIMIT 1 keeps every plan from scanning whole tables. */
export async function findReceived(db: Queryable, wanted: readonly Received[]): Promise<(Received & { message: MessageRecord })[]> {
  const rows = await db.query(RECEIVED, [
    bigintArray(wanted.map(({ partyId }) => partyId)),
    uuidArray(wanted.map(({ messageId }) => messageId)),
  ]);
  return rows.map((row) => ({ partyId: BigInt(row.party_id), messageId: row.id, message: toMessage(row) }));
}

const OUTLINES = prepared(
  'message-outlines',
  `SELECT f.*
     FROM unnest($2::uuid[]) AS k (message_id),
          LATERAL (SELECT m.id, m.type, m.subject, m.sender, m.recipient
                     FROM ledger_entries e, LATERAL (SELECT * FROM messages m WHERE ${MESSAGE_OF_ENTRY} LIMIT 1) m
                    WHERE e.party_id = $1 AND e.message_id = k.message_id LIMIT 1) f`,
  { id: 'uuid', type: 'text?', subject: 'text?', sender: 'text', recipient: 'text' },
);

/** The fields that tell messages apart in a list. Key: message id. Messages that are not in the ledger are left out. */
export async function findOutlines(db: Queryable, partyId: bigint, messageIds: readonly string[]) {
  const rows = await db.query(OUTLINES, [partyId, uuidArray([...messageIds])]);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface Parent {
  threadId: string;
  otherPartyId: bigint;
  /** The sender's present segment at the other party if the message was received, otherwise the segment it was addressed to. */
  segment: string | null;
}

const PARENT = prepared(
  'parent-of-reply',
  // A message to oneself is in both boxes.
  `SELECT e.thread_id, e.counterparty_id, CASE e.box WHEN 'in' THEN s.segment ELSE m.segment END AS segment
     FROM (SELECT * FROM ledger_entries WHERE party_id = $1 AND message_id = $2 ORDER BY box = 'in' DESC LIMIT 1) e
     ${JOIN_MESSAGE}
     LEFT JOIN LATERAL (SELECT uuid_in_id(m.sender::json #>> '{actor,id}') AS id OFFSET 0) actor ON e.box = 'in'
     LEFT JOIN segments s ON s.party_id = e.counterparty_id AND (s.agent_id = actor.id OR s.person_id = actor.id)`,
  { thread_id: 'uuid', counterparty_id: 'bigint', segment: 'text?' },
);

export async function findParent(db: Queryable, partyId: bigint, messageId: string): Promise<Parent | undefined> {
  const [row] = await db.query(PARENT, [partyId, messageId]);
  return row && { threadId: row.thread_id, otherPartyId: BigInt(row.counterparty_id), segment: row.segment };
}

const BY_IDEMPOTENCY_KEY = statement(
  `SELECT ${MESSAGE_COLUMNS} FROM idempotency_keys k JOIN messages m ON m.sender_id = k.party_id AND m.id = k.message_id
    WHERE k.party_id = $1 AND k.key = $2 AND k.expires_at > now()`,
  MESSAGE_ROW,
);

export async function findByIdempotencyKey(db: Queryable, partyId: bigint, key: string): Promise<MessageRecord | undefined> {
  const [row] = await db.query(BY_IDEMPOTENCY_KEY, [partyId, key]);
  return row && toMessage(row);
}

const FIRST_REQUEST = statement('SELECT request_digest FROM idempotency_keys WHERE party_id = $1 AND key = $2', {
  request_digest: 'bytea?',
});

export async function findFirstRequest(db: Queryable, partyId: bigint, key: string): Promise<Buffer | undefined> {
  const [row] = await db.query(FIRST_REQUEST, [partyId, key]);
  return row?.request_digest ?? undefined;
}

const BY_MAIL = statement(
  `SELECT k.message_id FROM idempotency_keys k WHERE k.party_id = ANY ($1) AND k.mail_digest = $2 AND k.expires_at > now()
    ORDER BY k.expires_at LIMIT 1`,
  { message_id: 'uuid' },
);

export async function findByMail(db: Queryable, partyIds: readonly bigint[], mailDigest: Buffer): Promise<string | undefined> {
  const [row] = await db.query(BY_MAIL, [partyIds, mailDigest]);
  return row?.message_id;
}

export interface ReceiptRecord extends SentRecord {
  detail: ReceiptDetail;
}

const BY_RECEIPT = prepared(
  'message-by-receipt',
  `SELECT m.sender_id, p.minimal_receipts, ${MESSAGE_COLUMNS} FROM messages m JOIN parties p ON p.id = m.sender_id WHERE m.receipt_token = $1`,
  { sender_id: 'bigint', minimal_receipts: 'boolean', ...MESSAGE_ROW },
);

/** The result includes the sender, because the reader has nothing but the token. */
export async function findByReceipt(db: Queryable, token: Buffer): Promise<ReceiptRecord | undefined> {
  const [row] = await db.query(BY_RECEIPT, [token]);
  return row && { senderId: BigInt(row.sender_id), detail: row.minimal_receipts ? 'minimal' : 'full', message: toMessage(row) };
}

const PURGE_IDEMPOTENCY_KEYS = statement(
  'WITH purged AS (DELETE FROM idempotency_keys WHERE expires_at <= now() RETURNING 1) SELECT count(*) FROM purged',
  { count: 'bigint' },
);

export async function purgeIdempotencyKeys(db: Queryable): Promise<number> {
  return Number(onlyRow(await db.query(PURGE_IDEMPOTENCY_KEYS)).count);
}

const PURGE_ORGANISATION_USAGE = statement("DELETE FROM daily_organisation_usage WHERE day < (now() AT TIME ZONE 'UTC')::date - 1");

export async function purgeOrganisationUsage(db: Queryable): Promise<void> {
  await db.query(PURGE_ORGANISATION_USAGE);
}
