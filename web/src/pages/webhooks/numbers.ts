const NUMBER = new Intl.NumberFormat('en');

export const number = (value: number): string => NUMBER.format(value);

export function count(value: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(value)} ${value === 1 ? one : many}`;
}

/** 100% only if nothing is missing. */
export function percent(part: number, whole: number): string {
  const value = (100 * part) / whole;
  return `${value > 99 && value < 100 ? (Math.floor(value * 100) / 100).toFixed(2) : Math.round(value)}%`;
}

/** A response time. */
export function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
