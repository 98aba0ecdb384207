import type { Logger } from 'pino';
import { SWEEP_STATEMENT_MAX_MS } from '../../contract/limits.ts';
import { withStatementLimit } from '../postgres/limited-client.ts';
import { type Database, isUnavailable } from '../postgres/postgres.ts';

export interface ShardWork {
  everyMs: number;
  /** Does what is waiting in a shard, and returns early once `isStopped()`. */
  catchUp(shard: Database, isStopped: () => boolean): Promise<void>;
  /** The log entry of a failure. */
  failure: string;
}

/** Looks into each shard at short intervals, once at a time. A shard that can't be reached does not keep the others waiting. */
export class ShardSweep {
  readonly #database: Database;
  readonly #log: Logger;
  readonly #work: ShardWork;
  #timer: NodeJS.Timeout | undefined;
  readonly #underWay = new Map<Database, Promise<void>>();
  #isStopped = false;

  constructor(database: Database, log: Logger, work: ShardWork) {
    this.#database = database;
    this.#log = log;
    this.#work = work;
  }

  start(): void {
    this.#timer = setInterval(() => this.#sweep(), this.#work.everyMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#underWay.values());
  }

  #sweep(): void {
    const { catchUp, failure } = this.#work;
    for (const shard of this.#database.shards) {
      if (this.#underWay.has(shard)) continue;
      const work = withStatementLimit(SWEEP_STATEMENT_MAX_MS, () => catchUp(shard, () => this.#isStopped))
        .catch((error) => {
          if (!isUnavailable(error)) this.#log.error(error, failure);
        })
        .finally(() => this.#underWay.delete(shard));
      this.#underWay.set(shard, work);
    }
  }
}
