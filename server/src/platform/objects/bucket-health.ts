import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BUCKET_CHECK_EVERY_MS } from '../../contract/limits.ts';
import { messageOf } from '../../contract/thrown.ts';
import { type StoreHealth, StoreUnavailable } from './object-store.ts';
import { BucketUnusable } from './s3-check.ts';

/** Checks the bucket at the start, and after a failed request until the bucket can be used again. */
export class BucketHealth implements StoreHealth {
  readonly #check: () => Promise<void>;
  #fault: string | undefined;
  #wasReached = false;
  #checking: Promise<void> | undefined;
  #log: Logger | undefined;
  readonly #stopping = new AbortController();

  constructor(check: () => Promise<void>) {
    this.#check = check;
  }

  get fault(): string | undefined {
    return this.#fault;
  }

  get wasReached(): boolean {
    return this.#wasReached;
  }

  /** Rejects with BucketUnusable. A bucket that can't be reached is retried in the background. */
  async start(log: Logger): Promise<void> {
    this.#log = log;
    const first = this.#checkOnce();
    // A failure of the check itself must not start another check.
    this.#checking = first.catch(() => {});
    await first.finally(() => {
      this.#checking = undefined;
    });
    if (this.#fault !== undefined) this.suspect();
  }

  suspect(): void {
    if (this.#log === undefined || this.#stopping.signal.aborted) return;
    this.#checking ??= this.#untilUsable().finally(() => {
      this.#checking = undefined;
    });
  }

  require(): void {
    if (this.#fault !== undefined) throw new StoreUnavailable(this.#fault);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#checking;
  }

  async #untilUsable(): Promise<void> {
    const { signal } = this.#stopping;
    do {
      await this.#checkOnce().catch((error) => this.#fail(messageOf(error)));
      if (this.#fault === undefined) return;
      await sleep(BUCKET_CHECK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    } while (!signal.aborted);
  }

  async #checkOnce(): Promise<void> {
    try {
      await this.#check();
      if (this.#fault !== undefined) this.#log?.info('the bucket can be used again');
      this.#fault = undefined;
      this.#wasReached = true;
    } catch (error) {
      if (error instanceof BucketUnusable) throw error;
      this.#fail(`The bucket can't be reached: ${messageOf(error)}`);
    }
  }

  /** Logs each reason once. */
  #fail(fault: string): void {
    if (this.#fault !== fault) this.#log?.error({ reason: fault }, 'the bucket fails; uploads and messages with files are refused');
    this.#fault = fault;
  }
}
