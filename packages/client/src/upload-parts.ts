import { WaybillError } from './errors.ts';
import type { PartedUpload, PartTickets } from './schema.ts';
import type { Transport, TryOptions } from './transport.ts';

/** The path for a business, or for a person without a handle. */
export type UploadPath = '/v1/uploads' | '/v1/drops/uploads';

type Bytes = Blob | Uint8Array;

/** A signed URL of the file store, and the headers to send with the bytes. */
interface Ticket {
  url: string;
  headers: Record<string, string>;
}

/** Sends a part, in one try, and may call `onSent` meanwhile. */
export type Put = (ticket: Ticket, bytes: Bytes, signal: AbortSignal, onSent: (sentBytes: number) => void) => Promise<void>;

interface SendingOptions {
  path?: UploadPath;
  signal?: AbortSignal | undefined;
  /** Called before the first byte and after each part, with all bytes that have arrived; `put` may call it more often. */
  onSent(sentBytes: number): void;
  /** `putBytes` by default. */
  put?: Put;
}

export const ANY_TYPE = 'application/octet-stream';
/** Each upload part holds 16 MB in memory. */
const PARTS_AT_ONCE = 3;
const TICKETS_AT_ONCE = 20;
/** URLs of upload parts are valid for an hour. Half of that leaves time for a slow one to start. */
const TICKET_USED_WITHIN_MS = 30 * 60_000;
/** 16 MB at 27 KB per second. */
const PUT_TIMEOUT_MS = 10 * 60_000;

/** Announces an upload in parts, or reads how far the one to resume has come. */
export async function beginParts(
  transport: Transport,
  path: UploadPath,
  file: { filename: string; content_type: string; size_bytes: number },
  { resume, signal }: { resume?: string | undefined; signal?: AbortSignal | undefined },
): Promise<PartedUpload> {
  const text =
    resume === undefined
      ? // An announcement that nobody uses does no harm.
        await transport.text(`POST ${path}`, { body: { ...file, parts: true } }, { signal, isRepeatable: true })
      : await transport.text(`GET ${path}/{id}`, { path: { id: resume } }, { signal });
  const begun: PartedUpload = JSON.parse(text);
  if (begun.part_size_bytes === undefined || begun.size_bytes !== file.size_bytes)
    throw new TypeError(`The upload ${resume} is of a file with ${begun.size_bytes} bytes; start a new upload.`);
  return begun;
}

/** Sends bytes to the file store, in one try. */
export async function putBytes(transport: Transport, { url, headers }: Ticket, bytes: Bytes, options: TryOptions): Promise<void> {
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
  const init = { method: 'PUT', headers: Object.fromEntries(own), body: bytes as Blob | Uint8Array<ArrayBuffer> };
  try {
    await transport.attempt(url, init, { timeoutMs: PUT_TIMEOUT_MS, ...options }, (response) => response.arrayBuffer());
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code !== 'unexpected_response') throw error;
    throw new WaybillError(error.code, `Upload refused by the file store (HTTP ${error.status}). Try again.`, error);
  }
}

/** Sends the missing parts of an upload, a few at a time, and completes it. */
export class PartSender {
  readonly #transport: Transport;
  readonly #upload: PartedUpload;
  readonly #path: UploadPath;
  readonly #onSent: SendingOptions['onSent'];
  readonly #put: Put;
  readonly #signal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #tickets = new Map<number, Ticket & { until: number }>();
  readonly #missing: number[];
  /** The bytes of each part that have arrived. */
  readonly #sent = new Map<number, number>();

  constructor(transport: Transport, upload: PartedUpload, { path = '/v1/uploads', signal, onSent, put }: SendingOptions) {
    this.#transport = transport;
    this.#upload = upload;
    this.#path = path;
    this.#onSent = onSent;
    this.#put = put ?? ((ticket, bytes, own) => putBytes(transport, ticket, bytes, { signal: own }));
    this.#signal = signal;
    const { size_bytes: size, part_size_bytes: each, arrived_parts, complete } = upload;
    const numbers = Array.from({ length: Math.max(1, Math.ceil(size / each)) }, (_, index) => index + 1);
    const arrived = new Set(complete ? numbers : arrived_parts);
    for (const number of arrived) this.#sent.set(number, Math.min(each, size - (number - 1) * each));
    this.#missing = numbers.filter((number) => !arrived.has(number));
  }

  /** Takes all parts, in order. */
  async send(parts: Iterable<Bytes> | AsyncIterable<Bytes>): Promise<void> {
    const end = () => this.#ending.abort(this.#signal?.reason);
    this.#signal?.throwIfAborted();
    this.#signal?.addEventListener('abort', end);
    try {
      await this.#sendParts(parts);
      const path = { id: this.#upload.upload_id };
      const options = { signal: this.#ending.signal, isRepeatable: true };
      if (!this.#upload.complete) await this.#transport.text(`POST ${this.#path}/{id}/complete`, { path }, options);
    } catch (error) {
      // Stops the other parts.
      this.#ending.abort(error);
      throw error;
    } finally {
      this.#signal?.removeEventListener('abort', end);
    }
  }

  async #sendParts(parts: Iterable<Bytes> | AsyncIterable<Bytes>): Promise<void> {
    const sending = new Set<Promise<void>>();
    this.#report();
    let number = 0;
    for await (const bytes of parts) {
      this.#ending.signal.throwIfAborted();
      number++;
      if (this.#missing[0] !== number) continue;
      this.#missing.shift();
      if (sending.size >= PARTS_AT_ONCE) await Promise.race(sending);
      const sent = this.#sendPart(number, bytes).finally(() => sending.delete(sent));
      // Promise.race or Promise.all reports its failure.
      sent.catch(() => undefined);
      sending.add(sent);
    }
    await Promise.all(sending);
  }

  async #sendPart(number: number, bytes: Bytes): Promise<void> {
    const { signal } = this.#ending;
    const note = (sentBytes: number) => {
      this.#sent.set(number, sentBytes);
      this.#report();
    };
    await this.#transport.retry(true, signal, async () => {
      const ticket = await this.#ticket(number);
      await this.#put(ticket, bytes, signal, note).catch((error) => {
        if (this.#sent.has(number)) note(0);
        throw asTemporary(error);
      });
    });
    note(bytes instanceof Blob ? bytes.size : bytes.byteLength);
  }

  /** A signed URL, which is used once, so that a retry always has a fresh one. */
  async #ticket(number: number): Promise<Ticket> {
    const known = this.#tickets.get(number);
    this.#tickets.delete(number);
    if (known && known.until > Date.now()) return known;
    const until = Date.now() + TICKET_USED_WITHIN_MS;
    const numbers = [number, ...this.#missing.slice(0, TICKETS_AT_ONCE - 1)];
    const input = { path: { id: this.#upload.upload_id }, body: { numbers } };
    // Retried with its part.
    const options = { signal: this.#ending.signal, isRepeatable: false };
    const { parts }: PartTickets = JSON.parse(await this.#transport.text(`POST ${this.#path}/{id}/parts`, input, options));
    for (const part of parts) if (part.number !== number) this.#tickets.set(part.number, { ...part, until });
    const own = parts.find((part) => part.number === number);
    if (!own) throw new WaybillError('unexpected_response', `The service gave no URL for upload part ${number}.`);
    return own;
  }

  #report(): void {
    this.#onSent([...this.#sent.values()].reduce((sum, bytes) => sum + bytes, 0));
  }
}

/**
 * Errors that another try can solve. 403: the signed URL has expired, as on a computer that slept, and the next try gets a new one. 409: an earlier
 * try, whose connection broke, is still under way in the service.
 */
function asTemporary(error: unknown): unknown {
  const isTemporary = error instanceof WaybillError && (error.status === 403 || error.status === 409);
  return isTemporary ? new WaybillError('connection_failed', error.message, { cause: error }) : error;
}
