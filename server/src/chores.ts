import type { Context } from './context.ts';
import { accountChores } from './modules/accounts/chores.ts';
import { acknowledgeMessage } from './modules/acknowledgements/acknowledge.ts';
import { expireMessages } from './modules/acknowledgements/expire.ts';
import { contactChores } from './modules/contacts/chores.ts';
import { domainKeyChores } from './modules/domain-keys/chores.ts';
import { domainChores } from './modules/domains/chores.ts';
import { fileChores } from './modules/files/chores.ts';
import { joinHistory } from './modules/joined-history/joined-history.ts';
import { logChores } from './modules/log/chores.ts';
import { mailChores } from './modules/mail/chores.ts';
import { tellOfLostDomain } from './modules/members/lost-domain.ts';
import { messageChores } from './modules/messages/chores.ts';
import { mailNotifications } from './modules/notices/notification-mails.ts';
import { notifyOfReply } from './modules/notices/reply-notices.ts';
import { mailViewDigests } from './modules/notices/view-digests.ts';
import { partyChores } from './modules/parties/chores.ts';
import { threadChores } from './modules/threads/chores.ts';
import { webhookChores } from './modules/webhooks/chores.ts';
import { webhookNotices } from './modules/webhooks/webhook-notices.ts';
import type { Chore } from './platform/jobs/jobs.ts';

export function allChores(context: Context): Chore[] {
  const { config, files, objects, publication, webhookSecrets } = context;
  return [
    ...accountChores,
    ...messageChores,
    joinHistory,
    acknowledgeMessage,
    expireMessages,
    ...contactChores,
    ...domainChores(context, (tx, partyId, domain) => tellOfLostDomain(context, tx, partyId, domain)),
    ...domainKeyChores(context),
    ...fileChores(files, objects),
    ...webhookChores(config.webhookLogDays, webhookSecrets),
    ...webhookNotices(context),
    ...mailChores,
    ...logChores(publication.keys),
    ...partyChores,
    ...threadChores,
    notifyOfReply(context),
    // Jobs that were queued before the upgrade have the former name.
    { ...notifyOfReply(context), name: 'notify-of-answer' },
    mailNotifications(context),
    mailViewDigests(context),
  ];
}
