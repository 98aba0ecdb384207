import { areAlike } from '../../../packages/documents/src/names/guessed-names.ts';
import { childrenOf } from '../json/rows.ts';
import { kindOf } from './guessed-names.ts';
import type { Reader } from './reader.ts';
import type { Column, TablePart } from './sheet.ts';
import { isDecimal } from './values.ts';
import { labelOf } from './words.ts';

const ROWS_JUDGED = 30;
const COLUMNS_MAX = 30;
const LEVELS_MAX = 2;

interface Found {
  names: string[];
  texts: (string | undefined)[];
}

/** An array of objects that are alike, a row each. The objects in a row have columns of their own: “Item name”. */
export function guessedTable(reader: Reader, node: number, label: string, currency: string | undefined): TablePart | undefined {
  const { tree } = reader;
  if (tree.kind(node) !== 'array') return undefined;
  const rows = childrenOf(tree, node);
  const judged = rows.slice(0, ROWS_JUDGED);
  if (rows.some((row) => tree.kind(row) !== 'object')) return undefined;
  const found = new Map<string, Found>();
  for (const row of judged) readColumns(reader, row, [], found);
  const cells = [...found.values()].reduce((sum, { texts }) => sum + texts.length, 0);
  if (!areAlike(judged.length, found.size, cells)) return undefined;
  const columns = [...found.values()].slice(0, COLUMNS_MAX).map(columnOf);
  return { node, label, rows, columns, details: [], currency };
}

function readColumns(reader: Reader, object: number, above: string[], found: Map<string, Found>): void {
  for (const { name, node } of reader.members(object)) {
    const names = [...above, name];
    const isObject = reader.tree.kind(reader.inner(node)) === 'object' && !reader.isScalar(node);
    if (isObject && names.length < LEVELS_MAX) {
      readColumns(reader, reader.inner(node), names, found);
      continue;
    }
    const key = names.join('\n');
    const column = found.get(key) ?? { names, texts: [] };
    column.texts.push(reader.text(node));
    if (found.size < COLUMNS_MAX * 4) found.set(key, column);
  }
}

function columnOf({ names, texts }: Found): Column {
  const kinds = new Set(texts.filter((text) => text !== 'null').map((text) => kindOf(names, text)));
  const [kind] = kinds;
  const isNumeric = texts.every((text) => text === undefined || text === 'null' || isDecimal(text));
  return { names, label: labelOf(...names), kind: kinds.size === 1 ? kind : undefined, isNumeric: isNumeric && kind !== 'date' };
}
