/** Keys that are typed between a shortcut that opens a form and the moment when the form's field has the focus. */

const HELD_MAX_MS = 8_000;
let held: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** From now on, typed characters are neither shortcuts nor lost. */
export function holdKeys(): void {
  if (held === undefined) document.addEventListener('keydown', onKey, { capture: true });
  held = '';
  clearTimeout(timer);
  timer = setTimeout(takeKeys, HELD_MAX_MS);
}

/** What was typed, for the field that has the focus now. */
export function takeKeys(): string {
  const typed = held ?? '';
  held = undefined;
  clearTimeout(timer);
  document.removeEventListener('keydown', onKey, { capture: true });
  return typed;
}

function onKey(event: KeyboardEvent): void {
  const { target } = event;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || event.key === 'Escape') {
    takeKeys();
    return;
  }
  if (held === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Backspace') held = held.slice(0, -1);
  else if (event.key.length === 1) held += event.key;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
