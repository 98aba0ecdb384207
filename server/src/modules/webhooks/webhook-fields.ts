import { type Issue, invalid } from '../../contract/errors.ts';
import { WEBHOOK_HEADERS_MAX, WEBHOOK_HEADERS_MAX_BYTES } from '../../contract/limits.ts';
import { asciiLowerCase } from '../../contract/names.ts';
import { pointerPart } from '../../contract/validation.ts';
import type { WebhookEvent } from './events.ts';
import type { SignatureScheme } from './signing-keys.ts';

export interface WebhookFields {
  url?: string;
  target?: string | null;
  description?: string | null;
  active?: boolean;
  /** On resuming: deliver the messages that came meanwhile. */
  recover?: boolean;
  types?: string[] | null;
  headers?: Record<string, string> | null;
  max_per_second?: number | null;
  ordered?: boolean;
  events?: WebhookEvent[];
  signatures?: SignatureScheme[];
  client_certificate?: boolean;
}

/** Converts types to SQL LIKE patterns: a `*` at the end stands for any text. Null: all types. */
export function likePatterns(types: readonly string[] | null): string[] | null {
  if (types === null) return null;
  const issues = types.flatMap((type, i) =>
    /\0/.test(type) || !type.isWellFormed() ? [{ path: `/types/${i}`, message: 'must be text without U+0000' }] : [],
  );
  if (issues.length > 0) throw invalid(issues);
  return [...new Set(types)].map((type) => {
    const isPrefix = type.endsWith('*');
    const literal = (isPrefix ? type.slice(0, -1) : type).replace(/[\\%_]/g, String.raw`\$&`);
    return isPrefix ? `${literal}%` : literal;
  });
}

export function typesOf(patterns: readonly string[] | null): string[] | null {
  return patterns?.map((pattern) => pattern.replace(/\\(.)|%/gsu, (_, escaped: string | undefined) => escaped ?? '*')) ?? null;
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/;
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Reserved headers are set by the service or by HTTP itself, concern one connection only, or let a request pass for another one. At a host
 * that trusts the service, a forged origin or method could do more than a POST.
 */
const RESERVED =
  /^(?:host|user-agent|date|expect|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|via|forwarded|x-real-ip|x-http-method|x-http-method-override|x-method-override|(?:content|webhook|waybill|proxy|x-forwarded)-.*)$/;

export function checkedHeaders(headers: Record<string, string>): Record<string, string> | null {
  const entries = Object.entries(headers).map(([name, value]) => ({ given: name, name: asciiLowerCase(name), value }));
  if (entries.length > WEBHOOK_HEADERS_MAX)
    throw invalid([{ path: '/headers', message: `must have at most ${WEBHOOK_HEADERS_MAX} headers` }]);
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const { given, name, value } of entries) {
    const problem = headerProblem(name, value) ?? (seen.has(name) ? 'is given twice' : undefined);
    if (problem !== undefined) issues.push({ path: `/headers/${pointerPart(given)}`, message: problem });
    seen.add(name);
  }
  if (issues.length > 0) throw invalid(issues);
  const bytes = entries.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (bytes > WEBHOOK_HEADERS_MAX_BYTES)
    throw invalid([{ path: '/headers', message: `must have at most ${WEBHOOK_HEADERS_MAX_BYTES} bytes in all` }]);
  return entries.length === 0 ? null : Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

function headerProblem(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a header';
  if (RESERVED.test(name)) return 'is a header that only the service sets';
  if (!VALUE.test(value)) return 'must be printable ASCII, without spaces at its ends';
  return undefined;
}
