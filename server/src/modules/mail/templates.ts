import { Html, html } from '../../contract/html.ts';
import { visibleText } from '../../contract/visible-text.ts';
import type { Mail } from '../../platform/mail/mailer.ts';

export type Template = Omit<Mail, 'to'>;

/** Mails with this header are not sent to unsubscribed mailboxes. */
export const UNSUBSCRIBE_HEADER = 'List-Unsubscribe';

const STYLE = new Html(`
:root{color-scheme:light dark}
body{margin:0;padding:24px;background:#ffffff;color:#1a1a1f;font:16px/1.6 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:480px;margin:0 auto}
h1{font-size:22px;line-height:1.3;margin:0 0 16px}
p{margin:0 0 16px}
a{color:#1f5fd0}
.button{display:inline-block;padding:10px 18px;border-radius:8px;background:#1f5fd0;color:#ffffff;text-decoration:none}
.code{font:600 32px/1.3 ui-monospace,Menlo,monospace;letter-spacing:4px}
.soft,.soft a{color:#5f6370;font-size:14px}
@media (prefers-color-scheme:dark){body{background:#131318;color:#ececf1}a{color:#8ab4ff}.button{color:#ffffff}.soft,.soft a{color:#a0a4b0}}
`);

interface MailTexts {
  subject: string;
  heading: string;
  paragraphs: string[];
  code?: string;
  link?: { words: string; url: string };
  /** Says why the mail was sent, and what to do if it should not have been. */
  small: string[];
  unsubscribeUrl?: string;
}

function layOut({ subject, heading, paragraphs, code, link, small, unsubscribeUrl }: MailTexts): Template {
  const text = [
    heading,
    ...(code === undefined ? [] : [code]),
    ...paragraphs,
    ...(link ? [`${link.words}: ${link.url}`] : []),
    '-- ',
    ...small,
    ...(unsubscribeUrl === undefined ? [] : [`No more mails like this: ${unsubscribeUrl}`]),
  ].join('\n\n');
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${subject}</title><style>${STYLE}</style></head>
<body><main>
<h1>${heading}</h1>
${code !== undefined && html`<p class="code">${code}</p>\n`}${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${link && html`<p><a class="button" href="${link.url}" target="_blank" rel="noopener">${link.words}</a></p>\n`}${small.map((line) => html`<p class="soft">${line}</p>\n`)}${unsubscribeUrl !== undefined && html`<p class="soft"><a href="${unsubscribeUrl}" target="_blank" rel="noopener">No more mails like this</a></p>\n`}</main></body>
</html>
`;
  return { subject, text: `${text}\n`, html: body.text };
}

/** Matches dots, also those that browsers treat as dots, and colons, directly followed by a letter or digit. */
const DOT_IN_A_WORD = /(?<=[^\s.])[.\u2024\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu;
const COLON_IN_A_WORD = /(?<=\S)[:\uff1a](?=\S)/gu;
const AT_IN_A_WORD = /(?<=\S)[@\ufe6b\uff20](?=\S)/gu;

/**
 * Names are chosen by strangers. They take one line, show invisible characters as escapes, and contain nothing that a mail program would
 * turn into a link. "Dr. Müller & Co. KG" stays as it is, "evil.example" becomes "evil. example".
 */
export function nameInMail(name: string): string {
  return visibleText(name.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim())
    .replace(DOT_IN_A_WORD, '$& ')
    .replace(COLON_IN_A_WORD, '$& ')
    .replace(AT_IN_A_WORD, ' $& ');
}

function unsubscribeHeaders(url: string): Record<string, string> {
  return { [UNSUBSCRIBE_HEADER]: `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** `passUrl` lets the mailbox's reader get codes although strangers have requested many. */
export function codeMail({ code, minutes, passUrl }: { code: string; minutes: number; passUrl?: string | undefined }): Template {
  return layOut({
    subject: `${code} is your Waybill code`,
    heading: 'Your code to sign in to Waybill',
    code,
    paragraphs: [
      `The code is valid for ${minutes} minutes and one sign-in. Enter it only where you have requested it, and share it with nobody.`,
      ...(passUrl === undefined
        ? []
        : [
            'Many codes were requested for your mailbox today. If you can’t request one, sign in here: others can’t use up the codes of this link.',
          ]),
    ],
    ...(passUrl !== undefined && { link: { words: 'Request a code of your own', url: passUrl } }),
    small: ['If you did not request a code, somebody may have mistyped an address. Nobody can sign in without the code.'],
  });
}

export function invitationMail({ businessName, inviter, url }: { businessName: string; inviter: string; url: string }): Template {
  const [business, person] = [nameInMail(businessName), nameInMail(inviter)];
  return layOut({
    subject: `${person} invites you to ${business} on Waybill`,
    heading: `Join ${business} on Waybill`,
    paragraphs: [`${person} has invited you to send and receive messages for ${business}.`],
    link: { words: 'See the invitation', url },
    small: ['If you do not know this person, ignore this mail: nothing happens unless you accept the invitation.'],
  });
}

/** Names the sender of the reply but quotes nothing of it: mail can be read on its way. */
export function replyMail({
  businessName,
  handle,
  url,
  unsubscribeUrl,
}: {
  businessName: string;
  handle: string;
  url: string;
  unsubscribeUrl: string;
}): Template {
  const business = nameInMail(businessName);
  return {
    ...layOut({
      subject: `You have a reply from ${business}`,
      heading: `You have a reply from ${business}`,
      paragraphs: [`${business} (@${handle}) has replied to the message that you sent through Waybill.`],
      link: { words: 'Read the reply', url },
      small: ['This mail does not contain the reply. To read it, verify that this mailbox is yours.'],
      unsubscribeUrl,
    }),
    headers: unsubscribeHeaders(unsubscribeUrl),
  };
}

/** The mailbox wrote for a business without being a member. It has no access, so the mail has no link to the reply. */
export function replyToBusinessMail({
  businessName,
  handle,
  writtenAsName,
  writtenAsHandle,
  unsubscribeUrl,
}: {
  businessName: string;
  handle: string;
  writtenAsName: string;
  writtenAsHandle: string;
  unsubscribeUrl: string;
}): Template {
  const [business, own] = [nameInMail(businessName), nameInMail(writtenAsName)];
  return {
    ...layOut({
      subject: `${business} has replied to ${own}`,
      heading: `${business} has replied to ${own}`,
      paragraphs: [
        `${business} (@${handle}) has replied to the message that you sent through Waybill as ${own} (@${writtenAsHandle}).`,
        `The reply is in the inbox of ${own}. You are not a member there: ask the people who look after ${own} on Waybill to show you the reply, or to invite you.`,
      ],
      small: ['This mail does not contain the reply.'],
      unsubscribeUrl,
    }),
    headers: unsubscribeHeaders(unsubscribeUrl),
  };
}

/** Says who and how many, but nothing of the content: mail can be read on its way. */
export function notificationMail({
  businessName,
  by,
  mentions,
  assignments,
  url,
  unsubscribeUrl,
}: {
  businessName: string;
  by: readonly string[];
  mentions: number;
  assignments: number;
  url: string;
  unsubscribeUrl: string;
}): Template {
  const business = nameInMail(businessName);
  const [first = '', second = '', ...others] = by.map(nameInMail);
  const people =
    others.length > 0 ? `${first}, ${second} and ${others.length} more` : [first, second].filter((name) => name !== '').join(' and ');
  const verb = by.length > 1 ? 'have' : 'has';
  const counts = [
    ...(mentions > 0 ? [`mentioned you in ${mentions === 1 ? 'a comment' : `${mentions.toLocaleString('en-US')} comments`}`] : []),
    ...(assignments > 0 ? [`assigned ${assignments === 1 ? 'a thread' : `${assignments.toLocaleString('en-US')} threads`} to you`] : []),
  ].join(' and ');
  const total = mentions + assignments;
  return {
    ...layOut({
      subject: `${total === 1 ? '1 notification' : `${total.toLocaleString('en-US')} notifications`} in ${business}`,
      heading: `${people} ${verb} ${counts}`,
      paragraphs: [`This happened in the inbox of ${business} on Waybill.`],
      link: { words: 'Open', url },
      small: [`You get this mail because you are a member of ${business}. You can choose how often in your account.`],
      unsubscribeUrl,
    }),
    headers: unsubscribeHeaders(unsubscribeUrl),
  };
}

/** Says how many threads have news, but nothing of them: mail can be read on its way. */
export function digestMail({
  businessName,
  frequency,
  count,
  isCapped,
  url,
  unsubscribeUrl,
}: {
  businessName: string;
  frequency: 'hourly' | 'daily';
  count: number;
  isCapped: boolean;
  url: string;
  unsubscribeUrl: string;
}): Template {
  const business = nameInMail(businessName);
  const threads = count === 1 ? '1 thread' : `${count.toLocaleString('en-US')}${isCapped ? ' or more' : ''} threads`;
  return {
    ...layOut({
      subject: `${threads} with new messages in ${business}`,
      heading: `${threads} with new messages`,
      paragraphs: [`They are in a view that you have saved or share, in the inbox of ${business} on Waybill.`],
      link: { words: 'Open the view', url },
      small: [`You get this mail because you chose a ${frequency} mail about the view. You can change that in the menu of its list.`],
      unsubscribeUrl,
    }),
    headers: unsubscribeHeaders(unsubscribeUrl),
  };
}

/** The mail has only the host of the webhook's URL, because the path may hold a secret. */
export interface WebhookInMail {
  host: string;
  businessName: string;
  url: string;
}

type WhyPaused = { failures: number } | { days: number } | 'gone';

export function webhookPausedMail({ host, businessName, url }: WebhookInMail, why: WhyPaused): Template {
  const business = nameInMail(businessName);
  return layOut({
    subject: `A webhook of ${business} is paused`,
    heading: `The webhook to ${host} is paused`,
    paragraphs: [
      whyPaused(host, business, why),
      'New messages stay in your inbox. Repair the endpoint, then resume the webhook: the service sends the attempts that waited, and can recover what was not delivered.',
    ],
    link: { words: 'See the webhook', url },
    small: [`You get this mail because you look after ${business} on Waybill.`],
  });
}

function whyPaused(host: string, business: string, why: WhyPaused): string {
  if (why === 'gone') return `${host} responded with 410: it no longer takes messages of ${business}.`;
  if ('days' in why) return `For ${why.days} days, all attempts to post messages of ${business} to ${host} failed.`;
  return `${why.failures} attempts to post messages of ${business} to ${host} failed, and none has ever succeeded.`;
}

export function webhookFailingMail({ host, businessName, url }: WebhookInMail, pauseAfterDays: number): Template {
  const business = nameInMail(businessName);
  const next = pauseAfterDays > 0 ? [`If this goes on, the service pauses the webhook after ${pauseAfterDays} days of failures.`] : [];
  return layOut({
    subject: `A webhook of ${business} fails`,
    heading: `The webhook to ${host} fails`,
    paragraphs: [
      `For a day, all attempts to post messages of ${business} to ${host} have failed.`,
      ...next,
      'The messages are in your inbox. Repair the endpoint, then recover what was not delivered.',
    ],
    link: { words: 'See the webhook', url },
    small: [`You get this mail because you look after ${business} on Waybill.`],
  });
}

export function domainLostMail({ domain, businessName }: { domain: string; businessName: string }): Template {
  const business = nameInMail(businessName);
  return layOut({
    subject: `${domain} is no longer verified for ${business}`,
    heading: `${domain} is no longer verified`,
    paragraphs: [
      `The DNS record with which ${business} has verified ${domain} is missing.`,
      'Restore the TXT record and verify the domain again. Earlier messages stay where they are.',
    ],
    small: [`You get this mail because you look after ${business} on Waybill.`],
  });
}
