import { createHash } from 'node:crypto';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Fields = { [name: string]: Json };

/** What the hash of a receipt covers. */
const FIELDS = ['id', 'thread_id', 'in_reply_to', 'from', 'to', 'type', 'subject', 'note', 'json_sha256', 'received_at'];
/** What it covers only where it is given: messages without JSON, and older ones, lack it. */
const IF_GIVEN = ['expires_at', 'json_bytes_sha256'];
const FILE_FIELDS = ['id', 'filename', 'content_type', 'size_bytes', 'sha256'];

/** Whether nothing in the receipt has been changed since the delivery. */
export function isWhole(receipt: Fields): boolean {
  const files = (receipt['files'] as Fields[]).map((file) => pick(file, FILE_FIELDS));
  const given = IF_GIVEN.filter((name) => (receipt[name] ?? null) !== null);
  return receipt['content_hash'] === sha256({ ...pick(receipt, [...FIELDS, ...given]), files });
}

/** Whether this is the payload that was delivered. */
export function isPayload(receipt: Fields, json: string): boolean {
  return receipt['json_sha256'] === sha256(JSON.parse(json));
}

function pick(fields: Fields, names: string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

function sha256(value: Json): string {
  return `sha256:${createHash('sha256').update(canonical(value)).digest('hex')}`;
}

/** RFC 8785: keys sorted, no spaces, numbers as JavaScript writes them. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`);
  return `{${members.join(',')}}`;
}
