import { formatId } from '../../contract/ids.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import type { Mails } from '../mail/mails.ts';
import { digestMail } from '../mail/templates.ts';
import { type DigestServices, mailDueDigests } from '../threads/digests.ts';

export function mailViewDigests(services: DigestServices & { mails: Mails; publicUrl: string }): Chore {
  return {
    name: 'mail-view-digests',
    schedule: '* * * * *',
    run: (database, log) =>
      mailDueDigests(services, database, log, async (tx, { email, business, frequency, viewId, threads }) => {
        const url = `${services.publicUrl}/inbox?view=${formatId('view', viewId)}`;
        const unsubscribeUrl = services.mails.unsubscribeUrl(email);
        await services.mails.queue(tx, {
          to: email,
          ...digestMail({ businessName: business.displayName, frequency, ...threads, url, unsubscribeUrl }),
        });
      }),
  };
}
