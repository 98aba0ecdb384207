import { randomKey } from '../../../packages/client/src/random-key.ts';
import { ANY_TYPE, beginParts, PartSender, type Put, putBytes, type UploadPath } from '../../../packages/client/src/upload-parts.ts';
import { call, NO_TIMEOUT_MS, newTransport, pageError, WaybillError } from './client.ts';
import { pause } from './connection.ts';
import { fetchWithProgress, inTurn } from './put.ts';
import type { Upload as Announced } from './schema.ts';
import { Speed } from './speed.ts';

export interface Progress {
  /** reconnecting: the connection broke and is being retried. */
  status: 'waiting' | 'sending' | 'reconnecting' | 'paused' | 'failed' | 'done';
  sentBytes: number;
  bytesPerSecond: number | undefined;
  secondsLeft: number | undefined;
  error: WaybillError | undefined;
  uploadId: string | undefined;
}

const UPLOAD_MAX_BYTES = 5 * 1024 ** 3;
/** Larger files are uploaded in parts, so that a pause loses nothing. */
const PARTS_FROM_BYTES = 16 * 1024 ** 2;
/** With the pauses before them, these last for half a minute at least. */
const RETRIES = 7;
const REPORT_EVERY_MS = 200;

export class Upload {
  readonly key = randomKey();
  readonly file: File;
  readonly #path: UploadPath;
  readonly #transport = newTransport({ maxRetries: RETRIES, wait: (ms, signal) => this.#waitToRetry(ms, signal) });
  readonly #listeners = new Set<() => void>();
  readonly #speed = new Speed();
  #progress: Progress = {
    status: 'waiting',
    sentBytes: 0,
    bytesPerSecond: undefined,
    secondsLeft: undefined,
    error: undefined,
    uploadId: undefined,
  };
  #running = new AbortController();
  #reportedAt = 0;
  /** The signed URL of an upload in one piece. Requested once, since each announcement counts toward the daily limit. */
  #announced: Announced | undefined;
  #partedId: string | undefined;

  constructor(file: File, path: UploadPath) {
    this.file = file;
    this.#path = path;
    this.resume();
  }

  /** A new object after each change. */
  readonly progress = (): Progress => this.#progress;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  pause(): void {
    if (this.#progress.status === 'done') return;
    this.#running.abort();
    this.#change({ status: 'paused' });
  }

  resume(): void {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#speed.forget();
    this.#change({ status: 'waiting', error: undefined });
    this.#send(signal).then(
      (uploadId) => this.#change({ status: 'done', sentBytes: this.file.size, uploadId }),
      (error) => {
        if (signal.aborted) return;
        // Ignores progress that is still reported.
        this.#running.abort();
        this.#change({ status: 'failed', error: error instanceof WaybillError ? error : pageError(String(error)) });
      },
    );
  }

  cancel(): void {
    this.#running.abort();
    this.#listeners.clear();
  }

  async #send(signal: AbortSignal): Promise<string> {
    if (this.file.size > UPLOAD_MAX_BYTES) throw new WaybillError('file_too_large', 'This file is larger than 5 GB.');
    try {
      if (this.file.size >= PARTS_FROM_BYTES) return await this.#sendParts(signal);
      return await this.#transport.retry(true, signal, () => inTurn(signal, () => this.#sendInOnePiece(signal)));
    } catch (error) {
      // The announcement has expired, or the bytes are sealed: a retry starts from the beginning.
      if (error instanceof WaybillError && error.status >= 400 && error.status < 500) this.#announced = this.#partedId = undefined;
      throw error;
    }
  }

  async #sendInOnePiece(signal: AbortSignal): Promise<string> {
    this.#change({ status: 'sending', sentBytes: 0 });
    this.#announced ??= (await call(`POST ${this.#path}`, { body: this.#announcement() }, { signal })) as Announced;
    const { upload_id, upload_url: url, headers } = this.#announced;
    await this.#put({ url, headers }, this.file, signal, (count) => this.#reportSent(count));
    return upload_id;
  }

  async #sendParts(signal: AbortSignal): Promise<string> {
    const [transport, path, resume] = [this.#transport, this.#path, this.#partedId];
    const begun = await inTurn(signal, () => beginParts(transport, path, this.#announcement(), { signal, resume }));
    this.#partedId = begun.upload_id;
    this.#change({ status: 'sending' });
    const put: Put = (ticket, bytes, own, onSent) => inTurn(own, () => this.#put(ticket, bytes, own, onSent));
    const sender = new PartSender(transport, begun, { path, signal, put, onSent: (count) => this.#reportSent(count) });
    await sender.send(this.#slices(begun.part_size_bytes));
    return begun.upload_id;
  }

  readonly #put: Put = (ticket, bytes, signal, onSent) =>
    putBytes(this.#transport, ticket, bytes, { signal, timeoutMs: NO_TIMEOUT_MS, fetch: fetchWithProgress(onSent) });

  *#slices(bytes: number): Generator<Blob, void> {
    for (let at = 0; at < this.file.size; at += bytes) yield this.file.slice(at, at + bytes);
  }

  #announcement() {
    const { name, type, size } = this.file;
    return { filename: name, content_type: type || ANY_TYPE, size_bytes: size };
  }

  async #waitToRetry(ms: number, signal?: AbortSignal): Promise<void> {
    // Reading a changed or removed file looks like a broken connection.
    await this.file
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => {
        throw pageError('Couldn’t read the file: it was changed or moved, or is a folder. Choose it again.');
      });
    signal?.throwIfAborted();
    this.#change({ status: 'reconnecting' });
    await pause(ms, signal);
  }

  #reportSent(sentBytes: number): void {
    if (this.#running.signal.aborted) return;
    const now = performance.now();
    this.#speed.note(now, sentBytes);
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    const bytesPerSecond = this.#speed.bytesPerSecond();
    const secondsLeft = bytesPerSecond ? (this.file.size - sentBytes) / bytesPerSecond : undefined;
    this.#change({ status: 'sending', sentBytes, bytesPerSecond, secondsLeft });
  }

  #change(changes: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
