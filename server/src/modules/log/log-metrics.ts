import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../platform/postgres/postgres.ts';
import { type LogStatus, logStatus } from './log-status.ts';

const READ_AGAIN_MS = 1_000;

const GAUGES: { name: string; help: string; of(status: LogStatus): number }[] = [
  { name: 'size', help: 'Leaves in the newest checkpoint of the log.', of: (status) => status.checkpointSize },
  {
    name: 'checkpoint_age_seconds',
    help: 'Age of the newest checkpoint. An idle log needs no newer one.',
    of: (status) => status.checkpointAgeSeconds ?? 0,
  },
  {
    name: 'waiting_batches',
    help: 'Batches of leaves that have no place in the log yet, at most 1,000 in each shard.',
    of: (status) => status.waitingBatches,
  },
  {
    name: 'unpublished_leaves',
    help: 'Leaves that have a place in the log and are in no checkpoint yet.',
    of: (status) => status.sequenced - status.checkpointSize,
  },
  {
    name: 'waiting_seconds',
    help: 'Age of the oldest leaf that is in no checkpoint, with a place or without.',
    of: (status) => status.waitingSeconds,
  },
  {
    name: 'timestamp_end_seconds',
    help: 'When the certificate or an algorithm of the newest timestamp ends, in Unix time; 0 without one.',
    of: (status) => (status.timestampEndsAt?.getTime() ?? 0) / 1_000,
  },
  {
    name: 'fault',
    help: '1 while nothing is signed; waybill log status says why.',
    of: (status) => (status.fault === null ? 0 : 1),
  },
];

export function collectLogMetrics(database: Database, registry: Registry): void {
  let read: { at: number; status: Promise<LogStatus | undefined> } | undefined;
  const status = () => {
    if (!read || Date.now() - read.at > READ_AGAIN_MS) read = { at: Date.now(), status: logStatus(database).catch(() => undefined) };
    return read.status;
  };
  for (const { name, help, of } of GAUGES)
    new Gauge({
      name: `waybill_log_${name}`,
      help,
      registers: [registry],
      // All processes see the same log, so that a sum would mean nothing.
      aggregator: 'max',
      async collect() {
        const now = await status();
        if (now) this.set(of(now));
      },
    });
}
