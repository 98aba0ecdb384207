import { onlyRow, type Queryable } from '../../platform/postgres/postgres.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { WebhookKey } from './attempt-store.ts';

const FORGET = statement(`DELETE FROM webhook_recovery_usage WHERE party_id = $1 AND day < (now() AT TIME ZONE 'UTC')::date`);
const COUNT = statement(
  `INSERT INTO webhook_recovery_usage AS u (party_id, webhook_id, day, recoveries)
   VALUES ($1, coalesce($2::uuid, '00000000-0000-0000-0000-000000000000'), (now() AT TIME ZONE 'UTC')::date, 1)
   ON CONFLICT (party_id, webhook_id, day) DO UPDATE SET recoveries = u.recoveries + 1
   RETURNING u.recoveries, u.queued`,
  { recoveries: 'integer', queued: 'integer' },
);
/** Citus allows no such function in RETURNING. */
const NOW = statement('SELECT now() AS now', { now: 'timestamptz' });

interface DailyUsage {
  recoveries: number;
  queued: number;
}

/**
 * Counts one more recovery of the day, for the business and for the webhook. Other recoveries of the business wait until the transaction
 * ends.
 */
export async function countRecovery(
  tx: Queryable,
  { partyId, webhookId }: WebhookKey,
): Promise<{ ofBusiness: DailyUsage; ofWebhook: DailyUsage; now: Date }> {
  await tx.query(FORGET, [partyId]);
  const ofBusiness = onlyRow(await tx.query(COUNT, [partyId, null]));
  const ofWebhook = onlyRow(await tx.query(COUNT, [partyId, webhookId]));
  return { ofBusiness, ofWebhook, ...onlyRow(await tx.query(NOW)) };
}
