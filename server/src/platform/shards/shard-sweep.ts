import type { Logger } from 'pino';
import { SWEEP_STATEMENT_MAX_MS } from '../../contract/limits.ts';
import { Periodic } from '../jobs/periodic.ts';
import { withStatementLimit } from '../postgres/limited-client.ts';
import type { Database } from '../postgres/postgres.ts';

interface ShardWork {
  everyMs: number;
  catchUp(shard: Database, isStopped: () => boolean): Promise<void>;
  failure: string;
}

/** Looks into each shard at short intervals. A shard that can't be reached does not delay the others. */
export class ShardSweep {
  readonly #sweeps: Periodic[];

  constructor(database: Database, log: Logger, { everyMs, catchUp, failure }: ShardWork) {
    this.#sweeps = database.shards.map((shard) => {
      const round = () => withStatementLimit(SWEEP_STATEMENT_MAX_MS, () => catchUp(shard, () => sweep.isStopped));
      const sweep = new Periodic(everyMs, round, log, failure);
      return sweep;
    });
  }

  start(): void {
    for (const sweep of this.#sweeps) sweep.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sweeps.map((sweep) => sweep.stop()));
  }
}
