import { Refusal } from '../contract/errors.ts';

const RETRY_AFTER_S = 2;

/** How many bytes all requests of a process may hold at a time. Whoever asks for more than is left is refused, before anything is read. */
export class ByteBudget {
  readonly #maxBytes: number;
  #taken = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get taken(): number {
    return this.#taken;
  }

  take(bytes: number): void {
    if (this.#taken + bytes > this.#maxBytes)
      throw new Refusal('unavailable', `Too many large responses are under way. Try again in ${RETRY_AFTER_S} s.`, {
        retryAfterS: RETRY_AFTER_S,
      });
    this.#taken += bytes;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}
