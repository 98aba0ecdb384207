import { setImmediate } from 'node:timers/promises';

/** Work that takes longer than this is done in turns, with others served in between. */
const TURN_MS = 5;

/** Breaks of a long piece of work on the event loop. Its steps must be short: between two of them, it takes a break if one is due. */
export class Breaks {
  #turnBeganAt = performance.now();

  async takeIfDue(): Promise<void> {
    if (performance.now() - this.#turnBeganAt < TURN_MS) return;
    await setImmediate();
    this.#turnBeganAt = performance.now();
  }
}
