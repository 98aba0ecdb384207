import { bigintArray, integerArray, textArray, uuidArray } from '../../platform/binary-array.ts';
import type { Queryable } from '../../platform/postgres.ts';

/** The channel on which queue_webhook_attempts says which webhooks have something to do. */
export const WEBHOOKS_CHANNEL = 'waybill_webhooks';

export interface WebhookKey {
  partyId: bigint;
  webhookId: string;
}

/** An attempt that is this process's to make, until its lease ends. */
export interface ClaimedAttempt extends WebhookKey {
  id: string;
  messageId: string;
  event: 'message.received' | 'message.test';
  createdMs: number;
  url: string;
  secret: string;
}

/** What is not recorded until `leaseS` from now may be taken again, by anybody. */
export async function claimAttempts(
  db: Queryable,
  webhooks: readonly (WebhookKey & { room: number })[],
  leaseS: number,
): Promise<{ clockMs: number; attempts: ClaimedAttempt[] }> {
  const rows = await db.query<{
    party_id: string;
    webhook_id: string;
    id: string;
    message_id: string;
    event: ClaimedAttempt['event'];
    created_ms: string;
    url: string;
    secret: string;
    clock_ms: string;
  }>(
    {
      name: 'claim-attempts',
      text: `SELECT party_id, webhook_id, id, message_id, event, url, secret,
                    floor(extract(epoch FROM created_at) * 1000)::bigint AS created_ms, floor(extract(epoch FROM now()) * 1000)::bigint AS clock_ms
               FROM claim_webhook_attempts($1::bigint[], $2::uuid[], $3::integer[], make_interval(secs => $4))`,
    },
    [...keyArrays(webhooks), integerArray(webhooks.map(({ room }) => room)), leaseS],
  );
  const attempts = rows.map((row) => ({
    partyId: BigInt(row.party_id),
    webhookId: row.webhook_id,
    id: row.id,
    messageId: row.message_id,
    event: row.event,
    createdMs: Number(row.created_ms),
    url: row.url,
    secret: row.secret,
  }));
  return { clockMs: Number(rows[0]?.clock_ms ?? 0), attempts };
}

/** Gives back what was taken and not begun. */
export async function releaseAttempt(db: Queryable, { partyId, webhookId, id }: ClaimedAttempt): Promise<void> {
  await db.query(
    `UPDATE webhook_attempts SET due_at = now() WHERE party_id = $1 AND webhook_id = $2 AND id = $3 AND (status = 'pending') IS TRUE`,
    [partyId, webhookId, id],
  );
}

export interface MadeAttempt extends WebhookKey {
  id: string;
  succeeded: boolean;
  statusCode: number | null;
  error: string | null;
  responseMs: number;
  /** Milliseconds since it began. */
  agoMs: number;
  /** How long the receiver wants to be left alone; 0 when it did not say. */
  retryAfterS: number;
}

/** All in one transaction, along with the next attempts of those that failed. */
export async function recordAttempts(db: Queryable, made: readonly MadeAttempt[], retryDelaysS: readonly number[]): Promise<void> {
  await db.query(
    {
      name: 'record-attempts',
      text: `SELECT record_webhook_attempts($1::bigint[], $2::uuid[], $3::uuid[], $4::integer[], $5::integer[], $6::text[],
                                            $7::integer[], $8::integer[], $9::integer[], $10::integer[])`,
    },
    [
      ...keyArrays(made),
      uuidArray(made.map(({ id }) => id)),
      integerArray(made.map(({ succeeded }) => (succeeded ? 1 : 0))),
      integerArray(made.map(({ statusCode }) => statusCode ?? 0)),
      textArray(made.map(({ error }) => error)),
      integerArray(made.map(({ responseMs }) => responseMs)),
      integerArray(made.map(({ agoMs }) => agoMs)),
      integerArray(made.map(({ retryAfterS }) => retryAfterS)),
      integerArray(retryDelaysS),
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

/** The webhooks of which an attempt has become due within the last so many seconds and not been taken. */
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

/** Ids ascend with time, so what is old is the beginning of the log. */
export async function deleteOldEntries(db: Queryable, { partyId, webhookId }: WebhookKey, days: number): Promise<number> {
  const rows = await db.query<{ count: string }>(
    `WITH gone AS (
       DELETE FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND id < (SELECT new_uuid(now() - make_interval(days => $3)))
          AND status <> 'pending' RETURNING 1
     ) SELECT count(*) FROM gone`,
    [partyId, webhookId, days],
  );
  return Number(rows[0]?.count ?? 0);
}
