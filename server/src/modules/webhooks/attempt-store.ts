import { CHANNELS } from '../../contract/jobs-and-channels.ts';
import { WEBHOOK_FAILING_TOLD_AFTER_S, WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX } from '../../contract/limits.ts';
import {
  bigintArray,
  bigintField,
  booleanField,
  type Field,
  integerArray,
  integerField,
  recordArray,
  smallintField,
  textField,
  uuidArray,
  uuidField,
  uuidsField,
} from '../../platform/postgres/binary-array.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import { json, prepared, type RowOf, statement } from '../../platform/postgres/statement.ts';
import { WEBHOOK_EVENTS } from './events.ts';

/** queue_webhook_attempts announces webhooks with due attempts on this channel. */
export const WEBHOOKS_CHANNEL = CHANNELS.webhooks;

export interface WebhookKey {
  partyId: bigint;
  webhookId: string;
}

/** message.replay: a message received earlier, sent again at the recipient's request. Receivers see the event message.received. */
export const ATTEMPT_EVENTS = [...WEBHOOK_EVENTS, 'message.test', 'message.replay'] as const;
export type AttemptEvent = (typeof ATTEMPT_EVENTS)[number];

export interface DueAttempt {
  id: string;
  /** The id of the event, if it is not about a received message. */
  messageId: string;
  event: AttemptEvent;
  /** The subject of the event. Null for received messages and tests. */
  subjectId: string | null;
  createdMs: number;
  /** Other attempts of its thread may wait for this one. */
  isOrdered?: boolean;
}

interface WantedAttempts extends WebhookKey {
  room: number;
  /** The ids of the webhook's attempts that the worker already holds. */
  held: ReadonlySet<string>;
}

/** The stored secrets and headers of a webhook, maybe encrypted. */
export interface StoredSecrets {
  secret: string;
  /** The former secret, while it also signs. */
  previousSecret: string | null;
  headers: Record<string, string> | null;
}

export interface LeasedAttempts extends StoredSecrets {
  url: string;
  urlVersion: number;
  showsCertificate: boolean;
  isProven: boolean;
  clockMs: number;
  attempts: DueAttempt[];
  /** The time at which more may be leased, if the rate limit allowed too few now. */
  retryMs: number | undefined;
}

const WANTED_FIELDS: readonly Field<WantedAttempts>[] = [
  bigintField((w) => w.partyId),
  uuidField((w) => w.webhookId),
  integerField((w) => w.room),
  uuidsField((w) => w.held),
];

const LEASE = prepared(
  'lease-attempts',
  `SELECT webhook_id, url, url_version, secret, previous_secret, headers, client_certificate, is_proven, clock_ms, attempts, retry_ms
     FROM lease_webhook_attempts($1::uuid, $2::wanted_attempts[], make_interval(secs => $3))`,
  {
    webhook_id: 'uuid',
    url: 'text',
    url_version: 'integer',
    secret: 'text',
    previous_secret: 'text?',
    headers: 'text?',
    client_certificate: 'boolean',
    is_proven: 'boolean',
    clock_ms: 'bigint',
    attempts: json<DueAttempt[]>(),
    retry_ms: 'integer?',
  },
);

/**
 * Leases due attempts for `leaseS` seconds, and renews those held. When a lease ends, other workers may take its attempts. Key of the
 * result: webhook.
 */
export async function leaseAttempts(
  db: Queryable,
  workerId: string,
  wanted: readonly WantedAttempts[],
  leaseS: number,
): Promise<Map<string, LeasedAttempts>> {
  const rows = await db.query(LEASE, [workerId, recordArray(WANTED_FIELDS, wanted), leaseS]);
  return new Map(
    rows.map((row) => [
      row.webhook_id,
      {
        url: row.url,
        urlVersion: row.url_version,
        secret: row.secret,
        previousSecret: row.previous_secret,
        headers: row.headers === null ? null : JSON.parse(row.headers),
        showsCertificate: row.client_certificate,
        isProven: row.is_proven,
        clockMs: Number(row.clock_ms),
        attempts: row.attempts,
        retryMs: row.retry_ms ?? undefined,
      },
    ]),
  );
}

export const KEY_ROW = { party_id: 'bigint', webhook_id: 'uuid' } as const;

export function toKey(row: RowOf<typeof KEY_ROW>): WebhookKey {
  return { partyId: BigInt(row.party_id), webhookId: row.webhook_id };
}

export function nameOf({ partyId, webhookId }: WebhookKey): string {
  return `${partyId}:${webhookId}`;
}

function endLeases(which: string): string {
  // Skips a lease that its worker is renewing right now, because waiting for it could deadlock.
  return `WITH ending AS (SELECT party_id, webhook_id, worker_id FROM webhook_leases WHERE ${which} FOR UPDATE SKIP LOCKED)
     DELETE FROM webhook_leases c USING ending e
      WHERE c.party_id = e.party_id AND c.webhook_id = e.webhook_id AND c.worker_id = e.worker_id RETURNING c.party_id, c.webhook_id`;
}
const END_LAPSED = statement(endLeases('until <= now()'), KEY_ROW);
const END_OF_WORKER = statement(endLeases('worker_id = $1'), KEY_ROW);

/** Ends leases that were not renewed in time, and returns their webhooks. The worker died, or has nothing left to do for the webhook. */
export async function endLapsedLeases(db: Queryable): Promise<WebhookKey[]> {
  return (await db.query(END_LAPSED)).map(toKey);
}

export async function endLeasesOf(db: Queryable, workerId: string): Promise<WebhookKey[]> {
  return (await db.query(END_OF_WORKER, [workerId])).map(toKey);
}

export interface MadeAttempt extends WebhookKey {
  id: string;
  urlVersion: number;
  isProven: boolean;
  succeeded: boolean;
  statusCode: number | null;
  error: string | null;
  /** A time of this process's clock, which may differ from the database's. So the database gets the elapsed time. */
  begunAt: number;
  responseMs: number;
  /** The seconds of Retry-After. 0 without the header. */
  retryAfterS: number;
  isOrdered: boolean;
}

/** The attributes of the type made_attempt. `now` is the time of the write. */
function madeFields(now: number): Field<MadeAttempt>[] {
  return [
    bigintField((m) => m.partyId),
    uuidField((m) => m.webhookId),
    uuidField((m) => m.id),
    booleanField((m) => m.isProven),
    booleanField((m) => m.succeeded),
    smallintField((m) => m.statusCode),
    textField((m) => m.error),
    integerField((m) => m.responseMs),
    integerField((m) => Math.round(now - m.begunAt)),
    integerField((m) => m.retryAfterS),
    integerField((m) => m.urlVersion),
    booleanField((m) => m.isOrdered),
  ];
}

const RECORD = prepared(
  'record-attempts',
  'SELECT record_webhook_attempts($1::made_attempt[], $2::integer[], $3::integer, $4::integer, $5::integer)',
  {
    record_webhook_attempts: 'void',
  },
);

export interface FailureRules {
  retryDelaysS: readonly number[];
  /** A webhook may fail for this long. 0: forever. */
  pauseAfterS: number;
}

/**
 * Writes in one transaction: the attempts, the next attempts after failures, and the pauses of webhooks that fail too often or for too
 * long.
 */
export async function recordAttempts(
  db: Queryable,
  made: readonly MadeAttempt[],
  { retryDelaysS, pauseAfterS }: FailureRules,
): Promise<void> {
  await db.query(RECORD, [
    recordArray(madeFields(performance.now()), made),
    integerArray(retryDelaysS),
    WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX,
    WEBHOOK_FAILING_TOLD_AFTER_S,
    pauseAfterS,
  ]);
}

function keyArrays(keys: readonly WebhookKey[]): [Buffer, Buffer] {
  return [bigintArray(keys.map(({ partyId }) => partyId)), uuidArray(keys.map(({ webhookId }) => webhookId))];
}

const LATELY_DUE = prepared(
  'webhooks-lately-due',
  `SELECT DISTINCT party_id, webhook_id FROM webhook_attempts
    WHERE status = 'pending' AND due_at <= now() AND due_at > now() - make_interval(secs => $1)`,
  KEY_ROW,
);

/** Lists the webhooks with an unrecorded attempt that became due within the last `withinS` seconds. */
export async function webhooksLatelyDue(db: Queryable, withinS: number): Promise<WebhookKey[]> {
  return (await db.query(LATELY_DUE, [withinS])).map(toKey);
}

/** Skips from one webhook to the next by the index, so the cost depends on the number of webhooks, not of rows. */
export function eachWebhook(having: string, table = 'webhook_attempts'): string {
  const first = (after: string) =>
    `SELECT a.party_id, a.webhook_id FROM ${table} a WHERE ${having}${after} ORDER BY a.party_id, a.webhook_id LIMIT 1`;
  return `WITH RECURSIVE found AS (
    (${first('')})
    UNION ALL
    SELECT n.party_id, n.webhook_id FROM found f, LATERAL (${first(' AND (a.party_id, a.webhook_id) > (f.party_id, f.webhook_id)')}) n
  )`;
}

const WITH_PENDING = statement(`${eachWebhook(`a.status = 'pending'`)} SELECT party_id, webhook_id FROM found`, KEY_ROW);

export async function webhooksWithPending(db: Queryable): Promise<WebhookKey[]> {
  return (await db.query(WITH_PENDING)).map(toKey);
}

const STILL_THERE = statement(
  'SELECT w.id FROM unnest($1::bigint[], $2::uuid[]) AS k (party_id, id) JOIN webhooks w ON w.party_id = k.party_id AND w.id = k.id AND w.active',
  { id: 'uuid' },
);

export async function stillThere(db: Queryable, webhooks: readonly WebhookKey[]): Promise<Set<string>> {
  const rows = await db.query(STILL_THERE, keyArrays(webhooks));
  return new Set(rows.map(({ id }) => id));
}

/** A range of ids takes the same time with any plan. Of `id IN (SELECT ...)`, PostgreSQL may compare all pairs while statistics are old. */
const DELETE_LOG = statement(
  `WITH oldest AS (
     SELECT id FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 ORDER BY id LIMIT $3
   ), gone AS (
     DELETE FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND id <= (SELECT id FROM oldest ORDER BY id DESC LIMIT 1) RETURNING 1
   ) SELECT count(*) FROM gone`,
  { count: 'bigint' },
);

export async function deleteLog(db: Queryable, { partyId, webhookId }: WebhookKey, limit: number): Promise<number> {
  const rows = await db.query(DELETE_LOG, [partyId, webhookId, limit]);
  return Number(rows[0]?.count ?? 0);
}

const WITH_LOG = statement(
  `${eachWebhook('true')}
   SELECT f.party_id, f.webhook_id, EXISTS (SELECT FROM webhooks w WHERE w.party_id = f.party_id AND w.id = f.webhook_id) AS exists FROM found f`,
  { ...KEY_ROW, exists: 'boolean' },
);

export async function webhooksWithLog(db: Queryable): Promise<(WebhookKey & { exists: boolean })[]> {
  const rows = await db.query(WITH_LOG);
  return rows.map((row) => ({ ...toKey(row), exists: row.exists }));
}

const DELETE_OLD_ENTRIES = statement(
  `WITH gone AS (
     DELETE FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND id < (SELECT new_uuid(now() - make_interval(days => $3)))
        AND (status <> 'pending' OR EXISTS (SELECT FROM webhooks WHERE party_id = $1 AND id = $2 AND paused_at < now() - make_interval(days => $3)))
     RETURNING 1
   ) SELECT count(*) FROM gone`,
  { count: 'bigint' },
);

/** Ids ascend with time, so old entries are at the beginning of the log. Also deletes pending attempts of webhooks paused for so long. */
export async function deleteOldEntries(db: Queryable, { partyId, webhookId }: WebhookKey, days: number): Promise<number> {
  const rows = await db.query(DELETE_OLD_ENTRIES, [partyId, webhookId, days]);
  return Number(rows[0]?.count ?? 0);
}

const DELETE_LEFT_RATES = statement(
  'DELETE FROM webhook_rates r WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.party_id = r.party_id AND w.id = r.webhook_id)',
);

export async function deleteLeftRates(db: Queryable): Promise<void> {
  await db.query(DELETE_LEFT_RATES);
}
