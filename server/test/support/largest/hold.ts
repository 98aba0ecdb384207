import { expect } from 'vitest';
import { REQUEST_LOOP_MS, UNIT_LOOP_MS } from '../../../src/contract/limits.ts';
import type { ApiResponse } from '../api.ts';
import type { Measured, MeasuredRequest } from '../loop-meter.ts';
import type { ServiceProcess } from '../process.ts';

/** The rule: nothing may hold the event loop for longer, in processor time of a usual machine. */
const HOLD_MAX_MS = 20;
/** The time of the reference in loop-meter.ts on such a machine. */
const REFERENCE_MS = 16;
/** Garbage collections and compilations hold the loop at times, but a request's own work holds it each time. */
const TRIES_MAX = 6;
/** They also make a request cost more at times, as does work in the background, such as that for the request before. */
const COST_TRIES_MAX = 3;

export class HoldMeter {
  readonly #process: ServiceProcess;
  readonly #tooLong: string[] = [];
  readonly #tooCheap: string[] = [];
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
    for (let i = 0; i < tries && shortest > this.#limitMs; i++) shortest = Math.min(shortest, (await this.#run(work)).longestMs);
    this.note(name, shortest);
  }

  /** Also compares the processor time of each of the requests with what it was charged. */
  async measureCharged(name: string, requests: () => Promise<unknown>): Promise<void> {
    let shortest = Number.POSITIVE_INFINITY;
    let cheapest: MeasuredRequest | undefined;
    const isTooCheap = () => cheapest !== undefined && this.#unpaidMs(cheapest) > 0;
    for (let i = 0; i < TRIES_MAX && (shortest > this.#limitMs || (i < COST_TRIES_MAX && (i === 0 || isTooCheap()))); i++) {
      const measured = await this.#run(requests);
      shortest = Math.min(shortest, measured.longestMs);
      const worst = this.#worstOf(measured);
      if (worst && (!cheapest || this.#unpaidMs(worst) < this.#unpaidMs(cheapest))) cheapest = worst;
    }
    this.note(name, shortest);
    if (cheapest) this.#noteCharge(name, cheapest);
  }

  async #run(work: () => Promise<unknown>): Promise<Measured> {
    await this.#process.ask('begin');
    await work();
    const measured = await this.#process.ask('end');
    // A shared machine becomes slower and faster.
    if (measured.longestMs > this.#limitMs || this.#unpaidMs(this.#worstOf(measured)) > 0) await this.calibrate();
    return measured;
  }

  #worstOf({ requests }: Measured): MeasuredRequest | undefined {
    return requests.toSorted((a, b) => this.#unpaidMs(b) - this.#unpaidMs(a))[0];
  }

  /** What the request used beyond what its units pay for. */
  #unpaidMs({ ms, units }: MeasuredRequest = { ms: 0, units: 1 }): number {
    return ms - this.#slower() * (units * UNIT_LOOP_MS + REQUEST_LOOP_MS);
  }

  #slower(): number {
    return this.#limitMs / HOLD_MAX_MS;
  }

  note(name: string, ms: number): void {
    if (process.env['SHOW_COST'])
      console.log(`${ms > this.#limitMs ? '!!' : '  '} ${name}: ${ms.toFixed(1)} ms of ${this.#limitMs.toFixed(1)}`);
    if (ms > this.#limitMs) this.#tooLong.push(`${name}: ${ms.toFixed(1)} ms, more than ${this.#limitMs.toFixed(1)}`);
  }

  #noteCharge(name: string, request: MeasuredRequest): void {
    const { ms, units } = request;
    const paid = `${units} units pay for ${(ms - this.#unpaidMs(request)).toFixed(1)}`;
    if (process.env['SHOW_COST']) console.log(`${this.#unpaidMs(request) > 0 ? '!!' : '  '} ${name}: ${ms.toFixed(1)} ms in all, ${paid}`);
    if (this.#unpaidMs(request) > 0) this.#tooCheap.push(`${name}: ${ms.toFixed(1)} ms, ${paid}`);
  }

  expectShort(): void {
    expect(this.#tooLong.splice(0), 'what holds the event loop, in ms of processor time').toEqual([]);
    expect(this.#tooCheap.splice(0), 'what costs more than it is charged, in ms of processor time').toEqual([]);
  }
}

/** The response has no error of the service. */
export async function served(work: () => Promise<ApiResponse>): Promise<void> {
  const { status, text } = await work();
  expect(status, text.slice(0, 500)).toBeLessThan(500);
}
