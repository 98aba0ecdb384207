import type { Term } from './search-query.ts';
import { type Word, wordsOf } from './words.ts';

/** Characters that a match shows before the first mark, and altogether. */
const BEFORE_CHARS = 40;
const SHOWN_CHARS = 160;
/** Of a longer text, only the beginning is in the document. */
const TEXT_MAX_CHARS = 32_768;

export interface Match {
  field: string;
  /** A part of the field, around what matched. */
  text: string;
  /** What matched in `text`: start and end in code points. */
  marks: [start: number, end: number][];
}

/** What of these fields matched, each field once. */
export function matchesIn(fields: Iterable<readonly [field: string, text: string | null]>, terms: readonly Term[]): Match[] {
  const matches: Match[] = [];
  for (const [field, text] of fields) {
    if (text === null || matches.some((match) => match.field === field)) continue;
    const marks = marksIn(text.slice(0, TEXT_MAX_CHARS), terms);
    if (marks.length > 0) matches.push(excerpt(field, text, marks));
  }
  return matches;
}

/** In UTF-16 units, ascending, without overlaps. */
function marksIn(text: string, terms: readonly Term[]): [number, number][] {
  const words = [...wordsOf(text)];
  const marks: [number, number][] = [];
  for (const term of terms)
    for (let i = 0; i + term.words.length <= words.length; i++)
      if (fits(words, i, term)) marks.push([words[i]?.start ?? 0, words[i + term.words.length - 1]?.end ?? 0]);
  marks.sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [start, end] of marks) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

function fits(words: readonly Word[], at: number, { words: wanted, isPrefix }: Term): boolean {
  return wanted.every((word, i) => {
    const folded = words[at + i]?.folded ?? '';
    return isPrefix && i === wanted.length - 1 ? folded.startsWith(word) : folded === word;
  });
}

/** Around the first mark, cut between characters. */
function excerpt(field: string, text: string, marks: readonly [number, number][]): Match {
  const from = boundary(text, Math.max(0, (marks[0]?.[0] ?? 0) - BEFORE_CHARS));
  const to = boundary(text, Math.min(text.length, from + SHOWN_CHARS));
  const shown = marks.filter(([start]) => start < to).map(([start, end]): [number, number] => [start, Math.min(end, to)]);
  const inCodePoints = (at: number) => [...text.slice(from, at)].length;
  return { field, text: text.slice(from, to), marks: shown.map(([start, end]) => [inCodePoints(start), inCodePoints(end)]) };
}

/** Not inside of a surrogate pair. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
