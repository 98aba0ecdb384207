import type { Logger } from 'pino';
import { passJobsOn } from '../../platform/jobs/queued-jobs.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import type { Ledger } from './ledger.ts';
import { findOldRelays } from './relay-store.ts';

const SWEEP_MS = 1_000;
/** A process that is alive has finished its messages by then. */
const RELAY_AGE_S = 3;
/** The limit is low because messages can be large. */
const RELAYS_TO_A_SHARD = 32;

/**
 * Finishes work between two shards of a distributed database: messages that a process has committed for their senders and died before their
 * recipients had them, and jobs that shards have queued. Any number of processes may run it at once.
 */
export class Relay extends ShardSweep {
  constructor(database: Database, ledger: Ledger, log: Logger) {
    super(database, log, {
      everyMs: SWEEP_MS,
      catchUp: async (shard) => {
        await passJobsOn(database, shard);
        const relays = await findOldRelays(shard, RELAY_AGE_S, RELAYS_TO_A_SHARD, database.shards.length);
        await Promise.all(relays.map((half) => ledger.resume(half)));
      },
      failure: 'what is between two shards could not be finished',
    });
  }
}
