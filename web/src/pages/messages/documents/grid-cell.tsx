import type { KeyboardEvent } from 'react';
import { VERBATIM } from '../../../ui/field.tsx';
import { jsonOf, pointer } from './document-text.ts';
import { useTyped } from './field-input.tsx';
import type { Field, Grid } from './form-model.ts';
import { defaultsOf } from './paste-rows.ts';
import type { DocumentEditor } from './use-document.ts';

interface GridCellProps {
  grid: Grid;
  field: Field;
  row: number;
  column: number;
  /** The row below the last one: it exists as soon as something is typed in it. */
  isNew: boolean;
  editor: DocumentEditor;
  isDoubtful: boolean;
  onFocus(): void;
  onKey(event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>): void;
}

const CELL =
  'size-full min-w-0 bg-transparent px-2 text-sm outline-none focus:bg-accent-tint focus:ring-2 focus:ring-accent focus:ring-inset';

export function GridCell({ grid, field, row, column, isNew, editor, isDoubtful, onFocus, onKey }: GridCellProps) {
  const path = `${grid.path}/${row}${pointer(field.path)}`;
  const { typed, begin, change, finish } = useTyped(field, path, editor);
  const mark = editor.markAt(path);
  const isMissing = mark?.message === 'Required.' && !isNew;
  const message = isDoubtful ? 'This could be two numbers.' : mark?.message;
  const write = (text: string) => {
    if (!isNew) change(text);
    else if (text !== '') {
      const defaults = defaultsOf(grid, editor, row).filter((edit) => edit.path !== path);
      editor.edit([...defaults, { path, value: jsonOf(text, field, undefined) }]);
    }
  };
  const common = {
    'aria-label': `${field.title}, ${isNew ? 'new line' : `line ${row + 1}`}`,
    'aria-invalid': mark !== undefined && !mark.isWarning && (typed !== '' || isMissing),
    'aria-description': message,
    title: message ?? field.help,
    'data-cell': `${row} ${column}`,
    'data-pointer': path,
    value: typed,
    onFocus: () => {
      begin();
      onFocus();
    },
    onBlur: finish,
    onKeyDown: onKey,
  };
  const tone = isDoubtful || mark?.isWarning ? 'text-warn underline decoration-dotted' : mark && typed !== '' ? 'text-bad' : '';
  const missing = isMissing ? 'bg-bad-tint' : '';
  if (field.kind === 'choice')
    return (
      <select {...common} onChange={({ target }) => write(target.value)} className={`${CELL} ${tone} ${missing}`}>
        <option value="">–</option>
        {typed === '' || field.options.includes(typed) ? null : <option value={typed}>{typed}</option>}
        {field.options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...common}
      {...VERBATIM}
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      placeholder={field.kind === 'date' && !isNew ? 'YYYY-MM-DD' : undefined}
      onChange={({ target }) => write(target.value)}
      className={`${CELL} ${field.kind === 'number' ? 'text-right tabular-nums' : ''} ${tone} ${missing}`}
    />
  );
}
