import { documentType } from './catalogue.ts';
import type { DocumentFacts } from './facts.ts';
import { changesState, type DocumentState, documentState, type StateEvent } from './state.ts';

/** A message with facts, or of a type of the catalogue. */
export interface ThreadMessage extends DocumentFacts, Omit<StateEvent, 'status'> {}

/** Documents that change the state come before others of the catalogue, and those before guesses. */
export function documentRank(type: string | null): number {
  if (changesState(type)) return 0;
  return type !== null && documentType(type) !== undefined ? 1 : 2;
}

/** What a thread is about, and how far it is. */
export interface ThreadDocument {
  /** The lowest of its documents. */
  rank: number;
  state: DocumentState | null;
  type: string | null;
  number: string | null;
  total: string | null;
  currency: string | null;
  dueDate: string | null;
}

/**
 * The document of a thread, from its messages, the oldest first. Each fact is of the newest document that has it; number and type belong together, and so do total and
 * currency. Only documents of the lowest rank count. Undefined: the thread has no document.
 */
export function threadDocument(messages: readonly ThreadMessage[]): ThreadDocument | undefined {
  if (messages.length === 0) return undefined;
  const rank = Math.min(...messages.map(({ type }) => documentRank(type)));
  const about = messages.filter(({ type }) => documentRank(type) === rank);
  const numbered = about.findLast(({ number }) => number !== undefined);
  const counted = about.findLast(({ total }) => total !== undefined);
  const due = about.findLast(({ dueDate }) => dueDate !== undefined);
  return {
    rank,
    state: documentState(messages),
    type: (numbered ?? about.at(-1))?.type ?? null,
    number: numbered?.number ?? null,
    total: counted?.total ?? null,
    currency: (counted ? counted.currency : about.findLast(({ currency }) => currency !== undefined)?.currency) ?? null,
    dueDate: due?.dueDate ?? null,
  };
}
