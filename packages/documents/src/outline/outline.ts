import type { Format } from '../document-type.ts';
import type { Scalar } from './shown-value.ts';

/** A labelled value. */
export interface Fact {
  label: string;
  value: Scalar;
  format?: Format | undefined;
}

export interface OutlineParty {
  title: string;
  name: string | undefined;
  handle: string | undefined;
  /** The lines of the address. */
  address: string[];
  /** All else that is said of the party. */
  facts: Fact[];
}

export interface OutlineColumn {
  label: string;
  format?: Format | undefined;
}

export interface OutlineRow {
  /** A cell for each column. */
  cells: (Scalar | undefined)[];
  /** What no column has. */
  details: Fact[];
}

export interface OutlineTable {
  title: string;
  columns: OutlineColumn[];
  rows: OutlineRow[];
}

/** A document in the order in which people read it. Every value of it is in one place. */
export interface Outline {
  /** Of the type. Undefined: the type is not known. */
  title: string | undefined;
  number: string | undefined;
  currency: string | undefined;
  parties: OutlineParty[];
  facts: Fact[];
  lines: OutlineTable | undefined;
  tables: OutlineTable[];
  totals: Fact[];
  terms: Fact[];
  notes: Fact[];
  /** What the layout does not name. */
  more: Fact[];
  /** Whether the document has more rows or values than an outline takes. */
  isCut: boolean;
}
