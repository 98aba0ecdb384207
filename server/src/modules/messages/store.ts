import { IDEMPOTENCY_WINDOW_HOURS } from '../../contract/limits.ts';
import type { QuotaName, Quotas } from '../../contract/quotas.ts';
import { bigintArray, byteaArray, integerArray, textArray, uuidArray } from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';
import type { StoredMessage } from './envelope.ts';

export type Box = 'in' | 'out';

/** A position is the millisecond of delivery times this, plus a counter. */
const POSITIONS_PER_MS = 4096n;
const POSITION_MAX = 2n ** 63n - 1n;

/** A message with all that can be known before the transaction that delivers it. */
export interface PreparedMessage extends Omit<StoredMessage, 'json' | 'receivedMs' | 'contentHash'> {
  senderId: bigint;
  recipientId: bigint;
  segment: string | null;
  json: Buffer | null;
  fromEmail: string | null;
  fromDomain: string | null;
  hashedBeforeTime: string;
  hashedAfterTime: string;
  /** What comes with the request itself counts toward the day's limit of bytes; uploads have been counted before. */
  inlineBytes: number;
}

export interface CommitOutcome {
  outcome: 'accepted' | 'replayed' | QuotaName;
  /** The message itself, or the one that an idempotency key stands for. */
  messageId: string;
  receivedMs: number;
  contentHash: Buffer;
}

const COMMIT = {
  name: 'commit-messages',
  text: `SELECT outcome, message_id, received_ms, content_hash FROM commit_messages(
    $1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::integer[],
    $7::uuid[], $8::uuid[], $9::uuid[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::bytea[],
    $18::text[], $19::text[], $20::text[], $21::text[], $22::bytea[], $23::text[], $24::integer[], $25::text[], $26::text[],
    $27::integer[], $28::bigint[], $29::integer[], $30::integer[], $31::uuid[], $32::uuid[], $33::text[], $34::text[], $35::bigint[], $36::bytea[],
    $37, $38, $39, $40, $41::interval)`,
};

/** Delivers a batch in one transaction; the outcomes come in the order of the messages. */
export async function commitMessages(db: Queryable, batch: readonly PreparedMessage[], quotas: Quotas): Promise<CommitOutcome[]> {
  const plan = planEntries(batch);
  const files = batch.flatMap((message, i) => message.files.map((file, ordinal) => ({ n: i + 1, ordinal, file })));
  const rows = await db.query<{
    outcome: CommitOutcome['outcome'];
    message_id: string;
    received_ms: string;
    content_hash: Buffer;
  }>(COMMIT, [
    bigintArray(plan.partyIds),
    bigintArray(plan.entryCounts),
    integerArray(plan.senders.slots),
    integerArray(plan.senders.nths),
    integerArray(plan.recipients.slots),
    integerArray(plan.recipients.nths),
    uuidArray(batch.map((m) => m.id)),
    uuidArray(batch.map((m) => m.threadId)),
    uuidArray(batch.map((m) => m.inReplyTo)),
    textArray(batch.map((m) => m.segment)),
    textArray(batch.map((m) => m.sender)),
    textArray(batch.map((m) => m.recipient)),
    textArray(batch.map((m) => m.type)),
    textArray(batch.map((m) => m.subject)),
    textArray(batch.map((m) => m.note)),
    textArray(batch.map((m) => m.json)),
    byteaArray(batch.map((m) => m.jsonSha256)),
    textArray(batch.map((m) => m.validation)),
    textArray(batch.map((m) => m.validationErrors)),
    textArray(batch.map((m) => m.fromEmail)),
    textArray(batch.map((m) => m.fromDomain)),
    byteaArray(batch.map((m) => m.receiptToken)),
    textArray(batch.map((m) => m.idempotencyKey)),
    integerArray(firstsOf(batch)),
    textArray(batch.map((m) => m.hashedBeforeTime)),
    textArray(batch.map((m) => m.hashedAfterTime)),
    integerArray(batch.map((m) => m.files.length)),
    bigintArray(batch.map((m) => BigInt(m.inlineBytes))),
    integerArray(files.map(({ n }) => n)),
    integerArray(files.map(({ ordinal }) => ordinal)),
    uuidArray(files.map(({ file }) => file.id)),
    uuidArray(files.map(({ file }) => file.objectId)),
    textArray(files.map(({ file }) => file.filename)),
    textArray(files.map(({ file }) => file.contentType)),
    bigintArray(files.map(({ file }) => BigInt(file.sizeBytes))),
    byteaArray(files.map(({ file }) => file.sha256)),
    quotas.monthlyMessages,
    quotas.newAccountDailyMessages,
    quotas.newAccountDays,
    quotas.dailyUploadBytes,
    `${IDEMPOTENCY_WINDOW_HOURS} hours`,
  ]);
  return rows.map((row) => ({
    outcome: row.outcome,
    messageId: row.message_id,
    receivedMs: Number(row.received_ms),
    contentHash: row.content_hash,
  }));
}

interface Side {
  slots: number[];
  nths: number[];
}

/** Which parties a batch touches, and which of a party's new entries each message gets. Numbered from 1, as SQL does. */
function planEntries(batch: readonly PreparedMessage[]) {
  const partyIds = [...new Set(batch.flatMap((m) => [m.senderId, m.recipientId]))].sort((a, b) => (a < b ? -1 : 1));
  const slotOf = new Map(partyIds.map((id, i) => [id, i + 1]));
  const counts = new Array<number>(partyIds.length).fill(0);
  const senders: Side = { slots: [], nths: [] };
  const recipients: Side = { slots: [], nths: [] };
  const enter = (side: Side, partyId: bigint) => {
    const slot = slotOf.get(partyId) as number;
    counts[slot - 1] = (counts[slot - 1] as number) + 1;
    side.slots.push(slot);
    side.nths.push(counts[slot - 1] as number);
  };
  for (const message of batch) {
    enter(senders, message.senderId);
    enter(recipients, message.recipientId);
  }
  return { partyIds, entryCounts: counts.map(BigInt), senders, recipients };
}

/** For each message the number of the first one in the batch with the same sender and idempotency key: mostly its own. */
function firstsOf(batch: readonly PreparedMessage[]): number[] {
  const seen = new Map<string, number>();
  return batch.map(({ senderId, idempotencyKey }, i) => {
    if (idempotencyKey === null) return i + 1;
    const name = `${senderId} ${idempotencyKey}`;
    const first = seen.get(name) ?? i + 1;
    seen.set(name, first);
    return first;
  });
}

interface MessageRow {
  position: string;
  id: string;
  sender_id: string;
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

const MESSAGE_COLUMNS = `m.id, m.thread_id, m.in_reply_to, m.sender, m.recipient, m.type, m.subject, m.note, m.json, m.json_sha256,
  m.validation, m.validation_errors, m.received_at, m.content_hash, m.receipt_token, m.idempotency_key, m.sender_id, m.file_count`;

/** From a ledger's entry to the message, which is stored with its sender. */
const JOIN_MESSAGE = `JOIN messages m ON m.sender_id = CASE e.box WHEN 'in' THEN e.counterparty_id ELSE e.party_id END AND m.id = e.message_id`;

/** A message as the table has it: how many files there are, not yet which. */
export interface MessageRecord extends Omit<StoredMessage, 'files'> {
  senderId: bigint;
  fileCount: number;
}

function toMessage(row: MessageRow): MessageRecord {
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
    senderId: BigInt(row.sender_id),
    fileCount: row.file_count,
  };
}

/** An entry of a ledger with its message, and the position to go on from. */
export interface LedgerItem {
  position: string;
  message: MessageRecord;
}

function toItem(row: MessageRow): LedgerItem {
  return { position: row.position, message: toMessage(row) };
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

export async function findParent(
  db: Queryable,
  partyId: bigint,
  messageId: string,
): Promise<{ threadId: string; otherPartyId: bigint } | undefined> {
  const [row] = await db.query<{ thread_id: string; counterparty_id: string }>(
    {
      name: 'parent-of-reply',
      text: 'SELECT thread_id, counterparty_id FROM ledger_entries WHERE party_id = $1 AND message_id = $2 LIMIT 1',
    },
    [partyId, messageId],
  );
  return row && { threadId: row.thread_id, otherPartyId: BigInt(row.counterparty_id) };
}

export async function findByIdempotencyKey(db: Queryable, partyId: bigint, key: string): Promise<MessageRecord | undefined> {
  const [row] = await db.query<MessageRow>(
    `SELECT ${MESSAGE_COLUMNS} FROM idempotency_keys k JOIN messages m ON m.sender_id = k.party_id AND m.id = k.message_id
      WHERE k.party_id = $1 AND k.key = $2 AND k.created_at > now() - make_interval(hours => $3)`,
    [partyId, key, IDEMPOTENCY_WINDOW_HOURS],
  );
  return row && toMessage(row);
}

export async function findByReceipt(db: Queryable, token: Buffer): Promise<MessageRecord | undefined> {
  const [row] = await db.query<MessageRow>(
    { name: 'message-by-receipt', text: `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.receipt_token = $1` },
    [token],
  );
  return row && toMessage(row);
}

/** What a list is narrowed by. Each has an index that ends in the position, so a page costs the same anywhere in a ledger. */
export interface EntryFilters {
  sinceMs?: number;
  untilMs?: number;
  counterpartyId?: bigint;
  fromEmail?: string;
  fromDomain?: string;
  type?: string;
  validation?: string;
  threadId?: string;
  segment?: string;
}

const EQUALITY_COLUMNS = {
  counterpartyId: 'counterparty_id',
  fromEmail: 'from_email',
  fromDomain: 'from_domain',
  type: 'type',
  validation: 'validation',
  threadId: 'thread_id',
  segment: 'segment',
} as const satisfies Partial<Record<keyof EntryFilters, string>>;

/** Newest first, below the given position. */
export async function listEntries(
  db: Queryable,
  partyId: bigint,
  box: Box,
  filters: EntryFilters,
  below: string | undefined,
  limit: number,
): Promise<LedgerItem[]> {
  const values: unknown[] = [partyId];
  // The box stands in the text, so that indexes of one box only are found to fit.
  const conditions = ['party_id = $1', `box = '${box}'`];
  const where = (column: string, operator: string, value: unknown) => conditions.push(`${column} ${operator} $${values.push(value)}`);
  for (const [name, column] of Object.entries(EQUALITY_COLUMNS)) {
    const value = filters[name as keyof typeof EQUALITY_COLUMNS];
    if (value !== undefined) where(column, '=', value);
  }
  if (filters.sinceMs !== undefined) where('position', '>=', firstPositionOf(filters.sinceMs));
  if (filters.untilMs !== undefined) where('position', '<', firstPositionOf(filters.untilMs));
  if (below !== undefined) where('position', '<', below);
  const rows = await db.query<MessageRow>(
    `SELECT e.position, ${MESSAGE_COLUMNS}
       FROM (SELECT party_id, box, position, counterparty_id, message_id FROM ledger_entries
              WHERE ${conditions.join(' AND ')} ORDER BY position DESC LIMIT ${Math.trunc(limit)}) e
       ${JOIN_MESSAGE} ORDER BY e.position DESC`,
    values,
  );
  return rows.map(toItem);
}

function firstPositionOf(ms: number): bigint {
  const position = BigInt(ms) * POSITIONS_PER_MS;
  return position > POSITION_MAX ? POSITION_MAX : position;
}

/** Oldest first, above the given position. What a party sent to itself stands in both boxes, but once in its thread. */
export async function listThread(
  db: Queryable,
  partyId: bigint,
  threadId: string,
  above: string | undefined,
  limit: number,
): Promise<LedgerItem[]> {
  const side = (box: Box, more: string) =>
    `(SELECT party_id, box, position, counterparty_id, message_id FROM ledger_entries
       WHERE party_id = $1 AND thread_id = $2 AND box = '${box}' AND position > $3 ${more} ORDER BY position LIMIT ${Math.trunc(limit)})`;
  const rows = await db.query<MessageRow>(
    `SELECT e.position, ${MESSAGE_COLUMNS}
       FROM (${side('out', '')} UNION ALL ${side('in', 'AND counterparty_id <> party_id')} ORDER BY position LIMIT ${Math.trunc(limit)}) e
       ${JOIN_MESSAGE} ORDER BY e.position`,
    [partyId, threadId, above ?? '0'],
  );
  return rows.map(toItem);
}

export async function usageOf(db: Queryable, partyId: bigint): Promise<{ today: Date; monthMessages: number; dayUploadBytes: number }> {
  const [row] = await db.query<{ today: Date; messages: string; bytes: string }>(
    `SELECT now() AS today, coalesce(sum(messages), 0) AS messages,
            coalesce(sum(upload_bytes) FILTER (WHERE day = (now() AT TIME ZONE 'UTC')::date), 0) AS bytes
       FROM daily_usage WHERE party_id = $1 AND day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date`,
    [partyId],
  );
  if (!row) throw new Error('an aggregate gave no row');
  return { today: row.today, monthMessages: Number(row.messages), dayUploadBytes: Number(row.bytes) };
}

export async function purgeIdempotencyKeys(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: string }>(
    `WITH purged AS (DELETE FROM idempotency_keys WHERE created_at <= now() - make_interval(hours => $1) RETURNING 1) SELECT count(*) FROM purged`,
    [IDEMPOTENCY_WINDOW_HOURS],
  );
  return Number(rows[0]?.count ?? 0);
}
