import type { FastifyRequest } from 'fastify';
import { Refusal } from '../contract/errors.ts';
import { networkOf } from '../platform/network.ts';
import { NoneLeft, Shares } from '../platform/shares.ts';

const RETRY_AFTER_S = 2;
/** Of all bytes, how many one caller may hold, and how many are only for those who hold little. */
const CALLER_SHARE = 1 / 4;
const KEPT_BACK_SHARE = 1 / 4;
const LITTLE_SHARE = 1 / 64;

/** How many bytes all requests of a process may hold at a time. Whoever asks for more than is left is refused, before anything is read. */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #shares: Shares;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#shares = new Shares({ total: maxBytes, keptBack: maxBytes * KEPT_BACK_SHARE, little: maxBytes * LITTLE_SHARE });
  }

  get taken(): number {
    return this.#shares.taken;
  }

  /** Returns what gives the bytes back. */
  take(request: FastifyRequest, bytes: number): () => void {
    try {
      return this.#shares.take([{ name: holderOf(request), max: this.#maxBytes * CALLER_SHARE }], bytes);
    } catch (error) {
      if (!(error instanceof NoneLeft)) throw error;
      const whose = error.holder ? 'Too many large responses to you are' : 'Too many large responses are';
      throw new Refusal('unavailable', `${whose} under way. Read them to the end, or try again in ${RETRY_AFTER_S} s.`, {
        retryAfterS: RETRY_AFTER_S,
      });
    }
  }
}

/** A business with all of its keys and members, or else a person, or whoever has the address. */
function holderOf({ caller, person, ip }: FastifyRequest): string {
  if (caller) return `business ${caller.business.id}`;
  return person ? `person ${person.id}` : `network ${networkOf(ip)}`;
}
