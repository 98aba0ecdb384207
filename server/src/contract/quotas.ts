/** How much a business may send; 0 means without limit. */
export interface MessageQuotas {
  monthlyMessages: number;
  newAccountDailyMessages: number;
  /** For how long after its claim a business counts as new. */
  newAccountDays: number;
}

/** What `details` of quota_exceeded names. */
export type QuotaName = 'monthly_messages' | 'new_account_daily_messages';

/** Quotas are counted by months and days in UTC. */
export function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

export function nextDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
