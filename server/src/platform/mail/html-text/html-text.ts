import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Slots } from '../../fairness/slots.ts';

const WORKER = new URL(`./worker${path.extname(import.meta.filename)}`, import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** The limit is processor time, so that a busy machine does not fail a conversion. Wall-clock time is the last resort. */
const CPU_MAX_MS = 800;
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;
const WAITING_MAX = 50;

/**
 * Converts HTML to text, with a line break for each block and the addresses of links. Nothing in the HTML is run or fetched. A worker converts one
 * text at a time, and is ended by a text that takes too long.
 */
export class HtmlTexts {
  readonly #slots = new Slots(1);
  #waiting = 0;
  #worker: Worker | undefined;

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
  const worker = new Worker(WORKER, { resourceLimits: MEMORY_LIMITS, env: {}, execArgv: [] });
  // The death of an idle worker is noticed with the next text.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}
