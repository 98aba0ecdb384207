import { html } from '../../contract/html.ts';
import type { HttpResponse } from '../../http/endpoint.ts';
import { page } from '../../http/page.ts';

export function unsubscribePage(mailbox: string): HttpResponse {
  const body = html`
<h1>No more notifications?</h1>
<p>Waybill will no longer notify <strong>${mailbox}</strong> by mail. Replies, mentions and assignments stay where they are.</p>
<form method="post"><p><button>Stop notifications</button></p></form>`;
  return page('No more notifications?', body, 200, "form-action 'self'");
}

export function unsubscribedPage(mailbox: string): HttpResponse {
  const body = html`
<h1>Notifications are off</h1>
<p><strong>${mailbox}</strong> gets no more notifications. Mails that you request, such as one-time codes, still come.</p>`;
  return page('Notifications are off', body);
}

export function noSuchLinkPage(): HttpResponse {
  return page(
    'Link not found',
    html`<h1>Link not found</h1><p class="soft">The link may be incomplete: copy all of it from the mail.</p>`,
    404,
  );
}
