export class TooMuchWaiting extends Error {}

export class WaitedTooLong extends TooMuchWaiting {}

interface TurnsOptions {
  waitingMax: number;
  patienceMs: number;
  atOnce?: number;
}

/** Runs a few pieces of work at a time, one for each caller. Callers take turns, so one with much work delays only itself. */
export class Turns {
  readonly #options: Required<TurnsOptions>;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  readonly #served = new Set<string>();

  constructor(options: TurnsOptions) {
    this.#options = { atOnce: 1, ...options };
  }

  take<T>(who: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#waiting.get(who) ?? [];
    if (queue.length >= this.#options.waitingMax) return Promise.reject(new TooMuchWaiting());
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      const patience = setTimeout(() => {
        isGivenUp = true;
        reject(new WaitedTooLong());
      }, this.#options.patienceMs);
      queue.push(async () => {
        clearTimeout(patience);
        if (!isGivenUp) await work().then(resolve, reject);
      });
      this.#waiting.set(who, queue);
      this.#serve();
    });
  }

  #serve(): void {
    for (const [who, queue] of this.#waiting) {
      if (this.#served.size >= this.#options.atOnce) return;
      if (this.#served.has(who)) continue;
      const work = queue.shift();
      this.#waiting.delete(who);
      if (queue.length > 0) this.#waiting.set(who, queue);
      this.#served.add(who);
      void work?.().finally(() => {
        this.#served.delete(who);
        this.#serve();
      });
    }
  }
}
