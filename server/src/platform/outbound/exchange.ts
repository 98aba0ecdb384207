import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { WEBHOOK_RESPONSE_KEPT_BYTES } from '../../contract/limits.ts';

export class UnusableResponse extends Error {}

export interface Response {
  statusCode: number;
  headers: IncomingHttpHeaders;
  start: Buffer;
  isLonger: boolean;
}

/**
 * Called once, with the response or the reason why there is none. It is a callback because promises would be a good part of a request's
 * cost.
 */
export type OnResponse = (response: Response | Error) => void;

const RESPONSE_MAX_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** One request and its response, of which only the head and the first bytes are kept. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #timer: NodeJS.Timeout;
  #onResponse: OnResponse | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #response: Response | undefined;
  #bytes = 0;
  readonly #kept: Buffer[] = [];
  readonly #fileMaxBytes: number | undefined;
  readonly #readMaxBytes: number;

  /** Of a file, as many bytes are kept. Undefined: it is the response of a webhook. */
  constructor(patienceMs: number, onResponse: OnResponse, fileMaxBytes?: number) {
    this.#onResponse = onResponse;
    this.#fileMaxBytes = fileMaxBytes;
    this.#readMaxBytes = Math.max(RESPONSE_MAX_BYTES, fileMaxBytes ?? 0);
    this.#timer = setTimeout(
      () => this.cancel(new UnusableResponse(`no complete response within ${patienceMs / 1000} seconds`)),
      patienceMs,
    );
  }

  cancel(reason: Error): void {
    this.#end(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The request may have waited for a connection until its time was over.
    if (this.#onResponse === undefined) controller.abort(new UnusableResponse('too late'));
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return;
    this.#response = { statusCode, headers, start: NOTHING, isLonger: false };
    // A body with Content-Length ends, so the response counts although its body is not read.
    if (Number(headers['content-length']) <= this.#readMaxBytes || headers['content-length'] === undefined) return;
    this.#response.isLonger = true;
    this.#end(this.#response);
    controller.abort(new UnusableResponse('a long response'));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response) this.#keep(this.#response, chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#readMaxBytes) return;
    const reason = new UnusableResponse(`responded with ${this.#response?.statusCode} and a body without end`);
    this.#end(this.#fileMaxBytes !== undefined && this.#response ? this.#response : reason);
    controller.abort(reason);
  }

  onResponseEnd(): void {
    if (this.#response) this.#end(this.#response);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  /** A body may come in thousands of small chunks, so they are joined once. */
  #keep(response: Response, chunk: Buffer): void {
    const room = (this.#fileMaxBytes ?? WEBHOOK_RESPONSE_KEPT_BYTES) - this.#bytes;
    if (chunk.length > room) response.isLonger = true;
    if (room > 0) this.#kept.push(chunk.subarray(0, room));
  }

  #end(response: Response | Error): void {
    clearTimeout(this.#timer);
    // Most bodies come in one chunk, which is not copied.
    if (!(response instanceof Error)) response.start = this.#kept.length === 1 ? (this.#kept[0] ?? NOTHING) : Buffer.concat(this.#kept);
    const onResponse = this.#onResponse;
    this.#onResponse = undefined;
    onResponse?.(response);
  }
}
