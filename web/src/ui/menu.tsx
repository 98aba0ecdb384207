import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

interface MenuProps {
  label: ReactNode;
  /** The accessible name of the button, if its content is an icon. */
  name?: string;
  className?: string;
  isUpward?: boolean;
  isLeftward?: boolean;
  children: ReactNode;
}

/** A menu button with the keyboard behaviour of the WAI-ARIA practices. */
export function Menu({ label, name, className = '', isUpward = false, isLeftward = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  const open = (at: number) => {
    setOpen(true);
    requestAnimationFrame(() => items().at(at)?.focus());
  };
  const close = () => {
    setOpen(false);
    // The chosen action may have moved the focus.
    if (root.current?.contains(document.activeElement)) button.current?.focus();
  };

  useEffect(() => {
    if (!isOpen) return;
    const onPress = ({ target }: PointerEvent) => {
      if (!root.current?.contains(target instanceof Node ? target : null)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen]);

  const onButtonKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open(event.key === 'ArrowDown' ? 0 : -1);
  };
  const onMenuKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    // Keys such as Ctrl+R are the browser's.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = items();
    const { activeElement } = document;
    const at = activeElement instanceof HTMLElement ? all.indexOf(activeElement) : -1;
    const next = { ArrowDown: (at + 1) % all.length, ArrowUp: at <= 0 ? all.length - 1 : at - 1, Home: 0, End: all.length - 1 }[event.key];
    const found = event.key.length === 1 ? nextByLetter(all, at, event.key) : all[next ?? -1];
    if (event.key === 'Tab') setOpen(false);
    else if (event.key === 'Escape') close();
    else found?.focus();
    if (event.key === 'Escape' || found) event.preventDefault();
  };

  return (
    <div ref={root} className="relative min-w-0">
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        id={`${id}-button`}
        aria-controls={isOpen ? id : undefined}
        aria-label={name}
        title={name}
        onClick={() => (isOpen ? setOpen(false) : open(0))}
        onKeyDown={onButtonKey}
        className={className}
      >
        {label}
      </button>
      {isOpen ? (
        <div
          id={id}
          role="menu"
          aria-labelledby={`${id}-button`}
          tabIndex={-1}
          onKeyDown={onMenuKey}
          onClick={close}
          className={`absolute z-40 max-h-80 w-max max-w-72 min-w-full overflow-y-auto rounded-xl border border-line bg-paper p-1 shadow-xl ${isUpward ? 'bottom-full mb-1' : 'top-full mt-1'} ${isLeftward ? 'right-0' : ''}`}
        >
          {children}
        </div>
      ) : null}
    </div>
  );
}

/** The next item that begins with the letter, from the first one again after the last. Icons that are letters do not count. */
function nextByLetter(items: HTMLElement[], at: number, letter: string): HTMLElement | undefined {
  const startsWith = ({ childNodes }: HTMLElement) =>
    [...childNodes]
      .find((node) => !(node instanceof Element && node.ariaHidden))
      ?.textContent?.toLowerCase()
      .startsWith(letter.toLowerCase());
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(startsWith);
}

export function MenuItem({ children, onSelect, isDangerous = false }: { children: ReactNode; onSelect(): void; isDangerous?: boolean }) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      onClick={onSelect}
      className={`flex w-full items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-left -outline-offset-2 hover:bg-hover focus:bg-hover ${isDangerous ? 'text-bad' : ''}`}
    >
      {children}
    </button>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <p role="presentation" className="px-2.5 py-1.5 text-xs font-medium text-soft">
      {children}
    </p>
  );
}

export function MenuLine() {
  return <hr className="my-1 border-line" />;
}
