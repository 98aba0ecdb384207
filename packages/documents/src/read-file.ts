import { documentType } from './catalogue.ts';
import type { DocumentType } from './document-type.ts';
import { FILE_MAX_CHARS } from './limits.ts';
import { withoutApostrophe } from './outline/csv.ts';
import { membersOf } from './outline/document-values.ts';
import { Labels, namesIn } from './outline/labels.ts';
import { parsedJson } from './parsed-json.ts';
import { readCsv } from './read-csv.ts';
import type { Schema } from './schema.ts';
import { fromUbl, type ReadDocument } from './ubl/from-ubl.ts';

export type { ReadDocument } from './ubl/from-ubl.ts';

/** A type that a business describes itself. */
type Described = Pick<DocumentType, 'schema' | 'layout'>;

const COLUMNS_MAX = 200;

/**
 * Reads a file that somebody drops on a form: an order, an invoice or a credit note in UBL, the lines of a document as CSV, or JSON. `wantedType` is
 * that of the form; CSV and JSON do not say their own. `described` describes a type that the catalogue lacks. Never throws: what can't be read has a problem, which is a sentence for people.
 */
export function readDocument(fileName: string, text: string, wantedType?: string, described?: Described): ReadDocument {
  if (text.length > FILE_MAX_CHARS) return { problem: `The file has more than ${FILE_MAX_CHARS.toLocaleString('en')} characters.` };
  const begins = text
    .slice(0, 1_000)
    .replace(/^\u{feff}/u, '')
    .trimStart();
  if (begins === '') return { problem: 'The file is empty.' };
  if (begins.startsWith('<')) return fromUbl(text.replace(/^\u{feff}/u, '').trimStart());
  const type = wantedType ?? 'order';
  if (/^[[{]/.test(begins)) return jsonIn(text, type);
  if (/\.(csv|tsv|txt)$/i.test(fileName)) return linesIn(text, type, described ?? documentType(type));
  return { problem: 'The file is neither XML, CSV nor JSON. Programs save spreadsheets as CSV.' };
}

/** JSON as it is. An envelope of a message has the document in `json`. */
function jsonIn(text: string, type: string): ReadDocument {
  const json = text.replace(/^\u{feff}/u, '');
  const value = parsedJson(json);
  if (value === undefined) return { problem: 'The file is not JSON, or it is nested too deeply.' };
  if (Array.isArray(value)) return { problem: 'The JSON is a list. A document is an object, whose lines are a list.' };
  const members = membersOf(value);
  const own = members.get('type');
  return { type: typeof own === 'string' && documentType(own) ? own : type, json };
}

/** The lines of a document. A column is found by the label or the name of its property; others keep their heads as names. */
function linesIn(csv: string, type: string, described: Described | undefined): ReadDocument {
  const rows = readCsv(csv);
  if (!rows) return { problem: 'The CSV has a quote without an end, or more than 10,000 rows.' };
  const [heads, ...lines] = rows;
  if (!heads || lines.length === 0) return { problem: 'The CSV needs a row of labels, and a row for each line.' };
  if (heads.length > COLUMNS_MAX) return { problem: `The CSV has more than ${COLUMNS_MAX} columns.` };
  const { schema, layout } = described ?? {};
  const path = layout?.lines?.path ?? '/lines';
  const labels = new Labels(schema);
  const names = namesFor(heads, labels.rows(labels.at(path)));
  const objects = lines.map((row) =>
    Object.fromEntries(names.flatMap((name, i) => (name === '' || !row[i] ? [] : [[name, withoutApostrophe(row[i])]]))),
  );
  return { type, json: JSON.stringify({ [namesIn(path)[0] ?? 'lines']: objects }, undefined, 2) };
}

function namesFor(heads: readonly string[], line: Schema | undefined): string[] {
  const known = new Map<string, string>();
  for (const [name, { title = '' }] of Object.entries(line?.properties ?? {})) known.set(plain(title), name).set(plain(name), name);
  const names = heads.map((head) => known.get(plain(head)) ?? withoutApostrophe(head).trim().slice(0, 100));
  // Of columns with one name, the first one counts.
  return names.map((name, i) => (names.indexOf(name) === i && name !== '__proto__' ? name : ''));
}

const plain = (label: string) =>
  label
    .toLowerCase()
    .replace(/[\s_]+/g, ' ')
    .trim();
