import type { Queryable } from '../../platform/postgres.ts';

export interface Webhook {
  /** A uuid, as all ids here. */
  id: string;
  url: string;
  target: string | null;
  active: boolean;
  /** Null as long as it is active. */
  pause: { reason: PauseReason; since: Date } | null;
  createdAt: Date;
}

/** never_succeeded: too many attempts failed and none has ever succeeded. requested: by the business itself. */
export type PauseReason = 'never_succeeded' | 'requested';

interface WebhookRow {
  id: string;
  url: string;
  target: string | null;
  active: boolean;
  pause_reason: PauseReason | null;
  paused_at: Date | null;
  created_at: Date;
  [column: string]: unknown;
}

const WEBHOOK_COLUMNS = 'id, url, target, active, pause_reason, paused_at, created_at';

function toWebhook(row: WebhookRow): Webhook {
  const { id, url, target, active, pause_reason: reason, paused_at: since, created_at: createdAt } = row;
  return { id, url, target, active, pause: reason && since && { reason, since }, createdAt };
}

export interface NewWebhook {
  id: string;
  url: string;
  target: string | null;
  secret: string;
}

/** All of a business, which gets no other one before the end of the transaction. */
export async function lockWebhooks(tx: Queryable, partyId: bigint): Promise<Webhook[]> {
  await tx.query('SELECT FROM parties WHERE id = $1 FOR NO KEY UPDATE', [partyId]);
  const rows = await tx.query<WebhookRow>(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE party_id = $1 ORDER BY id`, [partyId]);
  return rows.map(toWebhook);
}

export async function insertWebhook(tx: Queryable, partyId: bigint, webhook: NewWebhook): Promise<Webhook> {
  const [row] = await tx.query<WebhookRow>(
    `INSERT INTO webhooks (party_id, id, url, target, secret) VALUES ($1, $2, $3, $4, $5) RETURNING ${WEBHOOK_COLUMNS}`,
    [partyId, webhook.id, webhook.url, webhook.target, webhook.secret],
  );
  return toWebhook(row as WebhookRow);
}

/** Pauses it, unless it is paused already; undefined when there is none. */
export async function pauseWebhook(db: Queryable, partyId: bigint, id: string, reason: PauseReason): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(
    `UPDATE webhooks SET active = false, pause_reason = coalesce(pause_reason, $3), paused_at = coalesce(paused_at, now())
      WHERE party_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [partyId, id, reason],
  );
  return row && toWebhook(row);
}

/** Its failures count from the beginning again, and workers hear that what waited can be taken. Undefined when there is none. */
export async function resumeWebhook(db: Queryable, partyId: bigint, id: string): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(
    `WITH resumed AS (
       UPDATE webhooks SET active = true, pause_reason = NULL, paused_at = NULL, failures = CASE WHEN active THEN failures ELSE 0 END
        WHERE party_id = $1 AND id = $2 RETURNING party_id, ${WEBHOOK_COLUMNS}
     )
     SELECT ${WEBHOOK_COLUMNS}, pg_notify('waybill_webhooks', party_id || ':' || id) FROM resumed`,
    [partyId, id],
  );
  return row && toWebhook(row);
}

/** In the order of their creation. */
export async function listWebhooks(db: Queryable, partyId: bigint, afterId: string | null, limit: number): Promise<Webhook[]> {
  const rows = await db.query<WebhookRow>(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE party_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
    [partyId, afterId, limit],
  );
  return rows.map(toWebhook);
}

export async function findWebhook(db: Queryable, partyId: bigint, id: string): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE party_id = $1 AND id = $2`, [partyId, id]);
  return row && toWebhook(row);
}

/** False when there is none. Its log, which may be long, goes in a chore of the same transaction. */
export async function deleteWebhook(tx: Queryable, partyId: bigint, id: string): Promise<boolean> {
  const rows = await tx.query('DELETE FROM webhooks WHERE party_id = $1 AND id = $2 RETURNING id', [partyId, id]);
  if (rows.length > 0)
    await tx.query(
      `SELECT graphile_worker.add_job('forget-webhook', json_build_object('partyId', $1::text, 'webhookId', $2::text), job_key => 'forget-webhook ' || $2)`,
      [partyId, id],
    );
  return rows.length > 0;
}

/** Queues one attempt of a message that is only a sample, if there is such a webhook and it is active. */
export async function insertTest(db: Queryable, partyId: bigint, webhookId: string, sampleId: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `WITH queued AS (
       INSERT INTO webhook_attempts (party_id, webhook_id, id, message_id, event, attempt, due_at, created_at, next_attempt_at)
       SELECT party_id, id, new_uuid(now()), $3, 'message.test', 1, now(), now(), now() FROM webhooks WHERE party_id = $1 AND id = $2 AND active
       RETURNING party_id, webhook_id, id
     )
     SELECT id, pg_notify('waybill_webhooks', party_id || ':' || webhook_id) FROM queued`,
    [partyId, webhookId, sampleId],
  );
  return row?.id;
}

export interface LogEntry {
  id: string;
  messageId: string;
  event: string;
  attempt: number;
  status: 'pending' | 'delivered' | 'retrying' | 'dropped' | 'failed';
  statusCode: number | null;
  responseMs: number | null;
  error: string | null;
  createdAt: Date;
  attemptedAt: Date | null;
  nextAttemptAt: Date | null;
}

/** Newest first, below the given id. */
export async function listAttempts(
  db: Queryable,
  partyId: bigint,
  webhookId: string,
  belowId: string | null,
  limit: number,
): Promise<LogEntry[]> {
  const rows = await db.query<{
    id: string;
    message_id: string;
    event: string;
    attempt: number;
    status: LogEntry['status'];
    status_code: number | null;
    response_ms: number | null;
    error: string | null;
    created_at: Date;
    attempted_at: Date | null;
    next_attempt_at: Date | null;
  }>(
    `SELECT id, message_id, event, attempt, status, status_code, response_ms, error, created_at, attempted_at, next_attempt_at
       FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND ($3::uuid IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
    [partyId, webhookId, belowId, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    messageId: row.message_id,
    event: row.event,
    attempt: row.attempt,
    status: row.status,
    statusCode: row.status_code,
    responseMs: row.response_ms,
    error: row.error,
    createdAt: row.created_at,
    attemptedAt: row.attempted_at,
    nextAttemptAt: row.next_attempt_at,
  }));
}
