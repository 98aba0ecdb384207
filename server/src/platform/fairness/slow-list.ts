const REMEMBERED_MAX = 10_000;

interface Slow {
  until: number;
  forMs: number;
}

/** Names that have been slow, and are served separately for a while: each time for twice as long, up to a maximum. */
export class SlowList {
  readonly #forMs: number;
  readonly #forMaxMs: number;
  readonly #slow = new Map<string, Slow>();

  constructor(forMs: number, forMaxMs: number) {
    this.#forMs = forMs;
    this.#forMaxMs = forMaxMs;
  }

  has(name: string): boolean {
    return (this.#slow.get(name)?.until ?? 0) > performance.now();
  }

  note(name: string): void {
    const now = performance.now();
    const before = this.#slow.get(name);
    const isStillSlow = before !== undefined && before.until > now;
    // After a quick period as long as the last slow one, the name starts from the first duration again.
    const isAgain = before !== undefined && before.until + before.forMs > now;
    const forMs = isStillSlow ? before.forMs : isAgain ? Math.min(2 * before.forMs, this.#forMaxMs) : this.#forMs;
    if (this.#slow.size >= REMEMBERED_MAX && before === undefined) this.#slow.clear();
    this.#slow.set(name, { until: now + forMs, forMs });
  }
}
