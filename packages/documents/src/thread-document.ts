import { documentType } from './catalogue.ts';
import type { DocumentFacts } from './facts.ts';
import { changesState, type DocumentState, documentState, type StateEvent } from './state.ts';

/** A message with facts, or of a type of the catalogue. */
export interface ThreadMessage extends DocumentFacts, Omit<StateEvent, 'status'> {}

/** What a thread is about, and how far it is. */
export interface ThreadDocument {
  state: DocumentState | null;
  type: string | null;
  number: string | null;
  total: string | null;
  currency: string | null;
  dueDate: string | null;
}

/**
 * The document of a thread, from its messages, the oldest first. Each fact is of the newest document that has it; number and type belong together, and so do total and
 * currency. Documents that change the state come before others of the catalogue, and those before guesses. Undefined: the thread has no document.
 */
export function threadDocument(messages: readonly ThreadMessage[]): ThreadDocument | undefined {
  const ranks = [
    messages.filter(({ type }) => changesState(type)),
    messages.filter(({ type }) => type !== null && documentType(type) !== undefined),
    messages,
  ];
  const about = ranks.find((some) => some.length > 0);
  if (about === undefined) return undefined;
  const numbered = about.findLast(({ number }) => number !== undefined);
  const counted = about.findLast(({ total }) => total !== undefined);
  const due = about.findLast(({ dueDate }) => dueDate !== undefined);
  return {
    state: documentState(messages),
    type: (numbered ?? about.at(-1))?.type ?? null,
    number: numbered?.number ?? null,
    total: counted?.total ?? null,
    currency: (counted ? counted.currency : about.findLast(({ currency }) => currency !== undefined)?.currency) ?? null,
    dueDate: due?.dueDate ?? null,
  };
}
