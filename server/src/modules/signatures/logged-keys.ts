import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../contract/errors.ts';
import { SIGNING_KEY_LOG_PATIENCE_MS } from '../../contract/limits.ts';
import type { Log, PartySlot } from '../log/log.ts';

const POLL_MS = 100;
const RETRY_AFTER_S = 2;
/** Keys that a process remembers. Forgetting one costs a read. */
const KNOWN_MAX = 10_000;

interface Registered {
  id: string;
  partyId: bigint;
  logBatch: string;
}

/**
 * Knows which registrations have an index in the log. A key signs nothing before: so its leaf comes before the leaves of all that it
 * signs, whatever the clocks of machines say, and verifiers can require that.
 */
export class LoggedKeys {
  readonly #log: Pick<Log, 'locate'>;
  readonly #known = new Set<string>();
  /** Requests that a new key signs at once wait together. Key: key id. */
  readonly #waiting = new Map<string, Promise<boolean>>();

  constructor(log: Pick<Log, 'locate'>) {
    this.#log = log;
  }

  /** The sequencer takes a second. Refuses the key if it takes much longer. */
  async require(key: Registered): Promise<void> {
    if (this.#known.has(key.id)) return;
    const waiting = this.#waiting.get(key.id) ?? this.#untilLogged(key).finally(() => this.#waiting.delete(key.id));
    this.#waiting.set(key.id, waiting);
    if (!(await waiting))
      throw new Refusal('unavailable', 'The log does not have the signing key yet. Try again.', { retryAfterS: RETRY_AFTER_S });
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(key.id);
  }

  async #untilLogged({ partyId, logBatch }: Registered): Promise<boolean> {
    const slot: PartySlot = { partyId, batchId: logBatch, slot: 0 };
    const until = performance.now() + SIGNING_KEY_LOG_PATIENCE_MS;
    while (!(await this.#log.locate(slot))) {
      if (performance.now() > until) return false;
      await pause(POLL_MS);
    }
    return true;
  }
}
