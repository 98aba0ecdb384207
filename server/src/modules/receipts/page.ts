import type { Receipt } from '../../contract/envelope.ts';
import type { Answer } from '../../http/endpoint.ts';
import { type Html, html, page } from '../../http/page.ts';

type Party = Receipt['to']['party'];

function nameOf(party: Party): Html {
  const address = party.kind === 'handle' ? `@${party.handle}` : party.kind === 'domain' ? party.domain : party.email;
  return html`${party.display_name} <span class="soft">${address}</span>`;
}

function row(name: string, value: unknown): Html | null {
  return value === null ? null : html`<dt>${name}</dt><dd>${value}</dd>`;
}

export function receiptPage(receipt: Receipt): Answer {
  const { from, to } = receipt;
  const { actor } = from;
  const body = html`
<p class="soft">Delivery receipt</p>
<h1>${receipt.subject ?? receipt.type ?? 'Message'}</h1>
<p>Delivered on <time datetime="${receipt.received_at}">${receipt.received_at.replace('T', ' at ').replace('Z', ' UTC')}</time>.</p>
<dl>
${row('From', html`${nameOf(from.party)}<br><span class="soft">by ${actor.name} (${actor.kind})</span>`)}
${row('To', nameOf(to.party))}
${row('Type', receipt.type)}
${row('Note', receipt.note)}
${row('Message', html`<code>${receipt.id}</code>`)}
${row('Thread', html`<code>${receipt.thread_id}</code>`)}
${row('In reply to', receipt.in_reply_to && html`<code>${receipt.in_reply_to}</code>`)}
${receipt.files.map((file) => row('File', html`${file.filename} <span class="soft">${file.size_bytes} bytes</span><br><code>${file.sha256 ?? 'not hashed yet'}</code>`))}
${row('Hash of the JSON', receipt.json_sha256 && html`<code>${receipt.json_sha256}</code>`)}
${row('Hash of the whole', html`<code>${receipt.content_hash}</code>`)}
</dl>
<p class="soft">The JSON and the files themselves are seen by sender and recipient only. Whoever has them can recompute the hashes.</p>`;
  return page('Delivery receipt', body);
}

export function noReceiptPage(): Answer {
  return page(
    'No such receipt',
    html`<h1>No such receipt</h1><p class="soft">Check the address: a receipt’s link ends in <code>rcpt_</code> and 36 characters.</p>`,
    404,
  );
}
