import type { SaidWithReply } from '../../contract/acknowledgements.ts';
import type { Concern, Follower } from '../../contract/followers.ts';
import { IDEMPOTENCY_WINDOW_HOURS, MAIL_REPEAT_WINDOW_HOURS } from '../../contract/limits.ts';
import type { QuotaName, Quotas } from '../../contract/quotas.ts';
import {
  bigintAt,
  bigintField,
  byteaField,
  enumField,
  type Field,
  integerField,
  recordArray,
  smallintField,
  textField,
  uuidField,
} from '../../platform/postgres/binary-array.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, type RowOf, type Statement, TypedColumn } from '../../platform/postgres/statement.ts';
import type { DeliveredFile } from '../files/delivered-file.ts';
import type { MessageSignature } from '../signatures/signed-request.ts';
import { findDocuments, type PreparedMessage } from './envelope.ts';
import { MESSAGE_FIELDS } from './store.ts';

type Refused = 'replayed' | QuotaName;

export const OUTCOME_ROW = columns({
  received_ms: 'bigint',
  outcomes: new TypedColumn<readonly CommitOutcome['outcome'][] | null>('text[]?'),
  message_ids: 'text[]?',
  hashes: 'bytea?',
  bases: 'bytea',
  announced: 'text?',
});
export const RECEPTION_ROW = columns({ announced: 'text?' });
const HASH_BYTES = 32;

type Taken = NonNullable<Follower['takes']>;

interface BatchStatements {
  /** The arrays that the followers in the statements take, in this order. */
  takes: readonly Taken[];
  commit: Statement<RowOf<typeof OUTCOME_ROW>>;
  receive: Statement<RowOf<typeof RECEPTION_ROW>>;
}

export interface CommitStatements {
  channel: string;
  concerns: readonly Concern[];
  /** Element n has the statements that call the followers of the concerns whose bits are set in n, and those that every message concerns. */
  made: readonly BatchStatements[];
}

const CONCERNS: Record<Concern, (message: PreparedMessage) => boolean> = {
  files: ({ files }) => files.length > 0,
  signatures: ({ signature }) => signature !== undefined,
  acknowledgements: ({ acknowledge }) => acknowledge !== undefined,
  replies: ({ inReplyTo, isToBusiness }) => inReplyTo !== null || !isToBusiness,
  expiries: ({ expires_at }) => expires_at !== null,
};

function statementsFor({ concerns, made }: CommitStatements, batch: readonly PreparedMessage[]): BatchStatements {
  const found = made[concerns.reduce((bits, concern, i) => bits | (batch.some(CONCERNS[concern]) ? 1 << i : 0), 0)];
  if (!found) throw new Error('a combination of followers has no statement');
  return found;
}

/** messageId: that of the original, if the message was replayed. position: that of its entry in the sender's ledger. */
export type CommitOutcome = { messageId: string; receivedMs: number } & (
  | { outcome: 'accepted'; contentHash: Buffer; position: bigint }
  | { outcome: Refused; contentHash?: undefined }
);

const TYPES: Record<Taken, string> = {
  files: 'prepared_file',
  signatures: 'prepared_signature',
  acknowledgements: 'prepared_acknowledgement',
};

/** The calls of followers. The arrays that they take are the parameters from `parameter` on. */
function callsOf(followers: readonly Follower[], parameter: number): string {
  const takers = followers.filter(({ takes }) => takes !== undefined);
  const argument = (follower: Follower) =>
    follower.takes === undefined ? '' : `, $${parameter + takers.indexOf(follower)}::${TYPES[follower.takes]}[]`;
  return followers.map((follower) => `${follower.sqlFunction}(b.messages${argument(follower)})`).join(', ');
}

export const commitSql = (followers: readonly Follower[], announced: Follower) =>
  `WITH b AS MATERIALIZED (
     SELECT received_ms, outcomes, message_ids::text[] AS message_ids, hashes, array_send(bases) AS bases, committed AS messages
       FROM commit_messages($1::prepared_message[], $2::touched_ledger[], $3::boolean, $4::boolean, $5::bigint, $6::bigint, $7::integer, $8::bigint, $9::interval, $10::interval)
   ), followed AS MATERIALIZED (
     SELECT ${callsOf(followers, 11)} FROM b WHERE b.messages IS NOT NULL
   )
   SELECT b.received_ms, b.outcomes, b.message_ids, b.hashes, b.bases, followed.${announced.sqlFunction} AS announced FROM b LEFT JOIN followed ON true`;

export const receiveSql = (followers: readonly Follower[], announced: Follower) =>
  `WITH b AS MATERIALIZED (
     SELECT committed AS messages FROM receive_messages($1::prepared_message[], $2::bytea[], $3::timestamptz[], $4::touched_ledger[])
   ), followed AS MATERIALIZED (
     SELECT ${callsOf(followers, 5)} FROM b WHERE b.messages IS NOT NULL
   )
   SELECT ${announced.sqlFunction} AS announced FROM followed`;

/** The estimated size of a record without its texts: fixed-width attributes, lengths and types, and usual texts. */
const RECORD_BYTES_GUESS = 1_536;

interface Committed {
  outcomes: CommitOutcome[];
  announced: string | null;
}

/** Commits only the sender's half of a message whose recipient's ledger is not here. */
export async function commitMessages(
  db: Queryable,
  statements: CommitStatements,
  batch: readonly PreparedMessage[],
  isHere: (partyId: bigint) => boolean,
  quotas: Quotas,
): Promise<Committed> {
  await findDocuments(batch);
  const { takes, commit } = statementsFor(statements, batch);
  const { messages, ledgers, senders } = recordsOf(batch, isHere);
  const row = onlyRow(
    await db.query(commit, [
      messages,
      ledgers,
      batch.some(({ idempotencyKey }) => idempotencyKey !== null),
      batch.some(({ recipientId }) => !isHere(recipientId)),
      quotas.monthlyMessages,
      quotas.newAccountDailyMessages,
      quotas.newAccountDays,
      quotas.dailyUploadBytes,
      `${IDEMPOTENCY_WINDOW_HOURS} hours`,
      `${MAIL_REPEAT_WINDOW_HOURS} hours`,
      ...takes.map((what) => TAKEN[what](batch)),
    ]),
  );
  return { outcomes: outcomesOf(batch, senders, row), announced: row.announced };
}

function outcomesOf(batch: readonly PreparedMessage[], senders: readonly NewEntry[], row: RowOf<typeof OUTCOME_ROW>): CommitOutcome[] {
  const { received_ms, outcomes, message_ids, hashes, bases } = row;
  let at = 0;
  return batch.map(({ id }, i) => {
    const known = { messageId: message_ids?.[i] ?? id, receivedMs: Number(received_ms) };
    const outcome = outcomes?.[i] ?? 'accepted';
    if (outcome !== 'accepted') return { ...known, outcome };
    if (hashes === null) throw new Error('an accepted message has no hash');
    at += HASH_BYTES;
    const { ledger, entry } = senders[i] ?? ELSEWHERE;
    const position = bigintAt(bases, ledger - 1) + BigInt(entry);
    return { ...known, outcome, contentHash: hashes.subarray(at - HASH_BYTES, at), position };
  });
}

export interface ReceivedMessage {
  message: PreparedMessage;
  receivedMs: number;
  contentHash: Buffer;
}

export async function receiveMessages(
  db: Queryable,
  statements: CommitStatements,
  batch: readonly ReceivedMessage[],
  isHere: (partyId: bigint) => boolean,
): Promise<string | null> {
  // Signatures and acknowledgements stay with the sender's half.
  const received = batch.map(({ message: { signature, acknowledge, ...message } }) => message);
  await findDocuments(received);
  const { takes, receive } = statementsFor(statements, received);
  const { messages, ledgers } = recordsOf(received, isHere);
  const [row] = await db.query(receive, [
    messages,
    batch.map(({ contentHash }) => contentHash),
    batch.map(({ receivedMs }) => new Date(receivedMs)),
    ledgers,
    ...takes.map((what) => TAKEN[what](received)),
  ]);
  return row?.announced ?? null;
}

const TAKEN: Record<Taken, (batch: readonly PreparedMessage[]) => Buffer> = {
  files: filesIn,
  signatures: signaturesIn,
  acknowledgements: acknowledgementsIn,
};

function filesIn(batch: readonly PreparedMessage[]): Buffer {
  const files = batch.flatMap(({ id, files }) => files.map((file, ordinal) => ({ messageId: id, ordinal, file })));
  return recordArray(FILE_FIELDS, files);
}

function recordsOf(batch: readonly PreparedMessage[], isHere: (partyId: bigint) => boolean) {
  const plan = planEntries(batch, isHere);
  const payloadBytes = batch.reduce((sum, { json }) => sum + (json?.length ?? 0), 0);
  const fields = [...planFields(plan, firstsWithKey(batch)), ...MESSAGE_FIELDS];
  return {
    messages: recordArray(fields, batch, payloadBytes + batch.length * RECORD_BYTES_GUESS),
    ledgers: recordArray(LEDGER_FIELDS, plan.ledgers),
    senders: plan.senders,
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

/** The attributes of the type prepared_acknowledgement. */
const ACKNOWLEDGEMENT_FIELDS: readonly Field<{ replyId: string; said: SaidWithReply }>[] = [
  uuidField(({ replyId }) => replyId),
  enumField(({ said }) => said.status),
  textField(({ said }) => said.reason),
];

function acknowledgementsIn(batch: readonly PreparedMessage[]): Buffer {
  const replies = batch.flatMap(({ id, acknowledge }) => (acknowledge ? [{ replyId: id, said: acknowledge }] : []));
  return recordArray(ACKNOWLEDGEMENT_FIELDS, replies);
}

interface TouchedLedger {
  partyId: bigint;
  entries: number;
  /** The messages that the batch sends from it, and the bytes of their files. */
  sent: number;
  sentBytes: number;
}
const LEDGER_FIELDS: readonly Field<TouchedLedger>[] = [
  bigintField((l) => l.partyId),
  integerField((l) => l.entries),
  integerField((l) => l.sent),
  bigintField((l) => BigInt(l.sentBytes)),
];

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
  const ledgers = partyIds.map((partyId) => ({ partyId, entries: 0, sent: 0, sentBytes: 0 }));
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
  for (const { senderId, recipientId, inlineBytes } of batch) {
    const from = enter(senderId);
    const ledger = ledgers[from.ledger - 1];
    if (ledger) {
      ledger.sent++;
      ledger.sentBytes += inlineBytes;
    }
    senders.push(from);
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
