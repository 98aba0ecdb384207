import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { newUuid } from '../contract/ids.ts';
import { Listener } from './listener.ts';
import { type Database, type Queryable, transactionOn } from './postgres.ts';

const CHANGES = 'waybill_changes';
const HEARD = 'waybill_changes_heard';
const LISTENER = 'waybill changes';
/** For a process that is alive but does not answer; the others are not kept waiting for long. */
const HEARING_PATIENCE_MS = 2_000;

/** What a change is about; undefined when changes may have gone unheard. */
export type Subject = string | undefined;

/** Who there is and what they may do: what most caches keep. */
export const DIRECTORY = 'directory';

/**
 * Changes rows that processes cache, and returns when all of them have forgotten what they had: what was revoked is
 * refused from then on. The word goes out with the transaction, and each process answers it.
 */
export function changingCached<T>(database: Database, work: (tx: Queryable) => Promise<T>, subject = DIRECTORY): Promise<T> {
  return database.withClient((client) => changing(client, work, subject));
}

async function changing<T>(ear: pg.PoolClient, work: (tx: Queryable) => Promise<T>, subject: string): Promise<T> {
  const word = `${newUuid()} ${subject}`;
  const heardBy = new Set<number>();
  let onHeard = () => {};
  const note = ({ payload, processId }: pg.Notification) => {
    if (payload === word) heardBy.add(processId);
    onHeard();
  };
  ear.on('notification', note);
  try {
    await ear.query(`LISTEN ${HEARD}`);
    const result = await transactionOn(ear, async (tx) => {
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
    return result;
  } finally {
    ear.off('notification', note);
    await ear.query(`UNLISTEN ${HEARD}`).catch(() => {});
  }
}

/** Tells this process when another one changed rows that it may have cached. While the feed is down, nothing may be cached. */
export class ChangeFeed {
  readonly #listener: Listener;
  readonly #forgetters: ((subject: Subject) => void)[] = [];

  constructor(connection: pg.ClientConfig, log: Logger) {
    const tell = (subject: Subject) => {
      for (const forget of this.#forgetters) forget(subject);
    };
    this.#listener = new Listener(
      connection,
      {
        channel: CHANGES,
        applicationName: LISTENER,
        heard: (word, client) => {
          tell(word.split(' ')[1]);
          client.query('SELECT pg_notify($1, $2)', [HEARD, word]).catch(() => {});
        },
        interrupted: () => tell(undefined),
        lossMeans: 'caches are off until it is back',
      },
      log,
    );
  }

  get isLive(): boolean {
    return this.#listener.isLive;
  }

  /** Calls back at every change, before whoever made it is told that all have heard. */
  onChange(forget: (subject: Subject) => void): void {
    this.#forgetters.push(forget);
  }

  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }
}
