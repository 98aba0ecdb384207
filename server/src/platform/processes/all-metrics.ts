import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, Gauge, type MetricObject, type Registry } from 'prom-client';
import { Refusal } from '../../contract/errors.ts';

const PROCESS_PATIENCE_MS = 2_000;
const SUM_PATIENCE_MS = 6_000;

interface Message {
  wantsSum?: true;
  sum?: string;
  wantsMetrics?: number;
  metricsFor?: number;
  metrics?: MetricObject[];
}

let underWay: Promise<string> | undefined;

/** The metrics of this process, or the sum of all processes that share its port. */
export function allMetrics(own: Registry): Promise<string> {
  if (!cluster.isWorker) return own.metrics();
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
    const onMessage = ({ sum }: Message) => {
      if (sum !== undefined) settle(sum);
    };
    const impatience = setTimeout(() => settle(undefined), SUM_PATIENCE_MS);
    process.on('message', onMessage);
    process.send?.({ wantsSum: true } satisfies Message);
  });
}

function tooSlow(): Refusal {
  return new Refusal('unavailable', 'The process that adds up the metrics does not respond. Try again later.', { retryAfterS: 5 });
}

export function shareMetrics(own: Registry): void {
  if (!cluster.isWorker) return;
  process.on('message', async ({ wantsMetrics: metricsFor }: Message) => {
    if (metricsFor === undefined) return;
    const metrics = await own.getMetricsAsJSON().catch(() => undefined);
    if (metrics && process.connected) process.send?.({ metricsFor, metrics } satisfies Message);
  });
}

export function addUpMetrics(): void {
  let requests = 0;
  cluster.on('message', async (worker, { wantsSum }: Message) => {
    if (!wantsSum) return;
    const sum = await sumOfMetrics(++requests);
    if (worker.isConnected()) worker.send({ sum } satisfies Message);
  });
}

/** Adds up the metrics of the processes that respond: one that hangs must not hide the metrics of the others. */
async function sumOfMetrics(request: number): Promise<string> {
  const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isConnected() ? [worker] : []));
  const given = await Promise.all(workers.map((worker) => metricsOf(worker, request)));
  const responding = given.filter((metrics) => metrics !== undefined);
  const sum = AggregatorRegistry.aggregate(responding);
  const processes = new Gauge({
    name: 'waybill_processes',
    help: 'Processes of the service, by whether they respond.',
    labelNames: ['responds'],
    registers: [sum],
  });
  processes.set({ responds: 'yes' }, responding.length);
  processes.set({ responds: 'no' }, given.length - responding.length);
  return sum.metrics();
}

function metricsOf(worker: Worker, request: number): Promise<MetricObject[] | undefined> {
  return new Promise((resolve) => {
    const settle = (metrics: MetricObject[] | undefined) => {
      clearTimeout(impatience);
      worker.off('message', onMessage);
      resolve(metrics);
    };
    const onMessage = ({ metricsFor, metrics }: Message) => {
      if (metricsFor === request) settle(metrics);
    };
    const impatience = setTimeout(() => settle(undefined), PROCESS_PATIENCE_MS);
    worker.on('message', onMessage);
    worker.send({ wantsMetrics: request } satisfies Message);
  });
}
