import { csvOf, LINES_CHECKED_MAX, type Outline, type OutlineTable, outlineDocument, toUbl, UBL_TYPES } from '@waybill/documents';
import { drawDocument } from './paper/draw-document.ts';
import type { Rendition, RenditionJob, RenditionMessage } from './rendition.ts';
import { spreadsheetOf } from './spreadsheet.ts';
import { typeOf } from './type-of.ts';

const UNREADABLE: Rendition = { kind: 'unsuitable', reason: 'The JSON of the message can’t be read as a document.' };
const WITHOUT_LINES: Rendition = { kind: 'unsuitable', reason: 'The document has no lines.' };
const NOT_IN_UBL: Rendition = { kind: 'unsuitable', reason: `Only these types have a form in UBL: ${UBL_TYPES.join(', ')}.` };
const TOO_LONG: Rendition = {
  kind: 'unsuitable',
  reason: `The document has more than ${LINES_CHECKED_MAX} lines; tables are made with at most as many.`,
};

export async function render({ form, message, ownType }: RenditionJob): Promise<Rendition> {
  if (form === 'xml') return xmlOf(message);
  const outline = outlineDocument(typeOf(message.type, ownType), message.json);
  if (outline === undefined) return UNREADABLE;
  if (form === 'pdf') return { kind: 'made', bytes: await drawDocument(message, outline) };
  const lines = linesOf(outline);
  if ('kind' in lines) return lines;
  return { kind: 'made', bytes: form === 'csv' ? new TextEncoder().encode(csvOf(lines)) : await spreadsheetOf(lines) };
}

function xmlOf({ type, json }: RenditionMessage): Rendition {
  const xml = toUbl(type ?? '', json);
  return xml === undefined ? NOT_IN_UBL : { kind: 'made', bytes: new TextEncoder().encode(xml) };
}

function linesOf(outline: Outline): OutlineTable | Rendition {
  const lines = outline.lines ?? outline.tables[0];
  if (lines === undefined) return WITHOUT_LINES;
  return outline.isCut ? TOO_LONG : lines;
}
