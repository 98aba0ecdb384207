import { availableParallelism } from 'node:os';
import type { Spend } from '../../contract/cost.ts';
import { Refusal } from '../../contract/errors.ts';
import { HASHED_BY_WORKER_FROM_BYTES, HASHES_WAITING_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { canonicalForm, hashesOf, type JsonHashes } from './canonical-bytes.ts';
import { ThreadPool } from './schema-checker/thread-pool.ts';

/** Processor time far above that of the worst `json` within the limits. */
const KILL_AFTER_MS = 5_000;
const WAIT_MAX_MS = 15_000;
const RETRY_S = 5;

/**
 * Hashes or canonicalizes small texts at once, and large ones in worker threads, where parties take turns: some texts of 1 MB take a hundred times as
 * long as usual.
 */
export class CanonicalHasher {
  readonly #pool = new ThreadPool({ workers: availableParallelism() > 2 ? 2 : 1, niceness: 0, killAfterMs: KILL_AFTER_MS });
  readonly #waiting = new Map<string, number>();

  hash(party: string, json: Buffer, spend?: Spend): JsonHashes | Promise<JsonHashes> {
    return json.length <= HASHED_BY_WORKER_FROM_BYTES ? hashesOf(json) : this.#hashInWorker(party, json, spend);
  }

  canonical(party: string, json: Buffer, spend?: Spend): Buffer | Promise<Buffer> {
    return json.length <= HASHED_BY_WORKER_FROM_BYTES ? canonicalForm(json) : this.#formInWorker(party, json, spend);
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  async #hashInWorker(party: string, json: Buffer, spend: Spend | undefined): Promise<JsonHashes> {
    const outcome = await this.#inWorker('hash', party, json, spend);
    if (outcome.kind !== 'hashed') throw busy();
    return { canonical: Buffer.from(outcome.canonical), bytes: Buffer.from(outcome.bytes) };
  }

  async #formInWorker(party: string, json: Buffer, spend: Spend | undefined): Promise<Buffer> {
    const outcome = await this.#inWorker('canonical', party, json, spend);
    if (outcome.kind !== 'canonical') throw busy();
    return Buffer.from(outcome.json);
  }

  async #inWorker(kind: 'hash' | 'canonical', party: string, json: Buffer, spend: Spend | undefined): ReturnType<ThreadPool['run']> {
    const others = this.#waiting.get(party) ?? 0;
    if (others >= HASHES_WAITING_PER_BUSINESS_MAX) throw busy();
    this.#waiting.set(party, others + 1);
    try {
      const deadline = performance.now() + WAIT_MAX_MS;
      const onUsed = (workerMs: number) => spend?.({ workerMs });
      return await this.#pool.run({ kind, party, key: kind, json, deadline, budgetMs: () => KILL_AFTER_MS, onUsed });
    } finally {
      const left = (this.#waiting.get(party) ?? 1) - 1;
      if (left > 0) this.#waiting.set(party, left);
      else this.#waiting.delete(party);
    }
  }
}

function busy(): Refusal {
  return new Refusal(
    'unavailable',
    `The json could not be hashed in time: at most ${HASHES_WAITING_PER_BUSINESS_MAX} large values of a business can wait at once. Try again.`,
    { retryAfterS: RETRY_S },
  );
}
