import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SchemaIssue } from '../json-schema/run.ts';
import { SlowOnes } from '../slow-ones.ts';
import { type Job, Lane, type LaneOptions, type Outcome } from './lane.ts';
import type { SchemaRefusal } from './protocol.ts';
import { SpareWorker } from './spare-worker.ts';

export type { SchemaIssue } from '../json-schema/run.ts';
export type { SchemaRefusal } from './protocol.ts';

export const COMPILE_MAX_MS = 1_000;
export const VALIDATION_MAX_MS = 500;
/** What a usual validation, and a usual compilation, stays far below. Whoever exceeds it is served apart from the others for a while. */
const QUICK_MAX_MS = 50;
const SLOW_FOR_MS = 10_000;
const SLOW_TO_COMPILE_FOR_MS = 60_000;
const SLOW_FOR_MAX_MS = 600_000;
const COMPILE_WAIT_MAX_MS = 15_000;
/** Of somebody who looks at an editor meanwhile. */
const TRY_OUT_WAIT_MAX_MS = 10_000;
/** Workers stop by themselves when their budget is used up; only one that does not is ended. */
const KILL_GRACE_MS = 200;
const CORES = availableParallelism();
/** So early that those who wait behind it, and itself elsewhere, are still in time. */
const QUICK_KILL_AFTER_MS = 200;
const REMEMBERED_MAX = 10_000;
const NOTHING = Buffer.alloc(0);
const LATE_OUTCOME: Outcome = { kind: 'late' };
const COMPILING_QUICKLY: LaneOptions = { workers: 1, niceness: 5, killAfterMs: QUICK_KILL_AFTER_MS, handsOn: true };

const LATE: SchemaIssue = { path: '', keyword: 'timeout', message: `could not be checked within ${VALIDATION_MAX_MS} ms` };
const TOO_LARGE: SchemaIssue = { path: '', keyword: 'memory', message: 'could not be checked: it took too much memory' };

export interface SchemaToRun {
  party: string;
  /** Names this schema of this party, and no other. */
  version: string;
  /** Asked only when a worker has not seen the schema yet. */
  load(): Promise<string>;
}

/** Of a schema that is tried out: why it can't be used, or else what is wrong with the JSON. */
export interface TriedOut {
  refusal?: SchemaRefusal;
  issues?: SchemaIssue[];
}

/** Thrown when so many schemas wait to be compiled that it is not known whether this one can be. */
export class CheckerBusy extends Error {}

/**
 * Compiles and runs strangers' schemas, never on this thread. Those that have been slow, and those of which nothing is known
 * yet, are run by workers of their own, so that they take time from each other and not from those that have been quick.
 */
export class SchemaChecker {
  readonly #spare = new SpareWorker();
  readonly #quick = new Lane({ ...this.#quickly(), workers: Math.max(1, Math.min(4, CORES - 2)) });
  readonly #trial = new Lane({ ...this.#quickly(), workers: 1 });
  readonly #slow = new Lane({ workers: CORES > 2 ? 2 : 1, niceness: 5, killAfterMs: VALIDATION_MAX_MS + KILL_GRACE_MS });
  /** For schemas that are set or tried out: of parties whose last one was quick, of those of which nothing is known, and of slow ones. */
  readonly #compilingProven = new Lane(COMPILING_QUICKLY);
  readonly #compiling = new Lane(COMPILING_QUICKLY);
  readonly #compilingSlowly = new Lane({ workers: 1, niceness: 5, killAfterMs: COMPILE_MAX_MS + KILL_GRACE_MS });
  #compiled = 0;
  readonly #quickToCompile = new Set<string>();
  readonly #slowToCompile = new SlowOnes(SLOW_TO_COMPILE_FOR_MS, SLOW_FOR_MAX_MS);
  readonly #slowToValidate = new SlowOnes(SLOW_FOR_MS, SLOW_FOR_MAX_MS);
  /** Schemas that have been quick. */
  readonly #proven = new Set<string>();
  readonly #loading = new Map<string, Promise<string>>();

  /** Has a worker in every lane, so that no message waits for one to start. */
  async warm(): Promise<void> {
    await Promise.all([this.#quick.warm(), this.#trial.warm(), this.#slow.warm(), this.#compiling.warm(), this.#spare.warm()]);
  }

  /** Why the schema can't be used, or undefined when it can. */
  async refusalOf(party: string, text: string): Promise<SchemaRefusal | undefined> {
    await this.warm();
    return refusalIn(await this.#compile(this.#compileJob(party, text, performance.now() + COMPILE_WAIT_MAX_MS)));
  }

  /** Judges a schema as if it were set, and then JSON as if it came in, if there is any. Nothing of it is remembered. */
  async tryOut(party: string, text: string, json: Buffer | undefined, gone: AbortSignal): Promise<TriedOut> {
    const compile: Job = { ...this.#compileJob(party, text, performance.now() + TRY_OUT_WAIT_MAX_MS), gone };
    const compiled = await this.#compile(compile);
    // The client is gone, so nobody reads the result.
    if (gone.aborted) return {};
    const refusal = refusalIn(compiled);
    if (refusal) return { refusal };
    if (json === undefined) return {};
    const outcome = await this.#compile({ ...compile, kind: 'validate once', json, budgetMs: () => VALIDATION_MAX_MS });
    if (outcome.kind === 'late' && !gone.aborted) throw new CheckerBusy();
    const wasLate = outcome.kind === 'checked' && outcome.usedMs > VALIDATION_MAX_MS;
    return { issues: wasLate ? [LATE] : issuesIn(outcome) };
  }

  /** What is wrong with the JSON, at most 50 things, or undefined when nothing is. Always returns in time. */
  async issuesOf(schema: SchemaToRun, json: Buffer): Promise<SchemaIssue[] | undefined> {
    const patience = new AbortController();
    const isLate = sleep(VALIDATION_MAX_MS, LATE_OUTCOME, { signal: patience.signal }).catch(() => LATE_OUTCOME);
    try {
      // Loading the schema counts, too, and so does a worker that has yet to start.
      return issuesIn(await Promise.race([this.#outcomeOf(schema, json, performance.now() + VALIDATION_MAX_MS), isLate]));
    } finally {
      patience.abort();
    }
  }

  async stop(): Promise<void> {
    const parts = [this.#quick, this.#trial, this.#slow, this.#compilingProven, this.#compiling, this.#compilingSlowly, this.#spare];
    await Promise.all(parts.map((part) => part.stop()));
  }

  #compileJob(party: string, text: string, deadline: number): Job {
    // A key of its own, because jobs of the same key are taken to ask of the same schema.
    const key = `compile ${++this.#compiled}`;
    return { kind: 'compile', party, key, text, json: NOTHING, deadline, budgetMs: () => COMPILE_MAX_MS };
  }

  /** What takes longer than usual goes on among the slow; so does, for a while, all else that its party has compiled. */
  async #compile(job: Job): Promise<Outcome> {
    const { party, kind } = job;
    // Who compiles quickly may still validate slowly.
    const proof = `${party} ${kind}`;
    if (!this.#slowToCompile.has(party)) {
      const lane = this.#quickToCompile.has(proof) ? this.#compilingProven : this.#compiling;
      const outcome = await lane.run({ ...job, budgetMs: () => QUICK_MAX_MS });
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

  async #outcomeOf(schema: SchemaToRun, json: Buffer, deadline: number): Promise<Outcome> {
    const lane = this.#laneFor(schema);
    const outcome = await this.#runIn(lane, schema, json, deadline);
    const isOver = lane === this.#slow || outcome.kind === 'checked' || outcome.kind === 'late';
    return isOver ? outcome : this.#runIn(this.#slow, schema, json, deadline);
  }

  #laneFor(schema: SchemaToRun): Lane {
    if (this.#slowToValidate.has(schema.party)) return this.#slow;
    return this.#proven.has(keyOf(schema)) ? this.#quick : this.#trial;
  }

  async #runIn(lane: Lane, schema: SchemaToRun, json: Buffer, deadline: number): Promise<Outcome> {
    const job: Job = {
      ...{ kind: 'validate', party: schema.party, key: keyOf(schema), json, deadline },
      budgetMs: () => (lane === this.#slow ? Math.max(1, deadline - performance.now()) : QUICK_MAX_MS),
    };
    const outcome = await lane.run(job);
    const result = outcome.kind === 'unknown' ? await lane.run({ ...job, text: await this.#load(job.key, schema) }) : outcome;
    if (result.kind === 'checked' && result.usedMs <= QUICK_MAX_MS) remember(this.#proven, job.key);
    // Of one whose turn did not come, nothing is known.
    else if (result.kind !== 'late') this.#noteSlow(schema.party, job.key);
    return result;
  }

  /** Many messages may ask for the same schema at once. */
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

/** Of a schema as a whole. */
export function refusalFor(reason: string): SchemaRefusal {
  return { reason, faults: [{ path: '', message: reason }] };
}

function issuesIn(outcome: Outcome): SchemaIssue[] | undefined {
  if (outcome.kind === 'checked') return outcome.issues;
  return [outcome.kind === 'no memory' ? TOO_LARGE : LATE];
}
