import type { Quotas } from '../../contract/quotas.ts';
import type { Announcer } from '../../platform/announcer.ts';
import { type Database, isDeadlock, isUnavailable } from '../../platform/postgres.ts';
import { type CommitOutcome, commitMessages } from './commit-store.ts';
import type { PreparedMessage } from './envelope.ts';
import { ANNOUNCED } from './followers.ts';

const BATCH_MAX_MESSAGES = 256;
const BATCH_MAX_BYTES = 4 * 1_048_576;
/** While one batch waits for the disk, the next one is already being executed. */
const BATCHES_IN_FLIGHT_MAX = 2;
/** Several processes keep the database busy anyway; fewer, larger batches cost it less. */
const BATCHES_IN_FLIGHT_OF_SEVERAL_MAX = 1;
const DEADLOCK_RETRIES_MAX = 5;

interface Waiting {
  message: PreparedMessage;
  resolve(outcome: CommitOutcome): void;
  reject(error: unknown): void;
}

/**
 * The only way into both ledgers. Messages that arrive together are committed together: a batch costs one round trip and one flush
 * to disk, which makes a send cheaper than a transaction of its own.
 */
export class Ledger {
  readonly #database: Database;
  readonly #announcer: Announcer;
  readonly #quotas: Quotas;
  readonly #inFlightMax: number;
  readonly #queue: Waiting[] = [];
  #inFlight = 0;
  #isScheduled = false;

  constructor(database: Database, announcer: Announcer, quotas: Quotas, isOneOfSeveral: boolean) {
    this.#database = database;
    this.#announcer = announcer;
    this.#quotas = quotas;
    this.#inFlightMax = isOneOfSeveral ? BATCHES_IN_FLIGHT_OF_SEVERAL_MAX : BATCHES_IN_FLIGHT_MAX;
  }

  /** Resolves once the message is durable, refused, or found to be a repeat. */
  commit(message: PreparedMessage): Promise<CommitOutcome> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, resolve, reject });
      this.#schedule();
    });
  }

  /** After this turn of the event loop, so that all requests read in it share a batch. */
  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= this.#inFlightMax) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#queue.length > 0 && this.#inFlight < this.#inFlightMax) void this.#deliver(this.#takeBatch());
    });
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    let size = 0;
    while (size < this.#queue.length && size < BATCH_MAX_MESSAGES) {
      bytes += this.#queue[size]?.message.json?.length ?? 0;
      if (size > 0 && bytes > BATCH_MAX_BYTES) break;
      size++;
    }
    return this.#queue.splice(0, size);
  }

  async #deliver(batch: Waiting[]): Promise<void> {
    this.#inFlight++;
    try {
      await this.#settle(batch);
    } finally {
      this.#inFlight--;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #settle(batch: Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#commitRetrying(batch.map(({ message }) => message));
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] as CommitOutcome);
    } catch (error) {
      // A message that the database can't store must not fail the others: each gets a transaction of its own.
      if (batch.length > 1 && !isUnavailable(error)) for (const waiting of batch) await this.#settle([waiting]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async #commitRetrying(messages: PreparedMessage[]): Promise<CommitOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const { outcomes, announced } = await commitMessages(this.#database, messages, this.#quotas);
        if (announced !== null) this.#announcer.announce(ANNOUNCED.channel, announced);
        return outcomes;
      } catch (error) {
        if (!isDeadlock(error) || attempt > DEADLOCK_RETRIES_MAX) throw error;
      }
    }
  }
}
