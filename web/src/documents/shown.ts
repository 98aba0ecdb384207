import { createContext, use } from 'react';
import type { Reader } from './reader.ts';

/** A remark about a value: what a rule expects, or what the recipient's schema refuses. */
export interface Remark {
  tone: 'warn' | 'bad';
  text: string;
}

export interface Shown {
  reader: Reader;
  remarks: ReadonlyMap<number, readonly Remark[]>;
  /** All rows are drawn, and tables share the width of the paper. */
  isPrinting: boolean;
}

/** The document that the pieces of a sheet belong to. */
export const ShownDocument = createContext<Shown | undefined>(undefined);

export function useShown(): Shown {
  const shown = use(ShownDocument);
  if (shown === undefined) throw new Error('A piece of a document is drawn outside of one.');
  return shown;
}
