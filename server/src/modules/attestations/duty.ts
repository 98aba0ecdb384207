import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Periodic } from '../../platform/jobs/periodic.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { dropDuty, takeDuty } from './attestor-store.ts';

interface DutyTerms {
  name: string;
  everyMs: number;
  /** Other processes take the duty over if it is not renewed for this long. */
  heldS: number;
}

/** Work that one process at a time does at intervals. Another one takes over soon after the first has ended. */
export abstract class Duty {
  protected readonly database: Database;
  protected readonly logger: Logger;
  protected readonly stopping = new AbortController();
  readonly #terms: DutyTerms;
  readonly #holder = randomUUID();
  #heldUntil = 0;
  #notBefore = 0;
  readonly #rounds: Periodic;

  constructor(database: Database, logger: Logger, terms: DutyTerms) {
    this.database = database;
    this.logger = logger;
    this.#terms = terms;
    this.#rounds = new Periodic(terms.everyMs, () => this.#round(), logger, `${terms.name}: could not be continued`);
  }

  /** Everything that this awaits ends soon after `stopping`. */
  protected abstract work(): Promise<void>;

  start(): void {
    this.#rounds.start();
  }

  async #round(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      if (!this.stopping.signal.aborted) throw error;
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.#rounds.stop();
    if (this.#heldUntil > performance.now()) await dropDuty(this.database, this.#terms.name, this.#holder).catch(() => {});
  }

  /** Whether this process has the duty. The database is queried at most twice per term, because even a refusal locks the row. */
  protected async isMine(): Promise<boolean> {
    const { name, heldS } = this.#terms;
    const askedAt = performance.now();
    if (askedAt < this.#notBefore) return askedAt < this.#heldUntil;
    const isMine = await takeDuty(this.database, name, this.#holder, heldS);
    this.#notBefore = askedAt + (heldS * 1000) / 2;
    this.#heldUntil = isMine ? askedAt + heldS * 1000 : 0;
    return isMine;
  }
}
