import { expect } from 'vitest';
import type { ApiResponse } from '../api.ts';
import type { ServiceProcess } from '../process.ts';

/** The rule: nothing may hold the event loop for longer, in processor time of a usual machine. */
const HOLD_MAX_MS = 20;
/** The time of the reference in loop-meter.ts on such a machine. */
const REFERENCE_MS = 16;
/** Garbage collections and compilations hold the loop at times, but a request's own work holds it each time. */
const TRIES_MAX = 6;

export class HoldMeter {
  readonly #process: ServiceProcess;
  readonly #tooLong: string[] = [];
  #limitMs = HOLD_MAX_MS;

  constructor(process: ServiceProcess) {
    this.#process = process;
  }

  /** Raises the limit on a slower machine. */
  async calibrate(): Promise<void> {
    const { longestMs } = await this.#process.ask('calibrate');
    this.#limitMs = Math.max(HOLD_MAX_MS, (HOLD_MAX_MS * longestMs) / REFERENCE_MS);
  }

  get limitMs(): number {
    return this.#limitMs;
  }

  /** Measures how long the work holds the loop. After a short run, it is not repeated. */
  async measure(name: string, work: () => Promise<unknown>, tries = TRIES_MAX): Promise<void> {
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < tries && shortest > this.#limitMs; i++) {
      await this.#process.ask('begin');
      await work();
      shortest = Math.min(shortest, (await this.#process.ask('end')).longestMs);
      // A shared machine becomes slower and faster.
      if (shortest > this.#limitMs) await this.calibrate();
    }
    this.note(name, shortest);
  }

  note(name: string, ms: number): void {
    if (process.env['SHOW_COST'])
      console.log(`${ms > this.#limitMs ? '!!' : '  '} ${name}: ${ms.toFixed(1)} ms of ${this.#limitMs.toFixed(1)}`);
    if (ms > this.#limitMs) this.#tooLong.push(`${name}: ${ms.toFixed(1)} ms, more than ${this.#limitMs.toFixed(1)}`);
  }

  expectShort(): void {
    expect(this.#tooLong.splice(0), 'what holds the event loop, in ms of processor time').toEqual([]);
  }
}

/** The response has no error of the service. */
export async function served(work: () => Promise<ApiResponse>): Promise<void> {
  const { status, text } = await work();
  expect(status, text.slice(0, 500)).toBeLessThan(500);
}
