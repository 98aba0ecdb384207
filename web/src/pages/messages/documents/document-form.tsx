import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { JsonObject } from '../../../../../packages/client/src/lossless-json.ts';
import { count } from '../../../ui/format.ts';
import { visible } from '../../../ui/name.tsx';
import { unshown } from './document-text.ts';
import { FieldInput } from './field-input.tsx';
import type { Grid } from './form-model.ts';
import type { FormOf } from './form-of.ts';
import type { Mark } from './form-problems.ts';
import { AddButton, GroupFields } from './group-fields.tsx';
import { LinesGrid } from './lines-grid.tsx';
import { type DocumentEditor, useDocument } from './use-document.ts';

interface DocumentFormProps {
  type: FormOf;
  document: JsonObject;
  text: string;
  onChange(text: string): void;
  /** What the schema of the recipient finds. */
  others: readonly Mark[];
  startsFocused: boolean;
}

const PROBLEMS_SHOWN = 20;
const NAMES_SHOWN = 10;

export function DocumentForm({ type, document, text, onChange, others, startsFocused }: DocumentFormProps) {
  const editor = useDocument(type, document, text, onChange, others);
  const { facts, groups, grids, totals, terms } = editor.model;
  const box = useRef<HTMLElement>(null);
  const begin = useEffectEvent(() => {
    if (startsFocused) box.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  });
  useEffect(() => begin(), []);
  const [lines, ...tables] = grids;
  const own = unshown(document, editor.model);
  return (
    <section ref={box} aria-label={type.model.title} onKeyDownCapture={finishAndSend} className="flex flex-col gap-5">
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {facts.map((field) => (
          <FieldInput key={field.path} field={field} editor={editor} />
        ))}
      </div>
      <div className="grid items-start gap-4 empty:hidden lg:grid-cols-2">
        {groups.map((group) => (
          <GroupFields key={group.path} group={group} editor={editor} />
        ))}
      </div>
      {lines ? <GridPart grid={lines} editor={editor} isOpen /> : null}
      {tables.map((grid) => (
        <GridPart key={grid.path} grid={grid} editor={editor} isOpen={grid.isRequired && editor.rows(grid.path).length > 0} />
      ))}
      {totals.length > 0 ? (
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-sm font-medium">Totals</legend>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            {totals.map((field) => (
              <FieldInput key={field.path} field={field} editor={editor} />
            ))}
          </div>
          <p className="mt-1.5 text-sm text-soft">Computed while you type. What you write here yourself stays.</p>
        </fieldset>
      ) : null}
      <div className="grid gap-3 empty:hidden sm:grid-cols-2">
        {terms.map((field) => (
          <FieldInput key={field.path} field={field} editor={editor} />
        ))}
      </div>
      <Problems editor={editor} onGo={(path) => goTo(box.current, path)} />
      {own.length > 0 ? (
        <p className="text-sm text-soft">
          Also in the JSON, and kept as it is: {visible(own.slice(0, NAMES_SHOWN).join(', '))}
          {own.length > NAMES_SHOWN ? ', …' : ''}
        </p>
      ) : null}
    </section>
  );
}

/** A number is written as JSON wants it when its field is left, so before the message is sent from within the field, too. */
function finishAndSend(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey } = event;
  if (key !== 'Enter' || !(ctrlKey || metaKey) || !(target instanceof HTMLInputElement)) return;
  event.preventDefault();
  event.stopPropagation();
  flushSync(() => target.blur());
  target.focus();
  target.form?.requestSubmit();
}

function goTo(box: HTMLElement | null, path: string): void {
  const found = box?.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(path)}"]`);
  const field = found?.matches('input, select, textarea') ? found : found?.querySelector<HTMLElement>('input');
  field?.focus();
  field?.scrollIntoView({ block: 'nearest' });
}

/** A table. One that the document can do without is added first. */
function GridPart({ grid, editor, isOpen }: { grid: Grid; editor: DocumentEditor; isOpen: boolean }) {
  const [isAdded, setAdded] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isShown = isOpen || isAdded || editor.rows(grid.path).length > 0;
  return (
    <div ref={box} className="min-w-0">
      {isShown ? (
        <>
          <p className="mb-1.5 text-sm font-medium">
            {grid.title}
            {grid.isRequired ? ' *' : ''}
          </p>
          <LinesGrid grid={grid} editor={editor} />
        </>
      ) : (
        <AddButton
          title={grid.title}
          onAdd={() => {
            flushSync(() => setAdded(true));
            box.current?.querySelector<HTMLElement>('[data-cell]')?.focus();
          }}
        />
      )}
    </div>
  );
}

/** What is missing or wrong, in words, and a way to each field. Nothing of it keeps a message from being sent. */
function Problems({ editor, onGo }: { editor: DocumentEditor; onGo(path: string): void }) {
  const { marks, model } = editor;
  const labels = useMemo(() => labelsOf(editor.model), [editor.model]);
  if (marks.length === 0) return <p className="text-sm text-good">Nothing is missing.</p>;
  return (
    <details className="rounded-xl border border-line text-sm">
      <summary className="cursor-pointer px-3 py-2 text-warn">
        {count(marks.length, 'thing')} to check. You can still send the {model.title.toLowerCase()}.
      </summary>
      <ul aria-label="To check" className="max-h-56 divide-y divide-line overflow-y-auto border-t border-line">
        {marks.slice(0, PROBLEMS_SHOWN).map(({ path, message, isWarning }) => (
          <li key={`${path} ${message}`}>
            <button
              type="button"
              onClick={() => onGo(path)}
              className="flex w-full gap-2 px-3 py-1.5 text-left -outline-offset-2 hover:bg-hover"
            >
              <span className="min-w-0 shrink-0 font-medium">{nameOf(path, labels)}</span>
              <bdi className={isWarning ? 'text-warn' : 'text-bad'}>{message}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The label of each field, by its pointer without the numbers of rows. */
function labelsOf({ facts, totals, terms, groups, grids }: DocumentEditor['model']): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const { path, title } of [...facts, ...totals, ...terms]) labels.set(path, title);
  const addGroup = ({ path, title, fields, groups: inner }: (typeof groups)[number], before: string) => {
    const name = `${before}${title}`;
    labels.set(path, name);
    for (const field of fields) labels.set(field.path, `${name}: ${field.title}`);
    for (const one of inner) addGroup(one, `${name}: `);
  };
  for (const group of groups) addGroup(group, '');
  for (const { path, title, columns, details } of grids) {
    labels.set(path, title);
    for (const field of [...columns, ...details]) labels.set(`${path}/*/${field.path}`, field.title);
  }
  return labels;
}

function nameOf(path: string, labels: ReadonlyMap<string, string>): string {
  const [, row] = /^\/[^/]+\/(\d+)(?:\/|$)/.exec(path) ?? [];
  const label = labels.get(path) ?? labels.get(path.replace(/\/\d+(?=\/|$)/, '/*')) ?? visible(path || 'Document');
  return row === undefined ? label : `${label}, line ${Number(row) + 1}`;
}
