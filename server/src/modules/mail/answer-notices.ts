import { formatId } from '../../contract/ids.ts';
import type { Chore } from '../../platform/jobs.ts';
import { type AnswerServices, whomToTell } from '../messages/answers.ts';
import type { Mails } from './mails.ts';
import { answerMail } from './templates.ts';

interface NoticeServices extends AnswerServices {
  mails: Mails;
  publicUrl: string;
  inboundDomain: string;
}

/** Tells somebody who has no handle, by mail, that there is an answer. */
export function notifyOfAnswer(services: NoticeServices): Chore {
  return {
    name: 'notify-of-answer',
    run: async (database, _log, payload) => {
      const { party_id, message_id } = payload as { party_id: string; message_id: string };
      const told = await whomToTell(services, BigInt(party_id), message_id);
      if (!told) return;
      const { mails, publicUrl, inboundDomain } = services;
      const { email, business, threadId } = told;
      const mail = answerMail({
        businessName: business.displayName,
        handle: business.handle,
        url: `${publicUrl}/threads/${formatId('thr', threadId)}`,
        unsubscribeUrl: mails.unsubscribeUrl(email),
      });
      // A mail in answer to this one names the message, and so finds its thread.
      const addresses = { replyTo: `${business.handle}@${inboundDomain}`, messageId: `${formatId('msg', message_id)}@${inboundDomain}` };
      await mails.queue(database, { to: email, ...mail, ...addresses });
    },
  };
}
