import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type Lag, lagOf } from './lag-store.ts';

const READ_AGAIN_MS = 1_000;
const COUNTED_MAX = 1_000;

const GAUGES: { name: string; help: string; of(shards: readonly Lag[]): number }[] = [
  {
    name: 'waiting_batches',
    help: 'Committed batches that the followers behind the commit have not read, at most 1,000 in each shard.',
    of: (shards) => shards.reduce((sum, { batches }) => sum + batches, 0),
  },
  {
    name: 'waiting_seconds',
    help: 'Age of the oldest of them: how far lists of threads are behind.',
    of: (shards) => Math.max(...shards.map(({ seconds }) => seconds)),
  },
  {
    name: 'failures',
    help: 'What followers could not do and is tried again, at most 1,000 in each shard; the table follower_failures says why.',
    of: (shards) => shards.reduce((sum, { failures }) => sum + failures, 0),
  },
];

export function collectFollowerMetrics(database: Database, registry: Registry): void {
  let read: { at: number; lags: Promise<Lag[] | undefined> } | undefined;
  const lags = () => {
    if (!read || Date.now() - read.at > READ_AGAIN_MS)
      read = { at: Date.now(), lags: Promise.all(database.shards.map((shard) => lagOf(shard, COUNTED_MAX))).catch(() => undefined) };
    return read.lags;
  };
  for (const { name, help, of } of GAUGES)
    new Gauge({
      name: `waybill_followers_${name}`,
      help,
      registers: [registry],
      // All processes see the same tables, so that a sum would mean nothing.
      aggregator: 'max',
      async collect() {
        const shards = await lags();
        if (shards) this.set(of(shards));
      },
    });
}
