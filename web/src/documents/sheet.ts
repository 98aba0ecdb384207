import type { Entry, Kind } from './values.ts';

/** A business or a place: its name and address as on a letter, and what else is known of it. */
export interface PartyPart {
  node: number;
  label: string;
  name: string | undefined;
  lines: string[];
  entries: Entry[];
  rest: Part[];
}

export interface Column {
  /** The names on the way from the row to the cell. */
  names: readonly string[];
  label: string;
  kind: Kind | undefined;
  /** The way to the unit that the layout names beside a quantity. */
  unit?: readonly string[];
  isNumeric: boolean;
}

export interface TablePart {
  node: number;
  label: string;
  rows: readonly number[];
  columns: readonly Column[];
  /** What stands below a row. */
  details: readonly Column[];
  /** The currency of the document, which the amounts of the table do not repeat. */
  currency: string | undefined;
}

/** A piece of a document that no layout names. */
export type Part =
  | { kind: 'entries'; entries: Entry[] }
  | { kind: 'group'; node: number; label: string; parts: Part[] }
  | { kind: 'table'; table: TablePart }
  | { kind: 'party'; party: PartyPart }
  | { kind: 'more'; count: number };

/** A document as a sheet of paper shows it, from the top down. */
export interface Sheet {
  title: string;
  number: Entry | undefined;
  parties: PartyPart[];
  facts: Entry[];
  lines: TablePart | undefined;
  tables: TablePart[];
  /** Amounts in the order of the addition. */
  totals: Entry[];
  /** The one of the totals that the reader looks for first. */
  result: Entry | undefined;
  terms: Entry[];
  notes: Entry[];
  rest: Part[];
}
