import { ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';

const BOX = 'w-full rounded-lg border border-edge bg-paper px-3 text-lg text-ink sm:text-base aria-invalid:border-bad disabled:bg-tint';

/** For identifiers, which browsers must not correct or complete. */
export const VERBATIM = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

interface Labelled {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** The label is for screen readers only. */
  isBare?: boolean | undefined;
}

type Given<Tag extends 'input' | 'textarea' | 'select'> = Labelled & ComponentProps<Tag>;

function Labelled({ id, label, hint, error, isBare, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className={isBare ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children}
      {hint !== undefined ? (
        <p id={`${id}-hint`} className="text-sm text-soft">
          {hint}
        </p>
      ) : null}
      <p id={`${id}-error`} aria-live="polite" className="text-sm text-bad empty:hidden">
        {error}
      </p>
    </div>
  );
}

const described = (id: string, hint: ReactNode, error: string | undefined) => ({
  id,
  'aria-invalid': error !== undefined,
  'aria-describedby':
    [hint !== undefined ? `${id}-hint` : '', error !== undefined ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined,
});

export function TextField({ label, hint, error, isBare, className = '', ...rest }: Given<'input'>) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error, isBare }}>
      <input {...described(id, hint, error)} {...rest} className={`${BOX} h-9 ${className}`} />
    </Labelled>
  );
}

export function TextArea({ label, hint, error, isBare, className = '', ...rest }: Given<'textarea'>) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error, isBare }}>
      <textarea {...described(id, hint, error)} rows={4} {...rest} className={`${BOX} py-2 ${className}`} />
    </Labelled>
  );
}

export function Select({ label, hint, error, isBare, className = '', children, ...rest }: Given<'select'>) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, error, isBare }}>
      <span className={`relative block ${className}`}>
        <select {...described(id, hint, error)} {...rest} className={`${BOX} h-9 appearance-none pr-8`}>
          {children}
        </select>
        <ChevronDown className="pointer-events-none absolute top-2.5 right-2.5 size-4 text-soft" aria-hidden />
      </span>
    </Labelled>
  );
}

export function Switch({ label, hint, ...rest }: Omit<ComponentProps<'input'>, 'type'> & { label: string; hint?: string }) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={rest.checked}
        aria-describedby={hint !== undefined ? `${id}-hint` : undefined}
        {...rest}
        className="relative mt-0.5 h-5 w-9 shrink-0 appearance-none rounded-full bg-edge transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-4 before:rounded-full before:bg-paper before:transition-transform checked:bg-accent checked:before:translate-x-4 disabled:opacity-60"
      />
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint !== undefined ? (
          <p id={`${id}-hint`} className="text-sm text-soft">
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  );
}
