import { useEffect } from 'react';

const KEY = 'waybill.shortcuts';
const SEQUENCE_MS = 1_000;

/** Single keys can be in the way of those who speak to their computer: they can be turned off. */
export const areShortcutsOn = (): boolean => localStorage.getItem(KEY) !== 'off';
export const turnShortcuts = (to: 'on' | 'off'): void => localStorage.setItem(KEY, to);

/** Runs what belongs to a key, or to two keys in a row (“g i”), unless somebody is writing. */
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
        isWriting(event.target) ||
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

const WRITING = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="menu"]';

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(WRITING) !== null;
}
