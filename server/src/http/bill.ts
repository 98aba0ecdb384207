import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Spend } from '../contract/cost.ts';
import { PAGE_MAX_BYTES, UNIT_BYTES, UNIT_ROWS, UNIT_WORKER_MS } from '../contract/limits.ts';
import { type Bucket, describe } from './rate-limit.ts';

/** A long stream leaves this part of a burst to other requests of its caller. */
const LEFT_BY_STREAMS = 1 / 2;
const LOOK_AGAIN_MS = 1_000;

/**
 * The cost of a request, in units of the rates that count it. Admission has taken the first unit. The others are taken as the request uses them up,
 * and may leave a debt, for which later requests wait.
 */
export class Bill {
  readonly #buckets: () => [Bucket | undefined, Bucket | undefined];
  readonly #reply: FastifyReply;
  #charged = 1;
  #requests = 1;
  #used = 0;
  #prepaidBytes = 0;

  /** `buckets` is a function, because a full bucket may have been replaced since. */
  constructor(buckets: () => [Bucket | undefined, Bucket | undefined], reply: FastifyReply) {
    this.#buckets = buckets;
    this.#reply = reply;
  }

  readonly spend: Spend = ({ bytes = 0, rows = 0, workerMs = 0, requests = 0 }) => {
    this.#used += bytes / UNIT_BYTES + rows / UNIT_ROWS + workerMs / UNIT_WORKER_MS;
    this.#requests += requests;
    const units = Math.max(this.#requests, Math.ceil(this.#used));
    if (units > this.#charged) this.#charge(units);
  };

  readonly prepay = (bytes: number): void => {
    this.#prepaidBytes += bytes;
    this.spend({ bytes });
  };

  /**
   * Returns the stream, charged chunk by chunk unless it is prepaid. It waits while its caller is in debt. Beyond the size of a page, it
   * leaves room for other requests.
   */
  chargeStream(stream: Readable): Readable {
    // Another stream around a prepaid one would hold one more chunk for a client that does not read.
    if (this.#prepaidBytes > 0) return stream;
    const charged = Readable.from(this.#chunksOf(stream), { objectMode: false, highWaterMark: 0 });
    // Runs even if nobody ever reads the stream.
    charged.once('close', () => stream.destroy());
    return charged;
  }

  async *#chunksOf(stream: Readable): AsyncGenerator<Buffer> {
    let sent = 0;
    for await (const chunk of stream) {
      await this.untilAffordable(sent > PAGE_MAX_BYTES);
      sent += chunk.length;
      this.spend({ bytes: chunk.length });
      yield chunk;
    }
  }

  #charge(units: number): void {
    const [one, other] = this.#buckets();
    const more = units - this.#charged;
    this.#charged = units;
    one?.takeUsed(more);
    other?.takeUsed(more);
    if ((one ?? other) === undefined || this.#reply.raw.headersSent) return;
    this.#reply.header('ratelimit-cost', units);
    describe(one, other, this.#reply);
  }

  /** Waits until the caller's rate can afford more, or the client is gone. A long response leaves room for other requests of its caller. */
  async untilAffordable(isLong: boolean): Promise<void> {
    const wanted = ({ burst }: Bucket) => (isLong ? burst * LEFT_BY_STREAMS : 1 - this.#charged);
    for (;;) {
      const ms = Math.max(...this.#buckets().map((bucket) => bucket?.msUntil(wanted(bucket)) ?? 0));
      if (ms === 0 || this.#reply.raw.destroyed) return;
      await sleep(Math.min(ms, LOOK_AGAIN_MS));
    }
  }
}
