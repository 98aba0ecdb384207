/** Numbers such as 1e400, which ECMAScript reads as Infinity, have no canonical form. */
export class NotCanonical extends Error {}

/**
 * RFC 8785. Lone surrogates, which the RFC forbids but senders do send, are escaped the way JSON.stringify escapes
 * them, so that the hash of every document that can be carried can be recomputed.
 */
export function canonicalJson(value: unknown): string {
  // Sorting a copy and leaving the writing to the engine is almost three times as fast as writing it here.
  const sorted = sortedCopy(value);
  return sorted === UNSORTABLE ? written(value) : JSON.stringify(sorted);
}

const UNSORTABLE = Symbol('an object that would not keep its keys in order');
const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

/** Engines put keys that look like array indices first, and take __proto__ for something else. */
function keepsItsPlace(key: string): boolean {
  const first = key.charCodeAt(0);
  if (first === 0x5f) return key !== '__proto__';
  return !(first >= 0x30 && first <= 0x39 && ARRAY_INDEX.test(key));
}

function sortedCopy(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NotCanonical('a number is beyond the range of a double');
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const copy = value.map(sortedCopy);
    return copy.includes(UNSORTABLE) ? UNSORTABLE : copy;
  }
  const record = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of sortedKeys(record)) {
    const inner = keepsItsPlace(key) ? sortedCopy(record[key]) : UNSORTABLE;
    if (inner === UNSORTABLE) return UNSORTABLE;
    copy[key] = inner;
  }
  return copy;
}

function written(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NotCanonical('a number is beyond the range of a double');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  const record = value as Record<string, unknown>;
  return `{${sortedKeys(record)
    .map((key) => `${JSON.stringify(key)}:${written(record[key])}`)
    .join(',')}}`;
}

const FEW_KEYS = 16;

/** By UTF-16 code units, as the RFC wants. Most objects have few keys, and for those insertion beats Array.sort by far. */
function sortedKeys(record: Record<string, unknown>): string[] {
  const keys = Object.keys(record);
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}
