import { useDeferredValue, useId, useMemo, useRef } from 'react';
import { JsonFault, parseJson, placeOf } from '../../json/parse.ts';
import { TextArea } from '../../ui/field.tsx';
import { bytes } from '../../ui/parts.tsx';

const JSON_MAX_BYTES = 1_048_576;

/** Why a text can't be sent as JSON. An empty text can: JSON is optional. */
export function faultOf(text: string): JsonFault | undefined {
  if (text.trim() === '') return undefined;
  const size = new Blob([text.trim()]).size;
  if (size > JSON_MAX_BYTES) return new JsonFault(`This is ${bytes(size)}. The limit is 1 MB: attach it as a file instead.`, 0);
  const read = parseJson(text);
  return read instanceof JsonFault ? read : undefined;
}

/** A field for JSON, which is sent exactly as typed. */
export function JsonField({ value, onChange, error }: { value: string; onChange(value: string): void; error: string | undefined }) {
  const stateId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const checked = useDeferredValue(value);
  const fault = useMemo(() => faultOf(checked), [checked]);
  const place = fault && placeOf(checked, fault.at);
  const showFault = () => {
    area.current?.focus();
    area.current?.setSelectionRange(fault?.at ?? 0, (fault?.at ?? 0) + 1);
  };
  return (
    <div>
      <TextArea
        ref={area}
        label="JSON"
        rows={8}
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
        placeholder={'{ "order": 4711 }'}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        error={error}
        aria-invalid={fault !== undefined || error !== undefined}
        aria-describedby={stateId}
        className="font-mono text-sm"
      />
      {/* Always rendered, so that nothing moves while typing. */}
      <p id={stateId} aria-live="polite" className="mt-1.5 min-h-5 text-sm text-soft">
        {fault && place ? (
          <>
            <span className="text-bad">
              Line {place.line}, column {place.column}: {fault.message}
            </span>{' '}
            <button type="button" onClick={showFault} className="rounded text-accent underline">
              Show
            </button>
          </>
        ) : checked.trim() === '' ? (
          'Delivered exactly as typed.'
        ) : (
          `Valid JSON, ${bytes(new Blob([checked.trim()]).size)}`
        )}
      </p>
    </div>
  );
}
