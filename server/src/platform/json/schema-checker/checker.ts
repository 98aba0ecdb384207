import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SlowList } from '../../fairness/slow-list.ts';
import type { SchemaIssue } from '../schema/run.ts';
import type { SchemaRefusal } from './protocol.ts';
import { SpareWorker } from './spare-worker.ts';
import { type Job, type Outcome, type PoolOptions, ThreadPool } from './thread-pool.ts';

export type { SchemaIssue } from '../schema/run.ts';
export type { SchemaRefusal } from './protocol.ts';

const COMPILE_MAX_MS = 1_000;
export const VALIDATION_MAX_MS = 500;
/** Usual validations and compilations take far less. A party that exceeds this is served by separate workers for a while. */
const QUICK_MAX_MS = 50;
const SLOW_FOR_MS = 10_000;
const SLOW_TO_COMPILE_FOR_MS = 60_000;
const SLOW_FOR_MAX_MS = 600_000;
const COMPILE_WAIT_MAX_MS = 15_000;
/** A short limit, because a person waits in the schema editor. */
const TRY_OUT_WAIT_MAX_MS = 10_000;
/** Workers stop by themselves when their budget is used up. A worker that does not is killed. */
const KILL_GRACE_MS = 200;
const CORES = availableParallelism();
/** Early enough for the jobs that wait behind the killed one, and for its second try in the slow pool. */
const QUICK_KILL_AFTER_MS = 200;
const REMEMBERED_MAX = 10_000;
const NOTHING = Buffer.alloc(0);
const LATE_OUTCOME: Outcome = { kind: 'late' };
const COMPILING_QUICKLY: PoolOptions = { workers: 1, niceness: 5, killAfterMs: QUICK_KILL_AFTER_MS, handsOn: true };

const LATE: SchemaIssue = { path: '', keyword: 'timeout', message: `could not be checked within ${VALIDATION_MAX_MS} ms` };
const TOO_LARGE: SchemaIssue = { path: '', keyword: 'memory', message: 'could not be checked: it took too much memory' };

interface SchemaToRun {
  party: string;
  version: string;
  /** Called only if the worker has not seen the schema yet. */
  load(): Promise<string>;
}

interface TriedOut {
  refusal?: SchemaRefusal;
  issues?: SchemaIssue[] | undefined;
}

type OnUsed = (ms: number) => void;

export class CheckerBusy extends Error {}

/** Compiles and runs strangers' schemas in worker threads. New and slow schemas have separate workers, so that they delay only each other. */
export class SchemaChecker {
  readonly #spare = new SpareWorker();
  readonly #quick = new ThreadPool({ ...this.#quickly(), workers: Math.max(1, Math.min(4, CORES - 2)) });
  readonly #trial = new ThreadPool({ ...this.#quickly(), workers: 1 });
  readonly #slow = new ThreadPool({ workers: CORES > 2 ? 2 : 1, niceness: 5, killAfterMs: VALIDATION_MAX_MS + KILL_GRACE_MS });
  readonly #compilingProven = new ThreadPool(COMPILING_QUICKLY);
  readonly #compiling = new ThreadPool(COMPILING_QUICKLY);
  readonly #compilingSlowly = new ThreadPool({ workers: 1, niceness: 5, killAfterMs: COMPILE_MAX_MS + KILL_GRACE_MS });
  #compiled = 0;
  readonly #quickToCompile = new Set<string>();
  readonly #slowToCompile = new SlowList(SLOW_TO_COMPILE_FOR_MS, SLOW_FOR_MAX_MS);
  readonly #slowToValidate = new SlowList(SLOW_FOR_MS, SLOW_FOR_MAX_MS);
  readonly #proven = new Set<string>();
  readonly #loading = new Map<string, Promise<string>>();

  async warm(): Promise<void> {
    await Promise.all([this.#quick.warm(), this.#trial.warm(), this.#slow.warm(), this.#compiling.warm(), this.#spare.warm()]);
  }

  async refusalOf(party: string, text: string, onUsed?: OnUsed): Promise<SchemaRefusal | undefined> {
    await this.warm();
    return refusalIn(await this.#compile({ ...this.#compileJob(party, text, performance.now() + COMPILE_WAIT_MAX_MS), onUsed }));
  }

  /** Judges a schema as if it were set, and then the JSON, if any, as if it arrived. Nothing is cached. */
  async tryOut(party: string, text: string, json: Buffer | undefined, gone: AbortSignal, onUsed?: OnUsed): Promise<TriedOut> {
    const compile: Job = { ...this.#compileJob(party, text, performance.now() + TRY_OUT_WAIT_MAX_MS), gone, onUsed };
    const compiled = await this.#compile(compile);
    if (gone.aborted) return {};
    const refusal = refusalIn(compiled);
    if (refusal) return { refusal };
    if (json === undefined) return {};
    const outcome = await this.#compile({ ...compile, kind: 'validate once', json, budgetMs: () => VALIDATION_MAX_MS });
    if (outcome.kind === 'late' && !gone.aborted) throw new CheckerBusy();
    const wasLate = outcome.kind === 'checked' && outcome.usedMs > VALIDATION_MAX_MS;
    return { issues: wasLate ? [LATE] : issuesIn(outcome) };
  }

  /** Returns the issues of the JSON, at most 50, or undefined if it is valid. Always returns in time. */
  async issuesOf(schema: SchemaToRun, json: Buffer, onUsed?: OnUsed): Promise<SchemaIssue[] | undefined> {
    const patience = new AbortController();
    const isLate = sleep(VALIDATION_MAX_MS, LATE_OUTCOME, { signal: patience.signal }).catch(() => LATE_OUTCOME);
    try {
      // The time limit includes loading the schema and starting a worker.
      return issuesIn(await Promise.race([this.#outcomeOf(schema, json, performance.now() + VALIDATION_MAX_MS, onUsed), isLate]));
    } finally {
      patience.abort();
    }
  }

  async stop(): Promise<void> {
    const parts = [this.#quick, this.#trial, this.#slow, this.#compilingProven, this.#compiling, this.#compilingSlowly, this.#spare];
    await Promise.all(parts.map((part) => part.stop()));
  }

  #compileJob(party: string, text: string, deadline: number): Job {
    // A unique key, because jobs with the same key share a schema.
    const key = `compile ${++this.#compiled}`;
    return { kind: 'compile', party, key, text, json: NOTHING, deadline, budgetMs: () => COMPILE_MAX_MS };
  }

  /** A compilation that takes too long continues in the slow pool, and so does all work of its party for a while. */
  async #compile(job: Job): Promise<Outcome> {
    const { party, kind } = job;
    // A party whose schemas compile quickly may still have slow validations.
    const proof = `${party} ${kind}`;
    if (!this.#slowToCompile.has(party)) {
      const pool = this.#quickToCompile.has(proof) ? this.#compilingProven : this.#compiling;
      const outcome = await pool.run({ ...job, budgetMs: () => QUICK_MAX_MS });
      if (outcome.kind === 'late') return outcome;
      if (['compiled', 'refused', 'checked'].includes(outcome.kind)) {
        remember(this.#quickToCompile, proof);
        return outcome;
      }
      this.#quickToCompile.delete(proof);
      this.#slowToCompile.note(party);
    }
    return this.#compilingSlowly.run(job);
  }

  #quickly() {
    return { niceness: 0, killAfterMs: QUICK_KILL_AFTER_MS, handsOn: true, spare: this.#spare };
  }

  async #outcomeOf(schema: SchemaToRun, json: Buffer, deadline: number, onUsed: OnUsed | undefined): Promise<Outcome> {
    const pool = this.#poolFor(schema);
    const outcome = await this.#runIn(pool, schema, { json, deadline, onUsed });
    const isOver = pool === this.#slow || outcome.kind === 'checked' || outcome.kind === 'late';
    return isOver ? outcome : this.#runIn(this.#slow, schema, { json, deadline, onUsed });
  }

  #poolFor(schema: SchemaToRun): ThreadPool {
    if (this.#slowToValidate.has(schema.party)) return this.#slow;
    return this.#proven.has(keyOf(schema)) ? this.#quick : this.#trial;
  }

  async #runIn(pool: ThreadPool, schema: SchemaToRun, task: Pick<Job, 'json' | 'deadline' | 'onUsed'>): Promise<Outcome> {
    const job: Job = {
      ...task,
      ...{ kind: 'validate', party: schema.party, key: keyOf(schema) },
      budgetMs: () => (pool === this.#slow ? Math.max(1, task.deadline - performance.now()) : QUICK_MAX_MS),
    };
    const outcome = await pool.run(job);
    const result = outcome.kind === 'unknown' ? await pool.run({ ...job, text: await this.#load(job.key, schema) }) : outcome;
    if (result.kind === 'checked' && result.usedMs <= QUICK_MAX_MS) remember(this.#proven, job.key);
    // A schema that got no turn may still be quick.
    else if (result.kind !== 'late') this.#noteSlow(schema.party, job.key);
    return result;
  }

  /** Concurrent messages with the same schema share one read. */
  #load(key: string, { load }: SchemaToRun): Promise<string> {
    const loading = this.#loading.get(key) ?? load().finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  #noteSlow(party: string, key: string): void {
    this.#proven.delete(key);
    this.#slowToValidate.note(party);
  }
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= REMEMBERED_MAX) names.clear();
  names.add(name);
}

function keyOf({ party, version }: SchemaToRun): string {
  return `${party} ${version}`;
}

function refusalIn(outcome: Outcome): SchemaRefusal | undefined {
  switch (outcome.kind) {
    case 'compiled':
      return undefined;
    case 'refused':
      return outcome.refusal;
    case 'late':
      throw new CheckerBusy();
    case 'no memory':
      return refusalFor('it takes too much memory to compile');
    default:
      return refusalFor(`it can't be compiled within ${COMPILE_MAX_MS / 1_000} second`);
  }
}

export function refusalFor(reason: string): SchemaRefusal {
  return { reason, faults: [{ path: '', message: reason }] };
}

function issuesIn(outcome: Outcome): SchemaIssue[] | undefined {
  if (outcome.kind === 'checked') return outcome.issues;
  return [outcome.kind === 'no memory' ? TOO_LARGE : LATE];
}
