import { DOCUMENT_STATES } from '@waybill/documents';
import { DOCUMENTS_PER_NUMBER_MAX, DOCUMENTS_PER_THREAD_READ_MAX, UNREAD_COUNT_MAX } from '../../contract/limits.ts';
import { columns, oneOf, variants } from '../../platform/postgres/statement.ts';
import { PARTY_ROW } from '../parties/party-row.ts';
import { COLLEAGUE_KINDS } from './colleagues.ts';

/**
 * Each driver has an index that ends in what the list is sorted by: the position of the last message, or a fact of the document. `class` stands for box,
 * status, whether assigned and whether failed.
 */
export const DRIVERS = [
  'class',
  'label',
  'assignee',
  'number',
  'state',
  'counterparty',
  'segment',
  'type',
  'by_due',
  'by_total',
  'by_number',
] as const;
export type Driver = (typeof DRIVERS)[number];
const ORDERS = ['desc', 'asc'] as const;
export type Order = (typeof ORDERS)[number];

/** Their indexes have the threads of businesses that use filters on long lists. */
export const FILTERS: readonly Driver[] = ['number', 'state', 'counterparty', 'segment', 'type', 'by_due', 'by_total', 'by_number'];

/** A thread with a document whose state nobody knows. */
export const NO_STATE = 'none';
export const STORED_STATES = [NO_STATE, ...DOCUMENT_STATES] as const;

interface SortKey {
  column: string;
  type: string;
  /** Before and behind everything that a thread can have. */
  first: string;
  last: string;
}

const POSITION: SortKey = { column: 'last_position', type: 'bigint', first: '-1', last: (2n ** 63n - 1n).toString() };
/** Beside POSITION, the sorts by what is known of the document. Threads without it are not in the index, and not in the list. */
const SORTS: Partial<Record<Driver, SortKey>> = {
  by_due: { column: 'document_due', type: 'date', first: '-infinity', last: 'infinity' },
  by_total: { column: 'document_total', type: 'numeric', first: '-Infinity', last: 'Infinity' },
  by_number: { column: 'document_number', type: 'text', first: '', last: '\u{10ffff}' },
};

export function sortKeyOf(driver: Driver): SortKey {
  return SORTS[driver] ?? POSITION;
}

export function isSort(driver: Driver): boolean {
  return driver in SORTS;
}

const EQUALITIES: Partial<Record<Driver, string>> = {
  label: 's.label = $7',
  assignee: 's.assignee_id = $7',
  counterparty: 's.counterparty_id = $7',
  segment: 's.segment = $7',
  type: 's.type = $7',
};

/** Drivers that merge a stream for each value of a column. */
const STREAMS: Partial<Record<Driver, { column: string; type: string }>> = {
  class: { column: 'class', type: 'smallint' },
  state: { column: 'document_state', type: 'document_state' },
  by_due: { column: 'document_state', type: 'document_state' },
  by_total: { column: 'document_state', type: 'document_state' },
  by_number: { column: 'document_state', type: 'document_state' },
};

/** The threads that have a document with this number: those of the newest such documents. */
const NUMBERED = `SELECT DISTINCT f.thread_id FROM (
    SELECT f.thread_id FROM document_facts f WHERE f.party_id = $1 AND f.is_filtered AND f.number IS NOT NULL AND lower(f.number) = lower($7 COLLATE "C")
     ORDER BY f.message_id DESC LIMIT ${DOCUMENTS_PER_NUMBER_MAX}) f`;

/**
 * Reads thread keys from the driver's index, the first ones first. Parameters: $1 the party, $2 and $3 the place after which the page begins, $4 and $5 the lowest and
 * the highest key, $6 the keys per stream, $7 the driver's value.
 */
function keysSql(driver: Driver, order: Order, limit: string): string {
  const { column, type } = sortKeyOf(driver);
  const key = `s.${column}`;
  const range = `(${key}, s.thread_id) ${order === 'desc' ? '<' : '>'} ($2::${type}, $3::uuid) AND ${key} >= $4::${type} AND ${key} <= $5::${type}`;
  const selected = `SELECT ${key} AS key, s.thread_id`;
  const sorted = `ORDER BY ${key} ${order}, s.thread_id ${order} ${limit}`;
  const filtered = FILTERS.includes(driver) ? ' AND s.is_filtered' : '';
  const stream = STREAMS[driver];
  if (stream)
    return `SELECT s.* FROM unnest($7::${stream.type}[]) AS c (value) CROSS JOIN LATERAL (
              ${selected} FROM threads s WHERE s.party_id = $1${filtered} AND s.${stream.column} = c.value AND ${range} ${sorted}) s`;
  if (driver === 'number')
    return `${selected} FROM (${NUMBERED}) n JOIN threads s ON s.party_id = $1 AND s.thread_id = n.thread_id WHERE ${range} ${sorted}`;
  const table = driver === 'label' ? 'thread_labels' : 'threads';
  return `${selected} FROM ${table} s WHERE s.party_id = $1${filtered} AND ${EQUALITIES[driver] ?? 'false'} AND ${range} ${sorted}`;
}

const READ_THROUGH = `coalesce(r.position, greatest($11::bigint, (SELECT i.read_from FROM thread_index i WHERE i.party_id = $1)))`;
const JOIN_READS = `LEFT JOIN thread_reads r ON r.party_id = $1 AND r.reader_kind = $9 AND r.reader_id = $10 AND r.thread_id = t.thread_id`;

/** $12 to $27. A thread has any number of documents, so that only the newest ones are compared. */
const CONDITIONS = `t.class = ANY ($12::smallint[])
  AND ($13::text IS NULL OR t.labels @> ARRAY[$13]) AND ($14::uuid IS NULL OR t.assignee_id = $14)
  AND ($15::bigint IS NULL OR t.counterparty_id = $15) AND ($16::text IS NULL OR t.from_email = $16)
  AND ($17::text IS NULL OR t.segment = $17) AND ($18::text IS NULL OR t.type = $18)
  AND ($19::boolean IS NULL OR (t.last_in_position > ${READ_THROUGH}) = $19)
  AND ($20::document_state IS NULL OR t.document_state = $20)
  AND ($21::text IS NULL OR lower($21 COLLATE "C") IN (
        SELECT lower(f.number) FROM (SELECT f.number FROM document_facts f WHERE f.party_id = $1 AND f.thread_id = t.thread_id
                                      ORDER BY f.message_id DESC LIMIT ${DOCUMENTS_PER_THREAD_READ_MAX}) f))
  AND ($22::date IS NULL OR t.document_due >= $22) AND ($23::date IS NULL OR t.document_due <= $23)
  AND ($24::numeric IS NULL OR t.document_total >= $24) AND ($25::numeric IS NULL OR t.document_total <= $25)
  AND ($26::bigint IS NULL OR t.last_position >= $26) AND ($27::bigint IS NULL OR t.last_position <= $27)`;

/** $28 and $29: the place where the scan ended. Below the end of one stream, its threads would be missing between those of the others. */
function aboveEndSql(driver: Driver, order: Order): string {
  const { type } = sortKeyOf(driver);
  return `($28::${type} IS NULL OR (k.key, k.thread_id) ${order === 'desc' ? '>=' : '<='} ($28::${type}, $29::uuid))`;
}

export const THREAD_ROW = columns({
  key: 'text',
  thread_id: 'uuid',
  last_position: 'bigint',
  last_message_id: 'uuid',
  last_sender_id: 'bigint',
  subject: 'text?',
  type: 'text?',
  segment: 'text?',
  message_count: 'integer',
  unread_count: 'integer',
  has_files: 'boolean',
  failed_schema: 'boolean',
  is_done: 'boolean',
  assignee_kind: oneOf('worker_kind?', COLLEAGUE_KINDS),
  assignee_id: 'uuid?',
  labels: 'text[]',
  document_state: oneOf('document_state?', STORED_STATES),
  document_type: 'text?',
  document_number: 'text?',
  document_total: 'text?',
  document_currency: 'text?',
  document_due: 'text?',
  ...PARTY_ROW,
});

const pageSql = (driver: Driver, order: Order) =>
  `SELECT t.*, k.key, ${READ_THROUGH} AS read_through
     FROM (${keysSql(driver, order, 'LIMIT $6')}) k JOIN threads t ON t.party_id = $1 AND t.thread_id = k.thread_id ${JOIN_READS}
    WHERE ${CONDITIONS} AND ${aboveEndSql(driver, order)} ORDER BY k.key ${order}, k.thread_id ${order} LIMIT $8`;

const UNREAD = `CASE WHEN t.last_in_position > t.read_through THEN
    (SELECT count(*)::integer FROM (SELECT 1 FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = t.thread_id AND e.box = 'in'
                                     AND e.position > t.read_through LIMIT ${UNREAD_COUNT_MAX}) e) ELSE 0 END`;

const AS_TEXT = ['document_total', 'document_due'];
const SELECTED = Object.keys(THREAD_ROW).map((name) => {
  if (name === 'unread_count') return `${UNREAD} AS unread_count`;
  // The columns that lists are sorted by allow null, but those that an index has are not null: concat returns no null.
  if (name === 'key') return 'concat(t.key) AS key';
  if (AS_TEXT.includes(name)) return `t.${name}::text AS ${name}`;
  return name in PARTY_ROW ? `p.${name}` : `t.${name}`;
});

const SCANS = { driver: DRIVERS, order: ORDERS } as const;
const PAGE = variants(
  SCANS,
  THREAD_ROW,
  ({ driver, order }) =>
    `SELECT ${SELECTED.join(', ')} FROM (${pageSql(driver, order)}) t JOIN parties p ON p.id = t.counterparty_id
      ORDER BY t.key ${order}, t.thread_id ${order}`,
);
const COUNT = variants(
  SCANS,
  { count: 'integer' },
  ({ driver, order }) => `SELECT count(*)::integer AS count FROM (${pageSql(driver, order)}) t`,
);
/** The place where the first of the streams ended, and how many keys all of them had. */
const SCAN_END = variants(
  SCANS,
  { key: 'text', thread_id: 'uuid', scanned: 'integer' },
  ({ driver, order }) =>
    `SELECT concat(s.key) AS key, s.thread_id, (SELECT count(*)::integer FROM (${keysSql(driver, order, 'LIMIT $6')}) k) AS scanned
       FROM (${keysSql(driver, order, 'OFFSET $6::integer - 1 LIMIT 1')}) s ORDER BY s.key ${order}, s.thread_id ${order} LIMIT 1`,
);

/** The statements of a list, for each driver and order. */
export const SCAN = { page: PAGE, count: COUNT, end: SCAN_END };
