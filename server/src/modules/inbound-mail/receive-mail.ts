import { hash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import { scanJson } from '../../platform/lossless-json.ts';
import type { NameServers } from '../../platform/name-servers.ts';
import type { SmtpEnvelope } from '../../platform/smtp-listener.ts';
import { checkFields, type Draft, type DraftFields, draftOf } from '../messages/draft.ts';
import type { Sender, SendServices } from '../messages/send-message.ts';
import type { UnclaimedServices } from '../parties/unclaimed.ts';
import { type Contents, MailContents } from './mail-contents.ts';
import { type CheckedHeader, checkHeader } from './mail-header.ts';
import { provedSender } from './proved-sender.ts';
import { readHeader, readMail } from './read-mail.ts';
import { addresseeOf, parseRecipient } from './recipients.ts';
import { type Parcel, sendToAll } from './send-to-all.ts';

export interface InboundServices extends SendServices, UnclaimedServices {
  inboundDomain: string;
  /** That our own mails come from, if any are sent. */
  ownMailbox: string | undefined;
  nameServers: NameServers;
}

/** Resolves once the mail is a durable message for each of its recipients, with the ids of those. */
export async function receiveMail(services: InboundServices, bytes: AsyncIterable<Buffer>, envelope: SmtpEnvelope): Promise<string[]> {
  const { sender, draft, parcels } = await prepare(services, bytes, envelope);
  return sendToAll(services, sender, draft, parcels);
}

interface Prepared {
  sender: Sender;
  draft: Draft;
  parcels: Parcel[];
}

/** Reads the whole mail, storing its files as they come; if it is refused, none stays. */
async function prepare(services: InboundServices, bytes: AsyncIterable<Buffer>, envelope: SmtpEnvelope): Promise<Prepared> {
  const opened = await readHeader(bytes);
  const header = checkHeader(opened.header, services.inboundDomain, services.ownMailbox);
  const contents = new MailContents(services.files);
  try {
    const delivery = { ...envelope, receiver: services.inboundDomain, nameServers: services.nameServers };
    const { sha256, read, proof } = await readMail(opened, header, contents, delivery);
    const sender = await provedSender(services, header.from, read.from, proof);
    const parcels = parcelsOf(envelope.recipients, services.inboundDomain, header, sha256);
    const { draft, unused } = draftOfMail(await contents.finish(read.subject));
    await services.files.discard(unused);
    return { sender, draft, parcels };
  } catch (error) {
    await services.files.discard(contents.stored);
    throw error;
  }
}

/** The same mail to the same address again is no second message. */
function parcelsOf(recipients: string[], inboundDomain: string, { from, messageId, answers }: CheckedHeader, sha256: string): Parcel[] {
  return recipients.flatMap((address) => {
    const recipient = parseRecipient(address, inboundDomain);
    if (!recipient) return [];
    const to = addresseeOf(recipient);
    return [{ to, answers, key: `mail-${hash('sha256', [from, messageId ?? sha256, to].join('\n'), 'hex')}` }];
  });
}

/** The document that is attached becomes the payload if it can be one; otherwise it stays a file, like any other. */
function draftOfMail({ subject, note, files, json }: Contents): { draft: Draft; unused: Contents['files'] } {
  const fields: DraftFields = { to: '', subject, note };
  checkFields(fields);
  const value = json && scanJson(json.bytes);
  if (json && value) {
    try {
      const others = files.filter((file) => file !== json.file);
      return { draft: draftOf(fields, value, others, true), unused: [json.file] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return { draft: draftOf(fields, undefined, files, true), unused: [] };
}
