import type { Follower } from '../../contract/followers.ts';
import { IDEMPOTENCY_WINDOW_HOURS, MAIL_REPEAT_WINDOW_HOURS } from '../../contract/limits.ts';
import { QUOTA_NAMES, type Quotas } from '../../contract/quotas.ts';
import {
  bigintField,
  byteaField,
  type Field,
  integerField,
  recordArray,
  smallintField,
  textField,
  uuidField,
} from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, type RowOf, type Statement } from '../../platform/postgres/statement.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { MessageSignature } from '../signatures/signed-request.ts';
import type { PreparedMessage } from './envelope.ts';
import { MESSAGE_FIELDS } from './store.ts';

const OUTCOMES = ['accepted', 'replayed', ...QUOTA_NAMES] as const;

export const OUTCOME_ROW = columns({
  outcome: oneOf('text', OUTCOMES),
  message_id: 'uuid',
  received_ms: 'bigint',
  content_hash: 'bytea',
  announced: 'text?',
});
export const RECEPTION_ROW = columns({ announced: 'text?' });

export interface CommitStatements {
  commit: Statement<RowOf<typeof OUTCOME_ROW>>;
  receive: Statement<RowOf<typeof RECEPTION_ROW>>;
  channel: string;
}

export interface CommitOutcome {
  outcome: (typeof OUTCOMES)[number];
  messageId: string;
  receivedMs: number;
  contentHash: Buffer;
}

const callsOf = (followers: readonly Follower[], given: Record<NonNullable<Follower['takes']>, string>) =>
  followers.map(({ sqlFunction, takes }) => `${sqlFunction}(b.messages${takes ? `, ${given[takes]}` : ''})`).join(', ');

export const commitSql = (followers: readonly Follower[], announced: Follower) =>
  `WITH batch AS MATERIALIZED (
     SELECT * FROM commit_messages($1::prepared_message[], $2::touched_ledger[], $3::bigint, $4::bigint, $5::integer, $6::bigint, $7::interval, $8::interval)
   ), followed AS MATERIALIZED (
     SELECT ${callsOf(followers, { files: '$9::prepared_file[]', signatures: '$10::prepared_signature[]' })}
       FROM (SELECT array_agg(committed ORDER BY ordinal) AS messages FROM batch WHERE outcome = 'accepted' HAVING count(*) > 0) b
   )
   SELECT outcome, message_id, received_ms, content_hash, CASE WHEN ordinal = 1 THEN ${announced.sqlFunction} END AS announced
     FROM batch LEFT JOIN followed ON true ORDER BY ordinal`;

/** Signatures stay with the sender's half. */
export const receiveSql = (followers: readonly Follower[], announced: Follower) =>
  `WITH batch AS MATERIALIZED (
     SELECT * FROM receive_messages($1::prepared_message[], $2::bytea[], $3::timestamptz[], $4::touched_ledger[])
   ), followed AS MATERIALIZED (
     SELECT ${callsOf(followers, { files: '$5::prepared_file[]', signatures: `'{}'` })}
       FROM (SELECT array_agg(committed ORDER BY ordinal) AS messages FROM batch HAVING count(*) > 0) b
   )
   SELECT ${announced.sqlFunction} AS announced FROM followed`;

/** The estimated size of a record without its texts: fixed-width attributes, lengths and types, and usual texts. */
const RECORD_BYTES_GUESS = 1_536;

export interface Committed {
  outcomes: CommitOutcome[];
  announced: string | null;
}

/** Commits only the sender's half of a message whose recipient's ledger is not here. */
export async function commitMessages(
  db: Queryable,
  { commit }: CommitStatements,
  batch: readonly PreparedMessage[],
  isHere: (partyId: bigint) => boolean,
  quotas: Quotas,
): Promise<Committed> {
  const { messages, files, ledgers } = recordsOf(batch, isHere);
  const rows = await db.query(commit, [
    messages,
    ledgers,
    quotas.monthlyMessages,
    quotas.newAccountDailyMessages,
    quotas.newAccountDays,
    quotas.dailyUploadBytes,
    `${IDEMPOTENCY_WINDOW_HOURS} hours`,
    `${MAIL_REPEAT_WINDOW_HOURS} hours`,
    files,
    signaturesIn(batch),
  ]);
  const outcomes = rows.map((row) => ({
    outcome: row.outcome,
    messageId: row.message_id,
    receivedMs: Number(row.received_ms),
    contentHash: row.content_hash,
  }));
  return { outcomes, announced: rows[0]?.announced ?? null };
}

export interface ReceivedMessage {
  message: PreparedMessage;
  receivedMs: number;
  contentHash: Buffer;
}

export async function receiveMessages(
  db: Queryable,
  { receive }: CommitStatements,
  batch: readonly ReceivedMessage[],
  isHere: (partyId: bigint) => boolean,
): Promise<string | null> {
  const { messages, files, ledgers } = recordsOf(
    batch.map(({ message }) => message),
    isHere,
  );
  const [row] = await db.query(receive, [
    messages,
    batch.map(({ contentHash }) => contentHash),
    batch.map(({ receivedMs }) => new Date(receivedMs)),
    ledgers,
    files,
  ]);
  return row?.announced ?? null;
}

function recordsOf(batch: readonly PreparedMessage[], isHere: (partyId: bigint) => boolean) {
  const plan = planEntries(batch, isHere);
  const payloadBytes = batch.reduce((sum, { json }) => sum + (json?.length ?? 0), 0);
  const fields = [...planFields(plan, firstsWithKey(batch)), ...MESSAGE_FIELDS];
  const files = batch.flatMap(({ id, files }) => files.map((file, ordinal) => ({ messageId: id, ordinal, file })));
  return {
    messages: recordArray(fields, batch, payloadBytes + batch.length * RECORD_BYTES_GUESS),
    files: recordArray(FILE_FIELDS, files),
    ledgers: recordArray(LEDGER_FIELDS, plan.ledgers),
  };
}

/** The attributes of the type prepared_signature. */
const SIGNATURE_FIELDS: readonly Field<{ message: PreparedMessage; signature: MessageSignature }>[] = [
  bigintField(({ message }) => message.senderId),
  uuidField(({ message }) => message.id),
  uuidField(({ signature }) => signature.keyId),
  textField(({ signature }) => signature.signatureInput),
  byteaField(({ signature }) => signature.signature),
  textField(({ signature }) => signature.components),
  byteaField(({ signature }) => signature.bodyBefore),
  byteaField(({ signature }) => signature.bodyAfter),
];

function signaturesIn(batch: readonly PreparedMessage[]): Buffer {
  const signed = batch.flatMap((message) => (message.signature ? [{ message, signature: message.signature }] : []));
  return recordArray(SIGNATURE_FIELDS, signed);
}

interface TouchedLedger {
  partyId: bigint;
  entries: number;
}
const LEDGER_FIELDS: readonly Field<TouchedLedger>[] = [bigintField((l) => l.partyId), integerField((l) => l.entries)];

/** The attributes of the type prepared_file. */
interface PreparedFile {
  messageId: string;
  ordinal: number;
  file: DeliveredFile;
}
const FILE_FIELDS: readonly Field<PreparedFile>[] = [
  uuidField((f) => f.messageId),
  uuidField((f) => f.file.id),
  smallintField((f) => f.ordinal),
  uuidField((f) => f.file.objectId),
  textField((f) => f.file.filename),
  textField((f) => f.file.contentType),
  bigintField((f) => BigInt(f.file.sizeBytes)),
  byteaField((f) => f.file.sha256),
];

/**
 * The place of a message in a ledger of the batch: which ledger, and which of its new entries. Both count from 1, as in SQL. A ledger in
 * another shard has the number 0.
 */
interface NewEntry {
  ledger: number;
  entry: number;
}

const ELSEWHERE: NewEntry = { ledger: 0, entry: 0 };

interface Plan {
  ledgers: TouchedLedger[];
  senders: NewEntry[];
  recipients: NewEntry[];
}

/** The first attributes of the type prepared_message. */
function planFields({ senders, recipients }: Plan, firsts: readonly number[]): Field<PreparedMessage>[] {
  const at = <T>(places: readonly T[], index: number) => places[index] as T;
  return [
    integerField((_, i) => at(senders, i).ledger),
    integerField((_, i) => at(senders, i).entry),
    integerField((_, i) => at(recipients, i).ledger),
    integerField((_, i) => at(recipients, i).entry),
    integerField((_, i) => at(firsts, i)),
  ];
}

/** Lists the ledgers that a batch touches in ascending order, which is the order of locking, and each message's new entry in them. */
function planEntries(batch: readonly PreparedMessage[], isHere: (partyId: bigint) => boolean): Plan {
  const partyIds = [...new Set(batch.flatMap((m) => [m.senderId, m.recipientId]))].filter(isHere).sort((a, b) => (a < b ? -1 : 1));
  const ledgers = partyIds.map((partyId) => ({ partyId, entries: 0 }));
  const ledgerOf = new Map(partyIds.map((id, i) => [id, i + 1]));
  const enter = (partyId: bigint): NewEntry => {
    const ledger = ledgerOf.get(partyId);
    if (ledger === undefined) return ELSEWHERE;
    const touched = ledgers[ledger - 1] as TouchedLedger;
    touched.entries++;
    return { ledger, entry: touched.entries };
  };
  const senders: NewEntry[] = [];
  const recipients: NewEntry[] = [];
  for (const { senderId, recipientId } of batch) {
    senders.push(enter(senderId));
    recipients.push(enter(recipientId));
  }
  return { ledgers, senders, recipients };
}

/** Gives each message the number of the first one in the batch with the same sender and idempotency key, which is mostly its own. */
function firstsWithKey(batch: readonly PreparedMessage[]): number[] {
  const seen = new Map<string, number>();
  return batch.map(({ senderId, idempotencyKey }, i) => {
    if (idempotencyKey === null) return i + 1;
    const name = `${senderId} ${idempotencyKey}`;
    const first = seen.get(name) ?? i + 1;
    seen.set(name, first);
    return first;
  });
}
