import type { Queryable } from './postgres.ts';
import { prepared } from './statement.ts';

const NOTIFY = prepared('announce', 'SELECT pg_notify($1, $2)', { pg_notify: 'void' });
/** PostgreSQL takes payloads of less than 8,000 bytes. */
const PAYLOAD_MAX_BYTES = 7_900;

/**
 * Sends NOTIFY after a commit instead of in it, because a transaction that notifies holds a lock until it is on disk, for which all other
 * notifying transactions wait. Announcements during a NOTIFY go out together with the next one. A crash loses announcements, so receivers
 * must also sweep.
 */
export class Announcer {
  readonly #database: Queryable;
  readonly #pending = new Map<string, Set<string>>();
  #sending: Promise<void> | undefined;

  constructor(database: Queryable) {
    this.#database = database;
  }

  announce(channel: string, names: string): void {
    const pending = this.#pending.get(channel) ?? new Set();
    this.#pending.set(channel, pending);
    for (const name of names.split(',')) pending.add(name);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async stop(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (const [channel, names] of this.#pending) {
      this.#pending.delete(channel);
      const payload = [...names].join(',');
      // An empty payload makes receivers look for everything. After a failure, their next sweep does.
      await this.#database.query(NOTIFY, [channel, payload.length <= PAYLOAD_MAX_BYTES ? payload : '']).catch(() => {});
    }
  }
}
