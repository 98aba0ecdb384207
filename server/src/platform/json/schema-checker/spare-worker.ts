import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Said } from './protocol.ts';

/** Beside this file, in a checkout and compiled. */
const WORKER = new URL(`./worker${path.extname(import.meta.filename)}`, import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 8 };

/** The worker posts a message when it is ready. */
export function startWorker(niceness: number): Worker {
  return new Worker(WORKER, {
    workerData: { niceness },
    resourceLimits: MEMORY_LIMITS,
    // Without the environment of the service, which holds secrets.
    env: {},
    execArgv: [],
  });
}

/** A worker that is ready, with the processor time of its start. */
export interface IdleWorker {
  worker: Worker;
  cpuMs: number;
}

/** A worker that is ready to replace one that dies: starting one takes longer than a message may wait. */
export class SpareWorker {
  #worker: Worker | undefined;
  #idle: IdleWorker | undefined;
  #isStopped = false;
  #warm: Promise<void> | undefined;

  warm(): Promise<void> {
    this.#warm ??= this.#start();
    return this.#warm;
  }

  /** Undefined when the worker is not ready yet, or taken. */
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
      // Ignored: pools start workers of their own.
      worker.once('error', () => resolve());
    });
  }
}
