import {
  WEBHOOK_RECOVERIES_KEPT_MAX,
  WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX,
  WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX,
  WEBHOOK_RECOVERY_COUNTED_MAX,
  WEBHOOK_RECOVERY_WAITING_MAX,
} from '../../contract/limits.ts';
import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import type { WebhookKey } from './attempt-store.ts';

/** failed: the last attempt was dropped, or got a 410. missing: the log has no attempt. undelivered: failed or missing. */
export const RECOVERY_SELECTIONS = ['failed', 'missing', 'undelivered', 'all'] as const;
export type RecoverySelection = (typeof RECOVERY_SELECTIONS)[number];

export const RECOVERY_STATES = ['running', 'paused', 'completed', 'cancelled'] as const;
type RecoveryState = (typeof RECOVERY_STATES)[number];

/** A ledger position is the delivery's millisecond times this, plus a counter. */
const POSITIONS_PER_MS = 4_096n;
const ENTRIES_PER_STEP = 1_000;

export interface Recovery {
  id: string;
  only: RecoverySelection;
  state: RecoveryState;
  /** The first millisecond of the range, the first one after it, and the one up to which all messages are done. */
  sinceMs: number;
  untilMs: number;
  throughMs: number;
  total: number | null;
  done: number;
  queued: number;
  retrying: number;
  createdAt: Date;
  endedAt: Date | null;
}

const RECOVERY_ROW = columns({
  id: 'uuid',
  selection: oneOf('text', RECOVERY_SELECTIONS),
  state: oneOf('text', RECOVERY_STATES),
  first: 'bigint',
  last: 'bigint',
  position: 'bigint',
  total: 'integer?',
  done: 'integer',
  queued: 'integer',
  retrying: 'integer',
  created_at: 'timestamptz',
  ended_at: 'timestamptz?',
});
const RECOVERY_COLUMNS = namesOf(RECOVERY_ROW);

function toRecovery(row: RowOf<typeof RECOVERY_ROW>): Recovery {
  const { id, selection: only, state, total, done, queued, retrying, created_at: createdAt, ended_at: endedAt } = row;
  const untilMs = Number((BigInt(row.last) + POSITIONS_PER_MS) / POSITIONS_PER_MS);
  const throughMs = state === 'completed' ? untilMs : msAfter(row.position);
  return { id, only, state, sinceMs: msAfter(row.first), untilMs, throughMs, total, done, queued, retrying, createdAt, endedAt };
}

function msAfter(position: string): number {
  return Number((BigInt(position) + 1n) / POSITIONS_PER_MS);
}

const POSITION_MAX = 2n ** 63n - 1n;
const least = (a: bigint, b: bigint) => (a < b ? a : b);
const greatest = (a: bigint, b: bigint) => (a > b ? a : b);

function positionBefore(ms: number): bigint {
  return BigInt(ms) * POSITIONS_PER_MS - 1n;
}

const LEDGER_HEAD = statement('SELECT head FROM ledgers WHERE party_id = $1', { head: 'bigint' });
const LOCKED_HEAD = statement('SELECT head FROM ledgers WHERE party_id = $1 FOR SHARE', { head: 'bigint' });
const COUNT_ENTRIES = statement(
  `SELECT count(*) FROM (SELECT 1 FROM ledger_entries WHERE party_id = $1 AND box = 'in' AND position > $2 AND position <= $3 LIMIT $4) AS counted`,
  { count: 'bigint' },
);
const DELETE_OLDEST = statement(
  `DELETE FROM webhook_recoveries WHERE party_id = $1 AND webhook_id = $2 AND ended_at IS NOT NULL
      AND id NOT IN (SELECT id FROM webhook_recoveries WHERE party_id = $1 AND webhook_id = $2 ORDER BY id DESC LIMIT $3)`,
);
const INSERT_RECOVERY = statement(
  `INSERT INTO webhook_recoveries (party_id, webhook_id, id, selection, first, last, position, total, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $5, $7, $8) ON CONFLICT DO NOTHING RETURNING ${RECOVERY_COLUMNS}`,
  RECOVERY_ROW,
);

const FIRST_REFUSED = statement(
  `SELECT message_id FROM webhook_attempts
    WHERE party_id = $1 AND webhook_id = $2 AND status = 'failed' AND event IN ('message.received', 'message.replay') AND attempted_at >= $3
    ORDER BY message_id LIMIT 1`,
  { message_id: 'uuid' },
);

/** Finds the oldest message with an attempt since then that got a 410, which is not retried. */
export async function findFirstRefused(tx: Queryable, { partyId, webhookId }: WebhookKey, since: Date): Promise<string | undefined> {
  const [row] = await tx.query(FIRST_REFUSED, [partyId, webhookId, since]);
  return row?.message_id;
}

interface NewRecovery {
  id: string;
  only: RecoverySelection;
  sinceMs: number;
  untilMs: number | undefined;
}

/**
 * The range ends at the ledger's current head. The lock waits for deliveries under way, and later deliveries see the webhook as this
 * transaction leaves it. So each message is either in the range, or queued on arrival if the webhook is active. Returns undefined while an
 * earlier recovery of the webhook has not ended.
 */
export async function insertRecovery(
  tx: Queryable,
  { partyId, webhookId }: WebhookKey,
  { id, only, sinceMs, untilMs }: NewRecovery,
): Promise<Recovery | undefined> {
  await tx.query(DELETE_OLDEST, [partyId, webhookId, WEBHOOK_RECOVERIES_KEPT_MAX - 1]);
  const first = positionBefore(sinceMs);
  const end = untilMs === undefined ? POSITION_MAX : positionBefore(untilMs);
  const lastOf = ([ledger]: { head: string }[]) => greatest(first, least(end, BigInt(ledger?.head ?? 0)));
  const count = async (above: bigint, through: bigint) =>
    Number(onlyRow(await tx.query(COUNT_ENTRIES, [partyId, above, through, WEBHOOK_RECOVERY_COUNTED_MAX + 1])).count);
  // Most entries are counted before the lock, so that deliveries do not wait for the count.
  const early = lastOf(await tx.query(LEDGER_HEAD, [partyId]));
  const counted = await count(first, early);
  const last = lastOf(await tx.query(LOCKED_HEAD, [partyId]));
  const sum = counted + (await count(early, last));
  const total = sum > WEBHOOK_RECOVERY_COUNTED_MAX ? null : sum;
  const [row] = await tx.query(INSERT_RECOVERY, [partyId, webhookId, id, only, first, last, total, new Date()]);
  return row && toRecovery(row);
}

const RECOVERIES = statement(
  `SELECT ${RECOVERY_COLUMNS} FROM webhook_recoveries
    WHERE party_id = $1 AND webhook_id = $2 AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
  RECOVERY_ROW,
);

export async function listRecoveries(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  belowId: string | null,
  limit: number,
): Promise<Recovery[]> {
  return (await db.query(RECOVERIES, [partyId, webhookId, belowId, limit])).map(toRecovery);
}

const RECOVERY = statement(
  `SELECT ${RECOVERY_COLUMNS} FROM webhook_recoveries WHERE party_id = $1 AND webhook_id = $2 AND id = $3`,
  RECOVERY_ROW,
);

export async function findRecovery(db: Queryable, { partyId, webhookId }: WebhookKey, id: string): Promise<Recovery | undefined> {
  const [row] = await db.query(RECOVERY, [partyId, webhookId, id]);
  return row && toRecovery(row);
}

const SET_STATE = statement(
  `UPDATE webhook_recoveries SET state = $4, ended_at = $5
    WHERE party_id = $1 AND webhook_id = $2 AND id = $3 AND ended_at IS NULL RETURNING ${RECOVERY_COLUMNS}`,
  RECOVERY_ROW,
);

/**
 * Returns undefined if the recovery does not exist or has ended. Waits for a step under way, so that no attempt is queued after a pause.
 */
export async function setRecoveryState(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  id: string,
  state: Exclude<RecoveryState, 'completed'>,
): Promise<Recovery | undefined> {
  const [row] = await db.query(SET_STATE, [partyId, webhookId, id, state, state === 'cancelled' ? new Date() : null]);
  return row && toRecovery(row);
}

const DELETE_OF_WEBHOOK = statement('DELETE FROM webhook_recoveries WHERE party_id = $1 AND webhook_id = $2');

export async function deleteRecoveries(tx: Queryable, { partyId, webhookId }: WebhookKey): Promise<void> {
  await tx.query(DELETE_OF_WEBHOOK, [partyId, webhookId]);
}

const RUNNING = prepared(
  'running-recoveries',
  `SELECT r.party_id, r.webhook_id, r.id FROM webhook_recoveries r
     JOIN webhooks w ON w.party_id = r.party_id AND w.id = r.webhook_id AND w.active
    WHERE r.state IN ('running', 'paused') AND r.state = 'running'`,
  { party_id: 'bigint', webhook_id: 'uuid', id: 'uuid' },
);

interface RecoveryKey extends WebhookKey {
  id: string;
}

export async function runningRecoveries(db: Queryable): Promise<RecoveryKey[]> {
  const rows = await db.query(RUNNING);
  return rows.map((row) => ({ partyId: BigInt(row.party_id), webhookId: row.webhook_id, id: row.id }));
}

const CONTINUE = prepared(
  'continue-recovery',
  'SELECT continue_recovery($1::bigint, $2::uuid, $3::uuid, $4::integer, $5::integer, $6::integer, $7::integer)',
  { continue_recovery: 'integer?' },
);

/** Returns the number of attempts queued by one step, or undefined if there is nothing to do now. */
export async function continueRecovery(db: Queryable, { partyId, webhookId, id }: RecoveryKey): Promise<number | undefined> {
  const perDay = [WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX, WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX];
  const limits = [ENTRIES_PER_STEP, WEBHOOK_RECOVERY_WAITING_MAX, ...perDay];
  const { continue_recovery: queued } = onlyRow(await db.query(CONTINUE, [partyId, webhookId, id, ...limits]));
  return queued ?? undefined;
}
