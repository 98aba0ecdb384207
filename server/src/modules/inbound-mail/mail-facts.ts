import { parseId } from '../../contract/ids.ts';
import { MAIL_HEADER_FIELDS_MAX, MAIL_HEADER_LINES_MAX, MAIL_HEADER_MAX_BYTES, MAIL_HOPS_MAX } from '../../contract/limits.ts';
import { isWithin, parseEmail } from '../../contract/mail-names.ts';
import { type HeaderField, parseHeader } from '../../platform/mail/mail-header.ts';
import { mailRefusal } from './smtp-replies.ts';

interface CheckedHeader {
  from: string;
  fields: HeaderField[];
}

interface MailFacts {
  messageId: string | undefined;
  /** Milliseconds. NaN when Date is missing or can't be parsed. */
  sentAt: number;
  parents: string[];
}

/** Programs treat a repeated field differently: a signature may cover one copy, and the reader see the other. */
const ONCE_AT_MOST = [
  'from',
  'sender',
  'reply-to',
  'to',
  'cc',
  'date',
  'subject',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'content-disposition',
  'auto-submitted',
];

/** Matches a display name, perhaps quoted, and the address in brackets, or the address alone. Comments may follow. */
const MAILBOX = /^(?:(?:"(?:[^"\\]|\\.)*"|[^"<>(),:;\\\p{Cc}])*<([^<>\s]+)>|([^"<>(),:;\\\s]+))\s*(?:\([^()\\\p{Cc}]*\)\s*)?$/u;
const AUTOMATIC_PRECEDENCE = /^(auto_reply|bulk|junk|list)$/i;
const AUTOREPLY_FIELDS = ['x-autoreply', 'x-autorespond', 'x-autoresponder'];
const MESSAGE_ID = /<([^<>\s]+)>/g;
/** Each parent may cost a look-up. */
const PARENTS_MAX = 5;

export function checkHeader(header: Buffer, inboundDomain: string, ownMailbox: string | undefined): CheckedHeader {
  if (header.length > MAIL_HEADER_MAX_BYTES) throw mailRefusal('5.6.0', `The header has more than ${MAIL_HEADER_MAX_BYTES} bytes.`);
  if (header.toString('latin1').split('\r\n').length > MAIL_HEADER_LINES_MAX)
    throw mailRefusal('5.6.0', `The header has more than ${MAIL_HEADER_LINES_MAX} lines.`);
  const fields = parseHeader(header);
  if (!fields) throw mailRefusal('5.6.0', 'The header has a line that is not a header field.');
  if (fields.length > MAIL_HEADER_FIELDS_MAX) throw mailRefusal('5.6.0', `The header has more than ${MAIL_HEADER_FIELDS_MAX} fields.`);
  const all = (name: string) => fields.filter((field) => field.name === name).map(({ value }) => value);
  const repeated = ONCE_AT_MOST.find((name) => all(name).length > 1);
  if (repeated !== undefined) throw mailRefusal('5.6.0', `The header field ${repeated} is given more than once.`);
  if (all('received').length > MAIL_HOPS_MAX) throw mailRefusal('5.4.6', 'The mail has passed too many servers, perhaps in a loop.');
  refuseAutomatic(all);
  const [from] = all('from');
  if (from === undefined) throw mailRefusal('5.6.0', 'The mail has no From header.');
  const address = parseFrom(from);
  if (address === undefined) throw mailRefusal('5.6.0', 'From must have exactly one address, such as Name <name@example.com>.');
  if (isWithin(address.slice(address.lastIndexOf('@') + 1), inboundDomain) || address === ownMailbox)
    throw mailRefusal('5.7.1', `Mail from ${address} is not accepted.`);
  return { from: address, fields };
}

/** `signed` has the trusted fields. Undefined: all are trusted. */
export function factsIn(fields: readonly HeaderField[], signed: ReadonlySet<string> | undefined, inboundDomain: string): MailFacts {
  const textOf = (name: string) =>
    signed === undefined || signed.has(name) ? (fields.find((field) => field.name === name)?.value ?? '') : '';
  const idsOf = (name: string) => idsIn(textOf(name), inboundDomain);
  return {
    messageId: textOf('message-id') || undefined,
    sentAt: Date.parse(textOf('date')),
    parents: [...idsOf('in-reply-to'), ...idsOf('references').reverse()].slice(0, PARENTS_MAX),
  };
}

function parseFrom(value: string): string | undefined {
  const [, bracketed, alone] = MAILBOX.exec(value.replaceAll('\t', ' ')) ?? [];
  return parseEmail(bracketed ?? alone ?? '');
}

/** Refuses automatic mails: replies to our notifications, and notifications of these replies, could otherwise loop forever. */
function refuseAutomatic(all: (name: string) => string[]): void {
  const [submitted = 'no'] = all('auto-submitted');
  const isAutomatic =
    submitted
      .replace(/[;(].*/s, '')
      .trim()
      .toLowerCase() !== 'no' ||
    all('precedence').some((value) => AUTOMATIC_PRECEDENCE.test(value)) ||
    AUTOREPLY_FIELDS.some((name) => all(name).length > 0);
  if (isAutomatic) throw mailRefusal('5.7.1', 'Automatic mails, such as out-of-office replies and mailing lists, are not accepted.');
}

/** The Message-ID of a notification is the id of its message, at our domain. */
function idsIn(text: string, inboundDomain: string): string[] {
  return [...text.matchAll(MESSAGE_ID)].flatMap(([, id = '']) => {
    const at = id.lastIndexOf('@');
    const name = id.slice(0, Math.max(0, at));
    return id.slice(at + 1).toLowerCase() === inboundDomain && parseId('msg', name) !== undefined ? [name] : [];
  });
}
