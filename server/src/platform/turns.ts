/** Thrown when somebody has as much waiting as anybody may have. */
export class TooMuchWaiting extends Error {}

/** Thrown when a turn did not come in time. */
export class WaitedTooLong extends Error {}

/** Has work done one piece at a time, those who asked for it taking turns: whoever asks for much waits for it alone. */
export class Turns {
  readonly #waitingMax: number;
  readonly #patienceMs: number;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isBusy = false;

  constructor(waitingMax: number, patienceMs: number) {
    this.#waitingMax = waitingMax;
    this.#patienceMs = patienceMs;
  }

  take<T>(who: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#waiting.get(who) ?? [];
    if (queue.length >= this.#waitingMax) return Promise.reject(new TooMuchWaiting());
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      const patience = setTimeout(() => {
        isGivenUp = true;
        reject(new WaitedTooLong());
      }, this.#patienceMs);
      const turn = async () => {
        clearTimeout(patience);
        if (!isGivenUp) await work().then(resolve, reject);
      };
      this.#waiting.set(who, [...queue, turn]);
      if (!this.#isBusy) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#isBusy = true;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const [who, [work, ...others]] = next;
      this.#waiting.delete(who);
      // To the end of the line.
      if (others.length > 0) this.#waiting.set(who, others);
      await work?.();
    }
    this.#isBusy = false;
  }
}
