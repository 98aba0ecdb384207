import type { Database } from './postgres.ts';

const READ_AGAIN_MS = 60_000;

export type Clock = () => Date;

/**
 * The clock of the database, which all processes share: a URL that one signs for an hour must not be expired for another. It is read each minute. In
 * between, time is measured here, whatever happens to the clock of this machine.
 */
export class DatabaseClock {
  #ahead: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.#ahead = Date.now() - performance.now();
  }

  readonly now: Clock = () => new Date(performance.now() + this.#ahead);

  async start(): Promise<void> {
    await this.#read();
    // While the database can't be reached, the last reading is good enough.
    this.#timer = setInterval(() => this.#read().catch(() => {}), READ_AGAIN_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    const asked = performance.now();
    const [row] = await this.#database.queryText<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms');
    if (row) this.#ahead = row.ms - (asked + performance.now()) / 2;
  }
}
