import type { ThreadRow } from '../../../parts/threads/thread-row.ts';
import { clock, day, month, weekday } from '../../../ui/format.ts';

export type Line = { kind: 'day'; name: string } | { kind: 'thread'; row: ThreadRow };

const WEEK_DAYS = 7;

function daysBefore(time: Date, now: Date): number {
  const midnight = (of: Date) => Date.UTC(of.getFullYear(), of.getMonth(), of.getDate());
  return (midnight(now) - midnight(time)) / 86_400_000;
}

function dayOf(at: string, now: Date): string {
  const time = new Date(at);
  const days = daysBefore(time, now);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return (days < WEEK_DAYS ? weekday : month)(time);
}

export function timeInGroup(at: string, now: Date): string {
  const time = new Date(at);
  return (daysBefore(time, now) < WEEK_DAYS ? clock : day)(time);
}

export function linesOf(rows: ThreadRow[], now: Date): Line[] {
  // A list that is sorted otherwise has no days.
  if (rows.some(({ at }, i) => at > (rows[i - 1]?.at ?? at))) return rows.map((row) => ({ kind: 'thread', row }));
  const lines: Line[] = [];
  let last: string | undefined;
  for (const row of rows) {
    const name = dayOf(row.at, now);
    if (name !== last) lines.push({ kind: 'day', name });
    last = name;
    lines.push({ kind: 'thread', row });
  }
  return lines;
}
