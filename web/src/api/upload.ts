import { randomKey } from '../../../packages/client/src/random-key.ts';
import { ApiError, call } from './client.ts';
import { inTurn, put } from './put.ts';
import type { Upload as Announced } from './schema.ts';
import { Speed } from './speed.ts';
import { type Door, sendParts } from './upload-parts.ts';

export interface Progress {
  /** reconnecting: the connection broke and is being retried. */
  status: 'waiting' | 'sending' | 'reconnecting' | 'paused' | 'failed' | 'done';
  sentBytes: number;
  bytesPerSecond: number | undefined;
  secondsLeft: number | undefined;
  error: ApiError | undefined;
  uploadId: string | undefined;
}

const UPLOAD_MAX_BYTES = 5 * 1024 ** 3;
/** Larger files are uploaded in parts, so that a pause loses nothing. */
const PARTS_FROM_BYTES = 16 * 1024 ** 2;
const ANY_TYPE = 'application/octet-stream';
const TRIES = 6;
const REPORT_EVERY_MS = 200;

export class Upload {
  readonly key = randomKey();
  readonly file: File;
  readonly #door: Door;
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

  constructor(file: File, door: Door) {
    this.file = file;
    this.#door = door;
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
        // Stops the other parts.
        this.#running.abort();
        this.#change({ status: 'failed', error: asApiError(error) });
      },
    );
  }

  cancel(): void {
    this.#running.abort();
    this.#listeners.clear();
  }

  async #send(signal: AbortSignal): Promise<string> {
    if (this.file.size > UPLOAD_MAX_BYTES)
      throw new ApiError(0, { code: 'file_too_large', message: 'This file is larger than 5 GB.' }, null);
    try {
      if (this.file.size < PARTS_FROM_BYTES) return await this.#persist(signal, () => inTurn(signal, () => this.#sendInOnePiece(signal)));
      return await this.#sendParts(signal);
    } catch (error) {
      // The announcement has expired, or the bytes are sealed: a retry starts from the beginning.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) this.#announced = this.#partedId = undefined;
      throw error;
    }
  }

  async #sendInOnePiece(signal: AbortSignal): Promise<string> {
    this.#change({ status: 'sending', sentBytes: 0 });
    this.#announced ??= (await call(`POST ${this.#door}`, { body: this.#announcement() }, { signal })) as Announced;
    const { upload_id, upload_url, headers } = this.#announced;
    await put({ url: upload_url, headers, bytes: this.file, signal, onSent: (count) => this.#reportSent(count) });
    return upload_id;
  }

  async #sendParts(signal: AbortSignal): Promise<string> {
    const persist = <T>(run: () => Promise<T>): Promise<T> => this.#persist(signal, run);
    const announce = () => call(`POST ${this.#door}`, { body: { ...this.#announcement(), parts: true } }, { signal });
    this.#partedId ??= (await persist(() => inTurn(signal, announce))).upload_id;
    this.#change({ status: 'sending' });
    await sendParts({ door: this.#door, id: this.#partedId, file: this.file, signal, persist, onSent: (count) => this.#reportSent(count) });
    return this.#partedId;
  }

  #announcement() {
    const { name, type, size } = this.file;
    return { filename: name, content_type: type || ANY_TYPE, size_bytes: size };
  }

  async #persist<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await run();
      } catch (error) {
        signal.throwIfAborted();
        await this.#checkReadable();
        if (!(error instanceof ApiError) || !isTemporary(error) || tries >= TRIES) throw error;
        this.#change({ status: 'reconnecting' });
        await pauseOrOnline(error.retryAfterS ?? 2 ** (tries - 1), signal);
      }
    }
  }

  /** Reading a changed or removed file looks like a broken connection. */
  async #checkReadable(): Promise<void> {
    try {
      await this.file.slice(0, 1).arrayBuffer();
    } catch {
      throw new ApiError(0, { message: 'Couldn’t read the file: it was changed or moved, or is a folder. Choose it again.' }, null);
    }
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

function isTemporary({ status }: ApiError): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, { message: String(error) }, null);
}

function pauseOrOnline(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      removeEventListener('online', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, seconds * 1_000);
    addEventListener('online', go);
    signal.addEventListener('abort', go);
  });
}
