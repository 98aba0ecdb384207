import { useEffect } from 'react';

const KEY = 'waybill.shortcuts';
const SEQUENCE_MS = 1_000;

/** Single-key shortcuts can be turned off, as they interfere with speech input (WCAG 2.1.4). */
export const areShortcutsOn = (): boolean => localStorage.getItem(KEY) !== 'off';
export const turnShortcuts = (to: 'on' | 'off'): void => localStorage.setItem(KEY, to);

/** Runs the action of a key, or of two keys in a row (“g i”), unless the focus is in a text field. */
export function useShortcuts(shortcuts: Record<string, () => void>): void {
  useEffect(() => {
    let first = '';
    let forgetting: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        !areShortcutsOn() ||
        isTyping(event.target) ||
        document.querySelector('dialog[open]')
      )
        return;
      const run = shortcuts[`${first} ${event.key}`] ?? shortcuts[event.key];
      clearTimeout(forgetting);
      first = run || event.key.length > 1 ? '' : event.key;
      forgetting = setTimeout(() => {
        first = '';
      }, SEQUENCE_MS);
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(forgetting);
      document.removeEventListener('keydown', onKey);
    };
  }, [shortcuts]);
}

const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="menu"]';

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null;
}
