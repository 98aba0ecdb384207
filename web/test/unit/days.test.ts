import { expect, test } from 'vitest';
import { isDay } from '../../src/ui/day.ts';
import { addDays, addMonths, weekdayOf, weeksOf } from '../../src/ui/days.ts';

test('a day is one that exists, written with four, two and two digits', () => {
  for (const day of ['2026-11-17', '2024-02-29', '0001-01-01', '9999-12-31']) expect(isDay(day), day).toBe(true);
  for (const text of [
    '',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-01-01',
    '2026-11-17T00:00Z',
    ' 2026-11-17',
    '10000-01-01',
  ])
    expect(isDay(text), text).toBe(false);
});

test('days and months are added across months, leap days and years, and no further than years go', () => {
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29');
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  expect(addDays('9999-12-31', 1)).toBe('9999-12-31');
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(addMonths('2024-02-29', 12)).toBe('2025-02-28');
  expect(addMonths('2026-01-15', -1)).toBe('2025-12-15');
  expect(addMonths('2026-12-15', 1)).toBe('2027-01-15');
  expect(addMonths('9999-12-15', 1)).toBe('9999-12-15');
});

test('a month is shown in whole weeks from Monday', () => {
  expect(weekdayOf('2026-11-16')).toBe(0);
  expect(weekdayOf('2026-11-22')).toBe(6);
  const weeks = weeksOf('2026-11-17');
  expect(weeks.map(([monday]) => monday)).toEqual(['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23', '2026-11-30']);
  expect(weeks.every((week) => week.length === 7)).toBe(true);
  expect(weeksOf('2021-02-10').map((week) => [week[0], week[6]])).toEqual([
    ['2021-02-01', '2021-02-07'],
    ['2021-02-08', '2021-02-14'],
    ['2021-02-15', '2021-02-21'],
    ['2021-02-22', '2021-02-28'],
  ]);
});
