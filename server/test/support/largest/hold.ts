import { expect } from 'vitest';
import { REQUEST_LOOP_MS, UNIT_LOOP_MS } from '../../../src/contract/limits.ts';
import type { ApiResponse } from '../api.ts';
import type { Measured, MeasuredRequest } from '../loop-meter.ts';
import type { ServiceProcess } from '../process.ts';

/** The rule: nothing may hold the event loop for longer, in processor time of a usual machine. All times here are in this unit. */
export const HOLD_MAX_MS = 20;
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
  #slower = 1;

  constructor(process: ServiceProcess) {
    this.#process = process;
  }

  /** How many times longer the reference takes here than on a usual machine; at least 1. */
  get slower(): number {
    return this.#slower;
  }

  async calibrate(): Promise<void> {
    const { longestMs } = await this.#process.ask('calibrate');
    this.#slower = Math.max(1, longestMs / REFERENCE_MS);
  }

  /** Measures how long the work holds the loop. After a short run, it is not repeated. */
  async measure(name: string, work: () => Promise<unknown>, tries = TRIES_MAX): Promise<void> {
    let shortest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < tries && shortest > HOLD_MAX_MS; i++) shortest = Math.min(shortest, (await this.#run(work)).longestMs);
    this.#note(name, shortest);
  }

  /** Also compares the processor time of each of the requests with what it was charged. */
  async measureCharged(name: string, requests: () => Promise<unknown>): Promise<void> {
    let shortest = Number.POSITIVE_INFINITY;
    let cheapest: MeasuredRequest | undefined;
    const isTooCheap = () => cheapest !== undefined && unpaidMs(cheapest) > 0;
    for (let i = 0; i < TRIES_MAX && (shortest > HOLD_MAX_MS || (i < COST_TRIES_MAX && (i === 0 || isTooCheap()))); i++) {
      const measured = await this.#run(requests);
      shortest = Math.min(shortest, measured.longestMs);
      const worst = worstOf(measured);
      if (worst && (!cheapest || unpaidMs(worst) < unpaidMs(cheapest))) cheapest = worst;
    }
    this.#note(name, shortest);
    if (cheapest) this.#noteCharge(name, cheapest);
  }

  /** A shared machine becomes slower and faster, so the reference is measured again after what seems to be too much. */
  async #run(work: () => Promise<unknown>): Promise<Measured> {
    await this.#process.ask('begin');
    await work();
    const measured = await this.#process.ask('end');
    const before = this.#slower;
    if (isTooMuch(scaled(measured, before))) await this.calibrate();
    return scaled(measured, Math.max(before, this.#slower));
  }

  #note(name: string, ms: number): void {
    if (process.env['SHOW_COST']) console.log(`${ms > HOLD_MAX_MS ? '!!' : '  '} ${name}: ${ms.toFixed(1)} ms of ${HOLD_MAX_MS}`);
    if (ms > HOLD_MAX_MS) this.#tooLong.push(`${name}: ${ms.toFixed(1)} ms, more than ${HOLD_MAX_MS}`);
  }

  #noteCharge(name: string, request: MeasuredRequest): void {
    const text = `${name}: ${request.ms.toFixed(1)} ms in all, ${request.units} units pay for ${paidMs(request)}`;
    if (process.env['SHOW_COST']) console.log(`${unpaidMs(request) > 0 ? '!!' : '  '} ${text}`);
    if (unpaidMs(request) > 0) this.#tooCheap.push(text);
  }

  expectShort(): void {
    expect(this.#tooLong.splice(0), 'what holds the event loop, in ms of processor time').toEqual([]);
    expect(this.#tooCheap.splice(0), 'what costs more than it is charged, in ms of processor time').toEqual([]);
  }
}

function scaled({ longestMs, requests }: Measured, slower: number): Measured {
  return { longestMs: longestMs / slower, requests: requests.map(({ ms, units }) => ({ ms: ms / slower, units })) };
}

function isTooMuch(measured: Measured): boolean {
  const worst = worstOf(measured);
  return measured.longestMs > HOLD_MAX_MS || (worst !== undefined && unpaidMs(worst) > 0);
}

function worstOf({ requests }: Measured): MeasuredRequest | undefined {
  return requests.toSorted((a, b) => unpaidMs(b) - unpaidMs(a))[0];
}

/** What the request used beyond what its units pay for. */
function unpaidMs(request: MeasuredRequest): number {
  return request.ms - paidMs(request);
}

function paidMs({ units }: MeasuredRequest): number {
  return units * UNIT_LOOP_MS + REQUEST_LOOP_MS;
}

/** The response has no error of the service. */
export async function served(work: () => Promise<ApiResponse>): Promise<void> {
  const { status, text } = await work();
  expect(status, text.slice(0, 500)).toBeLessThan(500);
}
