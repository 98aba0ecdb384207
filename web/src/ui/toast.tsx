import { useSyncExternalStore } from 'react';
import { visible } from './name.tsx';

interface Toast {
  id: number;
  text: string;
}

const SHOWN_MS = 5_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Confirms an action for a few seconds. Errors are shown where they occur, and stay. */
export function say(text: string): void {
  const toast = { id: nextId++, text: visible(text) };
  change([...toasts.slice(-2), toast]);
  setTimeout(() => change(toasts.filter(({ id }) => id !== toast.id)), SHOWN_MS);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2">
      {shown.map(({ id, text }) => (
        <p key={id} className="rounded-full bg-ink px-4 py-2 text-sm text-paper shadow-lg">
          {text}
        </p>
      ))}
    </div>
  );
}
