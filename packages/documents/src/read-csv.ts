import { LINES_CHECKED_MAX } from './limits.ts';

const QUOTE = '"';

/**
 * The rows of CSV (RFC 4180), with the separator that its first line has: a comma, a semicolon or a tab. Undefined: a quote has no end, or there are
 * more rows than a list of a document has.
 */
export function readCsv(csv: string): string[][] | undefined {
  const text = csv.replace(/^\u{feff}/u, '');
  const separator = separatorIn(text.slice(0, Math.max(0, text.search(/[\r\n]/)) || text.length));
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const isQuoted = text[at] === QUOTE;
    const end = isQuoted ? endOfQuoted(text, at) : endOfPlain(text, at, separator);
    if (end === undefined) return undefined;
    row.push(isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', QUOTE) : text.slice(at, end));
    // What stands behind a closing quote belongs to no field.
    at = isQuoted ? endOfPlain(text, end, separator) : end;
    if (text[at] === separator) {
      at++;
      continue;
    }
    if (row.some((field) => field !== '')) rows.push(row);
    if (rows.length > LINES_CHECKED_MAX + 1) return undefined;
    row = [];
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
  }
  return rows;
}

function separatorIn(line: string): string {
  const count = (separator: string) => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

function endOfQuoted(text: string, at: number): number | undefined {
  for (let next = at + 1; ; next += 2) {
    next = text.indexOf(QUOTE, next);
    if (next < 0) return undefined;
    if (text[next + 1] !== QUOTE) return next + 1;
  }
}

function endOfPlain(text: string, at: number, separator: string): number {
  let end = at;
  while (end < text.length && text[end] !== separator && text[end] !== '\r' && text[end] !== '\n') end++;
  return end;
}
