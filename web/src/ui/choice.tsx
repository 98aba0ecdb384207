import { type ReactNode, useId } from 'react';

interface Option<Value extends string> {
  value: Value;
  label: string;
  hint?: ReactNode;
}

export function Choice<Value extends string>(props: {
  label: string;
  options: readonly Option<Value>[];
  value: Value;
  onChange(value: NoInfer<Value>): void;
}) {
  const { label, options, value, onChange } = props;
  const id = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <div className="divide-y divide-line overflow-hidden rounded-lg border border-line">
        {options.map((option) => (
          <label key={option.value} className="flex items-start gap-3 px-3 py-2.5 hover:bg-hover has-checked:bg-tint">
            <input
              type="radio"
              name={id}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-describedby={option.hint === undefined ? undefined : `${id}-${option.value}`}
              aria-label={option.label}
              className="mt-1 accent-accent"
            />
            <span>
              <span className="block font-medium">{option.label}</span>
              {option.hint === undefined ? null : (
                <span id={`${id}-${option.value}`} className="block text-sm text-soft">
                  {option.hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
