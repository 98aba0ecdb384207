import type { Quotas } from '../../contract/quotas.ts';
import type { Database } from '../../platform/postgres.ts';
import * as store from './usage-store.ts';

export type { Usage } from './usage-store.ts';

export const { usageOf } = store;

export async function dailyUsageOf(database: Database, partyId: bigint, days: number): Promise<store.DayOfUsage[]> {
  await store.settleDays(database.of(partyId), partyId, days);
  return store.listDays(database.of(partyId), partyId, days);
}

/** Until when the daily limit for new businesses applies; undefined when it does not. */
export async function limitedUntil(database: Database, partyId: bigint, quotas: Quotas): Promise<Date | undefined> {
  return quotas.newAccountDailyMessages === 0 ? undefined : store.newUntil(database, partyId, quotas.newAccountDays);
}
