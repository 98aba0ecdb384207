import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Said } from './protocol.ts';

const WORKER = new URL(`./worker${path.extname(import.meta.filename)}`, import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 8 };

export function startWorker(niceness: number): Worker {
  return new Worker(WORKER, {
    workerData: { niceness },
    resourceLimits: MEMORY_LIMITS,
    // The environment of the service holds secrets.
    env: {},
    execArgv: [],
  });
}

export interface IdleWorker {
  worker: Worker;
  cpuMs: number;
}

/** A worker that is ready to replace one that dies, because starting one takes longer than a message may wait. */
export class SpareWorker {
  #worker: Worker | undefined;
  #idle: IdleWorker | undefined;
  #isStopped = false;
  #warm: Promise<void> | undefined;

  warm(): Promise<void> {
    this.#warm ??= this.#start();
    return this.#warm;
  }

  take(): IdleWorker | undefined {
    const idle = this.#idle;
    if (idle) this.#warm = this.#start();
    return idle;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
  }

  #start(): Promise<void> {
    this.#idle = undefined;
    this.#worker = undefined;
    if (this.#isStopped) return Promise.resolve();
    const worker = startWorker(0);
    this.#worker = worker;
    return new Promise((resolve) => {
      worker.once('message', ({ cpuMs }: Said) => {
        this.#idle = { worker, cpuMs };
        resolve();
      });
      // Errors are ignored: pools start their own workers.
      worker.once('error', () => resolve());
    });
  }
}
