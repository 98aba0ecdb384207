import { THREADS_SCANNED_MAX, UNREAD_COUNT_MAX } from '../../contract/limits.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, oneOf, type RowOf, statement, variants } from '../../platform/postgres/statement.ts';
import { PARTY_ROW } from '../parties/party-row.ts';
import { COLLEAGUE_KINDS, type Colleague } from './colleagues.ts';
import { CLASSES } from './thread-class.ts';

const POSITION_MAX = 2n ** 63n - 1n;
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Each driver has an index that ends in the position. `class` stands for box, status, whether assigned and whether failed. */
const DRIVERS = ['class', 'label', 'assignee', 'counterparty', 'segment', 'type'] as const;
type Driver = (typeof DRIVERS)[number];
/** Their indexes have the threads of businesses that use filters on long lists. */
const FILTERS: readonly Driver[] = ['counterparty', 'segment', 'type'];

/** The person or agent who reads. In a thread that this reader has never read, messages from position `since` on are new. */
export interface Reader extends Colleague {
  since: bigint;
}

export interface ThreadFilters {
  classes: number[];
  since?: bigint | undefined;
  until?: bigint | undefined;
  label?: string | undefined;
  assigneeId?: string | undefined;
  counterpartyId?: bigint | undefined;
  fromEmail?: string | undefined;
  segment?: string | undefined;
  type?: string | undefined;
  unread?: boolean | undefined;
}

export interface ThreadPosition {
  position: string;
  threadId: string;
}

const THREAD_ROW = columns({
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
  ...PARTY_ROW,
});

export type ThreadRow = RowOf<typeof THREAD_ROW>;

/**
 * Parameters: $1 the party, $2 and $3 the place after which the page begins, $4 and $5 the times, $6 the keys per stream, $7 the driver's
 * value.
 */
const RANGE = '(s.last_position, s.thread_id) < ($2::bigint, $3::uuid) AND s.last_position >= $4 AND s.last_position < $5';
const NEWEST_FIRST = 'ORDER BY s.last_position DESC, s.thread_id DESC';
const EQUALITIES = {
  label: 's.label = $7',
  assignee: 's.assignee_id = $7',
  counterparty: 's.counterparty_id = $7',
  segment: 's.segment = $7',
  type: 's.type = $7',
} as const satisfies Record<Exclude<Driver, 'class'>, string>;

/** Reads thread keys from the driver's index, the newest first. Each class is a stream of its own, and any other driver is one stream. */
function keysSql(driver: Driver, limit: string): string {
  if (driver === 'class')
    return `SELECT s.* FROM unnest($7::smallint[]) AS c (class) CROSS JOIN LATERAL (
              SELECT s.last_position, s.thread_id FROM threads s WHERE s.party_id = $1 AND s.class = c.class AND ${RANGE} ${NEWEST_FIRST} ${limit}) s`;
  const table = driver === 'label' ? 'thread_labels' : 'threads';
  return `SELECT s.last_position, s.thread_id FROM ${table} s WHERE s.party_id = $1${FILTERS.includes(driver) ? ' AND s.is_filtered' : ''} AND ${EQUALITIES[driver]} AND ${RANGE} ${NEWEST_FIRST} ${limit}`;
}

const READ_THROUGH = `coalesce(r.position, greatest($11::bigint, (SELECT i.read_from FROM thread_index i WHERE i.party_id = $1)))`;
const JOIN_READS = `LEFT JOIN thread_reads r ON r.party_id = $1 AND r.reader_kind = $9 AND r.reader_id = $10 AND r.thread_id = t.thread_id`;
const CONDITIONS = `t.class = ANY ($12::smallint[])
  AND ($13::text IS NULL OR t.labels @> ARRAY[$13]) AND ($14::uuid IS NULL OR t.assignee_id = $14)
  AND ($15::bigint IS NULL OR t.counterparty_id = $15) AND ($16::text IS NULL OR t.from_email = $16)
  AND ($17::text IS NULL OR t.segment = $17) AND ($18::text IS NULL OR t.type = $18)
  AND ($19::boolean IS NULL OR (t.last_in_position > ${READ_THROUGH}) = $19)`;

const pageSql = (driver: Driver) =>
  `SELECT t.*, ${READ_THROUGH} AS read_through
     FROM (${keysSql(driver, 'LIMIT $6')}) k JOIN threads t ON t.party_id = $1 AND t.thread_id = k.thread_id ${JOIN_READS}
    WHERE ${CONDITIONS} ORDER BY k.last_position DESC, k.thread_id DESC LIMIT $8`;

const UNREAD = `CASE WHEN t.last_in_position > t.read_through THEN
    (SELECT count(*)::integer FROM (SELECT 1 FROM ledger_entries e WHERE e.party_id = $1 AND e.thread_id = t.thread_id AND e.box = 'in'
                                     AND e.position > t.read_through LIMIT ${UNREAD_COUNT_MAX}) e) ELSE 0 END`;

const SELECTED = Object.keys(THREAD_ROW).map((name) =>
  name === 'unread_count' ? `${UNREAD} AS unread_count` : name in PARTY_ROW ? `p.${name}` : `t.${name}`,
);

const PAGE = variants(
  { driver: DRIVERS },
  THREAD_ROW,
  ({ driver }) =>
    `SELECT ${SELECTED.join(', ')} FROM (${pageSql(driver)}) t JOIN parties p ON p.id = t.counterparty_id
      ORDER BY t.last_position DESC, t.thread_id DESC`,
);
const COUNT = variants(
  { driver: DRIVERS },
  { count: 'integer' },
  ({ driver }) => `SELECT count(*)::integer AS count FROM (${pageSql(driver)}) t`,
);
/** The place where the first of the streams ended, and how many keys all of them had. */
const SCAN_END = variants(
  { driver: DRIVERS },
  { last_position: 'bigint', thread_id: 'uuid', scanned: 'integer' },
  ({ driver }) =>
    `SELECT s.last_position, s.thread_id, (SELECT count(*)::integer FROM (${keysSql(driver, 'LIMIT $6')}) k) AS scanned FROM (${keysSql(driver, 'OFFSET $6::integer - 1 LIMIT 1')}) s ${NEWEST_FIRST} LIMIT 1`,
);

const ARE_FILTERED = statement(`SELECT FROM thread_index WHERE party_id = $1 AND filtered_through = '${LAST_UUID}'`);
const BEGIN_FILTERS = statement('SELECT FROM begin_thread_filters($1::bigint)');
const FILTER_THREADS = statement('SELECT filter_threads($1::bigint, $2::integer) AS has_more', { has_more: 'boolean' });

/** Brings threads of a business into the indexes of filters. Returns whether there may be more. */
export async function filterThreads(db: Queryable, partyId: bigint, limit: number): Promise<boolean> {
  return onlyRow(await db.query(FILTER_THREADS, [partyId, limit])).has_more;
}

interface Scan {
  driver: Driver;
  /** The threads of the business are not in the index that would have served the list. */
  lacksIndex: boolean;
  /** Some threads that the driver finds may not meet the other conditions. */
  isFiltered: boolean;
  /** Parameters $1 to $7. */
  keys: unknown[];
  /** Parameters from $9 on. */
  conditions: unknown[];
}

async function scanOf(
  db: Queryable,
  partyId: bigint,
  reader: Reader,
  filters: ThreadFilters,
  after: ThreadPosition | undefined,
  limit: number,
): Promise<Scan> {
  const { classes, label, assigneeId, counterpartyId, fromEmail, segment, type, unread } = filters;
  // The most selective drivers come first.
  const given = { label, assignee: assigneeId, counterparty: counterpartyId, segment, type };
  const best = DRIVERS.find((one) => one !== 'class' && given[one] !== undefined) ?? 'class';
  const lacksIndex = FILTERS.includes(best) && (await db.query(ARE_FILTERED, [partyId])).length === 0;
  const driver = lacksIndex ? 'class' : best;
  const others = Object.entries(given).filter(([name, value]) => name !== driver && value !== undefined);
  const isFiltered =
    others.length > 0 || fromEmail !== undefined || unread !== undefined || (driver !== 'class' && classes.length < CLASSES.length);
  const { position, threadId } = after ?? { position: POSITION_MAX, threadId: LAST_UUID };
  const wanted = driver === 'class' ? classes : given[driver];
  return {
    driver,
    lacksIndex,
    isFiltered,
    keys: [
      partyId,
      position,
      threadId,
      filters.since ?? 0n,
      filters.until ?? POSITION_MAX,
      isFiltered ? THREADS_SCANNED_MAX : limit,
      wanted,
    ],
    conditions: [reader.kind, reader.id, reader.since, classes, label, assigneeId, counterpartyId, fromEmail, segment, type, unread],
  };
}

export interface Threads {
  rows: ThreadRow[];
  /** The scan stopped at this place, and there may be more threads below it. */
  scannedTo: ThreadPosition | undefined;
  /** The number of threads scanned in vain. 0 if the scan reached the end of the list. */
  scanned: number;
}

export async function listThreads(
  db: Queryable,
  partyId: bigint,
  reader: Reader,
  filters: ThreadFilters,
  after: ThreadPosition | undefined,
  limit: number,
): Promise<Threads> {
  const { driver, lacksIndex, isFiltered, keys, conditions } = await scanOf(db, partyId, reader, filters, after, limit);
  const rows = await db.query(PAGE.of({ driver }), [...keys, limit, ...conditions]);
  const [end] = isFiltered ? await db.query(SCAN_END.of({ driver }), keys) : [];
  if (end === undefined) return { rows, scannedTo: undefined, scanned: 0 };
  if (lacksIndex) await db.query(BEGIN_FILTERS, [partyId]);
  // Below the end of the first stream, threads of that stream would be missing between those of the others.
  const [position, threadId] = [BigInt(end.last_position), end.thread_id];
  const complete = rows.filter(
    (row) => BigInt(row.last_position) > position || (row.last_position === end.last_position && row.thread_id >= threadId),
  );
  const scanned = end.scanned - complete.length;
  return { rows: complete, scannedTo: { position: end.last_position, threadId: end.thread_id }, scanned };
}

export interface Count {
  count: number;
  isCapped: boolean;
}

export async function countThreads(db: Queryable, partyId: bigint, reader: Reader, filters: ThreadFilters, max: number): Promise<Count> {
  const { driver, lacksIndex, isFiltered, keys, conditions } = await scanOf(db, partyId, reader, filters, undefined, max + 1);
  const { count } = onlyRow(await db.query(COUNT.of({ driver }), [...keys, max + 1, ...conditions]));
  if (count > max) return { count: max, isCapped: true };
  const isCapped = isFiltered && (await db.query(SCAN_END.of({ driver }), keys)).length > 0;
  if (isCapped && lacksIndex) await db.query(BEGIN_FILTERS, [partyId]);
  return { count, isCapped };
}
