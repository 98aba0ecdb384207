import { Decimal, decimalIn, type OutlineTable, rawText, type Scalar, storable, tableCells } from '@waybill/documents';
import writeExcelFile from 'write-excel-file/node';

/** Spreadsheets compute with floats, which keep so many digits. Longer numbers are written as text. */
const EXACT_DIGITS = 15;
const CELL_MAX_CHARS = 32_767;
const CUT = '… (the message has the rest)';
/** Spreadsheets read `_x0041_` as a letter, so the underscore is escaped in the same way. */
const ESCAPE_LIKE = /_(?=x[0-9A-Fa-f]{4}_)/g;

/** The cells of a table as a workbook: exact numbers as numbers, everything else as text. There are no formulas. */
export async function spreadsheetOf(table: OutlineTable): Promise<Uint8Array<ArrayBuffer>> {
  const { labels, rows } = tableCells(table);
  const head = labels.map((label) => ({ type: String, value: textCell(label), fontWeight: 'bold' as const }));
  const cells = rows.map((row) => row.map((value) => (value === undefined ? null : cellOf(value))));
  const book = writeExcelFile([head, ...cells], { sheet: 'Lines', stickyRowsCount: 1 });
  return new Uint8Array(await book.toBuffer());
}

function cellOf(value: Scalar) {
  const number = typeof value === 'string' || typeof value === 'boolean' ? writtenNumber(value) : exactNumber(value);
  return number === undefined ? { type: String, value: textCell(rawText(value)) } : { type: Number, value: number };
}

/** Amounts are often strings. Those with a leading zero or plus are numbers of articles, and stay text. */
function writtenNumber(value: string | boolean): number | undefined {
  return typeof value === 'string' && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) ? exactNumber(value) : undefined;
}

/** Undefined: a float can't hold all the digits. */
function exactNumber(value: Scalar): number | undefined {
  const exact = decimalIn(value);
  const digits = exact?.toString().replace(/[-.]/g, '').replace(/^0+/, '') ?? '';
  if (exact === undefined || digits.length > EXACT_DIGITS) return undefined;
  const number = Number(exact.toString());
  return Decimal.parse(String(number))?.equals(exact) ? number : undefined;
}

function textCell(text: string): string {
  const stored = storable(text).replace(ESCAPE_LIKE, '_x005F_');
  return stored.length > CELL_MAX_CHARS ? stored.slice(0, CELL_MAX_CHARS - CUT.length).toWellFormed() + CUT : stored;
}
