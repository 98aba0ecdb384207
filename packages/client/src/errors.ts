import type { Error as ErrorBody } from './schema.ts';

type Body = ErrorBody['error'];

/** The codes of the API, and those of failures on the way to it. */
export type ErrorCode =
  | Body['code']
  /** No response came: the service is unreachable, or the connection broke. */
  | 'connection_failed'
  /** No response came in time. */
  | 'timed_out'
  /** A proxy responded in place of the service, or the response is not what the API describes. */
  | 'unexpected_response'
  /** The received bytes are not those that were sent. */
  | 'hash_mismatch';

export interface Detail {
  /** A JSON Pointer into the request. */
  path: string;
  message: string;
  /** The exceeded limit, on `quota_exceeded`. */
  limit?: string;
}

interface Origin {
  status?: number | undefined;
  requestId?: string | undefined;
  details?: readonly Detail[] | undefined;
  retryAfterS?: number | undefined;
  cause?: unknown;
}

/** Any failure of a request to Waybill. Branch on `code`; `message` is for people. */
export class WaybillError extends Error {
  override readonly name = 'WaybillError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The id of the request. Include it when you ask for help. */
  readonly requestId: string | undefined;
  readonly details: readonly Detail[];
  /** Seconds to wait before the same request can succeed. */
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, { status = 0, requestId, details = [], retryAfterS, cause }: Origin = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.retryAfterS = retryAfterS;
  }

  /** The problem with one field, by its name or JSON Pointer: `error.field('to')`. */
  field(path: string): string | undefined {
    const pointer = path.startsWith('/') ? path : `/${path}`;
    return this.details.find((detail) => detail.path === pointer)?.message;
  }

  /** Whether the same request can succeed later: the service is busy, restarts or is unreachable. */
  get isTemporary(): boolean {
    if (this.code === 'connection_failed' || this.code === 'timed_out') return true;
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export function errorOf(response: Response, text: string): WaybillError {
  const { status, headers } = response;
  const after = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterS = Number.isFinite(after) && after >= 0 ? after : undefined;
  const body = bodyIn(text);
  if (!body) {
    const message = `The response (HTTP ${status}) does not come from Waybill. Check the address, and proxies in between.`;
    return new WaybillError('unexpected_response', message, { status, retryAfterS, cause: text.slice(0, 500) });
  }
  return new WaybillError(body.code, body.message, { status, requestId: body.request_id, details: body.details, retryAfterS });
}

function bodyIn(text: string): Body | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>;
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
