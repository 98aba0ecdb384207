import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Refusal } from '../contract/errors.ts';
import { newUuid } from '../contract/ids.ts';
import { CHANNELS } from '../contract/jobs-and-channels.ts';
import { CHANGES_WAITING_PER_BUSINESS_MAX } from '../contract/limits.ts';
import { Listener } from './listener.ts';
import { type Database, type Queryable, transactionOn } from './postgres.ts';
import { TooMuchWaiting, Turns } from './turns.ts';

const { changes: CHANGES, changesHeard: HEARD } = CHANNELS;
const LISTENER = 'waybill changes';
/** For a process that is alive but does not answer; the others are not kept waiting for long. */
const HEARING_PATIENCE_MS = 2_000;

/** What a change is about: a party, with its keys, profile, domains and blocks; the schema of a party; a webhook that is gone. */
export type SubjectKind = 'party' | 'schema' | 'webhook';

/** The transaction of a change. */
export interface Change extends Queryable {
  /** The change is about this party too. */
  alsoConcerns(partyId: bigint): void;
}

/** Of the pool, so that a flood of changes leaves connections to everybody else. */
const CHANGES_AT_ONCE = 4;
/** A change whose turn has not come by then is refused, undone. */
const TURN_PATIENCE_MS = 15_000;
const turnsOf = new WeakMap<Database, Turns>();

/**
 * Changes rows that processes cache, and returns when all of them have forgotten what they had: what was revoked is
 * refused from then on. The payload goes out with the transaction, and each process acknowledges it. A business changes
 * one thing at a time.
 */
export async function changingCached<T>(
  database: Database,
  partyId: bigint,
  work: (tx: Change) => Promise<T>,
  subject: { kind: SubjectKind; id: bigint | string } = { kind: 'party', id: partyId },
): Promise<T> {
  const turns =
    turnsOf.get(database) ??
    new Turns({ waitingMax: CHANGES_WAITING_PER_BUSINESS_MAX, patienceMs: TURN_PATIENCE_MS, atOnce: CHANGES_AT_ONCE });
  turnsOf.set(database, turns);
  try {
    return await turns.take(String(partyId), () =>
      database.withClient((client) => changing(client, work, `${subject.kind}:${subject.id}`)),
    );
  } catch (error) {
    if (!(error instanceof TooMuchWaiting)) throw error;
    const message = 'Too many changes of your business are waiting already.';
    throw new Refusal('rate_limited', message, { retryAfterS: 1 });
  }
}

async function changing<T>(ear: pg.PoolClient, work: (tx: Change) => Promise<T>, subject: string): Promise<T> {
  const changeId = newUuid();
  const subjects = new Set([subject]);
  const heardBy = new Set<number>();
  let onHeard = () => {};
  const note = ({ payload, processId }: pg.Notification) => {
    if (payload === changeId) heardBy.add(processId);
    onHeard();
  };
  ear.on('notification', note);
  try {
    await ear.query(`LISTEN ${HEARD}`);
    const result = await transactionOn(ear, async (tx) => {
      const alsoConcerns = (partyId: bigint) => subjects.add(`party:${partyId}`);
      const worked = await work({ query: tx.query, alsoConcerns });
      await tx.queryText('SELECT pg_notify($1, $2)', [CHANGES, [changeId, ...subjects].join(' ')]);
      return worked;
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

/** Is told the id of what has changed, or undefined when changes may have gone unheard. */
type Forget = (id: string | undefined) => void;

/** Tells this process when another one changed rows that it may have cached. While the feed is down, nothing may be cached. */
export class ChangeFeed {
  readonly #listener: Listener;
  readonly #forgetters: { kind: SubjectKind; forget: Forget }[] = [];

  constructor(connection: pg.ClientConfig, log: Logger) {
    this.#listener = new Listener(
      connection,
      {
        channel: CHANGES,
        applicationName: LISTENER,
        heard: (payload, client) => {
          const [changeId, ...subjects] = payload.split(' ');
          for (const subject of subjects) {
            const [kind, id] = subject.split(':');
            for (const other of this.#forgetters) if (other.kind === kind) other.forget(id);
          }
          client.query('SELECT pg_notify($1, $2)', [HEARD, changeId]).catch(() => {});
        },
        interrupted: () => {
          for (const { forget } of this.#forgetters) forget(undefined);
        },
        lossMeans: 'caches are off until it is back',
      },
      log,
    );
  }

  get isLive(): boolean {
    return this.#listener.isLive;
  }

  /** Calls back at every change, before whoever made it is told that all have heard. */
  onChange(kind: SubjectKind, forget: Forget): void {
    this.#forgetters.push({ kind, forget });
  }

  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }
}
