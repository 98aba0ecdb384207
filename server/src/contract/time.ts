const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(:\d{2})?(?:[.,](\d{1,9}))?([Zz]|[+-]\d{2}(?::?\d{2})?))?$/;

/**
 * Returns an ISO 8601 time as milliseconds since 1970, rounded up: stored times are whole milliseconds, so `at or after .0005` is `at or
 * after .001`. A date alone is its midnight in UTC. Undefined: the text is no time.
 */
export function parseTime(text: string): number | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, date = '', hourMinute = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase();
  const whole = Date.parse(`${date}T${hourMinute}${seconds}${offset}`);
  if (Number.isNaN(whole) || !isRealDate(date)) return undefined;
  return whole + Math.ceil(Number(`0.${fraction || '0'}`) * 1000);
}

const DAY_MS = 86_400_000;

/** Returns a day such as 2026-01-31, also if it is written as so many days from today in UTC: 7d, -7d. Undefined: the text is no day. */
export function parseDay(text: string): string | undefined {
  const [, days] = /^(-?\d{1,4})d$/.exec(text) ?? [];
  if (days !== undefined) return new Date(Date.now() + Number(days) * DAY_MS).toISOString().slice(0, 10);
  // The calendar of PostgreSQL has no year 0.
  return /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith('0000') && isRealDate(text) ? text : undefined;
}

/** Date.parse reads February 30th as March 2nd. */
function isRealDate(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}
