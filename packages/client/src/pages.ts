export interface Page<Item> {
  data: Item[];
  /** The cursor of the next page. Null: this is the last one. */
  next_cursor: string | null;
}

/** A list that is read page by page, as far as you go: `for await (const message of waybill.inbox())`. */
export class Pages<Item, OnePage extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<OnePage>;
  readonly #cursor: string | undefined;

  /** `cursor` is where to begin. */
  constructor(read: (cursor: string | undefined) => Promise<OnePage>, cursor: string | undefined) {
    this.#read = read;
    this.#cursor = cursor;
  }

  /** The first page alone, or the one at `cursor`. */
  page(): Promise<OnePage> {
    return this.#read(this.#cursor);
  }

  /** Page by page. A page can have fewer items than asked for, or none, and not be the last. */
  async *pages(): AsyncGenerator<OnePage, void> {
    for (let cursor: string | undefined = this.#cursor; ; ) {
      const page = await this.#read(cursor);
      yield page;
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** The first items. */
  async take(count: number): Promise<Item[]> {
    const items: Item[] = [];
    if (count <= 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= count) break;
    }
    return items;
  }
}
