import { Refusal } from '../../contract/errors.ts';
import { MAIL_SIGNATURES_MAX } from '../../contract/limits.ts';
import { recipientsIn } from '../../contract/mail-recipients.ts';
import { scanJson } from '../../platform/json/lossless-json.ts';
import type { HtmlTexts } from '../../platform/mail/html-text/html-text.ts';
import { openProof } from '../../platform/mail/sender-proof.ts';
import type { SmtpEnvelope } from '../../platform/mail/smtp-listener.ts';
import type { NameServers } from '../../platform/outbound/name-servers.ts';
import type { Sender, SendServices } from '../messages/send-message.ts';
import { checkFields, type SendRequest, type SendRequestFields, sendRequestOf } from '../messages/send-request.ts';
import type { UnclaimedServices } from '../parties/unclaimed.ts';
import { type Contents, MailContents } from './mail-contents.ts';
import { checkHeader, factsIn } from './mail-facts.ts';
import { parcelsOf } from './parcels.ts';
import { provedSender, refuseUnproved } from './proved-sender.ts';
import { readHeader, readMail } from './read-mail.ts';
import { refuseReplay } from './replay.ts';
import { type Parcel, sendToAll } from './send-to-all.ts';

export interface InboundServices extends SendServices, UnclaimedServices {
  inboundDomain: string;
  /** The sender of our own mails, if any are sent. */
  ownMailbox: string | undefined;
  nameServers: NameServers;
  htmlTexts: HtmlTexts;
}

/** Resolves once the mail is a durable message for each recipient. */
export async function receiveMail(services: InboundServices, bytes: AsyncIterable<Buffer>, envelope: SmtpEnvelope): Promise<string[]> {
  const { sender, request, parcels } = await prepare(services, bytes, envelope);
  return sendToAll(services, sender, request, parcels);
}

interface Prepared {
  sender: Sender;
  request: SendRequest;
  parcels: Parcel[];
}

/** Reads the whole mail and stores its files. If the mail is refused, no file stays. */
async function prepare(services: InboundServices, bytes: AsyncIterable<Buffer>, envelope: SmtpEnvelope): Promise<Prepared> {
  const opened = await readHeader(bytes);
  const { from, fields } = checkHeader(opened.header, services.inboundDomain, services.ownMailbox);
  const delivery = { ...envelope, receiver: services.inboundDomain, nameServers: services.nameServers };
  const proof = await openProof(fields, from.slice(from.lastIndexOf('@') + 1), delivery, MAIL_SIGNATURES_MAX);
  if (proof.decision) refuseUnproved(from, proof.decision);
  const facts = factsIn(fields, proof.signed, services.inboundDomain);
  const contents = new MailContents(services.files, services.htmlTexts);
  try {
    const mail = await readMail(opened, fields, contents, proof);
    refuseUnproved(from, mail.proof);
    const recipients = recipientsIn(envelope.recipients, services.inboundDomain);
    const isSignedOnly = proof.signed !== undefined;
    if (isSignedOnly) refuseReplay(facts.sentAt, recipients, recipientsIn(mail.read.to, services.inboundDomain));
    const sender = await provedSender(services, from, mail.read.from);
    const identity = [from, facts.messageId ?? mail.digest, mail.bodyDigest];
    const parcels = parcelsOf(recipients, isSignedOnly, identity, facts.parents);
    const { request, unused } = requestOfMail(await contents.finish(mail.read.subject));
    await services.files.discard(unused);
    return { sender, request, parcels };
  } catch (error) {
    await services.files.discard(contents.stored);
    throw error;
  }
}

/** The attached document becomes `json` if it is within the limits. Otherwise it stays a file. */
function requestOfMail({ subject, note, files, json }: Contents): { request: SendRequest; unused: Contents['files'] } {
  const fields: SendRequestFields = { to: '', subject, note };
  checkFields(fields);
  const value = json && scanJson(json.bytes);
  if (json && value) {
    try {
      const others = files.filter((file) => file !== json.file);
      return { request: sendRequestOf(fields, value, others, true), unused: [json.file] };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return { request: sendRequestOf(fields, undefined, files, true), unused: [] };
}
