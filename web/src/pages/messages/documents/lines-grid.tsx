import { Trash2 } from 'lucide-react';
import { type ClipboardEvent, useState } from 'react';
import { type DecimalMark, readNumber } from '../../../../../packages/documents/src/index.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { count, number } from '../../../ui/format.ts';
import { visible } from '../../../ui/name.tsx';
import { jsonOf } from './document-text.ts';
import { FieldInput } from './field-input.tsx';
import type { Field, Grid } from './form-model.ts';
import { GridCell } from './grid-cell.tsx';
import { type Ambiguous, pasteInto } from './paste-rows.ts';
import type { DocumentEditor } from './use-document.ts';
import { ROW_PX, useGrid } from './use-grid.ts';

interface LinesGridProps {
  grid: Grid;
  editor: DocumentEditor;
}

const HEAD_PX = 32;
const WIDTHS: Record<string, string> = {
  id: '3.5rem',
  unit: '5rem',
  name: 'minmax(13rem, 2fr)',
  sku: 'minmax(7rem, 1fr)',
  quantity: '5.5rem',
  tax_rate: '5.5rem',
};

function widthOf({ path, kind }: Field): string {
  return (
    (Object.hasOwn(WIDTHS, path) ? WIDTHS[path] : undefined) ??
    (kind === 'number' ? '6.5rem' : kind === 'date' ? '7.5rem' : 'minmax(8rem, 1fr)')
  );
}

/** Rows of a document as in a spreadsheet: keys, an empty row at the end, and paste. Draws the rows in sight. */
export function LinesGrid({ grid, editor }: LinesGridProps) {
  const rows = editor.rows(grid.path).length;
  const { note, ambiguous, paste, decide, settle } = usePaste(grid, editor);
  const remove = (row: number) => editor.edit([{ path: rows === 1 ? grid.path : `${grid.path}/${row}`, value: undefined }]);
  const table = useGrid({
    rows,
    columns: grid.columns.length,
    onMoveRow: (from, to) => editor.swapRows(grid.path, from, to),
    onRemoveRow: remove,
  });
  const { place, drawn, scroller } = table;
  const doubtful = new Set(ambiguous.map(({ path }) => path));
  const template = `${grid.columns.map(widthOf).join(' ')} 2.25rem`;
  return (
    <div>
      <div
        ref={scroller}
        onScroll={table.onScroll}
        onPaste={(event) => paste(event, place)}
        style={{ maxHeight: table.shownPx }}
        className="relative overflow-auto rounded-xl border border-line"
      >
        <table
          aria-label={grid.title}
          aria-rowcount={rows + 2}
          className="block w-full min-w-max"
          style={{ height: HEAD_PX + (rows + 1) * ROW_PX }}
        >
          <thead className="sticky top-0 z-10 block">
            <tr
              aria-rowindex={1}
              style={{ height: HEAD_PX, gridTemplateColumns: template }}
              className="grid items-center border-b border-line bg-tint text-xs text-soft"
            >
              {grid.columns.map((field) => (
                <th
                  key={field.path}
                  scope="col"
                  title={field.help}
                  className={`truncate px-2 font-medium ${field.kind === 'number' ? 'text-right' : 'text-left'}`}
                >
                  {field.title}
                  {field.isRequired ? ' *' : ''}
                </th>
              ))}
              <th scope="col">
                <span className="sr-only">Delete</span>
              </th>
            </tr>
          </thead>
          <tbody className="relative block">
            {drawn.map((row) => (
              <tr
                key={row}
                aria-rowindex={row + 2}
                style={{ height: ROW_PX, gridTemplateColumns: template, transform: `translateY(${row * ROW_PX}px)` }}
                className={`absolute inset-x-0 grid divide-x divide-line border-b border-line ${row === rows ? 'bg-tint' : ''}`}
              >
                {grid.columns.map((field, column) => (
                  <td key={field.path} className="min-w-0">
                    <GridCell
                      {...{ grid, field, row, column, editor }}
                      isNew={row === rows}
                      isDoubtful={doubtful.has(`${grid.path}/${row}/${field.path}`)}
                      onFocus={() => table.setPlace({ row, column })}
                      onKey={(event) => {
                        settle(`${grid.path}/${row}/${field.path}`, event.key);
                        table.onKey(event, row, column);
                      }}
                    />
                  </td>
                ))}
                <td className="grid place-items-center">
                  {row === rows ? null : (
                    <IconButton tabIndex={-1} label={`Delete line ${number(row + 1)}`} onClick={() => remove(row)} className="size-7!">
                      <Trash2 className="size-3.5" aria-hidden />
                    </IconButton>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div role="status" className="mt-1 text-sm text-soft empty:hidden">
        {note}
        {ambiguous.length > 0 ? <Doubt ambiguous={ambiguous} onDecide={decide} /> : null}
      </div>
      {place && place.row < rows ? <Details grid={grid} row={place.row} editor={editor} /> : null}
    </div>
  );
}

function Doubt({ ambiguous, onDecide }: { ambiguous: readonly Ambiguous[]; onDecide(mark: DecimalMark): void }) {
  const [first] = ambiguous;
  return (
    <span className="mt-1 flex flex-wrap items-center gap-2 text-warn">
      {count(ambiguous.length, 'number')} such as {first?.text} could be read in two ways:
      <Button className="h-7! px-2! text-sm!" onClick={() => onDecide('point')}>
        Point is decimal
      </Button>
      <Button className="h-7! px-2! text-sm!" onClick={() => onDecide('comma')}>
        Comma is decimal
      </Button>
    </span>
  );
}

/** What a row has beside its columns. */
function Details({ grid, row, editor }: LinesGridProps & { row: number }) {
  const [isOpen, setOpen] = useState(false);
  if (grid.details.length === 0) return null;
  const filled = grid.details.filter(({ path }) => editor.valueAt(`${grid.path}/${row}/${path}`) !== undefined).length;
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="mt-2 rounded-xl border border-line px-3 py-2"
    >
      <summary className="cursor-pointer text-sm font-medium">
        More of line {number(row + 1)}
        {filled > 0 ? <span className="font-normal text-soft"> ({count(filled, 'value')})</span> : null}
      </summary>
      {isOpen ? (
        <div key={row} className="mt-2 grid gap-3 sm:grid-cols-2">
          {grid.details.map((field) => (
            <FieldInput key={field.path} field={{ ...field, path: `${grid.path}/${row}/${field.path}` }} editor={editor} />
          ))}
        </div>
      ) : null}
    </details>
  );
}

function usePaste(grid: Grid, editor: DocumentEditor) {
  const [note, setNote] = useState('');
  const [ambiguous, setAmbiguous] = useState<readonly Ambiguous[]>([]);
  return {
    note,
    ambiguous,
    paste: (event: ClipboardEvent, place: { row: number; column: number } | undefined) => {
      const text = event.clipboardData.getData('text/plain');
      // A single value is text for its cell.
      if (!place || !/[\t\n]/.test(text.trim())) return;
      event.preventDefault();
      const { edits, rows, ambiguous: found, unknown, isCut } = pasteInto(grid, editor, text, place.row, place.column);
      if (edits.length > 0) editor.edit(edits);
      setAmbiguous(found);
      const left = unknown.length > 0 ? ` Not pasted, because no column has these names: ${visible(unknown.slice(0, 10).join(', '))}.` : '';
      setNote(`${count(rows, 'line')} pasted.${left}${isCut ? ' Some of the table did not fit.' : ''}`);
    },
    decide: (mark: DecimalMark) => {
      const fields = new Map([...grid.columns, ...grid.details].map((field) => [field.path, field]));
      editor.edit(
        ambiguous.flatMap(({ path, text }) => {
          const field = fields.get(path.slice(path.lastIndexOf('/') + 1));
          const read = readNumber(text, mark);
          // What was typed over since stays.
          if (!field || !read || !('number' in read) || editor.typedAt(path) !== text) return [];
          return [{ path, value: jsonOf(read.number, field, editor.valueAt(path)) }];
        }),
      );
      setAmbiguous([]);
    },
    /** A number that somebody types over is in doubt no longer. */
    settle: (path: string, key: string) => {
      if (key.length === 1 || key === 'Backspace' || key === 'Delete') setAmbiguous((all) => all.filter((one) => one.path !== path));
    },
  };
}
