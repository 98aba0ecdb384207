import { Refusal } from '../../contract/errors.ts';
import {
  WEBHOOK_RECOVERIES_PER_BUSINESS_AND_DAY_MAX,
  WEBHOOK_RECOVERIES_PER_DAY_MAX,
  WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX,
  WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX,
} from '../../contract/limits.ts';
import { nextDay } from '../../contract/quotas.ts';
import type { Queryable } from '../../platform/postgres/postgres.ts';
import type { WebhookKey } from './attempt-store.ts';
import { countRecovery } from './recovery-usage-store.ts';

/** Counts a new recovery, or refuses it: each may send all messages of the business once more. */
export async function admitRecovery(tx: Queryable, key: WebhookKey): Promise<void> {
  const { ofBusiness, ofWebhook, now } = await countRecovery(tx, key);
  const refuseAbove = (used: number, max: number, what: string, limit: string) => {
    if (used <= max) return;
    const resetsAt = nextDay(now);
    throw new Refusal('quota_exceeded', `${max} ${what} are allowed per day. The limit resets at ${resetsAt.toISOString()}.`, {
      details: [{ path: '', message: `${max} ${what} are used up`, limit }],
      retryAfterS: Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000)),
    });
  };
  const [one, all] = ['of a webhook', 'of a business'];
  refuseAbove(ofWebhook.recoveries, WEBHOOK_RECOVERIES_PER_DAY_MAX, `recoveries ${one}`, 'daily_recoveries');
  refuseAbove(ofBusiness.recoveries, WEBHOOK_RECOVERIES_PER_BUSINESS_AND_DAY_MAX, `recoveries ${all}`, 'daily_recoveries_per_business');
  // A recovery that reaches the maximum after it began waits for the next day.
  const attempts = 'attempts queued by recoveries';
  refuseAbove(ofWebhook.queued + 1, WEBHOOK_RECOVERY_ATTEMPTS_PER_DAY_MAX, `${attempts} ${one}`, 'daily_recovered_attempts');
  refuseAbove(
    ofBusiness.queued + 1,
    WEBHOOK_RECOVERY_ATTEMPTS_PER_BUSINESS_AND_DAY_MAX,
    `${attempts} ${all}`,
    'daily_recovered_attempts_per_business',
  );
}
