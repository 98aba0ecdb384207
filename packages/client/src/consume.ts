import type { Consumer, ConsumerSettings, LeasedMessage } from './consumer.ts';
import { WaybillError } from './errors.ts';
import type { Message } from './message.ts';
import { backoffMs, pause } from './pause.ts';

export interface HandlerContext {
  /** How often the message has been leased, this time included. */
  tries: number;
  position: string;
  /** Aborted when the lease is lost: another worker may have the message. */
  signal: AbortSignal;
}

/** Handles one message. When it returns, the message is acknowledged. When it throws, the message is released. A message can come twice. */
export type Handler = (message: Message, context: HandlerContext) => unknown;

export interface ConsumeOptions {
  /** Stops: no more messages are leased, those under way are finished, then `consume` returns. */
  signal?: AbortSignal | undefined;
  /** The number of messages that are handled at a time, 1 to 100. The default is 1. */
  concurrency?: number | undefined;
  /** Seconds of a lease, which is extended while the handler works. The default is 60. */
  leaseS?: number | undefined;
  /** The name of this worker. The default is random. */
  holder?: string | undefined;
  /** Creates or changes the consumer. Without settings, a consumer that does not exist is created with the defaults. */
  settings?: ConsumerSettings | undefined;
  /** Seconds before a message whose handler failed is leased again. The default is 1, 2, 4 … up to 600. */
  retryDelayS?: ((tries: number, error: unknown) => number) | undefined;
  /** Receives failed handlers (with their message) and requests that are retried. By default, they are ignored. */
  onError?: ((error: unknown, message: Message | undefined) => void) | undefined;
}

const DEFAULT_LEASE_S = 60;
const WAIT_S = 20;
const CONCURRENCY_MAX = 100;
const REASON_MAX_CHARS = 500;
const RETRY_DELAY_MAX_S = 600;

/** Leases messages and hands them to the handler until the signal is aborted, or the service refuses for good. */
export async function consume(consumer: Consumer, handle: Handler, options: ConsumeOptions): Promise<void> {
  const { signal, settings } = options;
  if (signal?.aborted) return;
  try {
    if (settings) await consumer.put(settings, { signal });
    else await consumer.get({ signal }).catch((error) => createMissing(consumer, error, signal));
  } catch (error) {
    if (signal?.aborted) return;
    throw error;
  }
  await new Worker(consumer, handle, options).run();
}

async function createMissing(consumer: Consumer, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (!(error instanceof WaybillError) || error.code !== 'not_found') throw error;
  await consumer.put({}, { signal });
}

class Worker {
  readonly #consumer: Consumer;
  readonly #handle: Handler;
  readonly #leaseS: number;
  readonly #concurrency: number;
  readonly #retryDelayS: (tries: number, error: unknown) => number;
  readonly #onError: (error: unknown, message: Message | undefined) => void;
  /** Aborted by the caller, or by a refusal that no retry can change. */
  readonly #stopping = new AbortController();
  readonly #stopAsAsked: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #held = new Map<string, { lease: AbortController; done: Promise<void> }>();
  #refusal: unknown;
  readonly #acks: AckBatch;

  constructor(consumer: Consumer, handle: Handler, options: ConsumeOptions) {
    const { concurrency = 1, leaseS = DEFAULT_LEASE_S, onError = () => {}, retryDelayS = doubling, signal } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX)
      throw new RangeError(`concurrency must be 1 to ${CONCURRENCY_MAX}.`);
    this.#consumer = consumer;
    this.#handle = handle;
    this.#leaseS = leaseS;
    this.#concurrency = concurrency;
    this.#retryDelayS = retryDelayS;
    this.#onError = onError;
    this.#signal = signal;
    this.#stopAsAsked = () => this.#stopping.abort(signal?.reason);
    this.#acks = new AckBatch(consumer);
  }

  async run(): Promise<void> {
    this.#signal?.addEventListener('abort', this.#stopAsAsked);
    if (this.#signal?.aborted) this.#stopAsAsked();
    let isExtending = false;
    const extending = setInterval(
      () => {
        if (isExtending) return;
        isExtending = true;
        void this.#extend().finally(() => {
          isExtending = false;
        });
      },
      (this.#leaseS * 1_000) / 3,
    );
    try {
      await this.#leaseUntilStopped();
      await Promise.all([...this.#held.values()].map(({ done }) => done));
    } finally {
      clearInterval(extending);
      this.#signal?.removeEventListener('abort', this.#stopAsAsked);
    }
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  async #leaseUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      const limit = this.#concurrency - this.#held.size;
      if (limit === 0) {
        await Promise.race([...this.#held.values()].map(({ done }) => done));
        continue;
      }
      try {
        const leased = await this.#consumer.lease({ limit, lease_s: this.#leaseS, wait_s: WAIT_S }, { signal });
        failures = 0;
        for (const one of leased) this.#begin(one);
      } catch (error) {
        if (signal.aborted) return;
        this.#note(error, undefined);
        const retryAfterS = error instanceof WaybillError ? error.retryAfterS : undefined;
        await pause(backoffMs(++failures, retryAfterS), signal).catch(() => undefined);
      }
    }
  }

  #begin(leased: LeasedMessage): void {
    const { id } = leased.message;
    const lease = new AbortController();
    const done = this.#work(leased, lease.signal).finally(() => this.#held.delete(id));
    this.#held.set(id, { lease, done });
  }

  /** Never rejects. */
  async #work({ message, tries, position }: LeasedMessage, lease: AbortSignal): Promise<void> {
    try {
      // Runs in its own turn, so that a message is registered as held before its handler can throw.
      await Promise.resolve();
      await this.#handle(message, { tries, position, signal: lease });
    } catch (error) {
      this.#report(error, message);
      if (lease.aborted) return;
      const delay = Math.round(Math.min(7 * 86_400, Math.max(0, this.#retryDelayS(tries, error))));
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, REASON_MAX_CHARS);
      await this.#consumer.release([message.id], { delay_s: delay, reason }).catch((failure) => this.#note(failure, message));
      return;
    }
    if (!lease.aborted) await this.#acks.add(message.id).catch((failure) => this.#note(failure, message));
  }

  /** Extends the leases of messages under way. Never rejects. */
  async #extend(): Promise<void> {
    const ids = [...this.#held.keys()];
    if (ids.length === 0) return;
    try {
      const { unknown } = await this.#consumer.extend(ids, { lease_s: this.#leaseS });
      for (const id of unknown) this.#held.get(id)?.lease.abort(new Error('The lease is lost.'));
    } catch (error) {
      this.#note(error, undefined);
    }
  }

  /** A refusal that no retry can change ends the work: a revoked key, a deleted consumer. */
  #note(error: unknown, message: Message | undefined): void {
    this.#report(error, message);
    if (error instanceof WaybillError && error.isTemporary) return;
    this.#refusal ??= error;
    this.#stopping.abort(error);
  }

  #report(error: unknown, message: Message | undefined): void {
    try {
      this.#onError(error, message);
    } catch {
      // A failing report must not end the work.
    }
  }
}

/** Sends one request for all messages that are finished while the request before is under way. */
class AckBatch {
  readonly #consumer: Consumer;
  #ids: string[] = [];
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(consumer: Consumer) {
    this.#consumer = consumer;
  }

  add(id: string): Promise<void> {
    this.#ids.push(id);
    this.#next ??= this.#current.then(() => this.#send());
    return this.#next;
  }

  #send(): Promise<void> {
    const ids = this.#ids;
    this.#ids = [];
    this.#next = undefined;
    const sent = this.#consumer.ack(ids).then(() => undefined);
    this.#current = sent.catch(() => undefined);
    return sent;
  }
}

function doubling(tries: number): number {
  return Math.min(RETRY_DELAY_MAX_S, 2 ** (tries - 1));
}
