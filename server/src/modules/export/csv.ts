/** A spreadsheet takes a cell that begins like this for a formula, also after blanks. */
const FORMULA = /^[\s\0]*[=+\-@\t\r|%＝＋－＠]/;

/** A row of CSV (RFC 4180), with texts of strangers made harmless: an apostrophe shows a spreadsheet that the cell is text. */
export function csvRow(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | null | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  return `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}
