import { html } from '../../contract/html.ts';
import type { HttpResponse } from '../../http/endpoint.ts';
import { page } from '../../http/page.ts';

export function unsubscribePage(mailbox: string): HttpResponse {
  const body = html`
<h1>No more notifications?</h1>
<p>Waybill will no longer tell <strong>${mailbox}</strong> when a business has replied. The replies themselves stay where they are.</p>
<form method="post"><p><button>Stop notifications</button></p></form>`;
  return page('No more notifications?', body, 200, "form-action 'self'");
}

export function unsubscribedPage(mailbox: string): HttpResponse {
  const body = html`
<h1>Notifications are off</h1>
<p><strong>${mailbox}</strong> gets no more of them. What you ask for yourself, such as a code to sign in, still comes.</p>`;
  return page('Notifications are off', body);
}

export function noSuchLinkPage(): HttpResponse {
  return page('No such link', html`<h1>No such link</h1><p class="soft">It may have been cut off: copy all of it from the mail.</p>`, 404);
}
