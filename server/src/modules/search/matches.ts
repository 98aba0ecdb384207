import type { Term } from './search-query.ts';
import { type Word, wordsOf } from './words.ts';

/** The characters that a match shows before the first mark, and altogether. */
const BEFORE_CHARS = 40;
const SHOWN_CHARS = 160;
/** A document has the words of the first characters of a message's or comment's fields (sql/search/message_words.sql). */
const DOCUMENT_MAX_CHARS = 32_768;
const DOCUMENT_MAX_WORDS = 2_000;

/** The order of matches: fields that people read first come first. */
export const MATCHED_FIELDS = ['subject', 'type', 'note', 'from', 'to', 'file', 'id', 'thread_id', 'json', 'comment', 'author'] as const;

export type MatchedField = (typeof MATCHED_FIELDS)[number];

export interface Match {
  field: MatchedField;
  text: string;
  /** Start and end of each match in `text`, in code points. */
  marks: [start: number, end: number][];
}

export interface WordBudget {
  words: number;
}

/** Returns at most one match per field. Fields come in the order of the document, so that none is read beyond its end. */
export function matchesIn(
  fields: Iterable<readonly [field: MatchedField, text: string | null]>,
  terms: readonly Term[],
  page: WordBudget,
): Match[] {
  const matches: Match[] = [];
  if (terms.length === 0) return matches;
  const document: WordBudget = { words: Math.min(DOCUMENT_MAX_WORDS, page.words) };
  const given = document.words;
  let chars = DOCUMENT_MAX_CHARS;
  for (const [field, text] of fields) {
    if (document.words <= 0 || chars <= 0) break;
    if (text === null) continue;
    const read = text.slice(0, chars);
    chars -= text.length;
    // The separator of two fields counts as a word, too.
    document.words--;
    if (matches.some((match) => match.field === field)) continue;
    const marks = marksIn(read, terms, document);
    if (marks.length > 0) matches.push(excerpt(field, text, marks));
  }
  page.words -= given - document.words;
  return matches.sort((a, b) => MATCHED_FIELDS.indexOf(a.field) - MATCHED_FIELDS.indexOf(b.field));
}

/** Returns the marks within an excerpt around the first of them, in UTF-16 units, ascending, without overlaps. */
function marksIn(text: string, terms: readonly Term[], left: WordBudget): [number, number][] {
  const longest = Math.max(...terms.map((term) => term.words.length));
  const words: Word[] = [];
  const marks: [number, number][] = [];
  let shownTo = Number.POSITIVE_INFINITY;
  let beyond = 0;
  for (const word of wordsOf(text)) {
    // A mark may begin inside the excerpt and end outside.
    if (left.words-- <= 0 || (word.start >= shownTo && ++beyond >= longest)) break;
    words.push(word);
    for (const term of terms) {
      const first = words.length - term.words.length;
      const start = words[first]?.start;
      if (start === undefined || !fits(words, first, term)) continue;
      marks.push([start, word.end]);
      shownTo = Math.min(shownTo, start - BEFORE_CHARS + SHOWN_CHARS);
    }
  }
  marks.sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [start, end] of marks) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Called for each word and term, so the last word is compared first and nothing is allocated. */
function fits(words: readonly Word[], at: number, { words: wanted, isPrefix }: Term): boolean {
  for (let i = wanted.length - 1; i >= 0; i--) {
    const folded = words[at + i]?.folded ?? '';
    const word = wanted[i] ?? '';
    if (isPrefix && i === wanted.length - 1 ? !folded.startsWith(word) : folded !== word) return false;
  }
  return true;
}

function excerpt(field: MatchedField, text: string, marks: readonly [number, number][]): Match {
  const from = boundary(text, Math.max(0, (marks[0]?.[0] ?? 0) - BEFORE_CHARS));
  const to = boundary(text, Math.min(text.length, from + SHOWN_CHARS));
  const shown = marks.filter(([start]) => start < to).map(([start, end]): [number, number] => [start, Math.min(end, to)]);
  const inCodePoints = (at: number) => [...text.slice(from, at)].length;
  return { field, text: text.slice(from, to), marks: shown.map(([start, end]) => [inCodePoints(start), inCodePoints(end)]) };
}

/** Avoids a cut inside a surrogate pair. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
