import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Authority } from '../server/test/support/certificates.ts';

export interface Receiver {
  url(path: string): string;
  learn(path: string, secret: string): void;
  counts(): Promise<{ delivered: number; refused: number; at: number }>;
  watch(): void;
  arrivals(): Promise<[id: string, at: number][]>;
  stop(): Promise<void>;
}

/** Starts webhook-receiver.ts in its own thread. */
export async function startReceiver(authority: Authority): Promise<Receiver> {
  const workerData = { identity: authority.issue(['localhost']), secrets: {} };
  const worker = new Worker(new URL('./webhook-receiver.ts', import.meta.url), { workerData });
  const [port] = (await once(worker, 'message')) as [number];
  const ask = async (what: string) => {
    worker.postMessage({ ask: what });
    return (await once(worker, 'message'))[0];
  };
  return {
    url: (path) => `https://localhost:${port}${path}`,
    learn: (path, secret) => worker.postMessage({ learn: [path, secret] }),
    counts: () => ask('counts'),
    watch: () => worker.postMessage({ ask: 'watch' }),
    arrivals: () => ask('arrivals'),
    stop: async () => {
      await worker.terminate();
    },
  };
}
