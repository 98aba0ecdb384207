import { documentType } from './catalogue.ts';
import { type DocumentFacts, documentFacts, type FactPlaces } from './facts.ts';
import { type DocumentState, transitionOf } from './state.ts';
import { documentRank } from './thread-document.ts';

/** What the document in a message says of its thread. What it does not say is left out. */
export interface MessageDocument extends DocumentFacts {
  rank: number;
  /** The state that it brings the thread into, unless that is in one of the states to keep. */
  state?: DocumentState;
  keep?: readonly DocumentState[];
}

/**
 * Undefined: the message has no document. Takes the JSON as text; null stands for none, or for JSON that is too long to be read. `own`: of a type that a business has
 * described itself.
 */
export function messageDocument(type: string | null, json: string | null, own?: FactPlaces): MessageDocument | undefined {
  const facts = json === null ? {} : documentFacts(type, json, own);
  const isKnown = type !== null && documentType(type) !== undefined;
  if (!isKnown && facts.number === undefined && facts.total === undefined && facts.dueDate === undefined) return undefined;
  const transition = type === null ? undefined : transitionOf(type, facts.status);
  return {
    rank: documentRank(type),
    ...(transition && { state: transition.to, ...(transition.notFrom && { keep: transition.notFrom }) }),
    ...facts,
  };
}
