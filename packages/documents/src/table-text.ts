import { type DecimalMark, decimalMarkOf, readNumber } from './read-number.ts';

/** A column that a table can be pasted into. */
export interface PasteColumn {
  /** The name of the property. */
  name: string;
  title: string;
  kind: 'text' | 'number' | 'date';
}

export interface PastedCell {
  name: string;
  text: string;
  /** The text could be two numbers, and is as it was pasted. */
  isAmbiguous: boolean;
}

export interface PastedTable {
  rows: PastedCell[][];
  /** Headers that name no column: what is below them is left out. */
  unknown: string[];
  /** Rows and columns that did not fit. */
  isCut: boolean;
}

export const PASTED_ROWS_MAX = 10_000;
const CELLS_MAX = 100;
const TEXT_MAX_CHARS = 4_000_000;
const SEPARATORS = ['\t', ';', ','];

/** Reads what a spreadsheet copies (tabs), or CSV with commas or semicolons, into rows of texts. Quoted cells can hold line breaks and quotes. */
export function parseTable(text: string): { rows: string[][]; isCut: boolean } {
  const read = text.slice(0, TEXT_MAX_CHARS).replace(/^\ufeff/, '');
  const separator = separatorOf(read);
  const rows: string[][] = [];
  let row: string[] = [];
  let isCut = text.length > TEXT_MAX_CHARS;
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, 'y');
  while (cell.lastIndex < read.length || row.length > 0) {
    const at = cell.lastIndex;
    const found = cellAt(cell, read) ?? unquoted(read, at, separator);
    cell.lastIndex = at + found.chars;
    if (row.length < CELLS_MAX) row.push(found.isQuoted ? found.text.replaceAll('""', '"') : found.text);
    else isCut = true;
    if (found.end === separator) continue;
    if (rows.length === PASTED_ROWS_MAX) return { rows, isCut: true };
    rows.push(row);
    row = [];
  }
  return { rows: rows.filter((one) => one.some((text) => text.trim() !== '')), isCut };
}

interface Cell {
  text: string;
  isQuoted: boolean;
  end: string;
  chars: number;
}

function cellAt(pattern: RegExp, text: string): Cell | undefined {
  const found = pattern.exec(text);
  if (!found) return undefined;
  const [whole, quoted, plain = '', end = ''] = found;
  return { text: quoted ?? plain, isQuoted: quoted !== undefined, end, chars: whole.length };
}

/** A cell that only begins with a quote, such as 3" pipe, is plain text. */
function unquoted(text: string, at: number, separator: string): Cell {
  const end = new RegExp(`${separator}|\\r\\n|\\n|\\r|$`, 'g');
  end.lastIndex = at;
  const found = end.exec(text);
  const plain = text.slice(at, found?.index);
  return { text: plain, isQuoted: false, end: found?.[0] ?? '', chars: plain.length + (found?.[0] ?? '').length };
}

/** Tabs, if there are any: a spreadsheet copies them. Otherwise what the first line has more of. */
function separatorOf(text: string): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  const counted = SEPARATORS.map((one) => [one, line.split(one).length] as const);
  if (text.includes('\t')) return '\t';
  return counted.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ',';
}

/**
 * Maps a pasted text to columns: by the headers of its first row if at least half of them name columns, by position from the column `first`
 * otherwise. `more` are columns that only a header can name. Numbers and dates are written as JSON wants them where they can be read in one way only.
 */
export function mapTable(text: string, columns: readonly PasteColumn[], first = 0, more: readonly PasteColumn[] = []): PastedTable {
  const { rows: read, isCut } = parseTable(text);
  const [head = []] = read;
  const named = head.map((title) => columnOf(title, [...columns, ...more]));
  const filled = head.filter((title) => title.trim() !== '').length;
  const hasHeaders = named.filter(Boolean).length * 2 >= Math.max(filled, 1) && filled > 1;
  const targets = hasHeaders ? named : columns.slice(first);
  const body = hasHeaders ? read.slice(1) : read;
  const numbers = body.flatMap((row) => row.filter((_, at) => targets[at]?.kind === 'number'));
  const decimal = decimalMarkOf(numbers);
  return {
    rows: body.map((row) => row.flatMap((cell, at) => (targets[at] && cell.trim() !== '' ? [cellOf(cell, targets[at], decimal)] : []))),
    unknown: hasHeaders ? head.filter((title, at) => title.trim() !== '' && !named[at]) : [],
    isCut: isCut || (!hasHeaders && body.some((row) => row.slice(targets.length).some((cell) => cell.trim() !== ''))),
  };
}

function cellOf(text: string, { name, kind }: PasteColumn, mark: DecimalMark | undefined): PastedCell {
  const trimmed = text.trim();
  if (kind === 'date') return { name, text: readDate(trimmed) ?? trimmed, isAmbiguous: false };
  const read = kind === 'number' ? readNumber(trimmed, mark) : undefined;
  if (!read) return { name, text: trimmed, isAmbiguous: false };
  return 'number' in read ? { name, text: read.number, isAmbiguous: false } : { name, text: trimmed, isAmbiguous: true };
}

/** Days that can be read in one way only: 2026-11-19, 2026/11/19 and 19.11.2026. In 03/04/2026, nobody knows which is the month. */
export function readDate(text: string): string | undefined {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  const [year = '', month = '', day = ''] = iso ? iso.slice(1) : dotted ? dotted.slice(1).toReversed() : [];
  if (year === '') return undefined;
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(written);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(written) ? written : undefined;
}

/** Other names that tables of articles have for a column. */
const ALSO: Readonly<Record<string, readonly string[] | undefined>> = {
  id: ['pos', 'position', 'item', 'no', 'nr', 'line no'],
  sku: ['article no', 'article number', 'artikel', 'artikelnummer', 'item number', 'part number', 'part no', 'product code'],
  name: ['name', 'article name', 'bezeichnung', 'beschreibung', 'product', 'text'],
  quantity: ['qty', 'menge', 'anzahl', 'pieces', 'pcs'],
  unit: ['uom', 'einheit', 'unit of measure'],
  price: ['unit price', 'preis', 'einzelpreis', 'price per unit'],
  discount: ['rabatt'],
  tax_rate: ['tax', 'vat', 'vat rate', 'tax %', 'vat %', 'mwst', 'ust'],
  total: ['line total', 'amount', 'gesamt', 'sum'],
};

function columnOf(header: string, columns: readonly PasteColumn[]): PasteColumn | undefined {
  const wanted = plainName(header);
  if (wanted === '') return undefined;
  const names = ({ name, title }: PasteColumn) => [name, title].map(plainName);
  return (
    columns.find((column) => names(column).includes(wanted)) ??
    columns.find(({ name }) => Object.hasOwn(ALSO, name) && ALSO[name]?.map(plainName).includes(wanted))
  );
}

const plainName = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[\s_.:-]+/g, ' ')
    .trim();
