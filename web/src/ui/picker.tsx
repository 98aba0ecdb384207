import { type ReactNode, useRef } from 'react';
import { useModal } from './dialog.tsx';
import { VERBATIM } from './field.tsx';
import { visible } from './name.tsx';
import { type Option, OptionList, useOptions } from './options.tsx';

interface PickerProps {
  label: string;
  placeholder: string;
  query: string;
  onQuery(query: string): void;
  options: Option[];
  empty: string;
  onClose(): void;
  children?: ReactNode;
}

/** Picks from a list by typing, in the middle of the window. */
export function Picker({ label, placeholder, query, onQuery, options, empty, onClose, children }: PickerProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const { field, list, isShown, reset } = useOptions(options);
  useModal(ref);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={ref}
      aria-label={visible(label)}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => {
        if (target === ref.current) onClose();
      }}
      className="mx-auto mt-[12vh] mb-auto w-[calc(100%-2rem)] max-w-xl overflow-hidden rounded-xl border border-line bg-paper p-0 text-ink shadow-2xl"
    >
      <div className="flex max-h-[70vh] flex-col">
        <input
          {...field}
          {...VERBATIM}
          aria-label={visible(label)}
          placeholder={placeholder}
          value={query}
          onChange={({ target }) => {
            reset();
            onQuery(target.value);
          }}
          className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-lg outline-none"
        />
        {isShown ? <OptionList {...list} label={label} /> : null}
        <p role="status" className="text-center text-soft not-empty:px-4 not-empty:py-6">
          {isShown ? '' : empty}
        </p>
        {children}
      </div>
    </dialog>
  );
}
