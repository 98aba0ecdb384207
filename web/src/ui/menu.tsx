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
  const menuId = useId();

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
    const all = items();
    const { activeElement } = document;
    const at = activeElement instanceof HTMLElement ? all.indexOf(activeElement) : -1;
    const next = { ArrowDown: (at + 1) % all.length, ArrowUp: at <= 0 ? all.length - 1 : at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    else if (next !== undefined) all[next]?.focus();
    else if (event.key.length === 1) all.find((item) => item.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    if (event.key !== 'Tab' && event.key !== 'Enter' && event.key !== ' ') event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={root} className="relative min-w-0">
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
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
          id={menuId}
          role="menu"
          aria-label={name}
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
