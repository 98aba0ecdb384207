import { Type } from 'typebox';
import { endpointsFor } from '../../http/endpoint.ts';
import { HTML_TYPE } from '../../http/page.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { Mails } from './mails.ts';
import { unsubscribe as remember } from './store.ts';
import { noSuchLinkPage, unsubscribedPage, unsubscribePage } from './unsubscribe-pages.ts';

const { publicEndpoint } = endpointsFor<{ database: Database; mails: Mails }>();

const params = Type.Object({ token: Type.String() });

/** Changes nothing by itself, because virus scanners follow every link in a mail. */
export const askToUnsubscribe = publicEndpoint({
  summary: 'The page on which a mailbox unsubscribes from notifications',
  params,
  success: { status: 200, description: 'HTML.', contentType: HTML_TYPE },
  errors: ['not_found'],
  handle: async ({ mails }, { params }) => {
    const mailbox = mails.mailboxOf(params.token);
    return mailbox === undefined ? noSuchLinkPage() : unsubscribePage(mailbox);
  },
});

/** Called by the button of the page above, and by the one-click button of mail programs (RFC 8058), whatever body they send. */
export const unsubscribe = publicEndpoint({
  summary: 'Unsubscribe a mailbox from notifications',
  params,
  streams: '*',
  success: { status: 200, description: 'HTML.', contentType: HTML_TYPE },
  errors: ['not_found'],
  handle: async ({ mails, database }, { params }) => {
    const mailbox = mails.mailboxOf(params.token);
    if (mailbox === undefined) return noSuchLinkPage();
    await remember(database, mailbox);
    return unsubscribedPage(mailbox);
  },
});
