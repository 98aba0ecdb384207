import { WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX } from '../../contract/limits.ts';
import { bigintArray, integerArray, textArray, uuidArray } from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';

/** The channel on which queue_webhook_attempts says which webhooks have something to do. */
export const WEBHOOKS_CHANNEL = 'waybill_webhooks';

export interface WebhookKey {
  partyId: bigint;
  webhookId: string;
}

/** An attempt that was taken because it is due. */
export interface DueAttempt {
  id: string;
  messageId: string;
  event: 'message.received' | 'message.test';
  createdMs: number;
}

export interface WantedAttempts extends WebhookKey {
  room: number;
  /** The ids of those that the worker has of this webhook already. */
  held: ReadonlySet<string>;
}

/** What was taken of one webhook, and the database's clock then. */
export interface LeasedAttempts {
  url: string;
  secret: string;
  /** Whether the endpoint has ever responded 2xx. */
  isProven: boolean;
  clockMs: number;
  attempts: DueAttempt[];
}

/** What is not recorded until `leaseS` from now, nor claimed anew, others may take. Gives what was found by webhook, where there was any. */
export async function leaseAttempts(
  db: Queryable,
  workerId: string,
  wanted: readonly WantedAttempts[],
  leaseS: number,
): Promise<Map<string, LeasedAttempts>> {
  const rows = await db.query<{
    webhook_id: string;
    url: string;
    secret: string;
    is_proven: boolean;
    ids: string;
    message_ids: string;
    events: string;
    created_ms: string;
    clock_ms: string;
  }>(
    {
      name: 'claim-attempts',
      text: `SELECT webhook_id, url, secret, is_proven, ids, message_ids, events, created_ms, clock_ms
               FROM claim_webhook_attempts($1, $2::bigint[], $3::uuid[], $4::integer[], $5::text[], make_interval(secs => $6))`,
    },
    [
      workerId,
      ...keyArrays(wanted),
      integerArray(wanted.map(({ room }) => room)),
      textArray(wanted.map(({ held }) => `{${[...held].join()}}`)),
      leaseS,
    ],
  );
  return new Map(
    rows.map((row) => {
      const messageIds = row.message_ids.split(',');
      const events = row.events.split(',') as DueAttempt['event'][];
      const createdMs = row.created_ms.split(',');
      const attempts = row.ids.split(',').map((id, i) => ({
        id,
        messageId: messageIds[i] as string,
        event: events[i] as DueAttempt['event'],
        createdMs: Number(createdMs[i]),
      }));
      return [row.webhook_id, { url: row.url, secret: row.secret, isProven: row.is_proven, clockMs: Number(row.clock_ms), attempts }];
    }),
  );
}

/** Ends claims, and tells all workers of which webhooks. A word has room for 8,000 bytes; an empty one makes them look for themselves. */
function endClaims(which: string): string {
  // What its owner is renewing at this moment is skipped: waiting for each other in a circle would be worse.
  return `WITH ending AS (SELECT party_id, webhook_id, worker_id FROM webhook_claims WHERE ${which} FOR UPDATE SKIP LOCKED),
     ended AS (
       DELETE FROM webhook_claims c USING ending e
        WHERE c.party_id = e.party_id AND c.webhook_id = e.webhook_id AND c.worker_id = e.worker_id RETURNING c.party_id, c.webhook_id
     ),
     words AS (SELECT string_agg(DISTINCT party_id || ':' || webhook_id, ',') AS names FROM ended)
     SELECT pg_notify('${WEBHOOKS_CHANNEL}', CASE WHEN length(names) < 8000 THEN names ELSE '' END) FROM words WHERE names IS NOT NULL`;
}

/** What a worker has not renewed in time is free again: it died, or has nothing left to do there. */
export async function endLapsedLeases(db: Queryable): Promise<void> {
  await db.query(endClaims('until <= now()'));
}

export async function endLeasesOf(db: Queryable, workerId: string): Promise<void> {
  await db.query(endClaims('worker_id = $1'), [workerId]);
}

export interface MadeAttempt extends WebhookKey {
  id: string;
  /** Whether its endpoint was known to have responded 2xx before. */
  isProven: boolean;
  succeeded: boolean;
  statusCode: number | null;
  error: string | null;
  /** By this process's clock, which need not be the database's: it learns how long ago that was. */
  begunAt: number;
  responseMs: number;
  /** How long the receiver wants to be left alone; 0 when it did not say. */
  retryAfterS: number;
}

/** All in one transaction, along with the next attempts of those that failed, and what they show of endpoints that never succeeded. */
export async function recordAttempts(db: Queryable, made: readonly MadeAttempt[], retryDelaysS: readonly number[]): Promise<void> {
  const now = performance.now();
  await db.query(
    {
      name: 'record-attempts',
      text: `SELECT record_webhook_attempts($1::bigint[], $2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::text[],
                                            $7::integer[], $8::integer[], $9::integer[], $10::integer[], $11::integer[], $12)`,
    },
    [
      ...keyArrays(made),
      uuidArray(made.map(({ id }) => id)),
      integerArray(made.map(({ succeeded }) => (succeeded ? 1 : 0))),
      integerArray(made.map(({ statusCode }) => statusCode ?? 0)),
      textArray(made.map(({ error }) => error)),
      integerArray(made.map(({ responseMs }) => responseMs)),
      integerArray(made.map(({ begunAt }) => Math.round(now - begunAt))),
      integerArray(made.map(({ retryAfterS }) => retryAfterS)),
      integerArray(retryDelaysS),
      integerArray(made.every(({ isProven }) => isProven) ? [] : made.map(({ isProven }) => (isProven ? 0 : 1))),
      WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX,
    ],
  );
}

interface KeyRow {
  party_id: string;
  webhook_id: string;
  [column: string]: unknown;
}

function toKey(row: KeyRow): WebhookKey {
  return { partyId: BigInt(row.party_id), webhookId: row.webhook_id };
}

function keyArrays(keys: readonly WebhookKey[]): [Buffer, Buffer] {
  return [bigintArray(keys.map(({ partyId }) => partyId)), uuidArray(keys.map(({ webhookId }) => webhookId))];
}

/** The webhooks of which an attempt has become due within the last so many seconds and is not recorded. */
export async function webhooksLatelyDue(db: Queryable, withinS: number): Promise<WebhookKey[]> {
  const rows = await db.query<KeyRow>(
    {
      name: 'webhooks-lately-due',
      text: `SELECT DISTINCT party_id, webhook_id FROM webhook_attempts
              WHERE status = 'pending' AND due_at <= now() AND due_at > now() - make_interval(secs => $1)`,
    },
    [withinS],
  );
  return rows.map(toKey);
}

/** From one webhook to the next by the index: however many attempts each has, only webhooks cost. */
function eachWebhook(having: string): string {
  const first = (after: string) =>
    `SELECT a.party_id, a.webhook_id FROM webhook_attempts a WHERE ${having}${after} ORDER BY a.party_id, a.webhook_id LIMIT 1`;
  return `WITH RECURSIVE found AS (
    (${first('')})
    UNION ALL
    SELECT n.party_id, n.webhook_id FROM found f, LATERAL (${first(' AND (a.party_id, a.webhook_id) > (f.party_id, f.webhook_id)')}) n
  )`;
}

export async function webhooksWithPending(db: Queryable): Promise<WebhookKey[]> {
  const rows = await db.query<KeyRow>(`${eachWebhook(`a.status = 'pending'`)} SELECT party_id, webhook_id FROM found`);
  return rows.map(toKey);
}

export async function stillThere(db: Queryable, webhooks: readonly WebhookKey[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    'SELECT w.id FROM unnest($1::bigint[], $2::uuid[]) AS k (party_id, id) JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.id AND w.active',
    keyArrays(webhooks),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Removes at most so many entries of one webhook's log that is no more. */
export async function deleteLog(db: Queryable, { partyId, webhookId }: WebhookKey, limit: number): Promise<number> {
  const rows = await db.query<{ count: string }>(
    `WITH gone AS (
       DELETE FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2
          AND id IN (SELECT id FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 LIMIT $3) RETURNING 1
     ) SELECT count(*) FROM gone`,
    [partyId, webhookId, limit],
  );
  return Number(rows[0]?.count ?? 0);
}

/** Every webhook that has a log, with whether it still exists. */
export async function webhooksWithLog(db: Queryable): Promise<(WebhookKey & { exists: boolean })[]> {
  const rows = await db.query<KeyRow & { exists: boolean }>(
    `${eachWebhook('true')}
     SELECT f.party_id, f.webhook_id, EXISTS (SELECT FROM webhooks w WHERE w.party_id = f.party_id AND w.id = f.webhook_id) AS exists FROM found f`,
  );
  return rows.map((row) => ({ ...toKey(row), exists: row.exists }));
}

/** Ids ascend with time, so what is old is the beginning of the log. Pending attempts go too if their webhook has been paused for so long. */
export async function deleteOldEntries(db: Queryable, { partyId, webhookId }: WebhookKey, days: number): Promise<number> {
  const rows = await db.query<{ count: string }>(
    `WITH gone AS (
       DELETE FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND id < (SELECT new_uuid(now() - make_interval(days => $3)))
          AND (status <> 'pending' OR EXISTS (SELECT FROM webhooks WHERE party_id = $1 AND id = $2 AND paused_at < now() - make_interval(days => $3)))
       RETURNING 1
     ) SELECT count(*) FROM gone`,
    [partyId, webhookId, days],
  );
  return Number(rows[0]?.count ?? 0);
}
