import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';
import { nextDay, nextMonth, type Quotas } from '../../contract/quotas.ts';
import type { Usage } from './usage.ts';

const time = Type.String({ format: 'date-time' });
const count = (description: string) => Type.Integer({ description });

export const usageFields = {
  period: Type.String({ description: 'The month, YYYY-MM in UTC.' }),
  messages: Type.Object({ used: count('Sent this month.'), limit: count('0: none.') }, closed),
  uploads: Type.Object({ used_bytes: count('Uploaded today.'), limit_bytes: count('0: none.'), resets_at: time }, closed),
  resets_at: time,
};

export function usageView(quotas: Quotas, { today, monthMessages, dayUploadBytes }: Usage) {
  return {
    period: today.toISOString().slice(0, 7),
    messages: { used: monthMessages, limit: quotas.monthlyMessages },
    uploads: { used_bytes: dayUploadBytes, limit_bytes: quotas.dailyUploadBytes, resets_at: nextDay(today).toISOString() },
    resets_at: nextMonth(today).toISOString(),
  };
}
