import type { FastifyRequest } from 'fastify';
import { type ErrorCode, invalid, Refusal } from '../../contract/errors.ts';
import { isRecord } from '../../contract/records.ts';
import { ADDRESS_HEADER } from './address-header.ts';

const PASSED_ON = ['cookie', 'origin', 'user-agent'] as const;
const UNAVAILABLE_RETRY_S = 5;
/** better-auth reports unreadable input, or too many tries for a code, with other statuses. */
const FAULTS_OF_INPUT = new Set<unknown>(['FAILED_TO_VERIFY_REGISTRATION', 'TOO_MANY_ATTEMPTS']);

const CODE_OF: Record<number, ErrorCode> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  415: 'unsupported_media_type',
  429: 'rate_limited',
};

export interface AuthResponse {
  status?: number;
  headers: Record<string, string | string[]>;
  body: unknown;
}

export function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers({ [ADDRESS_HEADER]: request.ip });
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

export function requestOf(request: FastifyRequest, publicUrl: string, body?: object): Request {
  const headers = headersOf(request);
  if (body !== undefined) headers.set('content-type', 'application/json');
  return new Request(`${publicUrl}${request.url}`, {
    method: request.method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export async function readResponse(response: Response): Promise<AuthResponse> {
  const text = await response.text();
  if (response.status >= 400) throw refusalOf(response.status, text);
  const headers: Record<string, string | string[]> = { 'cache-control': 'no-store', 'set-cookie': response.headers.getSetCookie() };
  const location = response.headers.get('location');
  if (location !== null) headers['location'] = location;
  return { status: response.status, headers, body: text };
}

function refusalOf(status: number, text: string): Refusal {
  const { code, message } = parseError(text);
  const sentence = typeof message === 'string' && message !== '' ? message : undefined;
  if (status === 503) return new Refusal('unavailable', sentence, { retryAfterS: UNAVAILABLE_RETRY_S });
  const isInput = FAULTS_OF_INPUT.has(code);
  if (status >= 500 && !isInput) return new Refusal('internal_error');
  const known = isInput ? undefined : CODE_OF[status];
  return known ? new Refusal(known, sentence) : invalid([{ path: '', message: sentence ?? 'can’t be taken' }]);
}

function parseError(text: string): { code?: unknown; message?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}
