/** A spreadsheet takes a cell that begins with one of these for a formula, also after blanks. */
const FORMULA = /^[\s\0]*[=+\-@\t\r|%＝＋－＠]/;

/** A row of CSV (RFC 4180), with texts of strangers made harmless: an apostrophe shows a spreadsheet that the cell is text. */
export function csvRow(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

const SLICE_CHARS = 64 * 1024;

/** A row whose last cell can be long comes in parts, because doubling the quotes of a long text takes long. */
export function* csvRowWithLong(cells: readonly (string | number | null | undefined)[], last: string | null): Generator<string> {
  yield cells.map(csvCell).join(',');
  if (last === null) return yield ',\r\n';
  yield `,"${FORMULA.test(last) ? "'" : ''}`;
  for (const slice of slicesOf(last)) yield slice.replaceAll('"', '""');
  yield '"\r\n';
}

/** No slice ends inside a surrogate pair, which can't be encoded by halves. */
function* slicesOf(text: string): Generator<string> {
  let end: number;
  for (let start = 0; start < text.length; start = end) {
    end = start + SLICE_CHARS;
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    yield text.slice(start, end);
  }
}

function csvCell(cell: string | number | null | undefined): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  return `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}
