import { type ErrorCode, errorCatalogue } from '../contract/errors.ts';
import { HANDLE_MAX_CHARS, HANDLE_MIN_CHARS } from '../contract/limits.ts';
import type { Auth } from './endpoint.ts';
import type { Schema } from './openapi-schema.ts';

export type Content = Record<string, { schema: Schema; example?: unknown }>;

type Headers = Record<string, { description: string; schema: Schema } | { $ref: string }>;

export interface Response {
  description: string;
  headers?: Headers;
  content?: Content;
  'x-error-codes'?: readonly ErrorCode[];
}

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

const text = (description: string, schema: Schema = { type: 'string' }) => ({ description, schema });
const seconds = (description: string) => text(description, { type: 'integer', minimum: 0 });

export const HEADERS: Headers = {
  'X-Request-Id': text('The id of the request. Quote it when you ask us about it.', {
    type: 'string',
    pattern: '^req_[0-9a-hjkmnp-tv-z]{26}$',
  }),
  'RateLimit-Policy': text(
    'The rates that count the request: `q` units at once, which are back after `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
  ),
  RateLimit: text('Of the rate with the fewest units left: `r` are left, and after `t` seconds there is another one.'),
  'RateLimit-Cost': text(
    'The units that the request has cost, if more than one. Of a stream, what is charged before it begins; the rest is charged as it goes.',
    { type: 'integer', minimum: 2 },
  ),
  'RateLimit-Limit': text('`q` of the rate in RateLimit. Goes with the next version.'),
  'RateLimit-Remaining': text('`r` in RateLimit. Goes with the next version.'),
  'RateLimit-Reset': seconds('Seconds until all of `q` is back. Goes with the next version.'),
  'Retry-After': seconds('Seconds to wait before the request is repeated.'),
  'WWW-Authenticate': text('`Bearer`, where a key was expected.'),
  Allow: text('The methods that the path has.'),
  'Cache-Control': text('`no-store`, where the response is meant for the caller alone.'),
  ETag: text('Names this content. Send it as `If-None-Match` to get 304 for as long as nothing has changed.'),
  'Idempotent-Replayed': text('`true` when an earlier request had the same Idempotency-Key, whose envelope this is.', { const: 'true' }),
  'Idempotent-Body-Differs': text(
    '`true` with Idempotent-Replayed, when the body of this request is another than the first one with the same Idempotency-Key. The service ignored it.',
    { const: 'true' },
  ),
  'Waybill-Promise': text('The `promise` of the body in base64, unless the service can promise nothing at present.'),
  'Preference-Applied': text('`wait=logged`, when the body has the `proof` that `Prefer` asked for.', { const: 'wait=logged' }),
  Location: text('The target of the redirect.', { type: 'string', format: 'uri' }),
};

const headerRefs = (names: string[]): Headers => Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const RATE_HEADERS = ['RateLimit-Policy', 'RateLimit', 'RateLimit-Cost', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
const limitsOf = (auth: Auth) => (auth === 'public unlimited' ? [] : RATE_HEADERS);

interface OperationTraits {
  auth: Auth;
  isIdempotent: boolean;
  isPromised: boolean;
  hasEntityTag: boolean;
}

export function successHeaders({ auth, isIdempotent, isPromised, hasEntityTag }: OperationTraits, status: number): Headers {
  return headerRefs([
    'X-Request-Id',
    ...limitsOf(auth),
    ...(auth === 'public unlimited' || auth === 'public' ? [] : ['Cache-Control']),
    ...(hasEntityTag && (status === 200 || status === 304) ? ['ETag'] : []),
    ...(isIdempotent ? ['Idempotent-Replayed', 'Idempotent-Body-Differs'] : []),
    ...(isPromised ? ['Waybill-Promise', 'Preference-Applied'] : []),
    ...(status === 302 ? ['Location'] : []),
  ]);
}

/** A caller who is not admitted gets no rate limit headers. */
function errorHeaders(auth: Auth, status: number): Headers {
  const own: Record<number, string[]> = { 401: ['WWW-Authenticate'], 405: ['Allow'], 429: ['Retry-After'], 503: ['Retry-After'] };
  return headerRefs(['X-Request-Id', ...(status === 401 || status === 405 ? [] : limitsOf(auth)), ...(own[status] ?? [])]);
}

const ERROR_RESPONSES = new Map<string, Response>();

/** An endpoint that serves pages also shows its errors as pages. */
export function errorResponse(auth: Auth, status: number, codes: readonly [ErrorCode, ...ErrorCode[]], page?: Content): Response {
  if (page) return newErrorResponse(auth, status, codes, page);
  const key = `${auth} ${status} ${codes}`;
  const response = ERROR_RESPONSES.get(key) ?? newErrorResponse(auth, status, codes);
  ERROR_RESPONSES.set(key, response);
  return response;
}

function newErrorResponse(auth: Auth, status: number, codes: readonly [ErrorCode, ...ErrorCode[]], page?: Content): Response {
  const [code] = codes;
  const example = { error: { code, message: errorCatalogue[code][1], request_id: 'req_01m7hjhy5hfmzv3b00v55n8s0z' } };
  return {
    description: codes.map((each) => `\`${each}\`: ${errorCatalogue[each][1]}`).join('\n\n'),
    headers: errorHeaders(auth, status),
    content: page ?? { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
    'x-error-codes': codes,
  };
}

/** Node's parser refuses the headers before the path is known, so every operation has this response. */
export const HEADERS_TOO_LARGE: Response = {
  description: '`validation_error`: the headers of the request are larger than 16 KB.',
  headers: headerRefs(['X-Request-Id']),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** Names the business that a signed-in person acts for. A key belongs to one. */
export function businessHeader(auth: Auth): Parameter[] {
  if (auth === 'public unlimited' || auth === 'public' || auth === 'person') return [];
  const required = auth !== 'key' && auth !== 'key rw';
  const description = `The handle of the business that a signed-in person acts for.${required ? '' : ' Left out by keys.'}`;
  return [{ name: 'Waybill-Business', in: 'header', required, description, schema: { type: 'string', ...HANDLE } }];
}

/** The pattern accepts upper and lower case. */
const HANDLE = {
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$',
  minLength: HANDLE_MIN_CHARS,
  maxLength: HANDLE_MAX_CHARS,
};

/** Gives ids in responses their pattern. Ids in requests have none: a malformed id in a path is a 404. */
export function withPattern(schema: Schema): Schema {
  const prefix = /^([a-z]+)_ id\b/.exec(String(schema.description))?.[1];
  if (prefix === undefined || schema.pattern !== undefined) return schema;
  const pattern = `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`;
  if (schema.type === 'string') return { ...schema, pattern };
  return schema.anyOf ? { ...schema, anyOf: schema.anyOf.map((each) => (each.type === 'string' ? { ...each, pattern } : each)) } : schema;
}

export function withHandlePattern(name: string, schema: Schema): Schema {
  return name === 'handle' && schema.type === 'string' ? { ...schema, ...HANDLE } : schema;
}

/** A text that is null counts as not given. Fields that exclude some types are JSON, which counts whatever it is. */
export function wantsFields(rule: 'oneOf' | 'anyOf', fields: readonly string[], { properties = {} }: Schema): Schema {
  const wants = (field: string) =>
    properties[field]?.not ? { required: [field] } : { required: [field], properties: { [field]: { type: 'string' } } };
  return { [rule]: fields.map(wants) };
}
