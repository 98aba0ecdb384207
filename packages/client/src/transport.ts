import { errorOf, WaybillError } from './errors.ts';
import type { SignableRequest } from './http-signature.ts';
import { JsonText } from './json-text.ts';
import { backoffMs, pause } from './pause.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface TransportOptions {
  /** The address of the service, such as `https://waybill.example.com`. */
  baseUrl: string;
  /** Replaces the `fetch` of the platform. */
  fetch?: Fetch | undefined;
  /** The retries of a request that failed temporarily; 5 by default. */
  maxRetries?: number | undefined;
  /** How long one try of a request can take; 60,000 by default. */
  timeoutMs?: number | undefined;
  /** Headers of each request to the service, such as `authorization`. */
  headers?: (() => Record<string, string>) | undefined;
  /** The headers of a signature, for requests whose signature is part of a proof. */
  sign?: ((operation: string, request: SignableRequest) => Promise<Record<string, string>>) | undefined;
  /** Replaces the error of a try, to say it in other words. */
  describe?: ((error: WaybillError) => WaybillError) | undefined;
  /** Waits before a retry. */
  wait?: typeof pause | undefined;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** How long one try can take. */
  timeoutMs?: number | undefined;
  /** Whether the request may arrive twice. By default all but POST, and POST with an `Idempotency-Key`. */
  isRepeatable?: boolean | undefined;
}

export interface TryOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  fetch?: Fetch | undefined;
}

/** Reads a success. */
type Read<T> = (response: Response, signal: AbortSignal) => Promise<T>;

export interface Input {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
}

const DEFAULT_RETRIES = 5;
const DEFAULT_TIMEOUT_MS = 60_000;
/** The caller decides about a longer `Retry-After`, such as that of a monthly limit. */
const RETRY_AFTER_MAX_S = 60;
/** Far above a page of messages, which ends at about 4 MB. */
const TEXT_MAX_BYTES = 64 * 1_048_576;

/** Makes requests: time-outs, retries, errors. */
export class Transport {
  readonly baseUrl: string;
  readonly maxRetries: number;
  /** Headers of each request to the service. Other hosts must not get them. */
  readonly headers: () => Record<string, string>;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly #sign: TransportOptions['sign'];
  readonly #describe: (error: WaybillError) => WaybillError;
  readonly #wait: typeof pause;

  constructor(options: TransportOptions) {
    const { baseUrl, fetch, maxRetries = DEFAULT_RETRIES, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.maxRetries = maxRetries;
    this.timeoutMs = timeoutMs;
    this.fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.headers = options.headers ?? (() => ({}));
    this.#sign = options.sign;
    this.#describe = options.describe ?? ((error) => error);
    this.#wait = options.wait ?? pause;
  }

  /** The text of the JSON response to a request of the API, such as `GET /v1/messages/{id}`. */
  text(operation: string, input: Input, options: RequestOptions = {}): Promise<string> {
    return this.request(operation, input, options, jsonIn);
  }

  /** The result of `read` for the response to a request of the API. */
  async request<T>(operation: string, { path = {}, query = {}, body }: Input, options: RequestOptions, read: Read<T>): Promise<T> {
    const [method = '', template = ''] = operation.split(' ');
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const content = body === undefined ? undefined : body instanceof JsonText ? body.text : JSON.stringify(body);
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...this.headers(),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    };
    const isRepeatable = options.isRepeatable ?? (method !== 'POST' || 'idempotency-key' in headers);
    const url = this.urlOf(filled, query);
    const { pathname, host } = new URL(url);
    const signable = {
      method,
      path: pathname,
      authority: host,
      body: content ?? '',
      idempotencyKey: headers['idempotency-key'],
      recipient: headers['waybill-recipient'],
      files: headers['waybill-files'],
    };
    return this.retry(isRepeatable, options.signal, async () => {
      // Each try has its own signature, because one is valid for some minutes only.
      const init = {
        method,
        headers: { ...headers, ...(await this.#sign?.(operation, signable)) },
        ...(content !== undefined && { body: content }),
      };
      return this.attempt(url, init, options, read);
    });
  }

  urlOf(path: string, query: object): string {
    // Parameters that are undefined are left out.
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
    return given.size === 0 ? `${this.baseUrl}${path}` : `${this.baseUrl}${path}?${given}`;
  }

  /** One try of a request. Returns the result of `read` for a success, and throws a WaybillError otherwise. */
  async attempt<T>(
    url: string,
    init: RequestInit,
    { signal, timeoutMs = this.timeoutMs, fetch = this.fetch }: TryOptions,
    read: Read<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    // The signals of AbortSignal.timeout and .any would stay in memory, for many short requests, as long as the signal of the caller.
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    const timer = setTimeout(() => ending.abort(new WaybillError('timed_out', `No response within ${timeoutMs / 1_000} s.`)), timeoutMs);
    signal?.addEventListener('abort', end);
    try {
      const response = await fetch(url, { ...init, signal: ending.signal });
      if (response.ok) return await read(response, ending.signal);
      throw errorOf(response, await textIn(response, ending.signal));
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const reason = ending.signal.aborted ? ending.signal.reason : error;
      throw this.#describe(reason instanceof WaybillError ? reason : unreachable(url, reason));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  /** Retries temporary failures. A request that may have had an effect is retried only if it is repeatable. */
  async retry<T>(isRepeatable: boolean, signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof WaybillError) || failures > this.maxRetries) throw error;
        // A request with the response 429 had no effect.
        const canRepeat = error.status === 429 || (isRepeatable && error.isTemporary);
        if (!canRepeat || (error.retryAfterS ?? 0) > RETRY_AFTER_MAX_S) throw error;
        await this.#wait(backoffMs(failures, error.retryAfterS), signal);
      }
    }
  }
}

export function unreachable(url: string, error: unknown): WaybillError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new WaybillError('connection_failed', `Couldn’t connect to ${new URL(url).origin}: ${reason}`, { cause: error });
}

/** The text of a success, which is JSON or empty. */
export async function jsonIn(response: Response, signal: AbortSignal): Promise<string> {
  const text = await textIn(response, signal);
  if (text === '' || /\bjson\b/.test(response.headers.get('content-type') ?? '')) return text;
  throw errorOf(response, '');
}

/** The body as text. Stops reading at a size that no response of the service has. */
export async function textIn(response: Response, signal: AbortSignal): Promise<string> {
  if (!response.body) return response.text();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', cancel);
  try {
    let text = '';
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > TEXT_MAX_BYTES) {
        cancel();
        throw new WaybillError('unexpected_response', 'The response is larger than any of the service.', { status: response.status });
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
