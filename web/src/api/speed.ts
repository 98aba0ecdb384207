const WINDOW_MS = 5_000;

export class Speed {
  #samples: [at: number, bytes: number][] = [];

  note(at: number, bytes: number): void {
    this.#samples.push([at, bytes]);
    while (this.#samples.length > 2 && at - (this.#samples[0]?.[0] ?? at) > WINDOW_MS) this.#samples.shift();
  }

  forget(): void {
    this.#samples = [];
  }

  bytesPerSecond(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last[0] - first[0] < 500 || last[1] <= first[1]) return undefined;
    return ((last[1] - first[1]) * 1_000) / (last[0] - first[0]);
  }
}
