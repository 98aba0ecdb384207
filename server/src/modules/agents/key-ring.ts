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

  known(secret: string): Caller | undefined {
    const caller = isApiKey(secret) ? this.#cache.get(apiKeyHash(secret).toString('latin1')) : undefined;
    if (caller) this.#usedKeyIds.add(caller.countedAs);
    return caller;
  }

  async callerFor(secret: string): Promise<Caller | undefined> {
    if (!isApiKey(secret)) return undefined;
    const hash = apiKeyHash(secret);
    const caller = await this.#cache.load(
      hash.toString('latin1'),
      () => store.findCaller(this.#database, hash),
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
