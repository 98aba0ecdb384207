import { JsonText } from '../../../packages/client/src/json-text.ts';
import type { InputOf, Operation, ResponseOf } from '../../../packages/client/src/operations.ts';
import { activeBusiness } from './business.ts';
import { reportFailure } from './connection.ts';
import type { Error as ErrorBody } from './schema.ts';

export type { InputOf, Operation, ResponseOf };
export { JsonText };

export class ApiError extends Error {
  readonly code: ErrorBody['error']['code'] | 'unreachable';
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: NonNullable<ErrorBody['error']['details']>;
  readonly retryAfterS: number | undefined;

  constructor(status: number, body: Partial<ErrorBody['error']>, retryAfter: string | null) {
    super(body.message ?? 'Couldn’t connect. Check your connection and try again.');
    this.code = body.code ?? 'unreachable';
    this.status = status;
    this.requestId = body.request_id;
    this.details = body.details ?? [];
    this.retryAfterS = retryAfter === null ? undefined : Number(retryAfter);
  }

  at(path: string): string | undefined {
    return this.details.find((detail) => detail.path === path)?.message;
  }
}

export interface Options {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** The parsed response. Numbers are those of ECMAScript: for the JSON of messages, see textOf. */
export async function call<O extends Operation>(operation: O, input: InputOf<O>, options: Options = {}): Promise<ResponseOf<O>> {
  const text = await textOf(operation, input, options);
  return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<O>;
}

export async function textOf<O extends Operation>(operation: O, input: InputOf<O>, options: Options = {}): Promise<string> {
  return request(...requestOf(operation, input, options), (response) => response.text());
}

export async function blobOf<O extends Operation>(operation: O, input: InputOf<O>, options: Options = {}): Promise<Blob> {
  return request(...requestOf(operation, input, options), (response) => response.blob());
}

type Request = [method: string, url: string, init: Options & { body?: string | FormData | undefined }];

function requestOf(operation: Operation, input: object, options: Options): Request {
  const [method = '', template = ''] = operation.split(' ');
  const { path = {}, query = {}, body } = input as { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, String(value)]])),
  );
  const content = contentOf(body);
  const isJson = typeof content === 'string';
  const url = search.size > 0 ? `${filled}?${search}` : filled;
  return [
    method,
    url,
    { ...options, body: content, headers: { ...(isJson && { 'content-type': 'application/json' }), ...options.headers } },
  ];
}

function contentOf(body: unknown): string | FormData | undefined {
  if (body === undefined || body instanceof FormData) return body;
  return body instanceof JsonText ? body.text : JSON.stringify(body);
}

/** A request below /auth, whose paths are not in the OpenAPI document. */
export async function auth<T = unknown>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
  const init = method === 'POST' ? { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } } : {};
  const text = await request(method, `/auth/${path}`, init, (response) => response.text());
  return JSON.parse(text || 'null') as T;
}

async function request<Content>(
  method: string,
  url: string,
  { body, headers = {}, signal }: Request[2],
  read: (response: Response) => Promise<Content>,
): Promise<Content> {
  const business = activeBusiness();
  const init = {
    method,
    headers: { accept: 'application/json', ...(business !== undefined && { 'waybill-business': business }), ...headers },
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, ...(body !== undefined && { body }), ...(signal && { signal }) });
    if (response.ok) return await read(response);
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    reportFailure();
    throw new ApiError(0, {}, null);
  }
  const error = errorIn(text);
  // A proxy responds in place of the service.
  if (response.status >= 502 && error.code === undefined) reportFailure();
  throw new ApiError(response.status, error, response.headers.get('retry-after'));
}

/** The error in a response. Empty if a proxy or a bucket sent something else. */
export function errorIn(text: string): Partial<ErrorBody['error']> {
  try {
    return (JSON.parse(text) as ErrorBody).error ?? {};
  } catch {
    return {};
  }
}
