import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { newUuid } from '../contract/ids.ts';
import type { Database, Queryable } from './postgres.ts';

const CHANGES = 'waybill_changes';
const HEARD = 'waybill_changes_heard';
const LISTENER = 'waybill changes';
const RECONNECT_MS = 250;
/** For a process that is alive but does not answer; the others are not kept waiting for long. */
const HEARING_PATIENCE_MS = 2_000;

/**
 * Changes rows that processes cache, and returns when all of them have forgotten what they had: what was revoked is
 * refused from then on. The word goes out with the transaction, and each process answers it.
 */
export async function changingCached<T>(database: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const word = newUuid();
  const ear = await database.pool.connect();
  const heardBy = new Set<number>();
  let onHeard = () => {};
  const note = ({ payload, processId }: pg.Notification) => {
    if (payload === word) heardBy.add(processId);
    onHeard();
  };
  ear.on('notification', note);
  try {
    await ear.query(`LISTEN ${HEARD}`);
    const result = await database.transaction(async (tx) => {
      await tx.query('SELECT pg_notify($1, $2)', [CHANGES, word]);
      return work(tx);
    });
    const listeners = await ear.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [LISTENER],
    );
    const everybodyHeard = new Promise<void>((resolve) => {
      onHeard = () => {
        if (listeners.rows.every(({ pid }) => heardBy.has(pid))) resolve();
      };
      onHeard();
    });
    await Promise.race([everybodyHeard, sleep(HEARING_PATIENCE_MS, undefined, { ref: false })]);
    await ear.query(`UNLISTEN ${HEARD}`);
    return result;
  } finally {
    ear.off('notification', note);
    ear.release();
  }
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
    const client = new pg.Client({ ...this.#connection, application_name: LISTENER, keepAlive: true });
    client.on('error', () => {});
    client.on('notification', ({ payload }) => {
      this.#onChange();
      client.query('SELECT pg_notify($1, $2)', [HEARD, payload]).catch(() => {});
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANGES}`);
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
