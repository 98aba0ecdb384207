import { Refusal } from './errors.ts';

/** The quotas of a business for sending. 0: no limit. */
export interface Quotas {
  monthlyMessages: number;
  newAccountDailyMessages: number;
  newAccountDays: number;
  dailyUploadBytes: number;
  /** The limit for all businesses of one owner together. */
  dailyUploadBytesPerPerson: number;
}

export type QuotaName = 'monthly_messages' | 'new_account_daily_messages' | 'daily_upload_bytes' | 'daily_upload_bytes_per_person';

export function quotaRefusal(name: QuotaName, quotas: Quotas, now: Date): Refusal {
  const allowed = {
    monthly_messages: `${quotas.monthlyMessages} messages a month`,
    new_account_daily_messages: `${quotas.newAccountDailyMessages} messages a day while the account is new`,
    daily_upload_bytes: `${quotas.dailyUploadBytes} bytes of files a day`,
    daily_upload_bytes_per_person: `${quotas.dailyUploadBytesPerPerson} bytes of files a day over all businesses of its owner`,
  }[name];
  const resetsAt = name === 'monthly_messages' ? nextMonth(now) : nextDay(now);
  return new Refusal('quota_exceeded', `This business can send ${allowed}. The limit resets at ${resetsAt.toISOString()}.`, {
    details: [{ path: '', message: `${allowed} are used up`, limit: name }],
    retryAfterS: Math.max(1, Math.ceil((resetsAt.getTime() - now.getTime()) / 1000)),
  });
}

/** Quotas are counted by months and days in UTC. */
export function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

export function nextDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1));
}
