import type { Mail } from './mails.ts';

export function codeMail({ code, minutes }: { code: string; minutes: number }): Omit<Mail, 'to'> {
  const sentence = `${code} is your Waybill code. It is good for ${minutes} minutes.`;
  return { subject: `${code} is your Waybill code`, text: `${sentence}\n`, html: `<p>${sentence}</p>` };
}

export function invitationMail({ businessName, inviter, url }: { businessName: string; inviter: string; url: string }): Omit<Mail, 'to'> {
  return { subject: `${inviter} invites you to ${businessName}`, text: url, html: url };
}
