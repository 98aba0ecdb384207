import { once } from 'node:events';
import type { Writable } from 'node:stream';
import {
  type AddressObject,
  type AttachmentStream,
  type Headers,
  MailParser,
  type MailParserOptions,
  type StructuredHeader,
} from 'mailparser';

/** What the header of a mail, or of a part of it, says. */
export interface PartHeader {
  /** In lower case, without parameters. */
  contentType: string;
  charset: string | undefined;
  boundary: string | undefined;
  /** In lower case. */
  transferEncoding: string;
  filename: string | undefined;
  isAttachment: boolean;
  subject: string;
  from: Mailbox[];
  /** The addresses in To and Cc. */
  to: string[];
}

export interface Mailbox {
  address: string;
  name: string;
  isGroup: boolean;
}

/** A mail inside of the mail stays one part. */
const OPTIONS = { ignoreEmbedded: true } as MailParserOptions;
type Attachment = AttachmentStream & { content: NodeJS.ReadableStream };

/**
 * Has a header read by a parser that knows how names and words are encoded. It is given nothing but the header, with the
 * empty line behind it: what it does with bodies takes it many times longer than reading them takes.
 */
export async function parsePartHeader(header: Buffer): Promise<PartHeader> {
  const parser = new MailParser(OPTIONS) as MailParser & Writable & { textTypes: string[] };
  // A text, too, is then told of as if it were attached.
  parser.textTypes = [];
  let headers: Headers = new Map();
  let attachment: Attachment | undefined;
  parser.on('headers', (found: Headers) => {
    headers = found;
  });
  parser.on('data', (data: Attachment | { type: 'text' }) => {
    if (data.type !== 'attachment') return;
    attachment = data;
    data.content.resume();
    data.release();
  });
  const ended = once(parser, 'end');
  parser.end(header);
  await ended;
  return partHeaderOf(headers, attachment);
}

function partHeaderOf(headers: Headers, attachment: Attachment | undefined): PartHeader {
  const type = headers.get('content-type') as StructuredHeader | undefined;
  const addresses = (name: string) => [headers.get(name) ?? []].flat().flatMap((field) => (field as AddressObject).value);
  return {
    contentType: (type?.value || attachment?.contentType || 'text/plain').toLowerCase(),
    charset: type?.params?.charset,
    boundary: type?.params?.boundary || undefined,
    transferEncoding: String(headers.get('content-transfer-encoding') ?? '')
      .trim()
      .toLowerCase(),
    filename: attachment?.filename || undefined,
    isAttachment: attachment?.contentDisposition !== undefined && attachment.contentDisposition !== 'inline',
    subject: String(headers.get('subject') ?? ''),
    from: addresses('from').map(({ address = '', name, group }) => ({ address, name, isGroup: group !== undefined })),
    to: [...addresses('to'), ...addresses('cc')].flatMap(({ address, group = [] }) => [
      address ?? '',
      ...group.map((one) => one.address ?? ''),
    ]),
  };
}
