import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { WebhookKey } from './attempt-store.ts';

const QUEUE_RELEASE = statement(
  `SELECT FROM graphile_worker.add_job('release-attempts', json_build_object('partyId', $1::text, 'webhookId', $2::text),
                                       job_key => 'release-attempts ' || $2, run_at => now() + make_interval(secs => $3))`,
);

/**
 * Queues a job, in the same transaction, that makes due the attempts that wait for others of their thread: the webhook is no longer
 * ordered, or the awaited attempts may be gone. If attempts must still wait, the next lease notices it.
 */
export async function queueRelease(tx: Queryable, { partyId, webhookId }: WebhookKey, inS: number): Promise<void> {
  await tx.query(QUEUE_RELEASE, [partyId, webhookId, inS]);
}

/** A range of ids takes the same time with any plan. Of `id IN (SELECT ...)`, PostgreSQL may compare all pairs while statistics are old. */
const RELEASE = statement(
  `WITH read AS (
     SELECT id FROM webhook_attempts WHERE party_id = $1 AND webhook_id = $2 AND id > $3 AND status = 'pending' AND due_at = 'infinity' ORDER BY id LIMIT $4
   ), last AS (
     SELECT id FROM read ORDER BY id DESC LIMIT 1
   ), released AS (
     UPDATE webhook_attempts SET due_at = now()
      WHERE party_id = $1 AND webhook_id = $2 AND id > $3 AND id <= (SELECT id FROM last) AND status = 'pending' AND due_at = 'infinity' RETURNING 1
   )
   SELECT (SELECT id FROM last) AS last, (SELECT count(*) FROM released) AS released`,
  { last: 'uuid?', released: 'bigint' },
);

/** Releases at most `limit` attempts after the given id. Returns the last id, or undefined if there were none. */
export async function releaseAttempts(
  db: Queryable,
  { partyId, webhookId }: WebhookKey,
  afterId: string,
  limit: number,
): Promise<string | undefined> {
  return onlyRow(await db.query(RELEASE, [partyId, webhookId, afterId, limit])).last ?? undefined;
}
