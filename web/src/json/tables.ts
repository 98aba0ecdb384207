import { isLines } from '../../../packages/documents/src/names/fact-names.ts';
import { childrenOf } from './rows.ts';
import type { JsonTree } from './tree.ts';
import { unwrapped } from './wrapped.ts';

export interface JsonTable {
  node: number;
  name: string;
  columns: string[];
  hiddenColumns: number;
  rows: number[];
}

const TABLES_MAX = 2;
const COLUMNS_SHOWN_MAX = 24;
const COLUMNS_MAX = 100;
const COLUMNS_MIN = 2;
const ROWS_JUDGED = 20;
const NODES_READ_MAX = 2_000;
/** Amounts are often sent as strings. */
const AMOUNT = /^"-?\d+(\.\d+)?"$/;

/** Returns the first arrays near the top that read better as tables. Lines of an order come before other lists. */
export function tablesOf(tree: JsonTree): JsonTable[] {
  const tables: JsonTable[] = [];
  const queue = [0];
  for (let read = 0; queue.length > 0 && read < NODES_READ_MAX; read++) {
    const node = queue.shift() ?? 0;
    const isArray = tree.kind(node) === 'array';
    const table = isArray ? tableOf(tree, node) : undefined;
    if (table) tables.push(table);
    else if (tree.kind(node) === 'object') queue.push(...childrenOf(tree, node).filter((child) => tree.isContainer(child)));
    // UBL writes an object as an array of one.
    else if (isArray && tree.children(node) === 1) queue.push(node + 1);
  }
  const [lines, others] = [tables.filter(({ name }) => isLines(name)), tables.filter(({ name }) => !isLines(name))];
  return [...lines, ...others].slice(0, TABLES_MAX).sort((a, b) => a.node - b.node);
}

function tableOf(tree: JsonTree, node: number): JsonTable | undefined {
  const name = tree.key(node) ?? '';
  // One object is a list of one line, or not a list at all.
  if (tree.children(node) < (isLines(name) ? 1 : 2)) return undefined;
  const rows = childrenOf(tree, node);
  const counts = new Map<string, number>();
  const judged = rows.slice(0, ROWS_JUDGED);
  for (const row of judged) {
    if (tree.kind(row) !== 'object' || tree.children(row) > COLUMNS_MAX) return undefined;
    for (const key of keysIn(tree, row)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // Objects are similar if most of them have most of the columns.
  const cells = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (counts.size < COLUMNS_MIN || counts.size > COLUMNS_MAX || cells < counts.size * judged.length * 0.6) return undefined;
  const columns = [...counts.keys()].slice(0, COLUMNS_SHOWN_MAX);
  return { node, name, columns, hiddenColumns: counts.size - columns.length, rows };
}

const keysIn = (tree: JsonTree, row: number): string[] => childrenOf(tree, row).map((child) => tree.key(child) ?? '');

export function cellOf(tree: JsonTree, row: number, column: string): number | undefined {
  if (tree.kind(row) !== 'object') return undefined;
  return childrenOf(tree, row).findLast((child) => tree.key(child) === column);
}

/** Names the object in a cell: an item by its name, a price by its amount. */
const TELLING = /^(cbc:)?(name|Name|description|Description|PriceAmount)$/;

/** The text of a cell with one value, also in the wrappers of UBL. Undefined: an object or array with several. */
export function cellText(tree: JsonTree, cell: number): { node: number; text: string } | undefined {
  const { node, unit } = unwrapped(tree, cell);
  if (!tree.isContainer(node)) return { node, text: unit === undefined ? tree.value(node) : `${tree.value(node)} ${unit}` };
  const telling = tree.kind(node) === 'object' ? childrenOf(tree, node).find((child) => TELLING.test(tree.key(child) ?? '')) : undefined;
  if (telling === undefined) return undefined;
  const inner = unwrapped(tree, telling);
  if (tree.isContainer(inner.node)) return undefined;
  return { node: inner.node, text: inner.unit === undefined ? tree.value(inner.node) : `${tree.value(inner.node)} ${inner.unit}` };
}

export function isNumeric(tree: JsonTree, { rows }: JsonTable, column: string): boolean {
  return rows.slice(0, ROWS_JUDGED).every((row) => {
    const cell = cellOf(tree, row, column);
    if (cell === undefined) return true;
    const { node } = unwrapped(tree, cell);
    return tree.kind(node) === 'number' || (tree.kind(node) === 'string' && AMOUNT.test(tree.raw(node, 24)));
  });
}
