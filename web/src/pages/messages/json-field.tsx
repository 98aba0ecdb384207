import { type RefObject, useDeferredValue, useMemo } from 'react';
import { formatted } from '../../json/formatted.ts';
import { JsonFault, parseJson, placeOf } from '../../json/parse.ts';
import { Editor, type EditorHandle } from '../../parts/json-editor/editor.tsx';
import { ProblemList } from '../../parts/json-editor/problem-list.tsx';
import { readJson } from '../../parts/json-editor/problems.ts';
import { Button } from '../../ui/button.tsx';
import { bytes, number } from '../../ui/format.ts';
import type { SchemaVerdict } from './recipient-check.ts';

const JSON_MAX_BYTES = 1_048_576;

/** Returns why a text can't be sent as JSON. An empty text can, because JSON is optional. */
export function faultOf(text: string): JsonFault | undefined {
  if (text.trim() === '') return undefined;
  const size = new Blob([text.trim()]).size;
  if (size > JSON_MAX_BYTES) return new JsonFault(`This is ${bytes(size)}. The limit is 1 MB: attach it as a file instead.`, 0);
  const read = parseJson(text);
  return read instanceof JsonFault ? read : undefined;
}

export interface JsonFieldProps {
  editor: RefObject<EditorHandle | null>;
  value: string;
  onChange(value: string): void;
  onRemove(): void;
  error: string | undefined;
  verdict: SchemaVerdict | undefined;
  /** Somebody wants to write the JSON now. */
  startsFocused: boolean;
}

export function JsonField({ editor, value, onChange, onRemove, error, verdict, startsFocused }: JsonFieldProps) {
  const checked = useDeferredValue(value);
  const fault = useMemo(() => faultOf(checked), [checked]);
  const problem = useMemo(() => (checked.trim() === '' ? undefined : readJson(checked).problem), [checked]);
  const problems = useMemo(() => (problem ? [problem] : (verdict?.problems ?? [])), [problem, verdict]);
  const place = fault && placeOf(checked, fault.at);
  return (
    <div>
      <div className="mb-1.5 flex min-h-8 items-center gap-1">
        <p className="grow text-sm font-medium">JSON</p>
        <Button
          look="quiet"
          className="h-8"
          disabled={fault !== undefined || value === ''}
          onClick={() => {
            editor.current?.replace(formatted(value));
            editor.current?.focus();
          }}
        >
          Format
        </Button>
        <Button look="quiet" className="h-8" onClick={onRemove}>
          Remove
        </Button>
      </div>
      <Editor ref={editor} label="JSON" text={value} isLow startsFocused={startsFocused} onChange={onChange} problems={problems} />
      {/* Always rendered, so that nothing moves while typing. */}
      <p aria-live="polite" className="min-h-5 text-sm text-soft">
        {error === undefined ? null : <span className="text-bad">{error} </span>}
        {fault && place ? (
          <>
            <span className="text-bad">
              Line {number(place.line)}, column {number(place.column)}: {fault.message}
            </span>{' '}
            {problem ? (
              <button type="button" onClick={() => editor.current?.goTo(problem)} className="rounded text-accent underline">
                Show
              </button>
            ) : null}
          </>
        ) : checked.trim() === '' ? (
          'Delivered exactly as typed.'
        ) : (
          <>
            Valid JSON, {bytes(new Blob([checked.trim()]).size)}
            {verdict ? <Verdict {...verdict} /> : null}
          </>
        )}
      </p>
      <ProblemList label="Schema errors" problems={verdict?.problems ?? []} onGo={(one) => editor.current?.goTo(one)} />
    </div>
  );
}

/** The result of the recipient's schema. A message that fails is delivered, too. */
function Verdict({ handle, problems: { length } }: SchemaVerdict) {
  if (length === 0) return <span className="text-good">. Matches the schema of @{handle}.</span>;
  return (
    <span className="text-warn">
      . {length === 1 ? '1 error' : `${length} errors`} by the schema of @{handle}. You can still send it.
    </span>
  );
}
