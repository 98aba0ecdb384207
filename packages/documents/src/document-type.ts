import type { Decimal } from './decimal.ts';
import type { DocumentPart } from './document-part.ts';
import type { Schema } from './schema.ts';

/** How a value is shown where the schema alone does not say it. Money is in the currency of the document. */
export type Format = 'money' | 'quantity' | 'percent';

/** A value to show, with the `title` of its property as the label. `path` is a JSON Pointer; in a table, it begins at the row. */
export interface Item {
  path: string;
  format?: Format;
}

/** An array of objects, a row each. */
export interface Table {
  path: string;
  columns: readonly Item[];
  /** What stands below the row, because a column for it would mostly be empty. */
  details?: readonly Item[];
}

/** What a view or a form shows where. What the layout does not name is shown last, so that no value is hidden. */
export interface Layout {
  number: string;
  currency?: string;
  /** Objects with a name and an address. */
  parties: readonly string[];
  /** Dates, references and other facts of the head. */
  facts: readonly Item[];
  lines?: Table;
  /** Smaller tables, which follow the lines. */
  tables: readonly Table[];
  /** Amounts in the order of the addition. The last one is the result. */
  totals: readonly Item[];
  terms: readonly Item[];
  notes: readonly string[];
}

/** What the rules find. Nothing is refused because of it. `path` is a JSON Pointer into the document. */
export interface Warning {
  path: string;
  code: string;
  message: string;
}

/** An amount as computed, and by how much a correct one may differ, because senders round at different places. */
export interface Computed {
  amount: Decimal;
  tolerance: Decimal;
}

/** What a value of a document should be by the others. */
export interface Expectation {
  part: DocumentPart;
  name: string;
  code: string;
  formula: string;
  /** Undefined: it is not known yet. */
  computed: Computed | undefined;
  digits: number;
}

export type Finding = Warning | Expectation;

export type Rule = (document: DocumentPart) => Iterable<Finding>;

export interface DocumentType {
  /** The `type` of the message that carries the document. */
  type: string;
  title: string;
  description: string;
  /** Counts up when a property changes its meaning or goes. New properties leave it as it is. */
  version: number;
  schema: Schema;
  layout: Layout;
  samples: readonly object[];
  rules: readonly Rule[];
}
