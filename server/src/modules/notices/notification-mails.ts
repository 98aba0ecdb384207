import { formatId } from '../../contract/ids.ts';
import { JOBS } from '../../contract/jobs-and-channels.ts';
import { isBusiness } from '../../contract/parties.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import type { Mails } from '../mail/mails.ts';
import { notificationMail } from '../mail/templates.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { mailDue } from '../threads/due-notifications.ts';

interface NotificationMailServices {
  mails: Mails;
  parties: PartyDirectory;
  publicUrl: string;
}

/** Mails a member about mentions and assignments, as often as the member wants. */
export function mailNotifications(services: NotificationMailServices): Chore<{ party_id: string; person_id: string }> {
  return {
    name: JOBS.mailNotifications,
    run: async (database, _log, { party_id, person_id }) => {
      const partyId = BigInt(party_id);
      const business = await services.parties.byId(partyId);
      if (!business || !isBusiness(business)) return;
      await mailDue(database, partyId, person_id, async (tx, { email, threadIds, ...counts }) => {
        const unsubscribeUrl = services.mails.unsubscribeUrl(email);
        const mail = notificationMail({ businessName: business.displayName, ...counts, url: urlOf(services, threadIds), unsubscribeUrl });
        await services.mails.queue(tx, { to: email, ...mail });
      });
    },
  };
}

function urlOf({ publicUrl }: NotificationMailServices, [first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `${publicUrl}/threads/${formatId('thr', first)}` : `${publicUrl}/inbox`;
}
