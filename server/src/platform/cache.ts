import { type ChangeFeed, DIRECTORY } from './change-feed.ts';

const MAX_ENTRIES = 50_000;

/** Rows seen before, until anything of their subject changes. Nothing is kept while the change feed is down, and misses are never kept. */
export class Cache<V> {
  readonly #feed: ChangeFeed;
  readonly #entries = new Map<string, V>();
  #generation = 0;

  constructor(feed: ChangeFeed, subject = DIRECTORY) {
    this.#feed = feed;
    feed.onChange((changed) => {
      if (changed === undefined || changed === subject) this.clear();
    });
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  async load(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const generation = this.#generation;
    const value = await read();
    // A change that was announced while we read may not be in what we read.
    if (value !== undefined && this.#feed.isLive && generation === this.#generation) {
      if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
      this.#entries.set(key, value);
    }
    return value;
  }

  clear(): void {
    this.#generation++;
    this.#entries.clear();
  }
}
