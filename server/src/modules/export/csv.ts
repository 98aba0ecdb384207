import { Breaks } from '../../platform/fairness/breaks.ts';

/** A spreadsheet takes a cell that begins like this for a formula, also after blanks. */
const FORMULA = /^[\s\0]*[=+\-@\t\r|%＝＋－＠]/;

/** A row of CSV (RFC 4180), with texts of strangers made harmless: an apostrophe shows a spreadsheet that the cell is text. */
export function csvRow(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

const SLICE_CHARS = 128 * 1024;

/** The same of a row whose last cell can be long: with others served in between. */
export async function csvRowWithLong(cells: readonly (string | number | null | undefined)[], last: string | null): Promise<string> {
  const start = cells.map(csvCell).join(',');
  if (last === null) return `${start},\r\n`;
  const breaks = new Breaks();
  let text = `${start},"${FORMULA.test(last) ? "'" : ''}`;
  for (let at = 0; at < last.length; at += SLICE_CHARS) {
    text += last.slice(at, at + SLICE_CHARS).replaceAll('"', '""');
    await breaks.takeIfDue();
  }
  return `${text}"\r\n`;
}

function csvCell(cell: string | number | null | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  return `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}
