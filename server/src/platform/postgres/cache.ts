import { LRUCache } from 'lru-cache';
import type { ChangeFeed, SubjectKind } from './change-feed.ts';

const MAX_ENTRIES = 50_000;

interface Entry<V> {
  value: V;
  owners: readonly string[];
}

interface Load<V> {
  value: Promise<V | undefined>;
  /** The owners whose rows have changed since the read began. 'all': NOTIFYs may have been missed. */
  missed: Set<string>;
}

/**
 * A cache of rows, each until its owners change. Concurrent misses of one key share one read. While the change feed is down, nothing is cached or
 * shared. `undefined` is never cached.
 */
export class Cache<V> {
  readonly #feed: ChangeFeed;
  readonly #entries = new LRUCache<string, Entry<V>>({
    // `maxSize`, because `max` allocates room for all entries at once.
    maxSize: MAX_ENTRIES,
    sizeCalculation: ({ value }) => this.#weightOf(value),
    dispose: ({ owners }, key) => this.#disown(owners, key),
  });
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #loads = new Set<Load<V>>();
  /** Key: the key of the entry. It has only reads that began after the latest change, because later callers must not get older rows. */
  readonly #joinable = new Map<string, Load<V>>();
  readonly #weightOf: (value: V) => number;

  /** `weightOf`: how many usual entries take as much memory as this value. */
  constructor(feed: ChangeFeed, kind: SubjectKind = 'party', weightOf: (value: V) => number = () => 1) {
    this.#feed = feed;
    this.#weightOf = weightOf;
    feed.onChange(kind, (owner) => this.#forget(owner));
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** `ownersOf`: the parties whose changes make the value out of date. */
  load(key: string, read: () => Promise<V>, ownersOf: (value: V) => readonly bigint[]): Promise<V>;
  load(key: string, read: () => Promise<V | undefined>, ownersOf: (value: V) => readonly bigint[]): Promise<V | undefined>;
  async load(key: string, read: () => Promise<V | undefined>, ownersOf: (value: V) => readonly bigint[]): Promise<V | undefined> {
    const known = this.#entries.get(key);
    if (known) return known.value;
    if (!this.#feed.isLive) return read();
    return (this.#joinable.get(key) ?? this.#begin(key, read, ownersOf)).value;
  }

  #begin(key: string, read: () => Promise<V | undefined>, ownersOf: (value: V) => readonly bigint[]): Load<V> {
    const load: Load<V> = { value: read(), missed: new Set() };
    this.#loads.add(load);
    this.#joinable.set(key, load);
    const end = () => {
      this.#loads.delete(load);
      if (this.#joinable.get(key) === load) this.#joinable.delete(key);
    };
    load.value = load.value.then(
      (value) => {
        end();
        if (value !== undefined) this.#keep(key, value, ownersOf(value).map(String), load.missed);
        return value;
      },
      (error) => {
        end();
        throw error;
      },
    );
    return load;
  }

  /** Caches the value, unless a change was announced during the read: the read may not have seen it. */
  #keep(key: string, value: V, owners: readonly string[], missed: ReadonlySet<string>): void {
    if (!this.#feed.isLive || missed.has('all') || owners.some((owner) => missed.has(owner))) return;
    this.#entries.set(key, { value, owners });
    for (const owner of owners) {
      const keys = this.#keysOf.get(owner);
      if (keys) keys.add(key);
      else this.#keysOf.set(owner, new Set([key]));
    }
  }

  #forget(owner: string | undefined): void {
    for (const { missed } of this.#loads) missed.add(owner ?? 'all');
    this.#joinable.clear();
    if (owner === undefined) this.#entries.clear();
    else for (const key of [...(this.#keysOf.get(owner) ?? [])]) this.#entries.delete(key);
  }

  #disown(owners: readonly string[], key: string): void {
    for (const owner of owners) {
      const keys = this.#keysOf.get(owner);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysOf.delete(owner);
    }
  }
}
