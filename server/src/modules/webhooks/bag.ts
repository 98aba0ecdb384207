/** An item of one bag at most, which keeps the item's index in it. */
export interface Bagged {
  index: number;
}

/**
 * A set of items that come and go by the thousand. V8 links each table that a Set has outgrown to the next, so that one
 * old table keeps alive, until all memory is next looked through, whatever the younger ones held.
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
