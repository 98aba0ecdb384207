import type { Logger } from 'pino';
import { passJobsOn } from '../../platform/jobs/queued-jobs.ts';
import { type Database, isUnavailable } from '../../platform/postgres/postgres.ts';
import type { Ledger } from './ledger.ts';
import { findOldRelays } from './relay-store.ts';

const SWEEP_MS = 1_000;
/** A process that is alive has finished its messages by then. */
const RELAY_AGE_S = 3;
/** Messages can be large. */
const RELAYS_TO_A_SHARD = 32;

/**
 * In a distributed database, finishes what is between two shards: messages that a process has committed for their senders and died
 * before their recipients had them, and jobs that shards have queued. Any number of processes may do so at once.
 */
export class Relay {
  readonly #database: Database;
  readonly #ledger: Ledger;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(database: Database, ledger: Ledger, log: Logger) {
    this.#database = database;
    this.#ledger = ledger;
    this.#log = log;
  }

  start(): void {
    if (this.#database.shards.length === 1) return;
    this.#timer = setInterval(() => {
      this.#sweeping ??= this.#sweep().finally(() => {
        this.#sweeping = undefined;
      });
    }, SWEEP_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  /** A shard that can't be reached does not keep the others waiting for long. */
  async #sweep(): Promise<void> {
    await Promise.all(
      this.#database.shards.map(async (shard) => {
        try {
          await passJobsOn(this.#database, shard);
          const relays = await findOldRelays(shard, RELAY_AGE_S, RELAYS_TO_A_SHARD, this.#database.shards.length);
          await Promise.all(relays.map((half) => this.#ledger.resume(half)));
        } catch (error) {
          if (!isUnavailable(error)) this.#log.error(error, 'what is between two shards could not be finished');
        }
      }),
    );
  }
}
