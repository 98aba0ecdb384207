import libmime from 'libmime';
import parseAddresses from 'nodemailer/lib/addressparser';
import { readHeader } from './mail-header.ts';

export interface PartHeader {
  contentType: string;
  charset: string | undefined;
  boundary: string | undefined;
  transferEncoding: string;
  filename: string | undefined;
  isAttachment: boolean;
  subject: string;
  from: Mailbox[];
  to: string[];
}

interface Mailbox {
  address: string;
  name: string;
  isGroup: boolean;
}

/** Decodes encoded words (RFC 2047) and parameters (RFC 2231). The first of a repeated field counts. */
export function parsePartHeader(header: Buffer): PartHeader {
  const { fields } = readHeader(header);
  const textOf = (name: string) => fields.find((field) => field.name === name)?.value ?? '';
  const type = libmime.parseHeaderValue(textOf('content-type'));
  const disposition = libmime.parseHeaderValue(textOf('content-disposition'));
  const filename = libmime.decodeWords(disposition.params['filename'] || type.params['name'] || '') || undefined;
  const kind = disposition.value.toLowerCase();
  return {
    contentType: type.value.toLowerCase() || usualType(filename, kind),
    charset: type.params['charset'],
    boundary: type.params['boundary'] || undefined,
    transferEncoding: textOf('content-transfer-encoding').toLowerCase(),
    filename,
    isAttachment: kind !== '' && kind !== 'inline',
    subject: libmime.decodeWords(textOf('subject')),
    from: parseAddresses(textOf('from')).map((entry) => ({
      address: 'group' in entry ? '' : plainAddress(entry.address),
      name: libmime.decodeWords(entry.name),
      isGroup: 'group' in entry,
    })),
    to: ['to', 'cc'].flatMap((name) => parseAddresses(textOf(name), { flatten: true }).map(({ address }) => plainAddress(address))),
  };
}

/** Empties an address with an encoded word: RFC 2047 forbids it, and programs that decode it see another mailbox. */
function plainAddress(address: string): string {
  return libmime.decodeWords(address) === address ? address : '';
}

function usualType(filename: string | undefined, kind: string): string {
  const extension = /[^.]\.([^.]+)$/.exec(filename ?? '')?.[1];
  if (extension !== undefined) return libmime.detectMimeType(extension);
  return kind === 'attachment' ? 'application/octet-stream' : 'text/plain';
}
