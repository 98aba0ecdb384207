import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/postgres/postgres.ts';
import { ShardSweep } from '../../platform/shards/shard-sweep.ts';
import { countQueued } from './queue-store.ts';
import { readSome } from './read-documents.ts';

const SWEEP_MS = 250;
const BUSY_MS = 50;
const TELL_EVERY_MS = 1_000;

/** Reads the documents of threads behind the entries. Any number of processes may run it. In each shard, one at a time does the work. */
export class DocumentSweep extends ShardSweep {
  constructor(database: Database, log: Logger) {
    const lastParties = new Map<Database, bigint>();
    const catchUp = async (shard: Database, isStopped: () => boolean) => {
      while (!isStopped()) {
        const round = await readSome(shard, lastParties.get(shard) ?? 0n);
        if (round === 'busy' || round.threads === 0) return;
        lastParties.set(shard, round.lastParty);
      }
    };
    super(database, log, { everyMs: SWEEP_MS, catchUp, failure: 'documents of threads could not be read' });
  }
}

/** Reads everything that is queued, while the service keeps running and takes part. */
export async function readQueued(database: Database, tell: (progress: { done: number; total: number }) => void): Promise<void> {
  let total = await left(database);
  let toldAt = performance.now();
  for (const shard of database.shards)
    for (let lastParty = 0n; ; ) {
      const round = await readSome(shard, lastParty);
      if (round === 'busy') await sleep(BUSY_MS);
      else if (round.threads === 0) break;
      else lastParty = round.lastParty;
      if (performance.now() - toldAt < TELL_EVERY_MS) continue;
      const rest = await left(database);
      total = Math.max(total, rest);
      tell({ done: total - rest, total });
      toldAt = performance.now();
    }
  tell({ done: total, total });
}

async function left(database: Database): Promise<number> {
  let sum = 0;
  for (const shard of database.shards) sum += await countQueued(shard);
  return sum;
}

/** How far documents are behind, also while the threads of an older version are read. */
export function collectDocumentMetrics(database: Database, registry: Registry): void {
  new Gauge({
    name: 'waybill_documents_waiting',
    help: 'Threads whose documents are to be read. A row can stand for all older threads of a business.',
    registers: [registry],
    // All processes see the same tables, so that a sum would mean nothing.
    aggregator: 'max',
    async collect() {
      const waiting = await left(database).catch(() => undefined);
      if (waiting !== undefined) this.set(waiting);
    },
  });
}
