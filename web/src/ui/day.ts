/** Days are texts such as 2026-11-17, in no time zone. */
const SHAPE = /^\d{4}-\d\d-\d\d$/;

export const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Today in the time zone of the browser. */
export function today(): string {
  const now = new Date();
  return textOf(now.getTime() - now.getTimezoneOffset() * 60_000);
}

export function isDay(text: string): boolean {
  const ms = SHAPE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && textOf(ms) === text;
}
