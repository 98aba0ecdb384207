import { isUnavailable } from './postgres.ts';

interface BatchLimits<T> {
  items: number;
  bytes: number;
  bytesOf: (item: T) => number;
  inFlight: number;
  /** While there is much to do, the next batch waits for this long, and so has more items. Default: not at all. */
  gatherMs?: number;
}

/** A batch of so many items shows that there is much to do, for some milliseconds. A lone item never waits. */
const GATHERED_AFTER_ITEMS = 8;
const GATHERED_WITHIN_MS = 10;

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Runs items that arrive together as one batch, with one round trip and one flush to disk. */
export class Batches<T, R> {
  readonly #run: (batch: T[]) => Promise<readonly R[]>;
  readonly #limits: BatchLimits<T>;
  readonly #queue: Waiting<T, R>[] = [];
  #inFlight = 0;
  #isScheduled = false;
  #busyUntil = 0;

  constructor(limits: BatchLimits<T>, run: (batch: T[]) => Promise<readonly R[]>) {
    this.#limits = limits;
    this.#run = run;
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for this turn of the event loop, so that all requests read in it share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= this.#limits.inFlight) return;
    this.#isScheduled = true;
    const begin = () => {
      this.#isScheduled = false;
      if (this.#queue.length > 0 && this.#inFlight < this.#limits.inFlight) void this.#process(this.#takeBatch());
    };
    const { gatherMs } = this.#limits;
    if (gatherMs === undefined || performance.now() > this.#busyUntil) setImmediate(begin);
    else setTimeout(begin, gatherMs);
  }

  #takeBatch(): Waiting<T, R>[] {
    let bytes = 0;
    let size = 0;
    for (const { item } of this.#queue) {
      bytes += this.#limits.bytesOf(item);
      if (size === this.#limits.items || (size > 0 && bytes > this.#limits.bytes)) break;
      size++;
    }
    return this.#queue.splice(0, size);
  }

  async #process(batch: Waiting<T, R>[]): Promise<void> {
    this.#inFlight++;
    try {
      await this.#settle(batch);
    } finally {
      this.#inFlight--;
      if (batch.length >= GATHERED_AFTER_ITEMS) this.#busyUntil = performance.now() + GATHERED_WITHIN_MS;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #settle(batch: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
    } catch (error) {
      // An item that the database can't store must not fail the others, so each item gets its own transaction.
      if (batch.length > 1 && !isUnavailable(error)) for (const waiting of batch) await this.#settle([waiting]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
