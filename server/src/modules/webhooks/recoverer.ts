import type { Logger } from 'pino';
import type { Announcer } from '../../platform/postgres/announcer.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import { nameOf, WEBHOOKS_CHANNEL } from './attempt-store.ts';
import { continueRecovery, runningRecoveries } from './recovery-store.ts';

const SWEEP_MS = 500;
/** A recovery that waits for its endpoint is checked less often. */
const WAITING_SWEEPS = 4;

/**
 * Continues recoveries step by step and in turn, so that a long one keeps no other waiting. Any number of processes may run it: a step
 * locks its recovery, and others skip it meanwhile.
 */
export class Recoverer extends ShardSweep {
  constructor(database: Database, announcer: Announcer, log: Logger) {
    let waiting = new Set<string>();
    let sweeps = 0;
    const catchUp = async (shard: Database, isStopped: () => boolean) => {
      if (sweeps++ % WAITING_SWEEPS === 0) waiting = new Set();
      let running = (await runningRecoveries(shard)).filter(({ id }) => !waiting.has(id));
      while (running.length > 0) {
        const moved: typeof running = [];
        for (const recovery of running) {
          if (isStopped()) return;
          const queued = await continueRecovery(shard, recovery);
          if (queued === undefined) waiting.add(recovery.id);
          else moved.push(recovery);
          if (queued) announcer.announce(WEBHOOKS_CHANNEL, nameOf(recovery));
        }
        running = moved;
      }
    };
    super(database, log, { everyMs: SWEEP_MS, catchUp, failure: 'messages for webhooks could not be recovered' });
  }
}
