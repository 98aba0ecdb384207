/** `Object.keys` with the type of the keys. For objects that have no other keys than their type names. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  return Object.keys(record) as (keyof T & string)[];
}
