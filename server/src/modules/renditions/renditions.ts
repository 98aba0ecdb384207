import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Spend } from '../../contract/cost.ts';
import { Refusal } from '../../contract/errors.ts';
import {
  RENDITION_CPU_MAX_MS,
  RENDITION_PATIENCE_MS,
  RENDITION_WORKER_MEMORY_MB,
  RENDITIONS_AT_ONCE,
  RENDITIONS_WAITING_PER_BUSINESS_MAX,
} from '../../contract/limits.ts';
import { TooMuchWaiting, Turns } from '../../platform/fairness/turns.ts';
import type { Rendition, RenditionJob, RenditionReply } from './rendition.ts';

const WORKER = new URL(`./rendition-worker${path.extname(import.meta.filename)}`, import.meta.url);
const MEMORY_LIMITS = { maxOldGenerationSizeMb: RENDITION_WORKER_MEMORY_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: 8 };
const LOOK_EVERY_MS = 50;
/** Loading the program of a worker takes processor time that no document is charged for. */
const START_CPU_MS = 2_000;
const RETRY_S = 5;

/** Makes PDFs, spreadsheets and XML of documents in worker threads, where businesses take turns. A document that takes too long ends its worker. */
export class Renditions {
  readonly #turns = new Turns({
    waitingMax: RENDITIONS_WAITING_PER_BUSINESS_MAX,
    patienceMs: RENDITION_PATIENCE_MS,
    atOnce: RENDITIONS_AT_ONCE,
  });
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  #isStopped = false;

  /** Refuses what can't be made, and says why. */
  async make(business: bigint, job: RenditionJob, spend: Spend): Promise<Buffer> {
    const made = await this.#make(business, job, spend);
    // An image that looks whole can still be damaged further inside.
    const rendition = made ?? (job.message.logo && (await this.#make(business, withoutLogo(job), spend)));
    if (rendition === undefined) throw tooLong();
    if (rendition.kind === 'unsuitable') throw new Refusal('not_found', rendition.reason);
    return Buffer.from(rendition.bytes.buffer);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  async #make(business: bigint, job: RenditionJob, spend: Spend): Promise<Rendition | undefined> {
    try {
      return await this.#turns.take(String(business), async () => {
        const reply = this.#isStopped ? undefined : await this.#inWorker(job);
        spend({ workerMs: reply?.cpuMs ?? RENDITION_CPU_MAX_MS });
        return reply?.rendition;
      });
    } catch (error) {
      if (!(error instanceof TooMuchWaiting)) throw error;
      throw new Refusal('rate_limited', 'Too many documents of your business are being made at once. Try again later.', {
        retryAfterS: RETRY_S,
      });
    }
  }

  async #inWorker(job: RenditionJob): Promise<RenditionReply | undefined> {
    const known = this.#idle.pop();
    const worker = known ?? this.#start();
    const { promise, resolve } = Promise.withResolvers<RenditionReply | undefined>();
    const give = (reply: RenditionReply) => resolve(reply);
    const giveUp = () => resolve(undefined);
    worker.on('message', give).on('error', giveUp).on('exit', giveUp);
    const watch = watchCpu(worker, RENDITION_CPU_MAX_MS + (known ? 0 : START_CPU_MS), giveUp);
    worker.postMessage(job);
    const reply = await promise;
    clearInterval(watch);
    worker.off('message', give).off('error', giveUp).off('exit', giveUp);
    if (reply && !this.#isStopped) this.#idle.push(worker);
    else void worker.terminate();
    return reply;
  }

  #start(): Worker {
    // The environment of the service holds secrets.
    const worker = new Worker(WORKER, { resourceLimits: MEMORY_LIMITS, env: {}, execArgv: [] });
    this.#all.add(worker);
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#all.delete(worker);
      const at = this.#idle.indexOf(worker);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    worker.unref();
    return worker;
  }
}

/** Processor time, so that a busy machine fails no document. */
function watchCpu(worker: Worker, maxMs: number, giveUp: () => void): NodeJS.Timeout {
  let before: number | undefined;
  return setInterval(async () => {
    const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    const usedMs = (user + system) / 1_000;
    before ??= usedMs;
    if (usedMs - before > maxMs) giveUp();
  }, LOOK_EVERY_MS);
}

function withoutLogo({ message, ...job }: RenditionJob): RenditionJob {
  return { ...job, message: { ...message, logo: undefined } };
}

function tooLong(): Refusal {
  return new Refusal('json_too_large', 'The document is too large, or takes too long to make. The message itself has all of it.');
}
