import type { JsonEdit, PasteColumn, PastedCell } from '../../../../../packages/documents/src/index.ts';
import { mapTable } from '../../../../../packages/documents/src/index.ts';
import { jsonOf, pointer, typedOf, valueAt } from './document-text.ts';
import type { Field, Grid } from './form-model.ts';
import type { DocumentEditor } from './use-document.ts';

/** A number that was pasted and could be two. */
export interface Ambiguous {
  path: string;
  text: string;
}

export interface Paste {
  edits: JsonEdit[];
  rows: number;
  ambiguous: Ambiguous[];
  unknown: string[];
  isCut: boolean;
}

const columnOf = ({ path, title, kind }: Field): PasteColumn => ({
  name: path,
  title,
  kind: kind === 'number' || kind === 'date' ? kind : 'text',
});

/** What a pasted table changes, from this row and column on, as in a spreadsheet. */
export function pasteInto(grid: Grid, editor: DocumentEditor, text: string, row: number, column: number): Paste {
  const pasted = mapTable(text, grid.columns.map(columnOf), column, grid.details.map(columnOf));
  const fields = new Map([...grid.columns, ...grid.details].map((field) => [field.path, field]));
  const count = editor.rows(grid.path).length;
  const from = Math.min(row, count);
  const edits: JsonEdit[] = [];
  const ambiguous: Ambiguous[] = [];
  const add = (at: number, { name, text: cell, isAmbiguous }: PastedCell) => {
    const field = fields.get(name);
    const path = `${grid.path}/${at}${pointer(name)}`;
    if (!field) return;
    edits.push({ path, value: jsonOf(cell, field, editor.valueAt(path)) });
    if (isAmbiguous) ambiguous.push({ path, text: cell });
  };
  let filled = 0;
  for (const cells of pasted.rows) {
    if (cells.length === 0) continue;
    const at = from + filled++;
    const names = new Set(cells.map(({ name }) => name));
    if (at >= count)
      edits.push(...defaultsOf(grid, editor, at, at - count).filter(({ path }) => !names.has(path.slice(path.lastIndexOf('/') + 1))));
    for (const cell of cells) add(at, cell);
  }
  return { edits, rows: filled, ambiguous, unknown: pasted.unknown, isCut: pasted.isCut };
}

/** What a new row begins with: the next number, and the tax rate of the row above. `ahead` rows are added before it in the same edit. */
export function defaultsOf(grid: Grid, editor: DocumentEditor, row: number, ahead = 0): JsonEdit[] {
  const rows = editor.rows(grid.path);
  const fields = [...grid.columns, ...grid.details].map(({ path }) => path);
  const edits: JsonEdit[] = [];
  const ids = rows.map((one) => typedOf(valueAt(one, '/id')));
  if (fields.includes('id') && fields.includes('name') && ids.every((id) => /^\d{1,9}$/.test(id)))
    edits.push({ path: `${grid.path}/${row}/id`, value: JSON.stringify(String(Math.max(0, ...ids.map(Number)) + 1 + ahead)) });
  const rate = typedOf(valueAt(rows.at(-1), '/tax_rate'));
  if (fields.includes('tax_rate') && fields.includes('quantity') && rate !== '')
    edits.push({ path: `${grid.path}/${row}/tax_rate`, value: JSON.stringify(rate) });
  return edits;
}
