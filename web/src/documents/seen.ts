import type { JsonTree } from '../json/tree.ts';

/** The values that the sheet shows already, so that all others can come last. */
export class Seen {
  readonly #tree: JsonTree;
  readonly #shown = new Set<number>();
  /** Objects in which something is shown. */
  readonly #touched = new Set<number>();

  constructor(tree: JsonTree) {
    this.#tree = tree;
  }

  add(node: number): void {
    this.#shown.add(node);
    for (let above = this.#tree.parent(node); above >= 0 && !this.#touched.has(above); above = this.#tree.parent(above))
      this.#touched.add(above);
  }

  has(node: number): boolean {
    return this.#shown.has(node);
  }

  hasInside(node: number): boolean {
    return this.#touched.has(node);
  }
}
