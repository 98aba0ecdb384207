import { type RefObject, useEffect } from 'react';

const KEY = 'waybill.shortcuts';
const SEQUENCE_MS = 1_000;

/** Single-key shortcuts can be turned off, as they interfere with speech input (WCAG 2.1.4). */
export const areShortcutsOn = (): boolean => localStorage.getItem(KEY) !== 'off';
export const turnShortcuts = (to: 'on' | 'off'): void => localStorage.setItem(KEY, to);

export type Shortcuts = Record<string, () => void>;

/** All shortcuts of the page. If two layers have the same key, the last mounted one counts. */
const layers: Shortcuts[] = [];
/** Shared by all layers, so that “g u” is not taken for “u”. */
let first = '';
let forgetting: ReturnType<typeof setTimeout> | undefined;

/** Runs the action of a key, or of two keys in a row (“g i”), unless the focus is in a text field or somebody writes. */
export function useShortcuts(shortcuts: Shortcuts): void {
  useEffect(() => register(layers, shortcuts), [shortcuts]);
}

interface Form {
  element: RefObject<HTMLElement | null>;
  close(): void;
}

const forms: Form[] = [];

/**
 * While somebody writes in a form, keys outside its fields do nothing: they are text that missed its field. Escape closes the form. close: undefined
 * while nobody writes.
 */
export function useWritingForm(element: RefObject<HTMLElement | null>, close: (() => void) | undefined): void {
  useEffect(() => (close ? register(forms, { element, close }) : undefined), [element, close]);
}

function register<One>(list: One[], one: One): () => void {
  // The same listener is added once, however often this is called.
  document.addEventListener('keydown', onKey);
  list.push(one);
  return () => void list.splice(list.indexOf(one), 1);
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  const form = forms.at(-1);
  if (form) closeOnEscape(form, event);
  else if (areShortcutsOn() && !isTyping(event.target)) runShortcut(event);
}

function closeOnEscape({ element, close }: Form, event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return;
  const isOutside = !(event.target instanceof Node && element.current?.contains(event.target));
  if (isOutside && isTyping(event.target)) return;
  event.preventDefault();
  close();
}

function runShortcut(event: KeyboardEvent): void {
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

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TEXT_FIELDS) !== null;
}
