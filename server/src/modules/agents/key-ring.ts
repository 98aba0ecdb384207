import { apiKeyHash, isApiKey } from '../../contract/api-key.ts';
import type { Caller } from '../../contract/parties.ts';
import { Cache } from '../../platform/postgres/cache.ts';
import type { ChangeFeed } from '../../platform/postgres/change-feed.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

const RECORD_USES_EVERY_MS = 5_000;

/** Finds the caller of a secret. Secrets are hashed and looked up by hash, so that no comparison can be timed. */
export class KeyRing {
  readonly #database: Database;
  readonly #cache: Cache<Caller>;
  readonly #usedKeyIds = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(database: Database, feed: ChangeFeed) {
    this.#database = database;
    this.#cache = new Cache(feed);
    this.#timer = setInterval(() => void this.#recordUses(), RECORD_USES_EVERY_MS).unref();
  }

  /** The name of a secret in the cache, which is its hash. Undefined: it has not the form of a key. */
  nameOf(secret: string): string | undefined {
    return isApiKey(secret) ? apiKeyHash(secret).toString('latin1') : undefined;
  }

  known(name: string): Caller | undefined {
    const caller = this.#cache.get(name);
    if (caller) this.#usedKeyIds.add(caller.countedAs);
    return caller;
  }

  async callerFor(name: string): Promise<Caller | undefined> {
    const caller = await this.#cache.load(
      name,
      () => store.findCaller(this.#database, Buffer.from(name, 'latin1')),
      ({ business }) => [business.id],
    );
    if (caller) this.#usedKeyIds.add(caller.countedAs);
    return caller;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#recordUses();
  }

  /** Uses are only displayed, so they are written a few seconds late. They are lost while the database can't be reached. */
  async #recordUses(): Promise<void> {
    if (this.#usedKeyIds.size === 0) return;
    const ids = [...this.#usedKeyIds];
    this.#usedKeyIds.clear();
    await store.recordUse(this.#database, ids).catch(() => {});
  }
}
