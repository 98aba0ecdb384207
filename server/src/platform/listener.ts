import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';

const RECONNECT_MS = 250;

export interface Listening {
  channel: string;
  /** What others can find the connection by. */
  applicationName: string;
  heard(payload: string, client: pg.Client): void;
  /** Words may have been missed: the connection is new, or it is gone. */
  interrupted(): void;
  /** What the log says when the connection is lost. */
  lossMeans: string;
}

/** Hears what is said on a channel of the database; comes back by itself when the connection breaks. */
export class Listener {
  readonly #connection: pg.ClientConfig;
  readonly #listening: Listening;
  readonly #log: Logger;
  #client: pg.Client | undefined;
  #stopped = false;

  constructor(connection: pg.ClientConfig, listening: Listening, log: Logger) {
    this.#connection = connection;
    this.#listening = listening;
    this.#log = log;
  }

  get isLive(): boolean {
    return this.#client !== undefined;
  }

  async start(): Promise<void> {
    const { channel, applicationName, heard, interrupted } = this.#listening;
    const client = new pg.Client({ ...this.#connection, application_name: applicationName, keepAlive: true });
    client.on('error', () => {});
    client.on('notification', ({ payload = '' }) => heard(payload, client));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    client.once('end', () => {
      this.#client = undefined;
      interrupted();
      if (!this.#stopped) void this.#startAgain();
    });
    this.#client = client;
    interrupted();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#client?.end().catch(() => {});
  }

  async #startAgain(): Promise<void> {
    this.#log.warn(`lost the connection that hears of ${this.#listening.channel}; ${this.#listening.lossMeans}`);
    while (!this.#stopped) {
      await sleep(RECONNECT_MS);
      try {
        return await this.start();
      } catch {
        // The database is still away.
      }
    }
  }
}
