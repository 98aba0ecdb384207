import { formatId } from '../../contract/ids.ts';
import { JOBS } from '../../contract/jobs-and-channels.ts';
import { WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX } from '../../contract/limits.ts';
import { isBusiness } from '../../contract/parties.ts';
import type { Chore } from '../../platform/jobs/jobs.ts';
import type { Mails } from '../mail/mails.ts';
import { type Template, type WebhookInMail, webhookFailingMail, webhookPausedMail } from '../mail/templates.ts';
import { adminEmails } from '../members/members.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findWebhook, type Webhook } from './store.ts';

interface Concerned {
  partyId: string;
  webhookId: string;
}

interface NoticeServices {
  parties: PartyDirectory;
  mails: Mails;
  publicUrl: string;
  config: { webhookPauseAfterDays: number };
}

/** Notices to the owners and admins of a business about its webhook. The transaction that found the failures has queued the chore. */
export function webhookNotices(services: NoticeServices): Chore<Concerned>[] {
  const { webhookPauseAfterDays: pauseAfterDays } = services.config;
  return [
    notice(JOBS.tellOfPausedWebhook, services, ({ pause }, named) => {
      if (pause?.reason === 'gone') return webhookPausedMail(named, 'gone');
      if (pause?.reason === 'failing') return webhookPausedMail(named, { days: pauseAfterDays });
      return pause?.reason === 'never_succeeded' ? webhookPausedMail(named, { failures: WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX }) : undefined;
    }),
    notice(JOBS.tellOfFailingWebhook, services, ({ active, failingSince }, named) =>
      active && failingSince ? webhookFailingMail(named, pauseAfterDays) : undefined,
    ),
  ];
}

/** There is no mail if the webhook was changed meanwhile. */
function notice(
  name: string,
  services: NoticeServices,
  mailOf: (webhook: Webhook, named: WebhookInMail) => Template | undefined,
): Chore<Concerned> {
  return {
    name,
    run: async (database, _log, { partyId, webhookId }) => {
      const business = await services.parties.byId(BigInt(partyId));
      const webhook = await findWebhook(database.of(BigInt(partyId)), BigInt(partyId), webhookId);
      if (!business || !isBusiness(business) || !webhook) return;
      const url = `${services.publicUrl}/webhooks/${formatId('wh', webhookId)}`;
      const mail = mailOf(webhook, { host: new URL(webhook.url).host, businessName: business.displayName, url });
      if (!mail) return;
      await database.transaction(async (tx) => {
        for (const to of await adminEmails(tx, BigInt(partyId))) await services.mails.queue(tx, { to, ...mail });
      });
    },
  };
}
