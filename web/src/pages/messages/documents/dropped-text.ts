import { JsonObject } from '../../../../../packages/client/src/lossless-json.ts';
import { computeTotals, editJson, orderIn } from '../../../../../packages/documents/src/index.ts';
import { readDocument, rowsAt, rowText } from './document-text.ts';
import type { FormOf } from './form-of.ts';

/** A table has the lines of a document and nothing else of it. */
export const isTable = ({ name }: File): boolean => /\.(csv|tsv)$/i.test(name);

/** Whether nobody has written anything yet. */
export const isBlank = (text: string): boolean => /^\s*(\{\s*\})?\s*$/.test(text);

const linesPath = ({ layout }: FormOf): string => layout?.lines?.path ?? '/lines';

export function rowsIn(text: string, type: FormOf): number {
  const { document } = readDocument(text, type.schema, type.title);
  return document ? rowsAt(document, linesPath(type)).length : 0;
}

/** The document with the lines of a table in place of its own. All else stays as it is written. A text that is no document gives way. */
export function linesInto(text: string, table: string, type: FormOf): string {
  const { document } = readDocument(text, type.schema, type.title);
  const { document: read } = readDocument(table, type.schema, type.title);
  const path = linesPath(type);
  if (!(document instanceof JsonObject) || !read) return table;
  const rows = rowsAt(read, path).flatMap((_, row) => rowText(table, path, row) ?? []);
  const filled = editJson(text, [{ path, value: `[${rows.join(',')}]` }], orderIn(type.schema));
  return type.rules.length === 0 ? filled : computeTotals(type, filled, text);
}
