/**
 * The canonical form of a value that `JSON.parse` has read (RFC 8785), of which receipts have the hash. Lone surrogates, which the RFC
 * forbids, are escaped as JSON.stringify escapes them.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('A number is beyond the range of a double.');
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  // Sorted by UTF-16 code units, as the RFC requires.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${canonicalJson(one)}`).join(',')}}`;
}
