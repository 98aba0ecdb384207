import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Refusal } from '../../contract/errors.ts';
import { newUuid } from '../../contract/ids.ts';
import { CHANNELS } from '../../contract/jobs-and-channels.ts';
import { CHANGES_WAITING_PER_BUSINESS_MAX } from '../../contract/limits.ts';
import { TooMuchWaiting, Turns } from '../fairness/turns.ts';
import type { Connection } from './database-hosts.ts';
import { Listener } from './listener.ts';
import { type Database, type Queryable, transactionOn } from './postgres.ts';

const { changes: CHANGES, changesHeard: ACKNOWLEDGEMENTS } = CHANNELS;
const LISTENER = 'waybill changes';
const ACKNOWLEDGE_PATIENCE_MS = 2_000;

/** `party` includes its keys, profile, domains and blocks. `webhook`: a deleted one. `webhook-settings`: a changed one. */
export type SubjectKind = 'party' | 'schema' | 'webhook' | 'webhook-settings';

export interface Change extends Queryable {
  alsoConcerns(partyId: bigint): void;
}

/** The connections of the pool that changes may hold at a time. */
const CHANGES_AT_ONCE = 4;
const TURN_PATIENCE_MS = 15_000;
const turnsOf = new WeakMap<Database, Turns>();

/**
 * Changes rows that processes cache. When it returns, all processes have dropped their copies: a revoked key is refused from then on.
 * NOTIFY is sent with the transaction, and each process acknowledges it. A business makes one change at a time.
 */
export async function changeCached<T>(
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
      database.of(partyId).withSession((client) => runChange(client, work, `${subject.kind}:${subject.id}`)),
    );
  } catch (error) {
    if (!(error instanceof TooMuchWaiting)) throw error;
    const message = 'Too many changes of your business are waiting already. Try again later.';
    throw new Refusal('rate_limited', message, { retryAfterS: 1 });
  }
}

async function runChange<T>(client: pg.PoolClient, work: (tx: Change) => Promise<T>, subject: string): Promise<T> {
  const changeId = newUuid();
  const subjects = new Set([subject]);
  const acknowledgedBy = new Set<number>();
  let onAcknowledgement = () => {};
  const note = ({ payload, processId }: pg.Notification) => {
    if (payload === changeId) acknowledgedBy.add(processId);
    onAcknowledgement();
  };
  client.on('notification', note);
  try {
    await client.query(`LISTEN ${ACKNOWLEDGEMENTS}`);
    const result = await transactionOn(client, async (tx) => {
      const alsoConcerns = (partyId: bigint) => subjects.add(`party:${partyId}`);
      const worked = await work({ query: tx.query, alsoConcerns });
      await tx.queryText('SELECT pg_notify($1, $2)', [CHANGES, [changeId, ...subjects].join(' ')]);
      return worked;
    });
    const listeners = await client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
      [LISTENER],
    );
    const allAcknowledged = new Promise<void>((resolve) => {
      onAcknowledgement = () => {
        if (listeners.rows.every(({ pid }) => acknowledgedBy.has(pid))) resolve();
      };
      onAcknowledgement();
    });
    await Promise.race([allAcknowledged, sleep(ACKNOWLEDGE_PATIENCE_MS, undefined, { ref: false })]);
    return result;
  } finally {
    client.off('notification', note);
    await client.query(`UNLISTEN ${ACKNOWLEDGEMENTS}`).catch(() => {});
  }
}

/** Receives the id of the changed subject. Undefined: notifications may have been missed. */
type Forget = (id: string | undefined) => void;

/** Tells this process of changes to rows that it may have cached. While the feed is down, nothing may be cached. */
export class ChangeFeed {
  readonly #listener: Listener;
  readonly #forgetters: { kind: SubjectKind; forget: Forget }[] = [];

  constructor(connection: Connection, log: Logger) {
    this.#listener = new Listener(
      connection,
      {
        channel: CHANGES,
        applicationName: LISTENER,
        onPayload: (payload, client) => {
          const [changeId, ...subjects] = payload.split(' ');
          for (const subject of subjects) {
            const [kind, id] = subject.split(':');
            for (const other of this.#forgetters) if (other.kind === kind) other.forget(id);
          }
          client.query('SELECT pg_notify($1, $2)', [ACKNOWLEDGEMENTS, changeId]).catch(() => {});
        },
        onInterruption: () => {
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

  /** Calls `forget` at every change, before the process that made it learns that all have acknowledged it. */
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
