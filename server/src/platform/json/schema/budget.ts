const STEPS_BETWEEN_CHECKS = 512;

/** Thrown by work that has used up its processor time. */
export class OutOfTime extends Error {}

/** Processor time of this thread, so that other load does not count against a schema. */
export class Budget {
  readonly #start = process.threadCpuUsage();
  readonly #limitMs: number;
  #steps = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Must be called at least every few milliseconds. */
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
