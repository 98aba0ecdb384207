import { setImmediate } from 'node:timers/promises';

/** Work yields the event loop after this time, so that others are served. */
const TURN_MS = 5;

/** Breaks in long work on the event loop. The work must have short steps, because it can break only between two of them. */
export class Breaks {
  #turnBeganAt = performance.now();

  async takeIfDue(): Promise<void> {
    if (performance.now() - this.#turnBeganAt < TURN_MS) return;
    await setImmediate();
    this.#turnBeganAt = performance.now();
  }
}
