import { type Html, html } from '../../contract/html.ts';
import type { HttpResponse } from '../../http/endpoint.ts';
import { page } from '../../http/page.ts';
import type { KeptMail } from './kept-mail-store.ts';

const WHY = 'SMTP_URL is not set, so mails are kept here instead of being sent. Only this browser can see them.';

export function keptMailsPage(mails: KeptMail[]): HttpResponse {
  const row = ({ id, keptAt, mail }: KeptMail) =>
    html`<tr><td>${keptAt.toISOString()}</td><td>${mail.to}</td><td><a href="/dev/mail/${id}">${mail.subject}</a></td></tr>`;
  const table = html`<table><thead><tr><th>When</th><th>To</th><th>Subject</th></tr></thead><tbody>
${mails.map(row)}
</tbody></table>`;
  return page('Mail', html`<h1>Mail</h1><p class="soft">${WHY}</p>${mails.length > 0 ? table : html`<p>No mail yet.</p>`}`);
}

export function lockedPage(): HttpResponse {
  const body = html`<h1>Mail</h1>
<p>SMTP_URL is not set, so this service keeps its mails instead of sending them.</p>
<p>To read them here, open the link that Waybill printed when it started. It ends in <code>/dev/mail?token=…</code>; this browser needs it once.</p>`;
  return page('Mail', body, 403);
}

export function keptMailPage({ id, keptAt, mail }: KeptMail): HttpResponse {
  const headers = { To: mail.to, 'Reply-To': mail.replyTo, ...mail.headers, Kept: keptAt.toISOString() };
  const body = html`
<p><a href="/dev/mail">All mail</a></p>
<h1>${mail.subject}</h1>
<dl>${Object.entries(headers).map(([name, value]) => value !== undefined && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
<h2>Text</h2>
<pre>${withLinks(mail.text)}</pre>
<h2>HTML</h2>
<iframe title="The HTML of this mail" src="/dev/mail/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`;
  return page(mail.subject, body, 200, "frame-src 'self'");
}

function withLinks(text: string): Html[] {
  return text.split(/(https?:\/\/\S+)/).map((part, i) => (i % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`));
}

export function keptMailJson(mails: KeptMail[]): HttpResponse {
  const data = mails.map(({ id, keptAt, mail: { to, subject, text, html, headers = {}, replyTo = null, fromName = null } }) => ({
    id,
    kept_at: keptAt.toISOString(),
    to,
    reply_to: replyTo,
    from_name: fromName,
    subject,
    text,
    html,
    headers,
  }));
  return { headers: { 'content-type': 'application/json; charset=utf-8' }, body: { data } };
}
