import type { OutlineTable } from './outline.ts';
import { rawText, type Scalar } from './shown-value.ts';

/** Columns of a table in a file. Rows can name more values than that; the JSON has them. */
const COLUMNS_MAX = 100;
const BYTE_ORDER_MARK = '\u{feff}';
const PLAIN_NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
/** What spreadsheets may take for a formula, in ASCII or in full width. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** The cells of a table for programs: a row of labels, then all values of each row, those without a column in the layout as well. */
export function tableCells(table: OutlineTable): { labels: string[]; rows: (Scalar | undefined)[][] } {
  const labels = table.columns.map(({ label }) => label);
  const place = new Map<string, number>();
  for (const { details } of table.rows)
    for (const { label } of details) if (!place.has(label) && labels.length < COLUMNS_MAX) place.set(label, labels.push(label) - 1);
  const rows = table.rows.map(({ cells, details }) => {
    const row = Array.from({ length: labels.length }, (_, i) => cells[i]);
    for (const { label, value } of details) {
      const at = place.get(label);
      if (at !== undefined) row[at] = value;
    }
    return row;
  });
  return { labels, rows };
}

/**
 * A table as RFC 4180 has it, with the mark of UTF-8 that spreadsheets look for. A text that a spreadsheet would compute gets an apostrophe before it;
 * numbers, negative ones too, stay as they were sent.
 */
export function csvOf(table: OutlineTable): string {
  const { labels, rows } = tableCells(table);
  const lines = [labels, ...rows.map((row) => row.map((value) => (value === undefined ? '' : rawText(value))))];
  return BYTE_ORDER_MARK + lines.map((line) => `${line.map(fieldOf).join(',')}\r\n`).join('');
}

function fieldOf(text: string): string {
  const safe = harmless(storable(text));
  return /[",;\r\n\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text with an apostrophe where a spreadsheet would take it for a formula. */
function harmless(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** Files can't hold control characters and halves of characters. */
export function storable(text: string): string {
  return text.toWellFormed().replace(CONTROLS, '\u{fffd}');
}

/** Undoes `csvOf` for a cell. */
export function withoutApostrophe(text: string): string {
  return text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;
}
