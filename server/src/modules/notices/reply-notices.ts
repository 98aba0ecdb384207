import { formatId } from '../../contract/ids.ts';
import { JOBS } from '../../contract/jobs-and-channels.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import type { Mails } from '../mail/mails.ts';
import { replyMail, replyToBusinessMail } from '../mail/templates.ts';
import { noteNotice, type ReplyServices, type Told, whomToTell } from './whom-to-tell.ts';

interface NoticeServices extends ReplyServices {
  mails: Mails;
  publicUrl: string;
  inboundDomain: string;
}

/** Mails a mailbox about a reply that it can't read on the pages: once per thread, until the mailbox reacts. */
export function notifyOfReply(services: NoticeServices): Chore<{ party_id: string; message_id: string }> {
  return {
    name: JOBS.notifyOfReply,
    run: async (database, _log, { party_id, message_id }) => {
      const partyId = BigInt(party_id);
      const told = await whomToTell(services, partyId, message_id);
      if (!told) return;
      const { mails, inboundDomain } = services;
      const { email, business } = told;
      // A mail in reply to the notice names the message in In-Reply-To, and so joins its thread.
      const addresses = { replyTo: `${business.handle}@${inboundDomain}`, messageId: `${formatId('msg', message_id)}@${inboundDomain}` };
      await database.of(partyId).transaction(async (tx) => {
        if (await noteNotice(tx, { ...told, partyId })) await mails.queue(tx, { to: email, ...mailOf(services, told), ...addresses });
      });
    },
  };
}

function mailOf({ mails, publicUrl }: NoticeServices, { email, business, writtenAs, threadId }: Told) {
  const shared = { businessName: business.displayName, handle: business.handle, unsubscribeUrl: mails.unsubscribeUrl(email) };
  if (writtenAs) return replyToBusinessMail({ ...shared, writtenAsName: writtenAs.displayName, writtenAsHandle: writtenAs.handle });
  return replyMail({ ...shared, url: `${publicUrl}/threads/${formatId('thr', threadId)}` });
}
