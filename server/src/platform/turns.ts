/** Thrown when somebody has as much waiting as anybody may have. */
export class TooMuchWaiting extends Error {}

/** Has work done a few pieces at a time, one for each who asked for it, who take turns: whoever asks for much waits for it alone. */
export class Turns {
  readonly #waitingMax: number;
  readonly #atOnce: number;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  readonly #served = new Set<string>();

  constructor(waitingMax: number, atOnce = 1) {
    this.#waitingMax = waitingMax;
    this.#atOnce = atOnce;
  }

  take<T>(who: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#waiting.get(who) ?? [];
    if (queue.length >= this.#waitingMax) return Promise.reject(new TooMuchWaiting());
    return new Promise((resolve, reject) => {
      queue.push(() => work().then(resolve, reject));
      this.#waiting.set(who, queue);
      this.#serve();
    });
  }

  #serve(): void {
    for (const [who, queue] of this.#waiting) {
      if (this.#served.size >= this.#atOnce) return;
      if (this.#served.has(who)) continue;
      const work = queue.shift();
      this.#waiting.delete(who);
      // To the end of the line.
      if (queue.length > 0) this.#waiting.set(who, queue);
      this.#served.add(who);
      void work?.().finally(() => {
        this.#served.delete(who);
        this.#serve();
      });
    }
  }
}
