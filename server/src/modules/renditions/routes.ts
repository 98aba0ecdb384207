import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { formatId } from '../../contract/ids.ts';
import { isRecord } from '../../contract/records.ts';
import { endpointsFor, type KeyCall } from '../../http/endpoint.ts';
import type { DocumentTypes } from '../document-types/own-types.ts';
import { findLogo } from '../drop/drop-page.ts';
import { receiptUrl } from '../messages/envelope.ts';
import { getSent, type ReadServices, type SentMessage } from '../messages/read-messages.ts';
import type { RenditionForm, RenditionMessage, RenditionParty } from './rendition.ts';
import type { Renditions } from './renditions.ts';

interface RenditionServices extends ReadServices {
  renditions: Renditions;
  documentTypes: DocumentTypes;
  publicUrl: string;
}

const { endpoint } = endpointsFor<RenditionServices>();

const params = Type.Object({ id: Type.String({ description: 'msg_ id' }) });
type DocumentCall = KeyCall<{ id: string }>;

interface Described {
  summary: string;
  description: string;
  /** What the response has. */
  has: string;
}

const errors: ('not_found' | 'json_too_large' | 'rate_limited')[] = ['not_found', 'json_too_large'];

function rendition(form: RenditionForm, contentType: string, { summary, description, has }: Described) {
  return endpoint({
    summary,
    description,
    params,
    success: { status: 200, description: has, contentType },
    errors,
    handle: async (services, call) => {
      const { id, body } = await download(services, call, form);
      return { headers: { 'content-type': contentType, 'content-disposition': `attachment; filename="${id}.${form}"` }, body };
    },
  });
}

export const pdf = rendition('pdf', 'application/pdf', {
  summary: 'Get the document of a message as a PDF',
  description:
    'The `json` drawn on A4 pages: by the layout of its type, yours before that of the catalogue, or by an honest guess where the type is not known. Its last page has the QR code of the receipt. Amounts are exact. A character that the font lacks, such as Chinese, is drawn as a box.',
  has: 'The document.',
});

export const csv = rendition('csv', 'text/csv; charset=utf-8', {
  summary: 'Get the lines of a document as CSV',
  description:
    'RFC 4180 in UTF-8, with the labels of the properties as its first line and numbers as they were sent. A text that a spreadsheet would take for a formula begins with an apostrophe.',
  has: 'The lines.',
});

export const xlsx = rendition('xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', {
  summary: 'Get the lines of a document as a spreadsheet',
  description:
    'An Excel workbook. Numbers of up to 15 digits are numbers, and longer ones texts, because spreadsheets would round them. It has no formulas.',
  has: 'The lines.',
});

export const xml = rendition('xml', 'application/xml; charset=utf-8', {
  summary: 'Get an order, an invoice or a credit note in UBL',
  description:
    'UBL 2.1, with the elements that the catalogue names for each property. What the document lacks is missing in the XML, too: nothing is validated. Handles have no place in it.',
  has: 'The document.',
});

async function download(services: RenditionServices, { caller, params: { id }, reserve, spend }: DocumentCall, form: RenditionForm) {
  const sent = await getSent(services, caller.business, id);
  const { json } = sent.message;
  if (json === null) throw new Refusal('not_found', 'The message has no JSON, so it has no document.');
  reserve(json.length);
  const message = await printedMessage(services, sent, json, form);
  const ownType = form === 'xml' || message.type === null ? undefined : await services.documentTypes.find(caller.business.id, message.type);
  if (ownType) reserve(ownType.schema.length);
  const job = { form, message, ownType: ownType && { title: ownType.title, schema: ownType.schema, layout: ownType.layout } };
  return { id: message.id, body: await services.renditions.make(caller.business.id, job, spend) };
}

async function printedMessage(
  { database, publicUrl }: RenditionServices,
  { senderId, message }: SentMessage,
  json: string,
  form: RenditionForm,
): Promise<RenditionMessage> {
  const { id, type, subject, note, sender, recipient, receivedMs } = message;
  const logo = form === 'pdf' ? await findLogo(database, { id: senderId }) : undefined;
  return {
    ...{ id: formatId('msg', id), type, subject, note, json, receivedMs },
    from: partyIn(sender),
    to: partyIn(recipient),
    receiptUrl: receiptUrl(message, publicUrl),
    logo: logo && logo.type !== 'image/webp' ? new Uint8Array(logo.bytes) : undefined,
  };
}

/** The party in one side of a stored envelope. */
function partyIn(side: string): RenditionParty {
  const parsed: unknown = JSON.parse(side);
  const party = isRecord(parsed) && isRecord(parsed['party']) ? parsed['party'] : {};
  const text = (name: string) => (typeof party[name] === 'string' ? party[name] : undefined);
  const handle = text('handle');
  const address = handle === undefined ? (text('email') ?? text('domain') ?? '') : `@${handle}`;
  return { name: text('display_name') ?? address, address };
}
