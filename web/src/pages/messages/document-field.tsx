import { lazy, Suspense, useDeferredValue, useEffect, useEffectEvent, useRef, useState } from 'react';
import { retried } from '../../api/lazy.ts';
import type { DropTarget } from './documents/drop-document.tsx';
import { JsonField, type JsonFieldProps } from './json-field.tsx';
import { useRecipientCheck } from './recipient-check.ts';

const DocumentPart = lazy(retried(async () => ({ default: (await import('./documents/document-part.tsx')).DocumentPart })));

export type DocumentView = 'auto' | 'form' | 'json';

interface DocumentFieldProps extends Omit<JsonFieldProps, 'verdict'>, DropTarget {
  type: string;
  view: DocumentView;
  onView(view: DocumentView): void;
  to: string | undefined;
}

/** The JSON of a message: as a form, if its type has one, or as text. The text is the one source of both. */
export function DocumentField({ type, view, onView, to, onDocument, onFiles, ...json }: DocumentFieldProps) {
  const { editor, value, onChange, onRemove, error, startsFocused } = json;
  const verdict = useRecipientCheck(to, useDeferredValue(value));
  // Until the form is loaded, nothing is shown: an editor that goes away would lose keys.
  const [shown, setShown] = useState<'form' | 'json'>();
  const written = useRef(value);
  const write = (text: string) => {
    written.current = text;
    onChange(text);
  };
  /** Once somebody writes the JSON as text, it stays text until they choose the form: an editor that goes away would lose keys. */
  const writeAsText = (text: string) => {
    if (view !== 'json') onView('json');
    write(text);
  };
  const onOtherText = useEffectEvent(() => {
    if (value === written.current) return;
    // Something else than form and editor wrote the document, such as a button of the thread.
    written.current = value;
    if (shown === 'json') editor.current?.replace(value);
    onView('auto');
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: this is when the text has changed
  useEffect(() => onOtherText(), [value]);
  const isJson = type.trim() === '' || view === 'json' || shown === 'json';
  return (
    <>
      {type.trim() === '' ? null : (
        <Suspense fallback={null}>
          <DocumentPart
            {...{ type, view, onView, to, verdict, error, onRemove, onDocument, onFiles }}
            text={value}
            onChange={write}
            onShown={setShown}
            startsFocused={view === 'form' && startsFocused}
          />
        </Suspense>
      )}
      {isJson ? <JsonField {...json} onChange={writeAsText} verdict={verdict} startsFocused={view !== 'form' && startsFocused} /> : null}
    </>
  );
}
