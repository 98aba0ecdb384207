import { Refusal } from '../contract/errors.ts';
import { MB } from '../contract/limits.ts';
import { NoneLeft, Shares } from '../platform/fairness/shares.ts';

const RETRY_AFTER_S = 2;
/** The share of one business or network, and the share reserved for holders of little. */
const HOLDER_SHARE = 1 / 4;
const KEPT_BACK_SHARE = 1 / 4;
const LITTLE_SHARE = 1 / 64;
/** A smaller share would have no room for several pages. */
const HOLDER_MIN_BYTES = 16 * MB;

/**
 * Limits the bytes that all requests of a process may hold at a time, and those of one business or network. A request for more is refused before
 * anything is read.
 */
export class ByteBudget {
  readonly #maxBytesPerHolder: number;
  readonly #shares: Shares;

  constructor(maxBytes: number) {
    this.#maxBytesPerHolder = Math.min(maxBytes, Math.max(HOLDER_MIN_BYTES, maxBytes * HOLDER_SHARE));
    this.#shares = new Shares({ total: maxBytes, keptBack: maxBytes * KEPT_BACK_SHARE, little: maxBytes * LITTLE_SHARE });
  }

  get taken(): number {
    return this.#shares.taken;
  }

  take(bytes: number, holder: string): void {
    try {
      this.#shares.take([{ name: holder, max: this.#maxBytesPerHolder }], bytes);
    } catch (error) {
      if (!(error instanceof NoneLeft)) throw error;
      const whose = error.holder ? 'Too many large responses to you are' : 'Too many large responses are';
      throw new Refusal('unavailable', `${whose} under way. Read them to the end, or try again in ${RETRY_AFTER_S} s.`, {
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }

  give(bytes: number, holder: string): void {
    this.#shares.give([holder], bytes);
  }
}
