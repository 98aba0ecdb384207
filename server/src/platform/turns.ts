/** Thrown when somebody has as much waiting as anybody may have. */
export class TooMuchWaiting extends Error {}

/** Has work done one piece at a time, those who asked for it taking turns: whoever asks for much waits for it alone. */
export class Turns {
  readonly #waitingMax: number;
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isBusy = false;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  take<T>(who: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#waiting.get(who) ?? [];
    if (queue.length >= this.#waitingMax) return Promise.reject(new TooMuchWaiting());
    return new Promise((resolve, reject) => {
      this.#waiting.set(who, [...queue, () => work().then(resolve, reject)]);
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
