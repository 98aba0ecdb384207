import { isDay, textOf } from './day.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** Returns the day itself if the result has no four-digit year. */
export function addDays(day: string, count: number): string {
  const moved = textOf(Date.parse(day) + count * DAY_MS);
  return isDay(moved) ? moved : day;
}

/** The same day of another month, or its last one if it is shorter. */
export function addMonths(day: string, count: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const months = year * 12 + month - 1 + count;
  const first = `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}-01`;
  return isDay(first) ? addDays(first, Math.min(date, daysIn(first)) - 1) : day;
}

function daysIn(first: string): number {
  const [year = 0, month = 0] = first.split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Monday is 0. */
export function weekdayOf(day: string): number {
  return (new Date(day).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
}

export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 8)}01`;
  const weeks = Math.ceil((weekdayOf(first) + daysIn(first)) / WEEK_DAYS);
  const dayAt = (at: number) => textOf(Date.parse(first) + (at - weekdayOf(first)) * DAY_MS);
  return Array.from({ length: weeks }, (_, week) => Array.from({ length: WEEK_DAYS }, (_, at) => dayAt(week * WEEK_DAYS + at)));
}
