import { childrenOf } from './rows.ts';
import type { JsonTree } from './tree.ts';

/** An array of like objects, such as the lines of an order. */
export interface JsonTable {
  node: number;
  name: string;
  columns: string[];
  /** The nodes of its objects. */
  rows: number[];
}

const TABLES_MAX = 2;
const COLUMNS_MAX = 9;
const COLUMNS_MIN = 2;
const ROWS_MIN = 2;
/** So many objects decide whether an array is a table. */
const ROWS_JUDGED = 20;
const NODES_READ_MAX = 2_000;
/** Amounts are often sent as strings. */
const AMOUNT = /^"-?\d+(\.\d+)?"$/;

/** The first arrays near the top that read better as tables. */
export function tablesOf(tree: JsonTree): JsonTable[] {
  const tables: JsonTable[] = [];
  const queue = [0];
  for (let read = 0; queue.length > 0 && read < NODES_READ_MAX && tables.length < TABLES_MAX; read++) {
    const node = queue.shift() ?? 0;
    const table = tree.kind(node) === 'array' ? tableOf(tree, node) : undefined;
    if (table) tables.push(table);
    else if (tree.kind(node) === 'object') queue.push(...childrenOf(tree, node).filter((child) => tree.isContainer(child)));
  }
  return tables;
}

function tableOf(tree: JsonTree, node: number): JsonTable | undefined {
  if (tree.children(node) < ROWS_MIN) return undefined;
  const rows = childrenOf(tree, node);
  const counts = new Map<string, number>();
  const judged = rows.slice(0, ROWS_JUDGED);
  for (const row of judged) {
    if (tree.kind(row) !== 'object' || tree.children(row) > COLUMNS_MAX) return undefined;
    for (const key of keysIn(tree, row)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  // Alike: most have most of the columns.
  const cells = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (counts.size < COLUMNS_MIN || counts.size > COLUMNS_MAX || cells < counts.size * judged.length * 0.6) return undefined;
  return { node, name: tree.key(node) ?? '', columns: [...counts.keys()], rows };
}

const keysIn = (tree: JsonTree, row: number): string[] => childrenOf(tree, row).map((child) => tree.key(child) ?? '');

/** The node of a row's value in a column. */
export function cellOf(tree: JsonTree, row: number, column: string): number | undefined {
  if (tree.kind(row) !== 'object') return undefined;
  return childrenOf(tree, row).findLast((child) => tree.key(child) === column);
}

/** Whether all values of a column are numbers, which are aligned at their ends. */
export function isNumeric(tree: JsonTree, { rows }: JsonTable, column: string): boolean {
  return rows.slice(0, ROWS_JUDGED).every((row) => {
    const cell = cellOf(tree, row, column);
    return cell === undefined || tree.kind(cell) === 'number' || (tree.kind(cell) === 'string' && AMOUNT.test(tree.raw(cell, 24)));
  });
}
