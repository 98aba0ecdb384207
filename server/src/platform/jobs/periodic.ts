import type { Logger } from 'pino';
import { isUnavailable } from '../postgres/postgres.ts';

/**
 * Work at short intervals, one round at a time: while a round takes longer, none is begun. A round that fails is logged, unless the database can't be
 * reached, and the next one comes as usual.
 */
export class Periodic {
  readonly #everyMs: number;
  readonly #round: () => Promise<void> | void;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #isStopped = false;

  constructor(everyMs: number, round: () => Promise<void> | void, log: Logger, failure: string) {
    this.#everyMs = everyMs;
    this.#round = round;
    this.#failed = (error) => {
      if (!isUnavailable(error)) log.error(error, failure);
    };
  }

  /** For rounds that take long: they end early then. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    if (!this.#isStopped) this.#timer ??= setInterval(() => this.#begin(), this.#everyMs);
  }

  /** Until the next start. */
  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Resolves when the round that is under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.pause();
    await this.#underWay;
  }

  #begin(): void {
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = undefined;
    });
  }

  async #run(): Promise<void> {
    try {
      await this.#round();
    } catch (error) {
      this.#failed(error);
    }
  }
}
