import { THREADS_SCANNED_MAX } from '../../contract/limits.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { Colleague } from './colleagues.ts';
import { DRIVERS, type Driver, FILTERS, isSort, type Order, SCAN, STORED_STATES, sortKeyOf, type THREAD_ROW } from './driver-store.ts';
import { CLASSES } from './thread-class.ts';

const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** The threads that one request brings into the indexes of filters, where its list is sorted by one of them. */
const FILTERED_AT_ONCE = 500;
const FILTERED_PER_REQUEST = 2_000;
/** A sort without a state merges a stream for each state. */
const SCANNED_PER_STATE = THREADS_SCANNED_MAX / 4;

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
  state?: (typeof STORED_STATES)[number] | undefined;
  number?: string | undefined;
  /** Days and totals, both included. */
  due: Bounds;
  total: Bounds;
  sort: 'by_due' | 'by_total' | 'by_number' | undefined;
  order: Order;
}

interface Bounds {
  from?: string | undefined;
  to?: string | undefined;
}

/** A place in a list: what it is sorted by, and the thread. */
export interface ThreadPosition {
  key: string;
  threadId: string;
}

export type ThreadRow = RowOf<typeof THREAD_ROW>;

const ARE_FILTERED = statement(`SELECT FROM thread_index WHERE party_id = $1 AND filtered_through = '${LAST_UUID}'`);
const BEGIN_FILTERS = statement('SELECT FROM begin_thread_filters($1::bigint)');
const FILTER_THREADS = statement('SELECT filter_threads($1::bigint, $2::integer) AS has_more', { has_more: 'boolean' });

/** Brings threads of a business into the indexes of filters. Returns whether there may be more. */
export async function filterThreads(db: Queryable, partyId: bigint, limit: number): Promise<boolean> {
  return onlyRow(await db.query(FILTER_THREADS, [partyId, limit])).has_more;
}

interface Scan {
  driver: Driver;
  order: Order;
  /** The threads of the business are not in the index that would have served the list. */
  lacksIndex: boolean;
  /** Some threads that the driver finds may not meet the other conditions. */
  isFiltered: boolean;
  /** Parameters $1 to $7. */
  keys: unknown[];
  /** Parameters $9 to $27. */
  conditions: unknown[];
  start: ThreadPosition;
}

async function scanOf(
  db: Queryable,
  partyId: bigint,
  reader: Reader,
  filters: ThreadFilters,
  after: ThreadPosition | undefined,
  limit: number,
): Promise<Scan> {
  const { classes, label, assigneeId, counterpartyId, fromEmail, segment, type, unread, state, number, sort, order } = filters;
  // The most selective drivers come first.
  const given: Given = { label, assignee: assigneeId, number, state, counterparty: counterpartyId, segment, type };
  const best = sort ?? DRIVERS.find((one) => given[one] !== undefined) ?? 'class';
  const lacksIndex = FILTERS.includes(best) && (await db.query(ARE_FILTERED, [partyId])).length === 0;
  const driver = lacksIndex && !isSort(best) ? 'class' : best;
  const served = driver === sort ? 'state' : driver;
  const others = Object.entries(given).filter(([name, value]) => name !== served && value !== undefined);
  const bounds = boundsOf(driver, filters);
  const isFiltered =
    others.length > 0 ||
    fromEmail !== undefined ||
    unread !== undefined ||
    bounds.rest.some((bound) => bound !== undefined) ||
    (driver !== 'class' && classes.length < CLASSES.length);
  const { first, last } = sortKeyOf(driver);
  const start = order === 'desc' ? { key: last, threadId: LAST_UUID } : { key: first, threadId: FIRST_UUID };
  const { key, threadId } = after ?? start;
  return {
    driver,
    order,
    lacksIndex,
    isFiltered,
    start,
    keys: [
      partyId,
      key,
      threadId,
      bounds.from ?? first,
      bounds.to ?? last,
      isFiltered ? (isSort(driver) && state === undefined ? SCANNED_PER_STATE : THREADS_SCANNED_MAX) : limit,
      drivenBy(driver, filters, given),
    ],
    conditions: [
      ...[reader.kind, reader.id, reader.since, classes, label, assigneeId, counterpartyId, fromEmail, segment, type, unread],
      ...[state, number, ...bounds.rest],
    ],
  };
}

/** The filters that drivers stand for. */
type Given = Partial<Record<Driver, unknown>>;

function drivenBy(driver: Driver, { classes, state }: ThreadFilters, given: Given): unknown {
  if (driver === 'class') return classes;
  return driver === 'state' || isSort(driver) ? (state === undefined ? STORED_STATES : [state]) : given[driver];
}

/** The bounds of what the list is sorted by limit what is read. All others are conditions: due days, totals and positions. */
function boundsOf(driver: Driver, { due, total, since, until }: ThreadFilters) {
  const positions = { from: since?.toString(), to: until === undefined ? undefined : (until - 1n).toString() };
  const all = { by_due: due, by_total: total, position: positions };
  const own = driver === 'by_due' || driver === 'by_total' ? driver : isSort(driver) ? undefined : 'position';
  const { from, to } = own === undefined ? {} : all[own];
  const rest = Object.entries(all).flatMap(([name, bounds]) => (name === own ? [undefined, undefined] : [bounds.from, bounds.to]));
  return { from, to, rest };
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
  const { driver, order, lacksIndex, isFiltered, keys, conditions, start } = await scanOf(db, partyId, reader, filters, after, limit);
  if (lacksIndex && isSort(driver) && !(await bringIntoFilters(db, partyId)))
    return { rows: [], scannedTo: after ?? start, scanned: FILTERED_PER_REQUEST };
  const [end] = isFiltered ? await db.query(SCAN.end.of({ driver, order }), keys) : [];
  const rows = await db.query(SCAN.page.of({ driver, order }), [...keys, limit, ...conditions, end?.key, end?.thread_id]);
  if (end === undefined) return { rows, scannedTo: undefined, scanned: 0 };
  if (lacksIndex) await db.query(BEGIN_FILTERS, [partyId]);
  return { rows, scannedTo: { key: end.key, threadId: end.thread_id }, scanned: end.scanned - rows.length };
}

/** A list can't be sorted without its index, so requests bring some threads into it themselves. Returns whether all are there. */
async function bringIntoFilters(db: Queryable, partyId: bigint): Promise<boolean> {
  await db.query(BEGIN_FILTERS, [partyId]);
  for (let done = 0; done < FILTERED_PER_REQUEST; done += FILTERED_AT_ONCE)
    if (!(await filterThreads(db, partyId, FILTERED_AT_ONCE))) return true;
  return false;
}

export interface Count {
  count: number;
  isCapped: boolean;
}

export async function countThreads(db: Queryable, partyId: bigint, reader: Reader, filters: ThreadFilters, max: number): Promise<Count> {
  const { driver, order, lacksIndex, isFiltered, keys, conditions } = await scanOf(db, partyId, reader, filters, undefined, max + 1);
  if (lacksIndex && isSort(driver) && !(await bringIntoFilters(db, partyId))) return { count: 0, isCapped: true };
  const { count } = onlyRow(await db.query(SCAN.count.of({ driver, order }), [...keys, max + 1, ...conditions, null, null]));
  if (count > max) return { count: max, isCapped: true };
  const isCapped = isFiltered && (await db.query(SCAN.end.of({ driver, order }), keys)).length > 0;
  if (isCapped && lacksIndex) await db.query(BEGIN_FILTERS, [partyId]);
  return { count, isCapped };
}
