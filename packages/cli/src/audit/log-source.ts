import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LogIsWrong, LogUnreachable } from './verdicts.ts';

/** The pauses between attempts, as shares of the time limit of one. A log that limits requests says itself how long to wait. */
const PAUSES = [1 / 60, 1 / 15, 1 / 4];
const RATE_LIMIT_PAUSES_MAX = 60;
const RETRY_AFTER_MAX_S = 120;

interface Got {
  status: number;
  body: Buffer;
  retryAfterS: number;
}

export class LogSource {
  readonly #url: string;
  readonly #patienceMs: number;
  readonly #signal: AbortSignal;

  /** `patienceMs` limits one request, from the look-up of the host to the last byte. */
  constructor(url: string, patienceMs: number, signal: AbortSignal) {
    this.#url = url.replace(/\/+$/, '');
    this.#patienceMs = patienceMs;
    this.#signal = signal;
    setMaxListeners(0, signal);
  }

  async find(path: string, maxBytes: number): Promise<Buffer | undefined> {
    let [failures, limited] = [0, 0];
    for (;;) {
      const got = await this.#get(path, maxBytes);
      if (!(got instanceof Error)) {
        if (got.status === 200) return got.body;
        if (got.status === 404) return undefined;
        if (got.status === 429 && ++limited <= RATE_LIMIT_PAUSES_MAX) {
          await this.#pause(Math.min(RETRY_AFTER_MAX_S, got.retryAfterS) * 1000);
          continue;
        }
      }
      const pause = PAUSES[failures++];
      const reason = got instanceof Error ? got.message : `it responded with ${got.status}`;
      if (pause === undefined) throw new LogUnreachable(`Couldn’t read ${this.#url}/${path}: ${reason}.`);
      await this.#pause(pause * this.#patienceMs);
    }
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#signal });
  }

  async #get(path: string, maxBytes: number): Promise<Got | Error> {
    // AbortSignal.timeout would keep each of thousands of requests in memory until its time is over.
    const ending = new AbortController();
    const end = () => ending.abort();
    const timer = setTimeout(end, this.#patienceMs);
    this.#signal.addEventListener('abort', end, { once: true });
    try {
      const response = await fetch(`${this.#url}/${path}`, { redirect: 'error', signal: ending.signal });
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        // The rest is not read, because no response of an honest log is longer.
        if (bytes > maxBytes && response.status === 200) throw new LogIsWrong(`${path} has more than ${maxBytes} bytes`);
        if (bytes > maxBytes) break;
        chunks.push(chunk);
      }
      return { status: response.status, body: Buffer.concat(chunks), retryAfterS: Number(response.headers.get('retry-after')) || 1 };
    } catch (error) {
      if (this.#signal.aborted || error instanceof LogIsWrong) throw error;
      if (ending.signal.aborted) return new Error(`no complete response within ${this.#patienceMs / 1000} seconds`);
      const { message, cause } = error as Error;
      return cause instanceof Error && cause.message !== '' ? cause : new Error(message);
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', end);
    }
  }
}
