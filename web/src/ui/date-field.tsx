import { CalendarDays } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { Calendar } from './calendar.tsx';
import { isDay } from './day.ts';
import { VERBATIM } from './field.tsx';

const CHARS = '2026-11-17'.length;

interface DateFieldProps {
  label: string;
  value: string;
  /** Receives a day that exists. */
  onChange(day: string): void;
}

/** A day, typed as 2026-11-17 or chosen from a calendar, which the down arrow also opens. */
export function DateField({ label, value, onChange }: DateFieldProps) {
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const errorId = useId();
  const shown = typed ?? value;
  const isWrong = shown.length >= CHARS && !isDay(shown);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only where the focus goes
    <span
      ref={root}
      className="relative inline-flex items-center"
      onBlur={({ relatedTarget }) => {
        if (root.current?.contains(relatedTarget)) return;
        setTyped(undefined);
        setOpen(false);
      }}
    >
      <input
        {...VERBATIM}
        aria-label={label}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? errorId : undefined}
        inputMode="numeric"
        placeholder="YYYY-MM-DD"
        maxLength={CHARS}
        value={shown}
        onChange={({ target }) => {
          setTyped(target.value);
          if (isDay(target.value)) onChange(target.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
        className="w-[11ch] rounded bg-transparent px-1 tabular-nums aria-invalid:text-bad"
      />
      <button
        ref={button}
        type="button"
        aria-label={`Choose a day: ${label}`}
        title="Choose a day"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="grid size-6 place-items-center rounded hover:bg-hover"
      >
        <CalendarDays className="size-3.5" aria-hidden />
      </button>
      <span id={errorId} role="status" className="sr-only">
        {isWrong ? 'There is no such day. Write it as 2026-11-17.' : ''}
      </span>
      {isOpen ? (
        <Calendar
          label={label}
          value={value}
          onChoose={(day) => {
            setTyped(undefined);
            onChange(day);
            close();
          }}
          onClose={close}
        />
      ) : null}
    </span>
  );
}
