import { type JsonTree, numberAt } from './tree.ts';

export function shownRows(tree: JsonTree, open: ReadonlySet<number>): Int32Array {
  const rows = new Int32Array(tree.size);
  let count = 0;
  for (let node = 0; node < tree.size; ) {
    rows[count++] = node;
    node = open.has(node) ? node + 1 : tree.after(node);
  }
  return rows.subarray(0, count);
}

/** Opens level by level, as long as all rows fit. The outermost level is always open. */
export function openAtFirst(tree: JsonTree, rowsMax: number): Set<number> {
  const open = new Set<number>();
  let rows = 1;
  for (let level = [0]; level.length > 0; ) {
    const containers = level.filter((node) => tree.isContainer(node));
    rows += containers.reduce((sum, node) => sum + tree.children(node), 0);
    if (rows > rowsMax && open.size > 0) return open;
    for (const node of containers) open.add(node);
    if (rows > rowsMax) return open;
    level = containers.flatMap((node) => childrenOf(tree, node));
  }
  return open;
}

export function allContainers(tree: JsonTree): Set<number> {
  const open = new Set<number>();
  for (let node = 0; node < tree.size; node++) if (tree.isContainer(node)) open.add(node);
  return open;
}

export function childrenOf(tree: JsonTree, node: number): number[] {
  const children: number[] = [];
  for (let child = node + 1; child < tree.after(node); child = tree.after(child)) children.push(child);
  return children;
}

export const MATCHES_MAX = 10_000;

export function matches(tree: JsonTree, words: string): number[] {
  const found: number[] = [];
  if (words === '') return found;
  const pattern = patternOf(words);
  for (let node = 0; node < tree.size && found.length < MATCHES_MAX; node++) {
    const key = tree.key(node);
    if ((key !== undefined && pattern.test(key)) || (!tree.isContainer(node) && pattern.test(tree.value(node)))) found.push(node);
  }
  return found;
}

export function patternOf(words: string): RegExp {
  return new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu');
}

export function rowOf(rows: Int32Array, node: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberAt(rows, middle) < node) low = middle + 1;
    else high = middle;
  }
  return low;
}
