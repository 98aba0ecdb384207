/** Numbers such as 1e400, which ECMAScript reads as Infinity, have no canonical form. */
export class NotCanonical extends Error {}

/**
 * RFC 8785. Lone surrogates, which the RFC forbids but senders do send, are escaped the way JSON.stringify escapes
 * them, so that the hash of every document that can be carried can be recomputed.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new NotCanonical('a number is beyond the range of a double');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const record = value as Record<string, unknown>;
  let text = '';
  for (const key of Object.keys(record).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(record[key])}`;
  }
  return `{${text}}`;
}
