import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type Connection, newClient } from './database-hosts.ts';

const RECONNECT_MS = 250;
/** A server that hangs neither sends notifications nor breaks the connection, so it is queried at this interval. */
const ALIVE_EVERY_MS = 5_000;

interface Listening {
  channel: string;
  applicationName: string;
  onPayload(payload: string, client: pg.Client): void;
  /** Called when notifications may have been missed: the connection is new, or was lost. */
  onInterruption(): void;
  lossMeans: string;
}

export class Listener {
  readonly #connection: Connection;
  readonly #listening: Listening;
  readonly #log: Logger;
  #client: pg.Client | undefined;
  #isStopped = false;

  constructor(connection: Connection, listening: Listening, log: Logger) {
    this.#connection = connection;
    this.#listening = listening;
    this.#log = log;
  }

  get isLive(): boolean {
    return this.#client !== undefined;
  }

  async start(): Promise<void> {
    const { channel, applicationName, onPayload, onInterruption } = this.#listening;
    const client = newClient({ ...this.#connection, application_name: applicationName });
    client.on('notification', ({ payload = '' }) => onPayload(payload, client));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    const stopChecking = checkLife(client);
    client.once('end', () => {
      stopChecking();
      this.#client = undefined;
      onInterruption();
      if (!this.#isStopped) void this.#reconnect();
    });
    this.#client = client;
    onInterruption();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client?.end().catch(() => {});
  }

  async #reconnect(): Promise<void> {
    this.#log.warn(`lost the connection that listens on ${this.#listening.channel}; ${this.#listening.lossMeans}`);
    while (!this.#isStopped) {
      await sleep(RECONNECT_MS);
      try {
        return await this.start();
      } catch {
        // The database can't be reached yet.
      }
    }
  }
}

/** A server that does not respond loses the connection (limited-client.ts). */
function checkLife(client: pg.Client): () => void {
  const check = async () => {
    await client.query('SELECT 1').catch(() => {});
    timer.refresh();
  };
  const timer = setTimeout(check, ALIVE_EVERY_MS).unref();
  return () => clearTimeout(timer);
}
