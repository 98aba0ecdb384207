import type { Logger } from 'pino';
import { type Database, isUnavailable } from '../../platform/postgres.ts';
import { indexEntries, rebuildSome } from './index-store.ts';

/** Entries are visible in lists after this time at most, plus that of a round. */
const SWEEP_MS = 250;
const BATCHES_PER_ROUND = 1_000;
const ENTRIES_PER_ROUND = 10_000;

/**
 * Follows the ledgers: what lists of threads need is written here, after the commit, so that sends do not wait for it. Any number of
 * processes may run it; in each shard, one at a time does the work, and takes up where another was killed.
 */
export class ThreadIndex {
  readonly #database: Database;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  readonly #working = new Map<Database, Promise<void>>();
  #isStopped = false;

  constructor(database: Database, log: Logger) {
    this.#database = database;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#working.values());
  }

  /** A shard that can't be reached does not keep the others waiting. */
  #sweep(): void {
    for (const shard of this.#database.shards) {
      if (this.#working.has(shard)) continue;
      const work = this.#catchUp(shard)
        .catch((error) => {
          if (!isUnavailable(error)) this.#log.error(error, 'threads could not be indexed');
        })
        .finally(() => this.#working.delete(shard));
      this.#working.set(shard, work);
    }
  }

  async #catchUp(shard: Database): Promise<void> {
    while (!this.#isStopped) {
      const round = await indexEntries(shard, BATCHES_PER_ROUND, ENTRIES_PER_ROUND);
      if (round === undefined) return;
      if (round.hasMore) continue;
      // New entries come first, rebuilding whenever there are none.
      const rebuilt = await rebuildSome(shard);
      if (rebuilt === undefined || rebuilt === 'busy') return;
    }
  }
}
