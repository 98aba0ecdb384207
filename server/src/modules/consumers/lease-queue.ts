import { LEASE_ENTRIES_MAX } from '../../contract/limits.ts';
import { ENTRIES_AT_ONCE, type Leased, type Wanted } from './lease-store.ts';

/** A request looks at most this often. One that has read so much of the ledger without a match is told to try again. */
export const LOOKS_MAX = LEASE_ENTRIES_MAX / ENTRIES_AT_ONCE;

/** The pause after a look that found nothing, even if messages come: many of them may match no consumer. */
const LOOKS_APART_MS = 10;

export interface Waiter {
  wanted: Wanted;
  looks: number;
  /** Returns false if the request has ended already. Then the messages are given back. */
  end(leased: Leased): boolean;
  fail(error: unknown): void;
}

interface Looks {
  lease(wanted: Wanted): Promise<Leased>;
  giveBack(wanted: Wanted, leased: Leased): Promise<void>;
}

/**
 * The requests of this process that wait for messages of one consumer, in order of arrival. One at a time looks into the database, and only
 * when something may have come. So an arrival wakes only as many requests as it has messages for, and a waiting request runs no statements.
 */
export class LeaseQueue {
  readonly #looks: Looks;
  readonly #onClose: () => void;
  readonly #waiters = new Set<Waiter>();
  #mayHaveMessages = true;
  #isServing = false;
  #alarm: NodeJS.Timeout | undefined;

  /** `listen` registers the callback that wakes the queue, and returns how to unregister it. */
  constructor(looks: Looks, listen: (wake: () => void) => () => void) {
    this.#looks = looks;
    this.#onClose = listen(() => this.wake());
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  add(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.#serve();
  }

  delete(waiter: Waiter): boolean {
    return this.#waiters.delete(waiter);
  }

  close(): void {
    clearTimeout(this.#alarm);
    this.#onClose();
  }

  /** Something may be leasable that was not there at the last look. */
  wake(): void {
    this.#mayHaveMessages = true;
    this.#serve();
  }

  endAll(leased: Leased): void {
    for (const waiter of this.#waiters) waiter.end(leased);
  }

  #serve(): void {
    if (this.#isServing || !this.#mayHaveMessages || this.isEmpty) return;
    this.#isServing = true;
    void this.#serveAll().finally(() => {
      this.#isServing = false;
      this.#serve();
    });
  }

  async #serveAll(): Promise<void> {
    for (let [waiter] = this.#waiters; waiter && this.#mayHaveMessages; [waiter] = this.#waiters) {
      // An arrival during the look sets it again.
      this.#mayHaveMessages = false;
      try {
        await this.#serveOne(waiter);
      } catch (error) {
        this.#mayHaveMessages = true;
        waiter.fail(error);
      }
    }
  }

  async #serveOne(waiter: Waiter): Promise<void> {
    const leased = await this.#looks.lease(waiter.wanted);
    this.#mayHaveMessages ||= leased.messages.length > 0 || leased.hasMore;
    if (leased.messages.length > 0) {
      if (!waiter.end(leased)) await this.#looks.giveBack(waiter.wanted, leased);
      return;
    }
    if (leased.hasMore) {
      if (++waiter.looks >= LOOKS_MAX) waiter.end(leased);
      return;
    }
    clearTimeout(this.#alarm);
    // Timers of Node overflow after 24 days. Nobody waits for that long.
    if (leased.dueInMs !== undefined && !this.isEmpty) this.#alarm = setTimeout(() => this.wake(), Math.min(leased.dueInMs, 60_000) + 1);
    await new Promise((resolve) => setTimeout(resolve, LOOKS_APART_MS));
  }
}
