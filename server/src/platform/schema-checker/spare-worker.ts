import { Worker } from 'node:worker_threads';
import type { Said } from './protocol.ts';

const MEMORY_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 8 };

/** It says when it is ready. */
export function startWorker(niceness: number): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { niceness },
    resourceLimits: MEMORY_LIMITS,
    // Nothing of the service's environment is its business.
    env: {},
    execArgv: [],
  });
}

/** One that is ready, with the processor time that it took to become so. */
export interface IdleWorker {
  worker: Worker;
  cpuMs: number;
}

/** A worker that waits, ready, to take the place of one that dies: to start one takes as long as many a message may wait. */
export class SpareWorker {
  #worker: Worker | undefined;
  #idle: IdleWorker | undefined;
  #isStopped = false;
  #warm: Promise<void> | undefined;

  warm(): Promise<void> {
    this.#warm ??= this.#start();
    return this.#warm;
  }

  /** Undefined when it is not ready yet, or taken. */
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
      // It is done without: lanes start workers of their own.
      worker.once('error', () => resolve());
    });
  }
}
