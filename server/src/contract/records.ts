export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Object.keys` with types. Only for objects without other keys than their type names. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[];
}

/** `Object.entries` with types. Only for objects without other keys than their type names. */
export function entriesOf<T extends object>(record: T): [keyof T & string, T[keyof T & string]][] {
  return keysOf(record).map((key) => [key, record[key]]);
}
