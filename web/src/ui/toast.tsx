import { useSyncExternalStore } from 'react';
import { visible } from './name.tsx';

interface Action {
  label: string;
  run(): void;
}

interface Toast {
  id: number;
  text: string;
  action: Action | undefined;
}

const SHOWN_MS = 5_000;
/** Long enough to change one's mind. */
const SHOWN_WITH_ACTION_MS = 10_000;
const USED_MS = 1_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** A toast whose button is about to be pressed stays until the pointer or the focus leaves it. */
function removeUnlessUsed(toastId: number): void {
  const isUsed = toasts.at(-1)?.id === toastId && document.querySelector('[data-toast]:is(:hover, :focus)');
  if (isUsed) setTimeout(removeUnlessUsed, USED_MS, toastId);
  else remove(toastId);
}

const remove = (toastId: number): void => change(toasts.filter(({ id }) => id !== toastId));

/**
 * Confirms an action for a few seconds, with an undo. The newest toast is shown; when it goes, the one before, if its time is not over. Errors are
 * shown where they occur, and stay.
 */
export function say(text: string, action?: Action): void {
  const toast = { id: nextId++, text: visible(text), action };
  change([...toasts.slice(-2), toast]);
  setTimeout(removeUnlessUsed, action ? SHOWN_WITH_ACTION_MS : SHOWN_MS, toast.id);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts.at(-1),
  );
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex justify-center print:hidden">
      {shown ? (
        <p key={shown.id} className="flex items-center gap-3 rounded-full bg-ink px-4 py-2 text-sm text-paper shadow-lg">
          {shown.text}
          {shown.action ? (
            <button
              type="button"
              data-toast
              className="pointer-events-auto rounded font-semibold underline underline-offset-2"
              onClick={() => {
                remove(shown.id);
                shown.action?.run();
              }}
            >
              {shown.action.label}
            </button>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}
