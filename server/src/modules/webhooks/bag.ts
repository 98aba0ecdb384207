/** An item belongs to at most one bag, which stores the item's index in it. */
export interface Bagged {
  index: number;
}

/**
 * A set of items that come and go by the thousand. A Set would keep removed items alive: V8 links each hash table that a Set has outgrown
 * to the next one, so an old table keeps alive what the younger ones held until the next full garbage collection.
 */
export class Bag<T extends Bagged> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    item.index = this.#items.push(item) - 1;
  }

  delete(item: T): void {
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#items[item.index] = last;
    last.index = item.index;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.values();
  }
}
