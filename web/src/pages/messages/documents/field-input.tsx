import { X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useRef } from 'react';
import { readNumber } from '../../../../../packages/documents/src/index.ts';
import { retried } from '../../../api/lazy.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Select, TextArea, TextField, VERBATIM } from '../../../ui/field.tsx';
import { jsonOf } from './document-text.ts';
import type { Field } from './form-model.ts';
import type { DocumentEditor } from './use-document.ts';

/** Loaded apart, as everywhere: together with the form it would move into a script of its own, which every thread loads. */
const DateField = lazy(retried(async () => ({ default: (await import('../../../ui/date-field.tsx')).DateField })));

interface FieldInputProps {
  field: Field;
  editor: DocumentEditor;
}

/** How a value is read and written, in a field of the form and in a cell of a table alike. */
export function useTyped(field: Field, path: string, editor: DocumentEditor) {
  const value = editor.valueAt(path);
  /** A number stays a JSON number, though what is typed on the way to it is none. */
  const former = useRef(value);
  return {
    typed: editor.typedAt(path),
    begin: () => {
      former.current = editor.valueAt(path);
    },
    change: (typed: string) => editor.edit([{ path, value: jsonOf(typed, field, former.current) }]),
    /** Writes a number as JSON wants it, if it can be read in one way only. */
    finish: () => {
      const typed = editor.typedAt(path);
      const read = field.kind === 'number' && typed !== '' ? readNumber(typed) : undefined;
      if (read && 'number' in read && read.number !== typed && /[,'’\s€$£¥]|[A-Z]{3}/.test(typed))
        editor.edit([{ path, value: jsonOf(read.number, field, former.current) }]);
    },
  };
}

export function FieldInput({ field, editor }: FieldInputProps) {
  const { path, title, help, kind, isRequired } = field;
  const { typed, begin, change, finish } = useTyped(field, path, editor);
  const mark = editor.markAt(path);
  // What is required is marked from the start, and is an error only once something stands there.
  const error = mark && !mark.isWarning && !(mark.message === 'Required.' && typed === '') ? mark.message : undefined;
  const label = isRequired ? `${title} *` : title;
  const common = { label, error, 'data-pointer': path, title: help, onFocus: begin, onBlur: finish };
  const warning = mark?.isWarning ? <p className="mt-1 text-sm text-warn">{mark.message}</p> : null;
  if (kind === 'date') return <DateInput field={field} label={label} value={typed} error={error} onChange={change} warning={warning} />;
  if (kind === 'choice' || kind === 'truth') {
    const options = kind === 'truth' ? ['true', 'false'] : field.options;
    return (
      <div>
        <Select {...common} value={typed} onChange={({ target }) => change(target.value)}>
          <option value="">–</option>
          {typed === '' || options.includes(typed) ? null : <option value={typed}>{typed}</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {kind === 'truth' ? (option === 'true' ? 'Yes' : 'No') : option}
            </option>
          ))}
        </Select>
        {warning}
      </div>
    );
  }
  if (kind === 'long')
    return (
      <div className="col-span-full">
        <TextArea
          {...common}
          rows={2}
          className="field-sizing-content max-h-60"
          value={typed}
          onChange={({ target }) => change(target.value)}
        />
        {warning}
      </div>
    );
  return (
    <div>
      <TextField
        {...common}
        {...(kind === 'number' ? { inputMode: 'decimal' } : {})}
        {...VERBATIM}
        value={typed}
        className={kind === 'number' ? 'tabular-nums' : ''}
        onChange={({ target }) => change(target.value)}
      />
      {warning}
    </div>
  );
}

interface DateInputProps {
  field: Field;
  label: string;
  value: string;
  error: string | undefined;
  onChange(day: string): void;
  warning: ReactNode;
}

function DateInput({ field: { path, title, help }, label, value, error, onChange, warning }: DateInputProps) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="text-sm font-medium" aria-hidden>
        {label}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the calendar, and not the form around it */}
      <div
        ref={box}
        title={help}
        data-pointer={path}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && box.current?.querySelector('[role="dialog"]')) event.preventDefault();
        }}
        className="flex h-9 items-center rounded-lg border border-edge bg-paper px-2 [&_input]:w-[13ch]"
      >
        <Suspense fallback={<input readOnly aria-label={label} value={value} />}>
          <DateField label={label} value={value} onChange={onChange} />
        </Suspense>
        {value === '' ? null : (
          <IconButton label={`Clear ${title}`} onClick={() => onChange('')} className="ml-auto size-6!">
            <X className="size-3.5" aria-hidden />
          </IconButton>
        )}
      </div>
      <p aria-live="polite" className="text-sm text-bad empty:hidden">
        {error}
      </p>
      {warning}
    </div>
  );
}
