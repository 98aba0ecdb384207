import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { Refusal } from '../contract/errors.ts';

const PATIENCE_MS = 6_000;
let asked = 0;

/** The metrics of this process, or of all processes that share its port: the one that started them adds them up. */
export async function allMetrics(own: Registry): Promise<string> {
  if (!cluster.isWorker) return own.metrics();
  const wantsMetrics = ++asked;
  return new Promise((resolve, reject) => {
    const settle = (settled: () => void) => {
      clearTimeout(impatience);
      process.off('message', onMessage);
      settled();
    };
    const onMessage = (message: { metricsFor?: number; text?: string }) => {
      if (message.metricsFor !== wantsMetrics) return;
      const { text } = message;
      settle(() => (text === undefined ? reject(tooSlow()) : resolve(text)));
    };
    const impatience = setTimeout(() => settle(() => reject(tooSlow())), PATIENCE_MS);
    process.on('message', onMessage);
    process.send?.({ wantsMetrics });
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
export function answerForMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', async (worker, { wantsMetrics }: { wantsMetrics?: number }) => {
    if (wantsMetrics === undefined) return;
    const text = await registry.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ metricsFor: wantsMetrics, text });
  });
}
