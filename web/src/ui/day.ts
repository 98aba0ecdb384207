/** Days are texts such as 2026-11-17, without a time zone. */
const SHAPE = /^\d{4}-\d\d-\d\d$/;

export const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function today(): string {
  const now = new Date();
  return textOf(now.getTime() - now.getTimezoneOffset() * 60_000);
}

export function isDay(text: string): boolean {
  const ms = SHAPE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && textOf(ms) === text;
}
