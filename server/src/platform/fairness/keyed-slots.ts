import { Refusal } from '../../contract/errors.ts';

const RETRY_AFTER_S = 5;

export class KeyedSlots {
  readonly #max: number;
  /** The end of the refusal's sentence, such as "downloads of one file". */
  readonly #what: string;
  readonly #taken = new Map<string, number>();

  constructor(max: number, what: string) {
    this.#max = max;
    this.#what = what;
  }

  take(key: string): () => void {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#max)
      throw new Refusal('rate_limited', `At most ${this.#max} ${this.#what} can be under way at a time. Try again in ${RETRY_AFTER_S} s.`, {
        retryAfterS: RETRY_AFTER_S,
      });
    this.#taken.set(key, taken + 1);
    return () => this.#free(key);
  }

  #free(key: string): void {
    const left = (this.#taken.get(key) ?? 0) - 1;
    if (left > 0) this.#taken.set(key, left);
    else this.#taken.delete(key);
  }
}
