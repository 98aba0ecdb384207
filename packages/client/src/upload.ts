import { WaybillError } from './errors.ts';
import { pause } from './pause.ts';
import type { PartedUpload, PartTickets } from './schema.ts';
import { newSha256, type Sha256 } from './sha256.ts';
import type { Transport } from './transport.ts';

/** What can be uploaded. A stream needs `size`. */
export type Content = Blob | Uint8Array | ReadableStream<Uint8Array>;

export interface UploadOptions {
  /** The name that the recipient sees; by default that of a `File`. */
  filename?: string | undefined;
  /** `application/octet-stream` by default. */
  contentType?: string | undefined;
  /** The number of bytes, if the content is a stream. */
  size?: number | undefined;
  /** The id of an interrupted upload: parts that have arrived are not sent again. Give the same content from its beginning. */
  resume?: string | undefined;
  /** Called before the first byte, and after each upload part (16 MB). Store `uploadId` to resume. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface UploadProgress {
  uploadId: string;
  sentBytes: number;
  totalBytes: number;
}

/** A file that messages can name for 24 hours, any number of them. */
export interface UploadedFile {
  id: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** The hash of the bytes read here. `send` compares it with the stored one. */
  sha256: string;
}

const ANY_TYPE = 'application/octet-stream';
/** Each upload part holds 16 MB in memory. */
const PARTS_AT_ONCE = 3;
const TICKETS_AT_ONCE = 20;
/** URLs of upload parts are valid for an hour. Half of that leaves time for a slow one to start. */
const TICKET_USED_WITHIN_MS = 30 * 60_000;
/** 16 MB at 27 KB per second. */
const PART_TIMEOUT_MS = 10 * 60_000;
const HASHED_AT_ONCE_BYTES = 1_048_576;

export async function upload(transport: Transport, content: Content, options: UploadOptions): Promise<UploadedFile> {
  const size = content instanceof Blob ? content.size : content instanceof Uint8Array ? content.byteLength : options.size;
  if (size === undefined) throw new TypeError('Give the size of a stream: upload(stream, { size, filename }).');
  const filename = options.filename ?? (content instanceof Blob && 'name' in content ? String(content.name) : 'file');
  const contentType = options.contentType || (content instanceof Blob && content.type) || ANY_TYPE;
  const begun = await begin(transport, { filename, content_type: contentType, size_bytes: size }, options);
  const sha256 = await new PartSender(transport, begun, options).send(partsOf(content, begun.part_size_bytes, size));
  return { id: begun.upload_id, filename, contentType, sizeBytes: size, sha256 };
}

async function begin(
  transport: Transport,
  file: { filename: string; content_type: string; size_bytes: number },
  { resume, signal }: UploadOptions,
): Promise<PartedUpload> {
  const text =
    resume === undefined
      ? // An announcement that nobody uses does no harm.
        await transport.text('POST /v1/uploads', { body: { ...file, parts: true } }, { signal, isRepeatable: true })
      : await transport.text('GET /v1/uploads/{id}', { path: { id: resume } }, { signal });
  const begun: PartedUpload = JSON.parse(text);
  if (begun.part_size_bytes === undefined || begun.size_bytes !== file.size_bytes)
    throw new TypeError(`The upload ${resume} is of a file with ${begun.size_bytes} bytes; start a new upload.`);
  return begun;
}

/** Sends the missing parts of an upload, a few at a time, and completes it. */
class PartSender {
  readonly #transport: Transport;
  readonly #upload: PartedUpload;
  readonly #onProgress: (progress: UploadProgress) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #tickets = new Map<number, PartTickets['parts'][number] & { until: number }>();
  readonly #missing: number[];
  #sentBytes = 0;

  constructor(transport: Transport, upload: PartedUpload, { onProgress = () => {}, signal }: UploadOptions) {
    this.#transport = transport;
    this.#upload = upload;
    this.#onProgress = onProgress;
    this.#signal = signal;
    const count = Math.max(1, Math.ceil(upload.size_bytes / upload.part_size_bytes));
    const arrived = new Set(upload.arrived_parts);
    this.#missing = upload.complete ? [] : Array.from({ length: count }, (_, index) => index + 1).filter((number) => !arrived.has(number));
  }

  /** Returns the hash of all parts. */
  async send(parts: AsyncIterable<Uint8Array>): Promise<string> {
    const end = () => this.#ending.abort(this.#signal?.reason);
    this.#signal?.throwIfAborted();
    this.#signal?.addEventListener('abort', end);
    try {
      const hash = await this.#sendParts(parts);
      const path = { id: this.#upload.upload_id };
      const options = { signal: this.#ending.signal, isRepeatable: true };
      if (!this.#upload.complete) await this.#transport.text('POST /v1/uploads/{id}/complete', { path }, options);
      return hash.digest();
    } catch (error) {
      // Stops the other parts.
      this.#ending.abort(error);
      throw error;
    } finally {
      this.#signal?.removeEventListener('abort', end);
    }
  }

  async #sendParts(parts: AsyncIterable<Uint8Array>): Promise<Sha256> {
    const hash = newSha256();
    const sending = new Set<Promise<void>>();
    this.#report(0);
    let number = 0;
    for await (const bytes of parts) {
      this.#ending.signal.throwIfAborted();
      number++;
      if (this.#missing[0] === number) {
        this.#missing.shift();
        if (sending.size >= PARTS_AT_ONCE) await Promise.race(sending);
        const sent = this.#sendPart(number, bytes).finally(() => sending.delete(sent));
        // Promise.race or Promise.all reports its failure.
        sent.catch(() => undefined);
        sending.add(sent);
      } else this.#report(bytes.byteLength);
      await hashBytes(hash, bytes);
    }
    await Promise.all(sending);
    return hash;
  }

  async #sendPart(number: number, bytes: Uint8Array): Promise<void> {
    const signal = this.#ending.signal;
    await this.#transport.retry(true, signal, async () => {
      const { url, headers } = await this.#ticket(number);
      const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
      const init = { method: 'PUT', headers: Object.fromEntries(own), body: bytes as Uint8Array<ArrayBuffer> };
      await this.#transport
        .attempt(url, init, { signal, timeoutMs: PART_TIMEOUT_MS }, (response) => response.arrayBuffer())
        .catch(asTemporary);
    });
    this.#report(bytes.byteLength);
  }

  /** A signed URL, which is used once, so that a retry always has a fresh one. */
  async #ticket(number: number): Promise<{ url: string; headers: Record<string, string> }> {
    const known = this.#tickets.get(number);
    this.#tickets.delete(number);
    if (known && known.until > Date.now()) return known;
    const until = Date.now() + TICKET_USED_WITHIN_MS;
    const numbers = [number, ...this.#missing.slice(0, TICKETS_AT_ONCE - 1)];
    const input = { path: { id: this.#upload.upload_id }, body: { numbers } };
    const text = await this.#transport.text('POST /v1/uploads/{id}/parts', input, { signal: this.#ending.signal, isRepeatable: true });
    const { parts }: PartTickets = JSON.parse(text);
    for (const part of parts) if (part.number !== number) this.#tickets.set(part.number, { ...part, until });
    const own = parts.find((part) => part.number === number);
    if (!own) throw new WaybillError('unexpected_response', `The service gave no URL for upload part ${number}.`);
    return own;
  }

  #report(moreBytes: number): void {
    this.#sentBytes += moreBytes;
    this.#onProgress({ uploadId: this.#upload.upload_id, sentBytes: this.#sentBytes, totalBytes: this.#upload.size_bytes });
  }
}

/**
 * Errors that another try can solve. 403: the signed URL has expired, as on a computer that slept, and the next try gets a new one. 409: an earlier
 * try, whose connection broke, is still under way in the service.
 */
function asTemporary(error: unknown): never {
  const isTemporary = error instanceof WaybillError && (error.status === 403 || error.status === 409);
  throw isTemporary ? new WaybillError('connection_failed', error.message, { cause: error }) : error;
}

/** In pieces, so that a page stays responsive if the hash is a script. */
async function hashBytes(hash: Sha256, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += HASHED_AT_ONCE_BYTES) {
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE_BYTES));
    await pause(0);
  }
}

/** The bytes of each part, in order. An empty file has one empty part. */
async function* partsOf(content: Content, partBytes: number, size: number): AsyncGenerator<Uint8Array, void> {
  if (content instanceof ReadableStream) return yield* partsOfStream(content, partBytes, size);
  for (let at = 0; at === 0 || at < size; at += partBytes) {
    const slice = content.slice(at, at + partBytes);
    yield slice instanceof Blob ? new Uint8Array(await slice.arrayBuffer()) : slice;
  }
}

async function* partsOfStream(stream: ReadableStream<Uint8Array>, partBytes: number, size: number): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  let total = 0;
  let rest: Uint8Array = new Uint8Array();
  try {
    do {
      const part = new Uint8Array(Math.min(partBytes, size - total));
      let filled = 0;
      while (filled < part.byteLength) {
        if (rest.byteLength === 0) {
          const { done, value } = await reader.read();
          if (done) throw new TypeError(`The stream ended after ${total + filled} of ${size} bytes.`);
          rest = value;
        }
        const taken = rest.subarray(0, part.byteLength - filled);
        part.set(taken, filled);
        filled += taken.byteLength;
        rest = rest.subarray(taken.byteLength);
      }
      total += filled;
      yield part;
    } while (total < size);
    while (rest.byteLength === 0) {
      const { done, value } = await reader.read();
      if (done) return;
      rest = value;
    }
    throw new TypeError(`The stream has more than ${size} bytes.`);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
