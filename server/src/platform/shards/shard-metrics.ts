import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../postgres/postgres.ts';

export function collectShardMetrics(database: Database, registry: Registry): void {
  new Gauge({
    name: 'waybill_shard_writes',
    help: '1 while a shard of the database commits writes. A database that is not distributed is shard 0.',
    labelNames: ['shard', 'node'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      const all = await database.writesByShard();
      this.reset();
      for (const { shard, node = '', areCommitted } of all) this.set({ shard, node }, areCommitted ? 1 : 0);
    },
  });
}
