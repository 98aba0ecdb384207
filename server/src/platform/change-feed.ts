import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Queryable } from './postgres.ts';

const CHANNEL = 'waybill_changes';
const RECONNECT_MS = 250;

/** Called in the transaction that changes the rows, so that the word goes out exactly when they are visible. */
export async function announceChange(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
}

/** Tells this process when another one changed rows that it may have cached. While the feed is down, nothing may be cached. */
export class ChangeFeed {
  readonly #connection: pg.ClientConfig;
  readonly #log: Logger;
  #onChange: () => void = () => {};
  #client: pg.Client | undefined;
  #stopped = false;

  constructor(connection: pg.ClientConfig, log: Logger) {
    this.#connection = connection;
    this.#log = log;
  }

  get isLive(): boolean {
    return this.#client !== undefined;
  }

  async start(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#client?.end().catch(() => {});
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ ...this.#connection, application_name: 'waybill changes', keepAlive: true });
    client.on('error', () => {});
    client.on('notification', () => this.#onChange());
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    client.once('end', () => {
      this.#client = undefined;
      this.#onChange();
      if (!this.#stopped) void this.#listenAgain();
    });
    this.#client = client;
    this.#onChange();
  }

  async #listenAgain(): Promise<void> {
    this.#log.warn('lost the connection that announces changes; caches are off until it is back');
    while (!this.#stopped) {
      await sleep(RECONNECT_MS);
      try {
        return await this.#listen();
      } catch {
        // The database is still away.
      }
    }
  }
}
