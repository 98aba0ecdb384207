/** Objects whose keys are known to the compiler, or whose fields nobody has checked yet. */

/** Whether `value` has fields to read: an object that is no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Object.keys` with the type of the keys. For objects that have no other keys than their type names. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[];
}

/** `Object.entries` with the type of the keys. For objects that have no other keys than their type names. */
export function entriesOf<T extends object>(record: T): [keyof T & string, T[keyof T & string]][] {
  return Object.entries(record) as [keyof T & string, T[keyof T & string]][];
}
