import { type Quotas, quotaRefusal } from '../../contract/quotas.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

export type { Usage } from './store.ts';

export const { usageOf } = store;

export async function dailyUsageOf(database: Database, partyId: bigint, days: number): Promise<store.DayOfUsage[]> {
  await store.settleDays(database.of(partyId), partyId, days);
  return store.listDays(database.of(partyId), partyId, days);
}

export async function limitedUntil(database: Database, partyId: bigint, quotas: Quotas): Promise<Date | undefined> {
  return quotas.newAccountDailyMessages === 0 ? undefined : store.newUntil(database, partyId, quotas.newAccountDays);
}

/**
 * Refuses early what the commit would refuse as well, before anything expensive is done. Takes nothing from the quota: the commit checks
 * again.
 */
export async function refuseUsedUp({ database, quotas }: { database: Database; quotas: Quotas }, partyId: bigint): Promise<void> {
  const { today, monthMessages, dayMessages } = await usageOf(database.of(partyId), partyId);
  const { monthlyMessages, newAccountDailyMessages } = quotas;
  if (monthlyMessages > 0 && monthMessages >= monthlyMessages) throw quotaRefusal('monthly_messages', quotas, today);
  const mayBeOver = newAccountDailyMessages > 0 && dayMessages >= newAccountDailyMessages;
  if (mayBeOver && (await limitedUntil(database, partyId, quotas))) throw quotaRefusal('new_account_daily_messages', quotas, today);
}
