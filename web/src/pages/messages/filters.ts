import type { Validation } from '../../api/schema.ts';

/** The filters of a mailbox: those of the API, stored in the address of the page. */
export interface Filters {
  from?: string | undefined;
  to?: string | undefined;
  type?: string | undefined;
  validation?: Validation['status'] | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export const isFiltered = (filters: Filters): boolean => Object.values(filters).some((value) => value !== undefined);

/** The start of the first day and the end of the last one, in the time zone of the browser. */
export function timesOf({ since, until }: Filters): Pick<Filters, 'since' | 'until'> {
  return { ...(since && { since: startOf(since, 0) }), ...(until && { until: startOf(until, 1) }) };
}

function startOf(day: string, later: number): string | undefined {
  const [year = Number.NaN, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number);
  const time = new Date(year, month - 1, date + later);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
