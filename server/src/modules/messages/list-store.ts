import { ENTRIES_SCANNED_MAX } from '../../contract/limits.ts';
import { POSITIONS_PER_MS } from '../../contract/positions.ts';
import { bigintArray, uuidArray } from '../../platform/postgres/binary-array.ts';
import { JOIN_MESSAGE } from '../../platform/postgres/ledger-sql.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, prepared, type RowOf, statement, variants } from '../../platform/postgres/statement.ts';
import { MESSAGE_ROW, type MessageRecord, toMessage } from './store.ts';

const BOXES = ['in', 'out'] as const;

export type Box = (typeof BOXES)[number];

const POSITION_MAX = 2n ** 63n - 1n;

const DETAILS = ['whole', 'summary'] as const;

/** whole: messages with their json. summary: messages with the size of their json instead. */
export type Detail = (typeof DETAILS)[number];

export interface ListedMessage extends MessageRecord {
  jsonBytes: number | null;
}

export interface MessageKey {
  senderId: bigint;
  messageId: string;
}

/** A ledger entry: its position, for the cursor, and its message, or the key to read the message later. */
export interface ListedEntry extends MessageKey {
  position: string;
  bytes: number;
  message: ListedMessage | undefined;
}

/** Messages of a page are read with the list up to this size. The others are read when the response gets to them. */
export const INLINE_MAX_BYTES = 256 * 1024;
/** The estimated size of an envelope (ids, hashes, names and field names), and of a file (id, hash and download URL). */
const ENVELOPE_BYTES = 1_024;
const FILE_BYTES = 768;

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

/** The column and type of each filter, the most selective first. Each has an index that ends in the position. */
const EQUALITIES = [
  ['threadId', 'thread_id', 'uuid'],
  ['fromEmail', 'from_email', 'text'],
  ['counterpartyId', 'counterparty_id', 'bigint'],
  ['fromDomain', 'from_domain', 'text'],
  ['segment', 'segment', 'text'],
  ['type', 'type', 'text'],
  ['validation', 'validation', 'validation_status'],
] as const satisfies readonly (readonly [keyof EntryFilters, string, string])[];

const LISTED_MESSAGE_ROW = columns({ ...MESSAGE_ROW, json_bytes: 'integer?' });

const ENTRY_ROW = columns({
  position: 'bigint',
  sender_id: 'bigint',
  message_id: 'uuid',
  bytes: 'integer',
  is_inline: 'boolean?',
  ...LISTED_MESSAGE_ROW,
});

const ENTRY_COLUMNS = 'party_id, box, position, counterparty_id, author_id, message_id';

interface Wanted {
  after: string | undefined;
  limit: number;
  detail: Detail;
}

/**
 * Reads the entries with their messages in one statement. All are measured, which reads no large text. The messages themselves are read as
 * long as they are small together.
 */
function listSql(entries: string, order: 'ASC' | 'DESC', detail: Detail, joinMessage = JOIN_MESSAGE): string {
  return `SELECT m.position, m.sender_id, m.id AS message_id, m.bytes, f.*
            FROM (SELECT e.position, m.*, s.bytes, sum(s.bytes) OVER (ORDER BY e.position ${order}) AS bytes_so_far
                    FROM (${entries}) e ${joinMessage} CROSS JOIN LATERAL (SELECT ${bytesOf(detail)} AS bytes) s) m
            LEFT JOIN LATERAL (SELECT true AS is_inline, ${columnsOf(detail)}) f ON m.bytes_so_far <= ${INLINE_MAX_BYTES}
           ORDER BY m.position ${order}`;
}

function columnsOf(detail: Detail): string {
  return Object.keys(MESSAGE_ROW)
    .map((name) => (name === 'json' && detail === 'summary' ? 'NULL AS json' : `m.${name}`))
    .concat('octet_length(m.json) AS json_bytes')
    .join(', ');
}

function bytesOf(detail: Detail): string {
  const sized = ['note', 'validation_errors', ...(detail === 'whole' ? ['json'] : [])];
  const ofFiles = `(SELECT sum(${FILE_BYTES} + octet_length(f.filename) + octet_length(f.content_type)) FROM files f
                     WHERE f.party_id = e.party_id AND f.message_id = m.id)`;
  const texts = sized.map((column) => `coalesce(octet_length(m.${column}), 0)`).join(' + ');
  return `(${ENVELOPE_BYTES} + ${texts} + CASE WHEN m.file_count > 0 THEN coalesce(${ofFiles}, 0) ELSE 0 END)::int`;
}

function firstPositionOf(ms: number): bigint {
  const position = BigInt(ms) * POSITIONS_PER_MS;
  return position > POSITION_MAX ? POSITION_MAX : position;
}

/** The index that a page is read from. `position` has the whole ledger. */
const DRIVERS = ['position', ...EQUALITIES.map(([, column]) => column)] as const;
type Driver = (typeof DRIVERS)[number];

const FIRST_FILTER = 6;
const CONDITIONS = EQUALITIES.map(([, column, type], i) => `($${FIRST_FILTER + i}::${type} IS NULL OR ${column} = $${FIRST_FILTER + i})`);

/** The entries that the driver finds, the newest first. The box is a literal, so that the planner finds the partial indexes of one box. */
function scannedSql(box: Box, driver: Driver, value: string, limit: string): string {
  const isFilter = driver !== 'position' && driver !== 'thread_id';
  const driven = driver === 'position' ? '' : ` AND ${isFilter ? 'is_filtered AND ' : ''}${driver} = ${value}`;
  return `SELECT * FROM ledger_entries WHERE party_id = $1 AND box = '${box}' AND position >= $2 AND position < $3${driven} ORDER BY position DESC ${limit}`;
}

const ENTRIES = variants({ box: BOXES, detail: DETAILS, driver: DRIVERS }, ENTRY_ROW, ({ box, detail, driver }) => {
  const value = `$${FIRST_FILTER - 1 + DRIVERS.indexOf(driver)}`;
  const scanned = scannedSql(box, driver, value, 'LIMIT $5');
  return listSql(
    `SELECT ${ENTRY_COLUMNS} FROM (${scanned}) e WHERE ${CONDITIONS.join(' AND ')} ORDER BY position DESC LIMIT $4`,
    'DESC',
    detail,
  );
});
const SCAN_END = variants({ box: BOXES, driver: DRIVERS }, { position: 'bigint' }, ({ box, driver }) => {
  const scanned = scannedSql(box, driver, '$4', `OFFSET ${ENTRIES_SCANNED_MAX - 1} LIMIT 1`);
  return `SELECT position FROM (${scanned}) e`;
});

const ARE_FILTERED = statement('SELECT FROM ledgers WHERE party_id = $1 AND filters_left = 0');
const BEGIN_FILTERS = statement('SELECT FROM begin_filters($1::bigint)');

/** Begins to bring a ledger into the indexes of filters. */
export async function beginFilters(db: Queryable, partyId: bigint): Promise<void> {
  await db.query(BEGIN_FILTERS, [partyId]);
}

const FILTER_ENTRIES = statement('SELECT filter_entries($1::bigint, $2::integer) AS has_more', { has_more: 'boolean' });

/** Brings older entries of a ledger into the indexes of filters. Returns whether there may be more. */
export async function filterEntries(db: Queryable, partyId: bigint, limit: number): Promise<boolean> {
  return onlyRow(await db.query(FILTER_ENTRIES, [partyId, limit])).has_more;
}

interface Listed {
  entries: ListedEntry[];
  /** The scan stopped at this position, and there may be more entries below it. */
  scannedTo: string | undefined;
  /** The number of entries scanned in vain. */
  scanned: number;
  /** The ledger is not in the index that would have served this list. */
  lacksIndex: boolean;
}

export const NO_ENTRIES: Listed = { entries: [], scannedTo: undefined, scanned: 0, lacksIndex: false };

export async function listEntries(
  db: Queryable,
  partyId: bigint,
  box: Box,
  filters: EntryFilters,
  { after: below, limit, detail }: Wanted,
): Promise<Listed> {
  const from = filters.sinceMs === undefined ? 0n : firstPositionOf(filters.sinceMs);
  const until = filters.untilMs === undefined ? POSITION_MAX : firstPositionOf(filters.untilMs);
  const end = below === undefined || BigInt(below) > until ? until : below;
  const given = EQUALITIES.filter(([name]) => filters[name] !== undefined);
  const wanted = given[0];
  const lacksIndex = wanted !== undefined && wanted[0] !== 'threadId' && (await db.query(ARE_FILTERED, [partyId])).length === 0;
  const driver = wanted === undefined || lacksIndex ? 'position' : wanted[1];
  const isScan = given.length > (driver === 'position' ? 0 : 1);
  const range = [partyId, from, end];
  const values = EQUALITIES.map(([name]) => filters[name] ?? null);
  const rows = await db.query(ENTRIES.of({ box, detail, driver }), [...range, limit, isScan ? ENTRIES_SCANNED_MAX : limit, ...values]);
  const entries = rows.map(toEntry);
  if (!isScan || rows.length === limit) return { entries, scannedTo: undefined, scanned: 0, lacksIndex };
  const [last] = await db.query(SCAN_END.of({ box, driver }), driver === 'position' || !wanted ? range : [...range, filters[wanted[0]]]);
  return { entries, scannedTo: last?.position, scanned: last ? ENTRIES_SCANNED_MAX - rows.length : 0, lacksIndex };
}

const THREAD = variants({ detail: DETAILS }, ENTRY_ROW, ({ detail }) => {
  const side = (box: Box, more: string) =>
    `(SELECT ${ENTRY_COLUMNS} FROM ledger_entries
       WHERE party_id = $1 AND thread_id = $2 AND box = '${box}' AND position > $3 ${more} ORDER BY position LIMIT $4)`;
  const page = `${side('out', '')} UNION ALL ${side('in', 'AND counterparty_id <> party_id')} ORDER BY position LIMIT $4`;
  return listSql(page, 'ASC', detail);
});

/** The oldest come first, above the given position. A message to oneself is in both boxes, but once in its thread. */
export async function listThread(
  db: Queryable,
  partyId: bigint,
  threadId: string,
  { after: above, limit, detail }: Wanted,
): Promise<ListedEntry[]> {
  const rows = await db.query(THREAD.of({ detail }), [partyId, threadId, above ?? '0', limit]);
  return rows.map(toEntry);
}

const BY_KEYS = variants({ detail: DETAILS }, ENTRY_ROW, ({ detail }) => {
  const keys = `SELECT $1::bigint AS party_id, k.sender_id, k.message_id, k.position
                  FROM unnest($2::bigint[], $3::uuid[]) WITH ORDINALITY AS k (sender_id, message_id, position)`;
  const join = 'CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.sender_id = e.sender_id AND m.id = e.message_id LIMIT 1) m';
  return listSql(keys, 'ASC', detail, join);
});

export async function entriesOf(db: Queryable, partyId: bigint, keys: readonly MessageKey[], detail: Detail): Promise<ListedEntry[]> {
  if (keys.length === 0) return [];
  const rows = await db.query(BY_KEYS.of({ detail }), [partyId, ...keyArrays(keys)]);
  if (rows.length !== keys.length) throw new Error('a message of a list is not there any more');
  return rows.map(toEntry);
}

function keyArrays(keys: readonly MessageKey[]) {
  return [bigintArray(keys.map(({ senderId }) => senderId)), uuidArray(keys.map(({ messageId }) => messageId))];
}

function toEntry(row: RowOf<typeof ENTRY_ROW>): ListedEntry {
  return {
    position: row.position,
    senderId: BigInt(row.sender_id),
    messageId: row.message_id,
    bytes: row.bytes,
    message: row.is_inline ? { ...toMessage(row), jsonBytes: row.json_bytes } : undefined,
  };
}

const messagesOfEntries = (detail: Detail) =>
  `SELECT ${columnsOf(detail)} FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS k (sender_id, id, place),
          LATERAL (SELECT * FROM messages m WHERE m.sender_id = k.sender_id AND m.id = k.id LIMIT 1) m ORDER BY k.place`;
const WHOLE_MESSAGES = prepared('messages-of-entries-whole', messagesOfEntries('whole'), LISTED_MESSAGE_ROW);
const SUMMARIES = prepared('messages-of-entries-summary', messagesOfEntries('summary'), LISTED_MESSAGE_ROW);

export async function messagesOf(db: Queryable, entries: readonly MessageKey[], detail: Detail): Promise<ListedMessage[]> {
  const rows = await db.query(detail === 'whole' ? WHOLE_MESSAGES : SUMMARIES, keyArrays(entries));
  if (rows.length !== entries.length) throw new Error('a message of a list is not there any more');
  return rows.map((row) => ({ ...toMessage(row), jsonBytes: row.json_bytes }));
}
