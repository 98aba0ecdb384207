import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { Refusal } from '../contract/errors.ts';

const PATIENCE_MS = 6_000;
let underWay: Promise<string> | undefined;

/** The metrics of this process, or of all processes that share its port: the one that started them adds them up. */
export function allMetrics(own: Registry): Promise<string> {
  if (!cluster.isWorker) return own.metrics();
  // Requests at the same time share one sum.
  underWay ??= askForSum().finally(() => {
    underWay = undefined;
  });
  return underWay;
}

function askForSum(): Promise<string> {
  return new Promise((resolve, reject) => {
    const settle = (sum: string | undefined) => {
      clearTimeout(impatience);
      process.off('message', onMessage);
      if (sum === undefined) reject(tooSlow());
      else resolve(sum);
    };
    const onMessage = (message: { isSum?: true; sum?: string }) => {
      if (message.isSum) settle(message.sum);
    };
    const impatience = setTimeout(() => settle(undefined), PATIENCE_MS);
    process.on('message', onMessage);
    process.send?.({ wantsSum: true });
  });
}

function tooSlow(): Refusal {
  return new Refusal('unavailable', 'A process of the service does not respond. Try again later.', { retryAfterS: 5 });
}

/** Lets the process that started this one read its metrics. */
export function shareMetrics(own: Registry): void {
  if (!cluster.isWorker) return;
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries([own]);
}

/** In the process that starts the others. */
export function addUpMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', async (worker, { wantsSum }: { wantsSum?: true }) => {
    if (!wantsSum) return;
    const sum = await registry.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ isSum: true, sum });
  });
}
