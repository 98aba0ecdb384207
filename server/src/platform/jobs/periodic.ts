import type { Logger } from 'pino';
import { isUnavailable } from '../postgres/postgres.ts';

/**
 * Work at short intervals, one round at a time: a round that takes long delays the next. Failures are logged, unless the database can't be reached.
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

  /** Long rounds read this to end early. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    if (!this.#isStopped) this.#timer ??= setInterval(() => this.#begin(), this.#everyMs);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

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
