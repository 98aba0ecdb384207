import { CUT_TEXT_MIN_CHARS } from './limits.ts';

/** A text of at most this many characters, never ending in half of a surrogate pair. */
export function cutTo(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Fields with texts that may be long. `cut`: the original length of each cut text. */
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
 * Makes items fit a number of characters: cuts their texts more and more, then leaves out the last items. Items may be far longer than what fits:
 * those left out are not looked at.
 */
export function fit<T>(items: T[], maxChars: number, cut: (item: T, textMaxChars: number) => T): { items: T[]; leftOut: number } {
  const kept = items.slice(0, countFitting(items, maxChars, cut));
  // Longer texts never fit, and JSON.stringify of the largest would hold the event loop.
  let fitting = kept.map((item) => cut(item, maxChars));
  for (let textMaxChars = maxChars; sizeOf(fitting) > maxChars && textMaxChars > CUT_TEXT_MIN_CHARS; ) {
    textMaxChars = Math.max(CUT_TEXT_MIN_CHARS, Math.floor(textMaxChars / 2));
    fitting = kept.map((item) => cut(item, textMaxChars));
  }
  return { items: fitting, leftOut: items.length - kept.length };
}

/** How many of the first items fit with the shortest texts. At least one. */
function countFitting<T>(items: T[], maxChars: number, cut: (item: T, textMaxChars: number) => T): number {
  let size = 1;
  for (const [i, item] of items.entries()) {
    size += sizeOf(cut(item, CUT_TEXT_MIN_CHARS)) + 1;
    if (size > maxChars && i > 0) return i;
  }
  return items.length;
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
