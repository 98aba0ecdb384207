import { useEffect } from 'react';

const KEY = 'waybill.shortcuts';
const SEQUENCE_MS = 1_000;

/** Single-key shortcuts can be turned off, as they interfere with speech input (WCAG 2.1.4). */
export const areShortcutsOn = (): boolean => localStorage.getItem(KEY) !== 'off';
export const turnShortcuts = (to: 'on' | 'off'): void => localStorage.setItem(KEY, to);

export type Shortcuts = Record<string, () => void>;

/** All shortcuts of the page as it is. The same key given twice means what was mounted last. */
const layers: Shortcuts[] = [];
/** Shared by all layers, so that “g u” is not taken for “u”. */
let first = '';
let forgetting: ReturnType<typeof setTimeout> | undefined;

/** Runs the action of a key, or of two keys in a row (“g i”), unless the focus is in a text field. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => {
    if (layers.length === 0) document.addEventListener('keydown', onKey);
    layers.push(shortcuts);
    return () => {
      layers.splice(layers.indexOf(shortcuts), 1);
      if (layers.length === 0) document.removeEventListener('keydown', onKey);
    };
  }, [shortcuts]);
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !areShortcutsOn()) return;
  if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
  const actionOf = (keys: string) => layers.findLast((layer) => layer[keys])?.[keys];
  const run = (first === '' ? undefined : actionOf(`${first} ${event.key}`)) ?? actionOf(event.key);
  clearTimeout(forgetting);
  first = run || event.key.length > 1 ? '' : event.key;
  forgetting = setTimeout(() => {
    first = '';
  }, SEQUENCE_MS);
  if (!run) return;
  event.preventDefault();
  run();
}

const TEXT_FIELDS = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"], [role="menu"]';

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null;
}
