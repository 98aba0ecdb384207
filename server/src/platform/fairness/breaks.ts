import { setImmediate } from 'node:timers/promises';

/** Longer work pauses after this time, so that others are served. */
const TURN_MS = 5;

/** Breaks of a long piece of work on the event loop. Its steps must be short: it takes a break only between two of them. */
export class Breaks {
  #turnBeganAt = performance.now();

  async takeIfDue(): Promise<void> {
    if (performance.now() - this.#turnBeganAt < TURN_MS) return;
    await setImmediate();
    this.#turnBeganAt = performance.now();
  }
}
