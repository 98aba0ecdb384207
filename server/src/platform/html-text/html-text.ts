import { Worker } from 'node:worker_threads';
import { Slots } from '../slots.ts';

const MEMORY_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** Processor time, so that a busy machine does not cost anybody their text; and time on the clock, for all else. */
const CPU_MAX_MS = 800;
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** How many wait for the worker thread; each is kept in memory. */
const WAITING_MAX = 50;

/**
 * The words of HTML texts, with line breaks where these have blocks, and where links lead to. Nothing of them is run, or
 * fetched. A worker thread does it, one text at a time: a text can be made to take minutes, and then ends the worker thread.
 */
export class HtmlTexts {
  readonly #slots = new Slots(1);
  #waiting = 0;
  #worker: Worker | undefined;

  /** Undefined when it takes too long. */
  async textOf(html: string): Promise<string | undefined> {
    if (this.#waiting >= WAITING_MAX) return undefined;
    this.#waiting++;
    try {
      return await this.#slots.take(() => this.#convert(html));
    } finally {
      this.#waiting--;
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #convert(html: string): Promise<string | undefined> {
    const worker = this.#worker ?? startWorker();
    this.#worker = worker;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const give = (text: string) => resolve(text);
    const giveUp = () => resolve(undefined);
    worker.on('message', give).on('error', giveUp).on('exit', giveUp);
    const watch = watchCpu(worker, giveUp);
    const timer = setTimeout(giveUp, PATIENCE_MS);
    worker.postMessage(html);
    const text = await promise;
    clearTimeout(timer);
    clearInterval(watch);
    worker.off('message', give).off('error', giveUp).off('exit', giveUp);
    if (text === undefined) {
      this.#worker = undefined;
      await worker.terminate();
    }
    return text;
  }
}

function watchCpu(worker: Worker, giveUp: () => void): NodeJS.Timeout {
  let before: number | undefined;
  return setInterval(async () => {
    const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    const usedMs = (user + system) / 1_000;
    before ??= usedMs;
    if (usedMs - before > CPU_MAX_MS) giveUp();
  }, LOOK_EVERY_MS);
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: MEMORY_LIMITS, env: {}, execArgv: [] });
  // What it dies of between two texts is found out with the next one.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}
