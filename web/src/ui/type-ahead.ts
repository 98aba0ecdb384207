import { isTyping } from './shortcuts.ts';

/** Keys typed between a shortcut that opens a form and the focus of the form's field. */
let held: { place: string; text: string } | undefined;

/**
 * From now on, typed characters are neither shortcuts nor lost: they belong to the field of that place. It ends when the field takes them, or
 * somebody clicks, types into another field or presses Escape.
 */
export function holdKeys(place: string): void {
  held = { place, text: '' };
  document.addEventListener('keydown', onKey, { capture: true });
  document.addEventListener('pointerdown', drop, { capture: true });
}

export const isHeld = (place: string): boolean => held?.place === place;

export function takeKeys(place: string): string {
  if (held?.place !== place) return '';
  const { text } = held;
  drop();
  return text;
}

/** Drops the held keys: the field will not be rendered. */
export function dropKeys(place: string): void {
  if (isHeld(place)) drop();
}

function drop(): void {
  held = undefined;
  document.removeEventListener('keydown', onKey, { capture: true });
  document.removeEventListener('pointerdown', drop, { capture: true });
}

function onKey(event: KeyboardEvent): void {
  if (held === undefined || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.key === 'Escape' || isTyping(event.target)) {
    drop();
    return;
  }
  if (event.key === 'Backspace') held.text = held.text.slice(0, -1);
  else if (event.key === 'Enter') held.text += '\n';
  else if (event.key.length === 1) held.text += event.key;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
