import { Check } from 'lucide-react';
import { HANDLE_MAX_CHARS } from '../../api/limits.ts';
import { useReading } from '../../api/queries.ts';
import { useDebouncedValue } from '../../ui/debounce.ts';
import { TextField } from '../../ui/field.tsx';

const PAUSE_MS = 200;
const REASONS = {
  taken: 'This handle is taken.',
  reserved: 'This handle is reserved.',
  invalid: 'Use 2 to 32 letters a–z, digits and hyphens, with no hyphen at either end.',
};

interface HandleFieldProps {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}

export function HandleField({ value, onChange, error }: HandleFieldProps) {
  const asked = useDebouncedValue(value, PAUSE_MS);
  const { data, error: failure } = useReading('GET /v1/businesses/availability', { query: { handle: asked } }, { enabled: asked !== '' });
  const verdict = asked === value && value !== '' ? data : undefined;
  const problem = error ?? (verdict?.reason ? REASONS[verdict.reason] : undefined);
  return (
    <div>
      <TextField
        label="Handle"
        hint={
          <>
            Your public page: <span className="text-ink">{`${location.host}/@${value || '…'}`}</span>
          </>
        }
        required
        // A handle that is too long is refused with a reason, and not cut.
        maxLength={2 * HANDLE_MAX_CHARS}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        value={value}
        onChange={({ target }) => onChange(handleOf(target.value))}
      />
      <p aria-live="polite" className={`mt-1 min-h-11 text-sm ${problem !== undefined ? 'text-bad' : 'text-good'}`}>
        {problem ??
          (verdict?.available ? (
            <span className="inline-flex items-center gap-1">
              <Check className="size-4" aria-hidden />@{verdict.handle} is available.
            </span>
          ) : failure ? (
            <span className="text-soft">Couldn’t check whether it is available.</span>
          ) : null)}
      </p>
    </div>
  );
}

/** The text in the characters of a handle, so that typed names come close to one. */
function handleOf(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/^@/, '')
    .replace(/[\s_.]+/g, '-');
}

export function suggestionFrom(name: string): string {
  const words = handleOf(name)
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-');
  return words.replace(/^-/, '').slice(0, HANDLE_MAX_CHARS).replace(/-$/, '');
}
