import { Refusal } from '../contract/errors.ts';
import { MB } from '../contract/limits.ts';

const RETRY_AFTER_S = 2;
/** Of the budget, for one business or address. */
const SHARE = 1 / 4;
/** A share below this would have no room for a few pages. */
const SHARE_MIN_BYTES = 16 * MB;

/**
 * How many bytes all requests of a process may hold at a time, and how many of these one business or address. A request
 * for more than is left is refused, before anything is read.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #maxBytesPerHolder: number;
  readonly #byHolder = new Map<string, number>();
  #taken = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxBytesPerHolder = Math.min(maxBytes, Math.max(SHARE_MIN_BYTES, maxBytes * SHARE));
  }

  get taken(): number {
    return this.#taken;
  }

  take(bytes: number, holder: string): void {
    if (this.#taken + bytes > this.#maxBytes) throw tooMany('Too many large responses are under way');
    const held = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (held > this.#maxBytesPerHolder) throw tooMany('You have too many large responses under way that you have not read');
    this.#byHolder.set(holder, held);
    this.#taken += bytes;
  }

  give(bytes: number, holder: string): void {
    this.#taken -= bytes;
    const held = (this.#byHolder.get(holder) ?? 0) - bytes;
    if (held > 0) this.#byHolder.set(holder, held);
    else this.#byHolder.delete(holder);
  }
}

function tooMany(what: string): Refusal {
  return new Refusal('unavailable', `${what}. Try again in ${RETRY_AFTER_S} s.`, { retryAfterS: RETRY_AFTER_S });
}
