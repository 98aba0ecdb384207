import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { amount, bytes, count, duration, percent, relativeTime } from '../../src/ui/format.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
/** Formatted by hand. Shapes such as 2026-11-17 are not meant: those are values, not text. */
const FORMATTING = /\bIntl\.|\.toLocale\w*String\(|\\B\(\?=\(\\d\{3\}\)\+/;

test('one module formats numbers, dates and times, and one the amounts of documents, which first loads do not need', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SRC });
  expect(files.length).toBeGreaterThan(100);
  const formatting = files.filter((file) => FORMATTING.test(readFileSync(path.join(SRC, file), 'utf8')));
  expect(formatting.toSorted()).toEqual(['documents/amounts.ts', 'ui/format.ts']);
});

test('each language but that of words comes from the browser', () => {
  const text = readFileSync(path.join(SRC, 'ui/format.ts'), 'utf8');
  expect(text.match(/Intl\.\w+\('\w+'/g)).toEqual(["Intl.RelativeTimeFormat('en'", "Intl.RelativeTimeFormat('en'"]);
});

test('the guard finds separators of thousands by hand', () => {
  expect(FORMATTING.test(String.raw`whole.replace(/\B(?=(\d{3})+$)/g, ',')`)).toBe(true);
});

test.each([
  ['2380.00', 'de', '2.380,00'],
  ['2380.00', 'en', '2,380.00'],
  ['-12345678.5', 'en-IN', '-1,23,45,678.5'],
  ['1234567', 'ar-EG', '1,234,567'],
  ['007', 'de', '007'],
  ['900719925474099.123456', 'de', '900.719.925.474.099,123456'],
  ['12345678901234567890.10', 'de', '12.345.678.901.234.567.890,10'],
  ['a lot', 'de', 'a lot'],
])('an amount of %s has the separators of %s and every digit: %s', (sent, language, written) => {
  expect(amount(sent, language)).toBe(written);
});

test('counts, sizes, shares and times', () => {
  expect([count(1, 'byte'), count(0, 'byte'), count(2, 'try', 'tries')]).toEqual(['1 byte', '0 bytes', '2 tries']);
  expect([bytes(1), bytes(1023), bytes(1024), bytes(2 ** 30)]).toEqual(['1 byte', '1,023 bytes', '1.0 KB', '1.0 GB']);
  expect([percent(1, 1), percent(99_999, 100_000), percent(1, 3)]).toEqual(['100%', '99.99%', '33%']);
  expect([duration(999), duration(1_240)]).toEqual(['999 ms', '1.2 s']);
  const now = new Date('2026-11-17T12:00:00Z');
  const ago = (ms: number, isLong = false) => relativeTime(new Date(now.getTime() - ms), now, isLong);
  expect([ago(0), ago(-30_000), ago(-7_200_000, true), ago(120_000)]).toEqual(['just now', 'in 30 s', 'in 2 hours', '2 min. ago']);
});
