import { Check } from 'lucide-react';
import { useReading } from '../../api/queries.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { TextField } from '../../ui/field.tsx';

const PAUSE_MS = 200;
const WHY_NOT = {
  taken: 'Somebody has claimed this handle already.',
  reserved: 'This handle is kept for the service itself.',
  invalid: 'A handle has 2 to 32 letters a–z, digits and hyphens, with no hyphen at either end.',
};

interface HandleFieldProps {
  value: string;
  onChange(value: string): void;
  /** What claiming it met with. */
  error: string | undefined;
}

/** Says while somebody types whether the handle can be had. */
export function HandleField({ value, onChange, error }: HandleFieldProps) {
  const asked = useDebouncedValue(value, PAUSE_MS);
  const { data, error: failure } = useReading('GET /v1/businesses/availability', { query: { handle: asked } }, { enabled: asked !== '' });
  const verdict = asked === value && value !== '' ? data : undefined;
  const objection = error ?? (verdict?.reason ? WHY_NOT[verdict.reason] : undefined);
  return (
    <div>
      <TextField
        label="Handle"
        hint={
          <>
            Others write to you at <span className="text-ink">{`${location.host}/@${value || '…'}`}</span>
          </>
        }
        required
        maxLength={64}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={objection !== undefined}
        value={value}
        onChange={({ target }) => onChange(handleOf(target.value))}
      />
      <p aria-live="polite" className={`mt-1 min-h-11 text-sm ${objection !== undefined ? 'text-bad' : 'text-good'}`}>
        {objection ??
          (verdict?.available ? (
            <span className="inline-flex items-center gap-1">
              <Check className="size-4" aria-hidden />@{verdict.handle} is free.
            </span>
          ) : failure ? (
            <span className="text-soft">Whether it is free can’t be told just now.</span>
          ) : null)}
      </p>
    </div>
  );
}

/** What may become of a text as a handle: nobody has to know the rules to come close. */
function handleOf(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/^@/, '')
    .replace(/[\s_.]+/g, '-');
}

/** A handle that comes close to a name, until somebody chooses one. */
export function suggestionFrom(name: string): string {
  const words = handleOf(name)
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-');
  return words.replace(/^-/, '').slice(0, 32).replace(/-$/, '');
}
