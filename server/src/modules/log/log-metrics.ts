import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/postgres.ts';
import { logStatus } from './log-status.ts';

/** All processes see the same log, so that the sum of several processes is not what their gauges mean. */
const ANY = 'max';

/** Gauges of the log, read when somebody asks for them. */
export function collectLogMetrics(database: Database, registry: Registry): void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry], aggregator: ANY });
  const size = gauge('waybill_log_size', 'Leaves in the newest checkpoint of the log.');
  const age = gauge('waybill_log_waiting_seconds', 'Age of the oldest batch of leaves that is in no checkpoint yet.');
  const fault = gauge('waybill_log_fault', '1 while the log can’t be signed; the log of the service says why.');
  new Gauge({
    name: 'waybill_log_waiting_batches',
    help: 'Batches of leaves that have no place in the log yet, at most 1,000 in each shard.',
    registers: [registry],
    aggregator: ANY,
    async collect() {
      const status = await logStatus(database).catch(() => undefined);
      if (!status) return;
      this.set(status.waitingBatches);
      size.set(status.checkpointSize);
      age.set(status.waitingSeconds);
      fault.set(status.fault === null ? 0 : 1);
    },
  });
}
