import { useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { editJson, orderIn, schemaAt } from '../../../../../packages/documents/src/index.ts';
import { Button } from '../../../ui/button.tsx';
import { useDebouncedValue } from '../../../ui/debounce.ts';
import type { SchemaVerdict } from '../recipient-check.ts';
import { partyEdits } from './begin-document.ts';
import { DocumentForm } from './document-form.tsx';
import { readDocument, typedOf, valueAt } from './document-text.ts';
import { DropDocument, type DropTarget } from './drop-document.tsx';
import { type FormOf, useFormOf } from './form-of.ts';

export interface DocumentPartProps extends DropTarget {
  type: string;
  text: string;
  onChange(text: string): void;
  onRemove(): void;
  /** auto: the form, if it can show the JSON. */
  view: 'auto' | 'form' | 'json';
  onView(view: 'form' | 'json'): void;
  /** Called with what is shown now, so that the JSON is shown below if the form is not. */
  onShown(shown: 'form' | 'json'): void;
  to: string | undefined;
  verdict: SchemaVerdict | undefined;
  error: string | undefined;
  startsFocused: boolean;
}

const TYPING_MS = 400;
const HANDLE = /^[a-z0-9][a-z0-9-]{1,31}$/;
const NONE: [] = [];

/** The form of a document and the tabs to choose between form and JSON. It shows nothing for a type without a form. */
export function DocumentPart(props: DocumentPartProps) {
  const { type: name, onShown } = props;
  const type = useFormOf(name);
  const show = useEffectEvent(onShown);
  useEffect(() => {
    if (!type) show('json');
  }, [type]);
  return type ? <OfType key={type.type} {...props} known={type} /> : null;
}

function OfType({
  known,
  text,
  onChange,
  onRemove,
  view,
  onView,
  onShown,
  to,
  verdict,
  error,
  startsFocused,
  onDocument,
  onFiles,
}: DocumentPartProps & { known: FormOf }) {
  const { document, reason } = useMemo(() => readDocument(text, known.schema, known.title), [text, known]);
  const shown = view === 'json' || !document ? 'json' : 'form';
  const show = useEffectEvent(onShown);
  useEffect(() => show(shown), [shown]);
  const others = useMemo(() => verdict?.problems.map(({ path = '', message }) => ({ path, message, isWarning: false })) ?? NONE, [verdict]);
  useRecipientParty(known, startsFocused ? to : undefined, text, onChange);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex min-h-8 flex-wrap items-center gap-1">
        <p className="mr-2 text-sm font-medium">{known.model.title}</p>
        {/* biome-ignore lint/a11y/useSemanticElements: two buttons, and no fields */}
        <div role="group" aria-label="Show as" className="flex rounded-lg bg-tint p-0.5">
          <ViewButton isOn={shown === 'form'} isDisabled={!document} onChoose={() => onView('form')}>
            Form
          </ViewButton>
          <ViewButton isOn={shown === 'json'} onChoose={() => onView('json')}>
            JSON
          </ViewButton>
        </div>
        {shown === 'form' ? (
          <Button look="quiet" className="ml-auto h-8" onClick={onRemove}>
            Remove
          </Button>
        ) : null}
      </div>
      <DropDocument {...{ known, text, onDocument, onFiles }}>
        {reason !== undefined ? <p className="text-sm text-soft">{reason}</p> : null}
        {shown === 'form' && document ? (
          <>
            <DocumentForm type={known} document={document} text={text} onChange={onChange} others={others} startsFocused={startsFocused} />
            <p aria-live="polite" className="text-sm text-bad empty:hidden">
              {error}
            </p>
          </>
        ) : null}
      </DropDocument>
    </div>
  );
}

interface ViewButtonProps {
  isOn: boolean;
  isDisabled?: boolean;
  onChoose(): void;
  children: string;
}

function ViewButton({ isOn, isDisabled = false, onChoose, children }: ViewButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      disabled={isDisabled}
      onClick={onChoose}
      className={`h-7 rounded-md px-2.5 text-sm disabled:opacity-60 ${isOn ? 'bg-paper font-medium shadow-sm' : 'text-soft enabled:hover:text-ink'}`}
    >
      {children}
    </button>
  );
}

/** Fills in the handle of the other party when the recipient of a new document is chosen after it was begun. */
function useRecipientParty(type: FormOf, to: string | undefined, text: string, onChange: (text: string) => void): void {
  const handle = useDebouncedValue(to?.trim().replace(/^@/, '').split('/')[0]?.toLowerCase() ?? '', TYPING_MS);
  const filled = useRef('');
  const fill = useEffectEvent(() => {
    const path = type.layout?.parties[1];
    const { document } = readDocument(text, type.schema, type.title);
    if (!HANDLE.test(handle) || path === undefined || !document || !schemaAt(type.schema, `${path}/handle`)) return;
    const now = typedOf(valueAt(document, `${path}/handle`));
    if (now !== '' && now !== filled.current) return;
    filled.current = handle;
    if (now !== handle) onChange(editJson(text, partyEdits(type, path, { handle, name: undefined }), orderIn(type.schema)));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: this is when the recipient has changed
  useEffect(() => fill(), [handle]);
}
