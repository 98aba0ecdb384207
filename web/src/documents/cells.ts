import { snake } from '../../../packages/documents/src/names/snake.ts';
import type { Reader } from './reader.ts';
import type { Column, TablePart } from './sheet.ts';
import { type Entry, shownText } from './values.ts';
import { labelOf } from './words.ts';

export interface Cell {
  column: Pick<Column, 'names' | 'label' | 'isNumeric' | 'kind'>;
  /** Undefined: the row has no such value. */
  entry: Entry | undefined;
  length: number;
}

const LEAVES_MAX = 60;
const LEVELS_MAX = 4;

/** The cells of a row, and below them what its columns do not show. */
export function cellsOf(reader: Reader, table: TablePart, row: number): { cells: Cell[]; details: Cell[] } {
  const shown = new Set<number>();
  const cellOf = (column: Column): Cell => {
    const node = reader.at(row, column.names);
    const unit = column.unit && reader.at(row, column.unit);
    if (unit !== undefined) shown.add(unit);
    if (node === undefined && unit === undefined) return { column, entry: undefined, length: 0 };
    if (node !== undefined) shown.add(node);
    const entry: Entry = { node: node ?? unit ?? 0, label: column.label, kind: column.kind, unit: unitOf(reader, table, node, unit) };
    return { column, entry, length: shownText(reader, entry).length };
  };
  const cells = table.columns.map(cellOf);
  const details = table.details.map(cellOf).filter(({ entry }) => entry !== undefined);
  return { cells, details: [...details, ...othersIn(reader, row, shown)] };
}

/** The amounts of a table are in the currency of the document, which is said once. */
function unitOf(reader: Reader, table: TablePart, node: number | undefined, unit: number | undefined): string | undefined {
  if (node === undefined) return undefined;
  const own = reader.value(node).unit;
  if (own !== undefined && own === table.currency) return '';
  return unit === undefined ? undefined : reader.text(unit);
}

function othersIn(reader: Reader, row: number, shown: ReadonlySet<number>): Cell[] {
  const cells: Cell[] = [];
  const read = (object: number, above: string[]) => {
    for (const { name, node } of reader.members(object)) {
      if (cells.length >= LEAVES_MAX) return;
      if (shown.has(node)) continue;
      const names = [...above, name];
      const inner = reader.inner(node);
      const isObject = reader.tree.kind(inner) === 'object' && !reader.isScalar(node) && reader.tree.children(inner) > 0;
      if (isObject && names.length < LEVELS_MAX) read(inner, names);
      else
        cells.push({ column: { names, label: labelIn(names), isNumeric: false, kind: undefined }, entry: { node, label: '' }, length: 0 });
    }
  };
  read(row, []);
  return cells;
}

const labelIn = (names: readonly string[]): string => labelOf(...names.filter((name, at) => snake(name) !== snake(names[at - 1] ?? '')));
