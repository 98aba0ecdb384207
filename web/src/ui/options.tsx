import { Check } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Name } from './name.tsx';

export interface Option {
  key: string;
  text: string;
  /** Options of one group follow each other, below its name. */
  group?: string | undefined;
  hint?: string | undefined;
  icon?: ReactNode;
  /** Set if several can be chosen, or one is chosen already. */
  isChecked?: boolean | undefined;
  choose(): void;
}

/** A text field with a list of options below it, by the WAI-ARIA practices: the field keeps the focus, arrows move in the list. */
export function useOptions(options: Option[], { isOpen = true, startsAt = 0 }: { isOpen?: boolean; startsAt?: -1 | 0 } = {}) {
  const id = useId();
  const [activeKey, setActiveKey] = useState<string>();
  const found = options.findIndex(({ key }) => key === activeKey);
  const active = found >= 0 ? found : startsAt;
  const isShown = isOpen && options.length > 0;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!isShown || event.nativeEvent.isComposing) return;
    if (step !== undefined) setActiveKey(options[(active + step + options.length) % options.length]?.key);
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && options[active]) options[active].choose();
    else return;
    event.preventDefault();
  };
  return {
    isShown,
    active,
    field: {
      role: 'combobox',
      'aria-autocomplete': 'list',
      'aria-expanded': isShown,
      'aria-controls': isShown ? id : undefined,
      'aria-activedescendant': isShown && options[active] ? `${id}-${active}` : undefined,
      onKeyDown,
    } as const,
    list: { id, options, active },
    reset: () => setActiveKey(undefined),
  };
}

interface OptionListProps {
  id: string;
  label: string;
  options: Option[];
  active: number;
  className?: string;
}

export function OptionList({ id, label, options, active, className = '' }: OptionListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div ref={list} id={id} role="listbox" aria-label={label} className={`overflow-y-auto overscroll-contain p-1 ${className}`}>
      {options.map((option, index) => (
        <div key={option.key} role="presentation">
          {option.group !== undefined && option.group !== options[index - 1]?.group ? (
            <p role="presentation" className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
              {option.group}
            </p>
          ) : null}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus */}
          <div
            id={`${id}-${index}`}
            data-index={index}
            role="option"
            aria-selected={index === active}
            aria-checked={option.isChecked}
            // Keeps the focus in the field, so that the list stays open until the click.
            onPointerDown={(event) => event.preventDefault()}
            onClick={option.choose}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 hover:bg-hover aria-selected:bg-hover"
          >
            {option.icon}
            <Name className="min-w-0 truncate">{option.text}</Name>
            {option.hint === undefined ? null : (
              <Name className="ml-auto max-w-1/2 shrink-0 truncate pl-3 text-sm text-soft">{option.hint}</Name>
            )}
            {option.isChecked ? <Check className="ml-auto size-4 shrink-0" aria-hidden /> : null}
          </div>
        </div>
      ))}
    </div>
  );
}
