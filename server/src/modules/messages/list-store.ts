import { bigintArray, uuidArray } from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';
import { JOIN_MESSAGE, MESSAGE_COLUMNS, type MessageRecord, type MessageRow, toMessage } from './store.ts';

export type Box = 'in' | 'out';

/** A position is the millisecond of delivery times this, plus a counter. */
export const POSITIONS_PER_MS = 4096n;
const POSITION_MAX = 2n ** 63n - 1n;

/** whole: messages with their json. summary: with the size of it instead. */
export type Detail = 'whole' | 'summary';

export interface ListedMessage extends MessageRecord {
  /** Null where there is no json. In a summary this is all that is known of it. */
  jsonBytes: number | null;
}

/** An entry of a ledger: its position, to go on from, and its message, or what is needed to read that later. */
export interface ListedEntry {
  position: string;
  senderId: bigint;
  messageId: string;
  /** About as many as its envelope has. */
  bytes: number;
  message: ListedMessage | undefined;
}

/** With so many bytes the messages of a page come along with the list; those behind them are read when their turn comes. */
export const INLINE_MAX_BYTES = 256 * 1024;
/** Of an envelope: its ids, hashes, names, and the names of its fields. Of a file: its id, hash and download URL. */
const ENVELOPE_BYTES = 1_024;
const FILE_BYTES = 768;

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

const ENTRY_COLUMNS = 'party_id, box, position, counterparty_id, author_id, message_id';

/** Newest first, below the given position. */
export async function listEntries(
  db: Queryable,
  partyId: bigint,
  box: Box,
  filters: EntryFilters,
  { after: below, limit, detail }: Wanted,
): Promise<ListedEntry[]> {
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
  const entries = `SELECT ${ENTRY_COLUMNS} FROM ledger_entries WHERE ${conditions.join(' AND ')} ORDER BY position DESC LIMIT ${Math.trunc(limit)}`;
  return (await db.query<ListedRow>(listing(entries, 'DESC', detail), values)).map(toEntry);
}

/** Where a page begins, how many entries it may have, and how much of each. */
export interface Wanted {
  after: string | undefined;
  limit: number;
  detail: Detail;
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
  { after: above, limit, detail }: Wanted,
): Promise<ListedEntry[]> {
  const side = (box: Box, more: string) =>
    `(SELECT ${ENTRY_COLUMNS} FROM ledger_entries
       WHERE party_id = $1 AND thread_id = $2 AND box = '${box}' AND position > $3 ${more} ORDER BY position LIMIT ${Math.trunc(limit)})`;
  const entries = `${side('out', '')} UNION ALL ${side('in', 'AND counterparty_id <> party_id')} ORDER BY position LIMIT ${Math.trunc(limit)}`;
  return (await db.query<ListedRow>(listing(entries, 'ASC', detail), [partyId, threadId, above ?? '0'])).map(toEntry);
}

interface ListedRow extends MessageRow {
  position: string;
  sender_id: string;
  message_id: string;
  bytes: number;
  /** Whether the columns of the message are filled. */
  is_inline: boolean | null;
  json_bytes: number | null;
}

/**
 * The entries with their messages, in one statement. All of them are measured, which reads no large text; the messages
 * themselves come along only as far as they are small together.
 */
function listing(entries: string, order: 'ASC' | 'DESC', detail: Detail): string {
  return `SELECT m.position, m.sender_id, m.id AS message_id, m.bytes, f.*
            FROM (SELECT e.position, m.*, s.bytes, sum(s.bytes) OVER (ORDER BY e.position ${order}) AS bytes_so_far
                    FROM (${entries}) e ${JOIN_MESSAGE} CROSS JOIN LATERAL (SELECT ${bytesOf(detail)} AS bytes) s) m
            LEFT JOIN LATERAL (SELECT true AS is_inline, ${columnsOf(detail)}) f ON m.bytes_so_far <= ${INLINE_MAX_BYTES}
           ORDER BY m.position ${order}`;
}

function columnsOf(detail: Detail): string {
  const columns = detail === 'whole' ? MESSAGE_COLUMNS : MESSAGE_COLUMNS.replace('m.json,', 'NULL AS json,');
  return `${columns}, octet_length(m.json) AS json_bytes`;
}

function bytesOf(detail: Detail): string {
  const sized = ['note', 'validation_errors', ...(detail === 'whole' ? ['json'] : [])];
  const ofFiles = `(SELECT sum(${FILE_BYTES} + octet_length(f.filename) + octet_length(f.content_type)) FROM files f
                     WHERE f.party_id = e.party_id AND f.message_id = m.id)`;
  const texts = sized.map((column) => `coalesce(octet_length(m.${column}), 0)`).join(' + ');
  return `(${ENVELOPE_BYTES} + ${texts} + CASE WHEN m.file_count > 0 THEN coalesce(${ofFiles}, 0) ELSE 0 END)::int`;
}

function toEntry(row: ListedRow): ListedEntry {
  return {
    position: row.position,
    senderId: BigInt(row.sender_id),
    messageId: row.message_id,
    bytes: row.bytes,
    message: row.is_inline ? { ...toMessage(row), jsonBytes: row.json_bytes } : undefined,
  };
}

/** The messages of entries that did not come along with their list, in the same order. */
export async function messagesOf(db: Queryable, entries: readonly ListedEntry[], detail: Detail): Promise<ListedMessage[]> {
  const rows = await db.query<ListedRow>(
    {
      name: `messages-of-entries-${detail}`,
      text: `SELECT ${columnsOf(detail)} FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k (sender_id, id, place),
                    LATERAL (SELECT * FROM messages m WHERE m.sender_id = k.sender_id AND m.id = k.id LIMIT 1) m ORDER BY k.place`,
    },
    [bigintArray(entries.map(({ senderId }) => senderId)), uuidArray(entries.map(({ messageId }) => messageId))],
  );
  if (rows.length !== entries.length) throw new Error('a message of a list is not there any more');
  return rows.map((row) => ({ ...toMessage(row), jsonBytes: row.json_bytes }));
}
