import { CUT_TEXT_MIN_CHARS } from './limits.ts';

/** A text of at most so many characters, never ending in half of a surrogate pair. */
export function cutTo(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Fields with texts that may be long. `cut` has the length that a text had, by its field. */
export interface Cuttable {
  note?: string | null | undefined;
  json_text?: string | null | undefined;
  text?: string | null | undefined;
  cut?: Record<string, number> | undefined;
}

const TEXTS = ['note', 'json_text', 'text'] as const;

export function cutTexts<T extends Cuttable>(content: T, maxChars: number): T {
  const shorter = { ...content };
  for (const field of TEXTS) {
    const text = content[field];
    if (typeof text !== 'string' || text.length <= maxChars) continue;
    shorter[field] = cutTo(text, maxChars);
    shorter.cut = { ...shorter.cut, [field]: content.cut?.[field] ?? text.length };
  }
  return shorter;
}

/**
 * Makes items fit a number of characters: cuts their texts more and more, then leaves the last items out. `cut` gives an item with its
 * texts cut.
 */
export function fit<T>(items: T[], maxChars: number, cut: (item: T, textMaxChars: number) => T): { items: T[]; leftOut: number } {
  let fitting = items;
  for (let textMaxChars = maxChars; sizeOf(fitting) > maxChars && textMaxChars > CUT_TEXT_MIN_CHARS; ) {
    textMaxChars = Math.max(CUT_TEXT_MIN_CHARS, Math.floor(textMaxChars / 2));
    fitting = items.map((item) => cut(item, textMaxChars));
  }
  let size = sizeOf(fitting);
  let kept = fitting.length;
  while (size > maxChars && kept > 1) size -= sizeOf(fitting[--kept]) + 1;
  return { items: fitting.slice(0, kept), leftOut: fitting.length - kept };
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
