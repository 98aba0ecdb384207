import { childrenOf } from '../json/rows.ts';
import type { JsonTree } from '../json/tree.ts';
import { unwrapped } from '../json/wrapped.ts';

export interface Named {
  name: string;
  node: number;
}

/** A value without its wrapper, and the currency or unit beside it. */
export interface Value {
  node: number;
  unit: string | undefined;
}

interface Large {
  members: readonly Named[];
  byName: ReadonlyMap<string, number>;
}

const LARGE_MIN = 50;
const PREFIX = /^[a-z]{1,8}:/;
const AMOUNT_KEY = /^(value|amount|_|#text)$/i;
const UNIT_KEY = /^[@-]?(currency(_?(code|id))?|unit(_?code)?|uom)$/i;

/** Finds the values of a document by their names: as written, or in the wrappers and with the prefixes of UBL. */
export class Reader {
  readonly tree: JsonTree;
  readonly isUbl: boolean;
  /** The object that is the document. */
  readonly root: number;
  readonly #known = new Map<number, Large>();

  constructor(tree: JsonTree, { isUbl = false, root = 0 } = {}) {
    this.tree = tree;
    this.isUbl = isUbl;
    this.root = root;
  }

  /** UBL writes an object as an array of one. */
  inner(node: number): number {
    let inner = node;
    if (this.isUbl) while (this.tree.kind(inner) === 'array' && this.tree.children(inner) === 1) inner += 1;
    return inner;
  }

  members(node: number): readonly Named[] {
    const object = this.inner(node);
    return this.tree.children(object) < LARGE_MIN ? this.#read(object) : this.#large(object).members;
  }

  #read(object: number): Named[] {
    if (this.tree.kind(object) !== 'object') return [];
    return childrenOf(this.tree, object).map((child) => ({ name: this.name(child), node: child }));
  }

  /** An object with many members is read once, not for each value that is looked for in it. */
  #large(object: number): Large {
    const known = this.#known.get(object);
    if (known) return known;
    const members = this.#read(object);
    const large = { members, byName: new Map(members.map(({ name, node }) => [name, node])) };
    this.#known.set(object, large);
    return large;
  }

  name(node: number): string {
    const key = this.tree.key(node) ?? '';
    return this.isUbl ? key.replace(PREFIX, '') : key;
  }

  /** The last of repeated members counts. */
  child(node: number, name: string): number | undefined {
    const object = this.inner(node);
    if (this.tree.children(object) >= LARGE_MIN) return this.#large(object).byName.get(name);
    return this.#read(object).findLast((member) => member.name === name)?.node;
  }

  at(from: number, names: readonly string[]): number | undefined {
    let node: number | undefined = from;
    for (const name of names) node = node === undefined ? undefined : this.child(node, name);
    return node;
  }

  value(node: number): Value {
    if (this.isUbl) return unwrapped(this.tree, node);
    if (this.tree.kind(node) !== 'object' || this.tree.children(node) !== 2) return { node, unit: undefined };
    const [first, second] = this.members(node);
    const amount = [first, second].find((one) => one !== undefined && AMOUNT_KEY.test(one.name));
    const unit = [first, second].find((one) => one !== undefined && UNIT_KEY.test(one.name));
    if (!amount || !unit || this.tree.isContainer(amount.node) || this.tree.kind(unit.node) !== 'string') return { node, unit: undefined };
    return { node: amount.node, unit: this.tree.value(unit.node) };
  }

  isScalar(node: number): boolean {
    return !this.tree.isContainer(this.value(node).node);
  }

  /** A list of single values, which fits in a line. */
  isList(node: number): boolean {
    const { tree } = this;
    if (tree.kind(node) !== 'array') return false;
    for (let item = node + 1; item < tree.after(node); item = tree.after(item)) if (!this.isScalar(item)) return false;
    return true;
  }

  /** The text of a single value. Undefined: an object or a list. */
  text(node: number | undefined): string | undefined {
    if (node === undefined) return undefined;
    const { node: inner } = this.value(node);
    return this.tree.isContainer(inner) ? undefined : this.tree.value(inner);
  }
}

/** The names of a JSON Pointer. */
export function namesIn(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerOf(names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
