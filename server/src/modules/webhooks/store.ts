import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { columns, namesOf, oneOf, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { ATTEMPT_EVENTS, type AttemptEvent } from './attempt-store.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from './events.ts';
import { deleteRecoveries } from './recovery-store.ts';

export interface WebhookSettings {
  url: string;
  target: string | null;
  description: string | null;
  /** SQL LIKE patterns. */
  types: string[] | null;
  /** Key: the name in lower case. Value: as stored, maybe encrypted. */
  headers: Record<string, string> | null;
  maxPerSecond: number | null;
  /** Each thread has one attempt at a time, in order of delivery. */
  ordered: boolean;
  events: WebhookEvent[];
  showsCertificate: boolean;
}

export interface Webhook extends WebhookSettings {
  id: string;
  active: boolean;
  /** The key that verifies Ed25519 signatures. Null: the webhook has none. */
  publicKey: string | null;
  pause: { reason: PauseReason; since: Date } | null;
  lastPause: { since: Date; until: Date } | null;
  /** The first failure after the last success. Null after a success. */
  failingSince: Date | null;
  createdAt: Date;
}

/**
 * never_succeeded: too many attempts failed and none has ever succeeded. failing: all attempts have failed for too long. gone: the endpoint
 * responded 410. requested: the business paused it.
 */
export const PAUSE_REASONS = ['never_succeeded', 'failing', 'gone', 'requested'] as const;

type PauseReason = (typeof PAUSE_REASONS)[number];

const WEBHOOK_ROW = columns({
  id: 'uuid',
  url: 'text',
  target: 'text?',
  description: 'text?',
  types: 'text[]?',
  headers: 'text?',
  max_per_second: 'integer?',
  ordered: 'boolean',
  events: 'text[]',
  client_certificate: 'boolean',
  public_key: 'text?',
  active: 'boolean',
  pause_reason: oneOf('text?', PAUSE_REASONS),
  paused_at: 'timestamptz?',
  last_paused_at: 'timestamptz?',
  last_resumed_at: 'timestamptz?',
  failing_since: 'timestamptz?',
  created_at: 'timestamptz',
});

const WEBHOOK_COLUMNS = namesOf(WEBHOOK_ROW);

function toWebhook(row: RowOf<typeof WEBHOOK_ROW>): Webhook {
  const {
    id,
    url,
    target,
    description,
    types,
    max_per_second: maxPerSecond,
    ordered,
    client_certificate: showsCertificate,
    public_key: publicKey,
    active,
    created_at: createdAt,
  } = row;
  const { pause_reason: reason, paused_at: since } = row;
  const { last_paused_at: lastSince, last_resumed_at: until, failing_since: failingSince } = row;
  const headers = row.headers === null ? null : JSON.parse(row.headers);
  // Only the events that this version knows.
  const events = WEBHOOK_EVENTS.filter((event) => row.events.includes(event));
  const pauses = { pause: reason && since && { reason, since }, lastPause: lastSince && until && { since: lastSince, until } };
  return {
    id,
    url,
    target,
    description,
    types,
    headers,
    maxPerSecond,
    ordered,
    events,
    showsCertificate,
    publicKey,
    active,
    ...pauses,
    failingSince,
    createdAt,
  };
}

interface NewWebhook extends WebhookSettings {
  id: string;
  secret: string;
}

const LOCK_WEBHOOKS = statement('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE');
const ALL_WEBHOOKS = statement(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE party_id = $1 ORDER BY id`, WEBHOOK_ROW);

/** Locks out the creation of further webhooks until the transaction ends. */
export async function lockWebhooks(tx: Queryable, partyId: bigint): Promise<Webhook[]> {
  await tx.query(LOCK_WEBHOOKS, [partyId]);
  const rows = await tx.query(ALL_WEBHOOKS, [partyId]);
  return rows.map(toWebhook);
}

const INSERT_WEBHOOK = statement(
  `INSERT INTO webhooks (party_id, id, url, target, description, types, headers, max_per_second, ordered, events, client_certificate, secret)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${WEBHOOK_COLUMNS}`,
  WEBHOOK_ROW,
);

export async function insertWebhook(tx: Queryable, partyId: bigint, webhook: NewWebhook): Promise<Webhook> {
  const { id, secret } = webhook;
  return toWebhook(onlyRow(await tx.query(INSERT_WEBHOOK, [partyId, id, ...settingValues(webhook), secret])));
}

function settingValues({ url, target, description, types, headers, maxPerSecond, ordered, events, showsCertificate }: WebhookSettings) {
  return [
    url,
    target,
    description,
    types,
    headers === null ? null : JSON.stringify(headers),
    maxPerSecond,
    ordered,
    events,
    showsCertificate,
  ];
}

const UPDATE_WEBHOOK = statement(
  `UPDATE webhooks SET url = $3, target = $4, description = $5, types = $6, headers = $7, max_per_second = $8, ordered = $9, events = $10,
          client_certificate = $11
    WHERE party_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
  WEBHOOK_ROW,
);

export async function updateWebhook(tx: Queryable, partyId: bigint, id: string, settings: WebhookSettings): Promise<Webhook> {
  return toWebhook(onlyRow(await tx.query(UPDATE_WEBHOOK, [partyId, id, ...settingValues(settings)])));
}

const FORGET_SUCCESS = statement(
  `UPDATE webhooks SET first_success_at = NULL, failures = 0, failing_since = NULL, failing_told_at = NULL, url_version = url_version + 1
    WHERE party_id = $1 AND id = $2`,
);

/** Called for a new endpoint, which has not responded yet. */
export async function forgetSuccess(tx: Queryable, partyId: bigint, id: string): Promise<void> {
  await tx.query(FORGET_SUCCESS, [partyId, id]);
}

const PAUSE_WEBHOOK = statement(
  `UPDATE webhooks SET active = false, pause_reason = coalesce(pause_reason, $3), paused_at = coalesce(paused_at, $4)
    WHERE party_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
  WEBHOOK_ROW,
);

/** Does nothing to a paused webhook. Returns undefined when the webhook does not exist. */
export async function pauseWebhook(db: Queryable, partyId: bigint, id: string, reason: PauseReason): Promise<Webhook | undefined> {
  const [row] = await db.query(PAUSE_WEBHOOK, [partyId, id, reason, new Date()]);
  return row && toWebhook(row);
}

const RESUME_WEBHOOK = statement(
  `UPDATE webhooks SET active = true, pause_reason = NULL, paused_at = NULL, failures = CASE WHEN active THEN failures ELSE 0 END,
          failing_since = CASE WHEN active THEN failing_since END, failing_told_at = CASE WHEN active THEN failing_told_at END,
          last_paused_at = CASE WHEN active THEN last_paused_at ELSE paused_at END, last_resumed_at = CASE WHEN active THEN last_resumed_at ELSE $3 END
    WHERE party_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
  WEBHOOK_ROW,
);

/** Failures before the pause no longer count. Returns undefined when the webhook does not exist. */
export async function resumeWebhook(db: Queryable, partyId: bigint, id: string): Promise<Webhook | undefined> {
  const [row] = await db.query(RESUME_WEBHOOK, [partyId, id, new Date()]);
  return row && toWebhook(row);
}

const WEBHOOKS = statement(
  `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE party_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
  WEBHOOK_ROW,
);

export async function listWebhooks(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Webhook[]> {
  const rows = await db.query(WEBHOOKS, [partyId, afterId, limit]);
  return rows.map(toWebhook);
}

const WEBHOOK = statement(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE party_id = $1 AND id = $2`, WEBHOOK_ROW);

export async function findWebhook(db: Queryable, partyId: bigint, id: string): Promise<Webhook | undefined> {
  const [row] = await db.query(WEBHOOK, [partyId, id]);
  return row && toWebhook(row);
}

const DELETE_WEBHOOK = statement('DELETE FROM webhooks WHERE party_id = $1 AND id = $2 RETURNING id', { id: 'uuid' });
const QUEUE_DELETION_OF_LOG = statement(
  `SELECT FROM graphile_worker.add_job('forget-webhook', json_build_object('partyId', $1::text, 'webhookId', $2::text), job_key => 'forget-webhook ' || $2)`,
);

/** Returns false when the webhook does not exist. A job, queued in the same transaction, deletes the log, which may be long. */
export async function deleteWebhook(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const [deleted] = await tx.query(DELETE_WEBHOOK, [partyId, id]);
  if (!deleted) return false;
  await deleteRecoveries(tx, { partyId, webhookId: id });
  await tx.query(QUEUE_DELETION_OF_LOG, [partyId, id]);
  return true;
}

const INSERT_ATTEMPT = statement(
  `INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at, thread_id, position)
   SELECT w.party_id, w.id, new_uuid(now()), $3, $4, 1, now(), now(), now(), e.thread_id, e.position
     FROM webhooks w
     LEFT JOIN ledger_entries e ON w.ordered AND e.party_id = w.party_id AND e.message_id = $3 AND e.box = 'in'
    WHERE w.party_id = $1 AND w.id = $2 AND w.active
   RETURNING id`,
  { id: 'uuid' },
);

/** Queues a requested attempt if the webhook exists and is active. A test has the id of a message that was never sent. */
export async function insertAttempt(
  db: Queryable,
  partyId: bigint,
  webhookId: string,
  messageId: string,
  event: 'message.test' | 'message.replay',
): Promise<string | undefined> {
  const [row] = await db.query(INSERT_ATTEMPT, [partyId, webhookId, messageId, event]);
  return row?.id;
}

const RECEIVED = statement(`SELECT FROM ledger_entries WHERE party_id = $1 AND message_id = $2 AND box = 'in' LIMIT 1`);

export async function hasReceived(db: Queryable, partyId: bigint, messageId: string): Promise<boolean> {
  return (await db.query(RECEIVED, [partyId, messageId])).length > 0;
}

const WAITING = statement(
  `SELECT count(*) FROM (SELECT 1 FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND status = 'pending' LIMIT $3) AS waiting`,
  { count: 'bigint' },
);

export async function countWaiting(db: Queryable, partyId: bigint, webhookId: string, limit: number): Promise<number> {
  return Number(onlyRow(await db.query(WAITING, [partyId, webhookId, limit])).count);
}

export const ATTEMPT_STATUSES = ['pending', 'delivered', 'retrying', 'dropped', 'failed'] as const;

export interface LogEntry {
  id: string;
  messageId: string;
  event: AttemptEvent;
  subjectId: string | null;
  attempt: number;
  status: (typeof ATTEMPT_STATUSES)[number];
  statusCode: number | null;
  responseMs: number | null;
  error: string | null;
  createdAt: Date;
  attemptedAt: Date | null;
  nextAttemptAt: Date | null;
}

export const LOG_ROW = columns({
  id: 'uuid',
  message_id: 'uuid',
  event: oneOf('text', ATTEMPT_EVENTS),
  subject_id: 'uuid?',
  attempt: 'smallint',
  status: oneOf('attempt_status', ATTEMPT_STATUSES),
  status_code: 'smallint?',
  response_ms: 'integer?',
  error: 'text?',
  created_at: 'timestamptz',
  attempted_at: 'timestamptz?',
  next_attempt_at: 'timestamptz?',
});

export function toLogEntry(row: RowOf<typeof LOG_ROW>): LogEntry {
  return {
    id: row.id,
    messageId: row.message_id,
    event: row.event,
    subjectId: row.subject_id,
    attempt: row.attempt,
    status: row.status,
    statusCode: row.status_code,
    responseMs: row.response_ms,
    error: row.error,
    createdAt: row.created_at,
    attemptedAt: row.attempted_at,
    nextAttemptAt: row.next_attempt_at,
  };
}

const ATTEMPTS = statement(
  `SELECT ${namesOf(LOG_ROW)}
     FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
  LOG_ROW,
);

export async function listAttempts(
  db: Queryable,
  partyId: bigint,
  webhookId: string,
  belowId: string | null,
  limit: number,
): Promise<LogEntry[]> {
  return (await db.query(ATTEMPTS, [partyId, webhookId, belowId, limit])).map(toLogEntry);
}
