import type { Queryable } from '../../platform/postgres/postgres.ts';
import { namesOf, statement, variants } from '../../platform/postgres/statement.ts';
import type { WebhookKey } from './attempt-store.ts';
import { ATTEMPT_STATUSES, LOG_ROW, type LogEntry, toLogEntry } from './store.ts';

export const DELIVERY_STATES = ATTEMPT_STATUSES;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface DeliveryFilters {
  state: DeliveryState | undefined;
  /** The time of the latest attempt. If it is pending, the time at which it was queued. */
  since: Date | undefined;
  until: Date | undefined;
}

/** A range of attempt ids. `from` is included, `to` is not. */
interface IdRange {
  from: string;
  to: string;
}

const COLUMNS = namesOf(LOG_ROW, 'a');
/** Part of the condition of the index webhook_attempts_of_message, which can therefore serve it. */
const FURTHER = `(attempt > 1 OR event = 'message.replay')`;
const WAITS_TO_RETRY = `(status = 'pending' AND attempt > 1)`;

/**
 * A delivery stands in the log where its latest attempt does: where the message has no later one. The latest is looked up for each entry,
 * in a subquery that the planner can't turn into a join of the whole log. At most `$7` entries are read. The last of them is always
 * returned, for the cursor and for the cost. row_number and lead need no later entries than the next one, so the scan ends with the page.
 */
const DELIVERIES = variants({ state: ['any', ...DELIVERY_STATES] }, { ...LOG_ROW, fits: 'boolean', nth: 'integer' }, ({ state }) => {
  // Failures have an index. Other states are compared after the scan, which would have no limit otherwise.
  const only = state === 'any' ? '' : `AND a.status = '${state}'`;
  const [inScan, afterScan] = state === 'pending' || state === 'delivered' ? ['', only] : [only, ''];
  return `SELECT ${namesOf(LOG_ROW)}, fits, nth FROM (
    SELECT ${COLUMNS}, (row_number() OVER newest_first)::integer AS nth, lead(a.id) OVER newest_first IS NULL AS is_last,
           NOT (a.status = 'pending' AND a.attempt > 1) ${afterScan}
             AND ($5::timestamptz IS NULL OR coalesce(a.attempted_at, a.created_at) >= $5)
             AND ($6::timestamptz IS NULL OR coalesce(a.attempted_at, a.created_at) < $6)
             AND (SELECT n.id FROM webhook_attempts n
                   WHERE n.party_id = $1 AND n.webhook_id = $2 AND n.message_id = a.message_id AND n.id > a.id AND ${FURTHER} AND NOT ${WAITS_TO_RETRY}
                   LIMIT 1) IS NULL AS fits
      FROM (SELECT * FROM webhook_attempts a
             WHERE a.party_id = $1 AND a.webhook_id = $2 AND a.id >= $3 AND a.id < $4 ${inScan} ORDER BY a.id DESC LIMIT $7) a
    WINDOW newest_first AS (ORDER BY a.id DESC)
  ) scanned WHERE fits OR is_last ORDER BY id DESC LIMIT $8`;
});

interface Scan {
  fitting: LogEntry[];
  scanned: number;
  /** The id of the last entry, if the scan ended at its limit. The log may go on there. */
  endedAt: string | undefined;
}

export async function scanDeliveries(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  { from, to }: IdRange,
  { state, since, until }: DeliveryFilters,
  { scannedMax, limit }: { scannedMax: number; limit: number },
): Promise<Scan> {
  const values = [partyId, webhookId, from, to, since ?? null, until ?? null, scannedMax, limit];
  const rows = await db.query(DELIVERIES.of({ state: state ?? 'any' }), values);
  const last = rows.at(-1);
  return {
    fitting: rows.filter(({ fits }) => fits).map(toLogEntry),
    scanned: last?.nth ?? 0,
    endedAt: last?.nth === scannedMax ? last.id : undefined,
  };
}

const POSITION = statement('SELECT position FROM ledger_entries WHERE party_id = $1 AND message_id = $2 ORDER BY position LIMIT 1', {
  position: 'bigint',
});

export async function positionOf(db: Queryable, partyId: bigint, messageId: string): Promise<bigint | undefined> {
  const [row] = await db.query(POSITION, [partyId, messageId]);
  return row && BigInt(row.position);
}

const FURTHER_ATTEMPTS = statement(
  `SELECT ${COLUMNS} FROM webhook_attempts a WHERE a.party_id = $1 AND a.webhook_id = $2 AND a.message_id = $3 AND ${FURTHER}
    ORDER BY a.message_id DESC, a.id DESC LIMIT $4`,
  LOG_ROW,
);

export async function furtherAttempts(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  messageId: string,
  limit: number,
): Promise<LogEntry[]> {
  return (await db.query(FURTHER_ATTEMPTS, [partyId, webhookId, messageId, limit])).map(toLogEntry);
}

/** Returns the last entry of the scan if no entry is the one, for the cost. */
const FIRST_ATTEMPT = statement(
  `SELECT ${namesOf(LOG_ROW)}, fits, nth FROM (
    SELECT ${COLUMNS}, a.message_id = $3 AND NOT ${FURTHER} AS fits, (row_number() OVER oldest_first)::integer AS nth,
           lead(a.id) OVER oldest_first IS NULL AS is_last
      FROM (SELECT * FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND id >= $4 AND id < $5 ORDER BY id LIMIT $6) a
    WINDOW oldest_first AS (ORDER BY a.id)
  ) scanned WHERE fits OR is_last ORDER BY id LIMIT 1`,
  { ...LOG_ROW, fits: 'boolean', nth: 'integer' },
);

export async function firstAttempt(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  messageId: string,
  { from, to }: IdRange,
  scannedMax: number,
): Promise<{ first: LogEntry | undefined; scanned: number }> {
  const [row] = await db.query(FIRST_ATTEMPT, [partyId, webhookId, messageId, from, to, scannedMax]);
  return { first: row?.fits ? toLogEntry(row) : undefined, scanned: row?.nth ?? 0 };
}

const ATTEMPT = statement(`SELECT ${COLUMNS} FROM webhook_attempts a WHERE party_id = $1 AND webhook_id = $2 AND id = $3`, LOG_ROW);

export async function findAttempt(db: Queryable, { partyId, webhookId }: WebhookKey, id: string): Promise<LogEntry | undefined> {
  const [row] = await db.query(ATTEMPT, [partyId, webhookId, id]);
  return row && toLogEntry(row);
}
