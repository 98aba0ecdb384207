const STEPS_BETWEEN_CHECKS = 512;

export class OutOfTime extends Error {}

/** A budget of processor time of this thread, so that other load does not count against a schema. */
export class Budget {
  readonly #start = process.threadCpuUsage();
  readonly #limitMs: number;
  #steps = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Counts steps. Call it at least every few milliseconds. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps < STEPS_BETWEEN_CHECKS) return;
    this.#steps = 0;
    this.check();
  }

  check(): void {
    if (this.usedMs() > this.#limitMs) throw new OutOfTime();
  }

  usedMs(): number {
    const { user, system } = process.threadCpuUsage(this.#start);
    return (user + system) / 1_000;
  }
}
