import { formatId } from '../../contract/ids.ts';
import { JOBS } from '../../contract/jobs-and-channels.ts';
import { WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX } from '../../contract/limits.ts';
import { isBusiness } from '../../contract/parties.ts';
import type { Chore } from '../../platform/jobs.ts';
import type { Mails } from '../mail/mails.ts';
import { webhookPausedMail } from '../mail/templates.ts';
import { adminEmails } from '../members/members.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { findWebhook } from './store.ts';

interface PausedWebhook {
  partyId: string;
  webhookId: string;
}

/** Notifies the owners and admins of a business that its webhook was paused. The transaction that paused it has queued the chore. */
export function tellOfPausedWebhook(services: { parties: PartyDirectory; mails: Mails; publicUrl: string }): Chore<PausedWebhook> {
  return {
    name: JOBS.tellOfPausedWebhook,
    run: async (database, _log, { partyId, webhookId }) => {
      const business = await services.parties.byId(BigInt(partyId));
      const webhook = await findWebhook(database.of(BigInt(partyId)), BigInt(partyId), webhookId);
      if (!business || !isBusiness(business) || !webhook?.pause) return;
      const mail = webhookPausedMail({
        host: new URL(webhook.url).host,
        businessName: business.displayName,
        failures: WEBHOOK_FAILURES_BEFORE_SUCCESS_MAX,
        url: `${services.publicUrl}/webhooks/${formatId('wh', webhookId)}`,
      });
      await database.transaction(async (tx) => {
        for (const to of await adminEmails(tx, BigInt(partyId))) await services.mails.queue(tx, { to, ...mail });
      });
    },
  };
}
