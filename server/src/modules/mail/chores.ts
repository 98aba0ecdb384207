import { JOBS } from '../../contract/jobs-and-channels.ts';
import { KEPT_MAIL_DAYS, KEPT_MAILS_MAX } from '../../contract/limits.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import { MAIL_PATIENCE_MS, type Mail } from '../../platform/mail/mailer.ts';
import type { MailDelivery } from './delivery.ts';
import * as keptMails from './kept-mail-store.ts';
import * as store from './store.ts';

/** No living worker holds a mail for so long. */
const TAKEN_OVER_AFTER_S = (MAIL_PATIENCE_MS / 1000) * 3;

export function sendMail(delivery: MailDelivery): Chore<{ id: unknown; mail: Mail }> {
  return {
    name: JOBS.sendMail,
    run: async (database, log, { id, mail }) => {
      await delivery.deliver(database, log, String(id), mail);
      return undefined;
    },
  };
}

export const mailChores: Chore[] = [
  {
    name: 'take-over-mails',
    schedule: '* * * * *',
    run: async (database, log) => {
      const released = await store.releaseMails(database, TAKEN_OVER_AFTER_S);
      if (released > 0) log.warn({ released }, 'mails of a worker that has died are sent by others');
    },
  },
  {
    name: 'purge-mails',
    schedule: '7 * * * *',
    run: async (database, log) => {
      const dropped = await store.dropHopeless(database);
      if (dropped > 0) log.error({ dropped }, 'mails were given up after all their attempts');
      await keptMails.deleteOldMails(database, KEPT_MAIL_DAYS, KEPT_MAILS_MAX);
    },
  },
];
