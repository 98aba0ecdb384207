import { expect } from 'vitest';
import type { ApiResponse } from '../api.ts';
import type { ServiceProcess } from '../process.ts';

/** The rule: nothing may hold the event loop for longer, in processor time of a usual machine. */
const HOLD_MAX_MS = 20;
/** What the reference of loop-meter.ts takes on such a machine. */
const REFERENCE_MS = 16;
/** A collection of garbage, or a function that is compiled, holds the loop now and then; what a request itself does, it does each time. */
const TRIES_MAX = 6;

/** Measures how long work holds the loop of a service. */
export class HoldMeter {
  readonly #process: ServiceProcess;
  readonly #tooLong: string[] = [];
  #limitMs = HOLD_MAX_MS;

  constructor(process: ServiceProcess) {
    this.#process = process;
  }

  /** For a slower machine, the limit is higher. */
  async calibrate(): Promise<void> {
    const { longestMs } = await this.#process.ask('calibrate');
    this.#limitMs = Math.max(HOLD_MAX_MS, (HOLD_MAX_MS * longestMs) / REFERENCE_MS);
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  /** For how long the work holds the loop each time. Once it has been short, it is not done again. */
  async measure(name: string, work: () => Promise<unknown>, tries = TRIES_MAX): Promise<void> {
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < tries && shortest > this.#limitMs; i++) {
      await this.#process.ask('begin');
      await work();
      shortest = Math.min(shortest, (await this.#process.ask('end')).longestMs);
      // A machine that others use, too, gets slower and faster.
      if (shortest > this.#limitMs) await this.calibrate();
    }
    this.note(name, shortest);
  }

  note(name: string, ms: number): void {
    if (process.env['SHOW_COST'])
      console.log(`${ms > this.#limitMs ? '!!' : '  '} ${name}: ${ms.toFixed(1)} ms of ${this.#limitMs.toFixed(1)}`);
    if (ms > this.#limitMs) this.#tooLong.push(`${name}: ${ms.toFixed(1)} ms, more than ${this.#limitMs.toFixed(1)}`);
  }

  /** Of everything that was measured since the last time. */
  expectShort(): void {
    expect(this.#tooLong.splice(0), 'what holds the event loop, in ms of processor time').toEqual([]);
  }
}

/** A response that nothing has gone wrong with on the side of the service. */
export async function served(work: () => Promise<ApiResponse>): Promise<void> {
  const { status, text } = await work();
  expect(status, text.slice(0, 500)).toBeLessThan(500);
}
