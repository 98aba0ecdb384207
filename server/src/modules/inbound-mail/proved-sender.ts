import { cleanedDisplayName } from '../../contract/display-names.ts';
import { MAIL_SENDER_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { parseEmail } from '../../contract/mail-names.ts';
import type { MailHeader } from '../../platform/mail/mail-parts.ts';
import type { SenderProof } from '../../platform/mail/sender-proof.ts';
import { SmtpRefusal } from '../../platform/mail/smtp-listener.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { refuseOutsider } from '../members/outsiders.ts';
import type { Sender } from '../messages/send-message.ts';
import { mailboxActor, partyOfMailbox, type UnclaimedServices } from '../parties/unclaimed.ts';
import { mailRefusal } from './smtp-replies.ts';

export function refuseUnproved(email: string, proof: SenderProof): void {
  if (proof.outcome === 'unknown')
    throw new SmtpRefusal(451, '4.4.3 The sender could not be verified because of a DNS failure; try again later.');
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (proof.outcome === 'unproved')
    throw mailRefusal(
      '5.7.26',
      `It is not proved that ${domain} sent this: ${proof.reason}. Send it through a server that its SPF record names, or sign it with DKIM.`,
    );
}

export async function provedSender(
  services: UnclaimedServices & { database: Database },
  email: string,
  from: MailHeader['from'],
): Promise<Sender> {
  const [author, another] = from;
  if (!author || another || author.isGroup || parseEmail(author.address) !== email)
    throw mailRefusal('5.6.0', 'From must have exactly one address, such as Name <name@example.com>.');
  const party = await partyOfMailbox(services, email);
  await refuseOutsider(services, party, email);
  return { party, actor: await mailboxActor(services, email, nameOf(author.name)), isGuest: true };
}

/** Drops a display name that looks like an address. */
function nameOf(text: string): string {
  const name = cleanedDisplayName(text, MAIL_SENDER_NAME_MAX_CHARS);
  // Several characters look like @ to readers.
  return text.normalize('NFKC').includes('@') ? '' : name;
}
