import { MAIL_SENDER_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { MailHeader } from '../../platform/mail-parts.ts';
import type { SenderProof } from '../../platform/sender-proof.ts';
import { SmtpRefusal } from '../../platform/smtp-listener.ts';
import type { Sender } from '../messages/send-message.ts';
import { mailboxActor, partyOfMailbox, type UnclaimedServices } from '../parties/unclaimed.ts';
import { refused } from './answers.ts';

/** Whoever a mail is from, when that is proved, and all who have read its From header read the same address. */
export async function provedSender(
  services: UnclaimedServices,
  email: string,
  from: MailHeader['from'],
  proof: SenderProof,
): Promise<Sender> {
  if (proof.outcome === 'unknown') throw new SmtpRefusal(451, '4.4.3 Who sent the mail could not be looked up; try again later.');
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (proof.outcome === 'unproved')
    throw refused(
      '5.7.26',
      `It is not proved that ${domain} sent this: ${proof.reason}. Send it through a server that its SPF record names, or sign it with DKIM.`,
    );
  const [author] = from;
  const isSame = (addresses: string[]) => addresses.length === 1 && addresses.every((address) => parseEmail(address) === email);
  if (!author || author.isGroup || !isSame(proof.addresses) || !isSame(from.map(({ address }) => address)))
    throw refused('5.6.0', 'From must have exactly one address, such as Name <name@example.com>.');
  return { party: await partyOfMailbox(services, email), actor: await mailboxActor(services, email, nameOf(author.name)), isGuest: true };
}

/** What the sender calls itself, unless it looks like the address of somebody. */
function nameOf(text: string): string {
  const name = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u{2028}\u{2029}]+/gu, ' ')
    .trim();
  return name.includes('@') ? '' : [...name].slice(0, MAIL_SENDER_NAME_MAX_CHARS).join('');
}
