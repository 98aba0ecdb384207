import type { Worker } from 'node:worker_threads';
import type { Question, Reply, Said } from './protocol.ts';
import { type IdleWorker, type SpareWorker, startWorker } from './spare-worker.ts';

const BATCH_MAX_TASKS = 32;
const BATCH_MAX_BYTES = 2 * 1_048_576;
const WAITING_MAX = 1_000;
const WATCH_MIN_MS = 10;
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** late: the deadline passed first. killed, no memory: the worker was terminated, or ran out of memory. */
export type Outcome = Reply | { kind: 'late' | 'killed' | 'no memory' };

export interface Job {
  kind: Question['kind'];
  party: string;
  key: string;
  text?: string;
  json: Buffer;
  deadline: number;
  /** The processor time that the job may use, read when its turn comes. */
  budgetMs(): number;
  gone?: AbortSignal;
  onUsed?: ((ms: number) => void) | undefined;
}

interface Waiting extends Job {
  settle(outcome: Outcome): void;
  isSettled: boolean;
  /** The job runs alone: a worker died with it, perhaps because of another job of the batch. */
  goesAlone: boolean;
}

interface Slot {
  worker: Worker;
  isReady: boolean;
  batch: Waiting[] | undefined;
  killer: NodeJS.Timeout | undefined;
  cpuMs: number;
}

export interface PoolOptions {
  workers: number;
  niceness: number;
  /** The worker is killed after this much processor time for one batch. */
  killAfterMs: number;
  /** When a party runs out of time in this pool, its waiting jobs are returned for another pool. */
  handsOn?: boolean;
  spare?: SpareWorker;
}

/**
 * A few workers and the jobs that wait for them. Parties take turns, each with at most one worker at a time. Workers are started when needed, and
 * replaced when killed.
 */
export class ThreadPool {
  readonly #options: PoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Set<string>();
  #isStopped = false;
  #warm: Promise<void> | undefined;
  #becameWarm = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  warm(): Promise<void> {
    this.#warm ??= new Promise((resolve) => {
      this.#becameWarm = resolve;
      this.#startWorker();
    });
    return this.#warm;
  }

  run(job: Job): Promise<Outcome> {
    return new Promise((resolve) => {
      const isLate = () => waiting.settle({ kind: 'late' });
      const timer = setTimeout(isLate, Math.max(0, job.deadline - performance.now()));
      job.gone?.addEventListener('abort', isLate);
      const waiting: Waiting = {
        ...job,
        isSettled: false,
        goesAlone: false,
        settle: (outcome) => {
          waiting.isSettled = true;
          clearTimeout(timer);
          job.gone?.removeEventListener('abort', isLate);
          resolve(outcome);
        },
      };
      const queue = this.#waiting.get(job.party) ?? [];
      if (queue.length >= WAITING_MAX || this.#isStopped || job.gone?.aborted) return isLate();
      queue.push(waiting);
      this.#waiting.set(job.party, queue);
      this.#dispatch();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const queue of this.#waiting.values()) for (const waiting of queue) waiting.settle({ kind: 'late' });
    this.#waiting.clear();
    await Promise.all([...this.#slots].map((slot) => slot.worker.terminate()));
  }

  #dispatch(): void {
    for (const [party, queue] of this.#waiting) {
      if (this.#running.has(party)) continue;
      const slot = [...this.#slots].find(({ isReady, batch }) => isReady && !batch);
      if (!slot) {
        if (this.#slots.size < this.#options.workers) this.#startWorker();
        return;
      }
      const batch = takeBatch(queue);
      this.#waiting.delete(party);
      if (queue.length > 0) this.#waiting.set(party, queue);
      const [first] = batch;
      if (first) this.#give(slot, party, first, batch);
    }
  }

  #give(slot: Slot, party: string, first: Waiting, batch: Waiting[]): void {
    // Copies, because transferring a slice transfers its whole buffer.
    const tasks = batch.map((job) => ({ json: new Uint8Array(job.json), budgetMs: job.budgetMs() }));
    const text = batch.find((job) => job.text !== undefined)?.text;
    const question: Question = { kind: first.kind, key: first.key, text, tasks };
    slot.batch = batch;
    this.#running.add(party);
    this.#watch(slot, this.#options.killAfterMs);
    slot.worker.postMessage(
      question,
      tasks.map(({ json }) => json.buffer),
    );
  }

  /** Kills the worker if it uses too much processor time. Waiting for a busy machine does not count. */
  #watch(slot: Slot, forMs: number): void {
    const { batch, worker } = slot;
    slot.killer = setTimeout(async () => {
      const used = await worker.cpuUsage().catch(() => undefined);
      if (!used || slot.batch !== batch) return;
      const leftMs = this.#options.killAfterMs - ((used.user + used.system) / 1_000 - slot.cpuMs);
      if (leftMs > 0) this.#watch(slot, Math.max(leftMs, WATCH_MIN_MS));
      else this.#end(slot, { kind: 'killed' });
    }, forMs);
  }

  #startWorker(): void {
    if (this.#isStopped) return;
    this.#use({ worker: startWorker(this.#options.niceness), cpuMs: 0 }, false);
  }

  #use({ worker, cpuMs }: IdleWorker, isReady: boolean): void {
    const slot: Slot = { worker, isReady, batch: undefined, killer: undefined, cpuMs };
    this.#slots.add(slot);
    worker.on('message', ({ replies, cpuMs }: Said) => {
      const usedMs = cpuMs - slot.cpuMs;
      slot.cpuMs = cpuMs;
      if (replies) this.#settle(slot, replies, usedMs);
      else this.#ready(slot);
    });
    worker.on('error', ({ code }: NodeJS.ErrnoException) => this.#end(slot, { kind: code === OUT_OF_MEMORY ? 'no memory' : 'killed' }));
    worker.on('exit', () => this.#end(slot, { kind: 'killed' }));
  }

  #ready(slot: Slot): void {
    slot.isReady = true;
    this.#becameWarm();
    this.#dispatch();
  }

  #settle(slot: Slot, replies: Reply[], usedMs: number): void {
    const batch = this.#release(slot);
    const [first] = batch;
    if (!first) return;
    const notBegun = batch.filter((_, i) => replies[i]?.kind === 'not begun');
    tellUsed(
      batch.filter((_, i) => replies[i]?.kind !== 'not begun'),
      usedMs,
    );
    if (notBegun.length > 0) this.#waiting.set(first.party, [...notBegun, ...(this.#waiting.get(first.party) ?? [])]);
    for (const [i, job] of batch.entries()) {
      const reply = replies[i];
      if (reply && reply.kind !== 'not begun') job.settle(reply);
    }
    if (replies.some(({ kind }) => kind === 'out of time')) this.#handOn(first.party);
    this.#dispatch();
  }

  #handOn(party: string): void {
    if (!this.#options.handsOn) return;
    for (const job of this.#waiting.get(party) ?? []) job.settle({ kind: 'out of time' });
    this.#waiting.delete(party);
  }

  #release(slot: Slot): Waiting[] {
    const batch = slot.batch ?? [];
    clearTimeout(slot.killer);
    slot.batch = undefined;
    for (const { party } of batch) this.#running.delete(party);
    return batch;
  }

  /** Removes a broken worker. One that had been ready is replaced. */
  #end(slot: Slot, outcome: Outcome): void {
    if (!this.#slots.delete(slot)) return;
    const batch = this.#release(slot);
    const [first] = batch;
    tellUsed(batch, this.#options.killAfterMs);
    if (first && batch.length > 1 && !this.#options.handsOn) {
      for (const job of batch) job.goesAlone = true;
      this.#waiting.set(first.party, [...batch, ...(this.#waiting.get(first.party) ?? [])]);
    } else if (first) {
      for (const job of batch) job.settle(outcome);
      this.#handOn(first.party);
    }
    void slot.worker.terminate();
    if (slot.isReady) this.#replace();
    this.#becameWarm();
  }

  #replace(): void {
    const spare = this.#isStopped ? undefined : this.#options.spare?.take();
    if (spare) this.#use(spare, true);
    else this.#startWorker();
    this.#dispatch();
  }
}

/** Only the time of the whole batch is known, so jobs share it by size. */
function tellUsed(batch: readonly Waiting[], usedMs: number): void {
  const bytes = batch.reduce((sum, { json }) => sum + json.length + 1, 0);
  for (const { json, onUsed } of batch) onUsed?.((usedMs * (json.length + 1)) / bytes);
}

function takeBatch(queue: Waiting[]): Waiting[] {
  const batch: Waiting[] = [];
  let bytes = 0;
  for (let next = queue[0]; next; next = queue[0]) {
    const fits =
      batch.length === 0 ||
      (!next.goesAlone && !batch[0]?.goesAlone && next.key === batch[0]?.key && bytes + next.json.length <= BATCH_MAX_BYTES);
    if (!next.isSettled && (!fits || batch.length >= BATCH_MAX_TASKS)) break;
    queue.shift();
    if (next.isSettled) continue;
    bytes += next.json.length;
    batch.push(next);
  }
  return batch;
}
