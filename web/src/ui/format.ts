/**
 * Only this file formats numbers, dates and times, in the language of the browser. The pages are in English, so words such as “2 hours ago” are
 * English, too.
 */
const NUMBER = new Intl.NumberFormat();
const TENTHS = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const number = (value: number): string => NUMBER.format(value);

export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent' });
const HUNDREDTHS = new Intl.NumberFormat(undefined, { style: 'percent', minimumFractionDigits: 2 });

/** 100% only if nothing is missing. */
export function percent(part: number, whole: number): string {
  const share = part / whole;
  return share > 0.99 && share < 1 ? HUNDREDTHS.format(Math.floor(share * 10_000) / 10_000) : PERCENT.format(share);
}

export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${TENTHS.format(ms / 1_000)} s`;
}

/** Lays out a decimal with the separators of the language. The digits stay as sent: a float would round them. */
export function amount(decimal: string, language?: string): string {
  const [, sign = '', whole = '', fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === '') return decimal;
  const format = new Intl.NumberFormat(language, { numberingSystem: 'latn' });
  // As many ones have the groups of the language, which are not of three digits everywhere.
  let at = 0;
  const grouped = format.format(BigInt('1'.repeat(whole.length))).replaceAll('1', () => whole.charAt(at++));
  const point = format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  return `${sign}${grouped}${fraction === undefined ? '' : point + fraction}`;
}

const UNITS = ['', 'KB', 'MB', 'GB'];

export function bytes(size: number): string {
  if (size < 1024) return count(Math.round(size), 'byte');
  const unit = Math.min(3, Math.floor(Math.log2(size) / 10));
  const value = size / 1024 ** unit;
  return `${value >= 100 ? number(Math.round(value)) : TENTHS.format(value)} ${UNITS[unit]}`;
}

/** Created on first use: each format takes a moment. */
function formatOf(options: Intl.DateTimeFormatOptions): (time: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= new Intl.DateTimeFormat(undefined, options);
    return format.format(time);
  };
}

export const clock = formatOf({ timeStyle: 'short' });
export const day = formatOf({ day: 'numeric', month: 'short' });
export const utcDay = formatOf({ day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayAndYear = formatOf({ day: 'numeric', month: 'short', year: 'numeric' });
export const utcDayAndYear = formatOf({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
export const dayAndHour = formatOf({ day: 'numeric', month: 'short', hour: 'numeric' });
export const dayAndClock = formatOf({ day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
export const weekday = formatOf({ weekday: 'long', day: 'numeric', month: 'long' });
export const utcWeekday = formatOf({ dateStyle: 'full', timeZone: 'UTC' });
export const month = formatOf({ month: 'long', year: 'numeric' });
export const utcMonth = formatOf({ month: 'long', year: 'numeric', timeZone: 'UTC' });
/** To the second, for tooltips and details. */
export const exactTime = formatOf({ dateStyle: 'medium', timeStyle: 'medium' });
/** To the minute. */
export const mediumTime = formatOf({ dateStyle: 'medium', timeStyle: 'short' });
export const longTime = formatOf({ dateStyle: 'long', timeStyle: 'short' });
/** To the second, with weekday and time zone. */
export const fullTime = formatOf({ dateStyle: 'full', timeStyle: 'long' });

const UTC_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' });

/** For statements that are the same everywhere, such as certificates. */
export const utcTime = (time: Date): string => UTC_TIME.format(time);

const SHORT = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const LONG = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago, or the day. isLong: for sentences, “in 2 hours”. Otherwise for lists, “in 2 hr.”. */
export function relativeTime(time: Date, now: Date, isLong: boolean): string {
  const past = now.getTime() - time.getTime();
  const format = isLong ? LONG : SHORT;
  if (past < 0 && past > -MINUTE_MS) return `in ${Math.ceil(-past / 1_000)} s`;
  if (Math.abs(past) < MINUTE_MS) return 'just now';
  if (Math.abs(past) < HOUR_MS) return format.format(-Math.round(past / MINUTE_MS), 'minute');
  if (Math.abs(past) < DAY_MS) return format.format(-Math.round(past / HOUR_MS), 'hour');
  return (time.getFullYear() === now.getFullYear() ? day : dayAndYear)(time);
}
