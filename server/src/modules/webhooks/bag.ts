/** What can lie in a bag. It knows where, and can lie in one bag only. */
export interface Bagged {
  place: number;
}

/**
 * A set of things that come and go by the thousand. V8 links each table that a Set has outgrown to the next, so that one
 * old table keeps alive, until all memory is next looked through, whatever the younger ones held.
 */
export class Bag<T extends Bagged> implements Iterable<T> {
  readonly #things: T[] = [];

  get size(): number {
    return this.#things.length;
  }

  add(thing: T): void {
    thing.place = this.#things.push(thing) - 1;
  }

  delete(thing: T): void {
    const last = this.#things.pop() as T;
    if (last === thing) return;
    this.#things[thing.place] = last;
    last.place = thing.place;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#things.values();
  }
}
