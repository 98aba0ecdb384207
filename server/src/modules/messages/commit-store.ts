import { IDEMPOTENCY_WINDOW_HOURS } from '../../contract/limits.ts';
import type { QuotaName, Quotas } from '../../contract/quotas.ts';
import { bigintArray, byteaArray, integerArray, textArray, uuidArray } from '../../platform/binary-array.ts';
import type { TextQueryable } from '../../platform/postgres.ts';
import type { StoredMessage } from './envelope.ts';

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
export async function commitMessages(db: TextQueryable, batch: readonly PreparedMessage[], quotas: Quotas): Promise<CommitOutcome[]> {
  const plan = planEntries(batch);
  const files = batch.flatMap((message, i) => message.files.map((file, ordinal) => ({ n: i + 1, ordinal, file })));
  const rows = await db.queryText<{
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
