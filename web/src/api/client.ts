import { WaybillError } from '../../../packages/client/src/errors.ts';
import { JsonText } from '../../../packages/client/src/json-text.ts';
import type { InputOf, Operation, ResponseOf } from '../../../packages/client/src/operations.ts';
import { type Input, Transport, type TransportOptions } from '../../../packages/client/src/transport.ts';
import { activeBusiness } from './business.ts';
import { reportFailure } from './connection.ts';

export type { InputOf, Operation, ResponseOf };
export { JsonText, WaybillError };

export interface Options {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

/** The most that a timer takes. Pages wait for as long as the browser does. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

export function newTransport(options: Partial<TransportOptions>): Transport {
  return new Transport({ baseUrl: location.origin, timeoutMs: NO_TIMEOUT_MS, headers: businessHeader, describe, ...options });
}

/** Without retries, because queries have their own. */
export const transport = newTransport({ maxRetries: 0 });

/** The parsed response. Numbers are those of ECMAScript: for the JSON of messages, see textOf. */
export async function call<O extends Operation>(operation: O, input: InputOf<O>, options: Options = {}): Promise<ResponseOf<O>> {
  const text = await textOf(operation, input, options);
  return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<O>;
}

export function textOf<O extends Operation>(operation: O, input: InputOf<O>, options: Options = {}): Promise<string> {
  return transport.text(operation, withoutEmpty(input), options);
}

export function blobOf<O extends Operation>(operation: O, input: InputOf<O>, options: Options = {}): Promise<Blob> {
  return transport.request(operation, withoutEmpty(input), options, (response) => response.blob());
}

/** A request below /auth, whose paths are not in the OpenAPI document. */
export async function auth<T = unknown>(method: 'GET' | 'POST', path: string, body: unknown = {}): Promise<T> {
  const text = await transport.text(`${method} /auth/${path}`, method === 'POST' ? { body } : {});
  return JSON.parse(text || 'null') as T;
}

/** A failure outside of the API, in words for people. */
export const pageError = (message: string): WaybillError => new WaybillError('connection_failed', message);

/** An empty field of a filter stands for no filter. */
function withoutEmpty({ query = {}, ...input }: Input): Input {
  return { ...input, query: Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) };
}

function businessHeader(): Record<string, string> {
  const business = activeBusiness();
  return business === undefined ? {} : { 'waybill-business': business };
}

/** Failures on the way to the service, in the words of pages. */
function describe(error: WaybillError): WaybillError {
  if (error.code !== 'connection_failed' && error.code !== 'unexpected_response') return error;
  // From 502 on, a proxy responds in place of the service.
  if (error.status === 0 || error.status >= 502) reportFailure();
  return new WaybillError(error.code, 'Couldn’t connect. Check your connection and try again.', error);
}
