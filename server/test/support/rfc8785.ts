import { createHash } from 'node:crypto';

const SHORT_ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** RFC 8785, written independently of the service, so that its hashes are verified and not repeated. */
function canonical(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : String(value);
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${quoted(key)}:${canonical(member)}`).join(',')}}`;
}

export function sha256OfCanonical(value: unknown): string {
  return sha256OfText(canonical(value));
}

export function sha256OfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** The fields that content_hash covers. */
const HASHED_FIELDS = ['id', 'thread_id', 'in_reply_to', 'from', 'to', 'type', 'subject', 'note', 'json_sha256', 'received_at'];

/** The correct content_hash of an envelope, by the documentation. `files` are those of the envelope, without their URLs. */
export function contentHashOf(envelope: Record<string, unknown>, files: readonly object[] = []): string {
  // Where these are null, or missing in an envelope of an older version, content_hash does not cover them.
  const fields = [...HASHED_FIELDS, ...['json_bytes_sha256', 'expires_at'].filter((name) => (envelope[name] ?? null) !== null)];
  return sha256OfCanonical({ ...Object.fromEntries(fields.map((name) => [name, envelope[name]])), files });
}

function quoted(text: string): string {
  let written = '"';
  for (const character of text) written += SHORT_ESCAPES[character] ?? (isWrittenPlainly(character) ? character : hexEscape(character));
  return `${written}"`;
}

/** The RFC forbids half of a surrogate pair. JSON.stringify escapes it, and so does the service. */
function isWrittenPlainly(character: string): boolean {
  return character >= ' ' && character.isWellFormed();
}

function hexEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
