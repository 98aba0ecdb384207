/** `Object.keys` with types. Only for objects without other keys than their type names. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[];
}
