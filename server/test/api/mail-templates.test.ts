import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  codeMail,
  domainLostMail,
  invitationMail,
  nameInMail,
  replyMail,
  replyToBusinessMail,
  webhookFailingMail,
  webhookPausedMail,
} from '../../src/modules/mail/templates.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { type MailQueue, openMailQueue } from '../support/outgoing-mail.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const HOSTILE = 'Evil\r\nBcc: victim@example.com <script>alert(1)</script>"><img src=x onerror=alert(1)>&amp;\u202e\u2028';

let server: MailServer;
let service: TestService;
let queue: MailQueue;

beforeAll(async () => {
  server = await startMailServer();
  service = await startTestService(server.settings);
  queue = await openMailQueue(service);
});
afterAll(async () => {
  await queue.close();
  await service.stop();
  await server.stop();
});

async function sent(to: string, template: Parameters<MailQueue['queue']>[0] | ReturnType<typeof codeMail>): Promise<ReceivedMail> {
  await queue.queue({ ...template, to });
  return (await server.received(to))[0] as ReceivedMail;
}

describe('a mail', () => {
  test('with a code has it in the subject, the text and the HTML, and says for how long it is good', async () => {
    const mail = await sent('code@example.com', codeMail({ code: '012345', minutes: 10 }));
    expect(mail.subject).toBe('012345 is your Waybill code');
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain('012345');
      expect(part).toContain('10 minutes');
      expect(part).toContain('If you did not request a code');
    }
  });

  test('that invites names the business and the person, and leads to the invitation', async () => {
    const url = 'https://waybill.example/invitations/x?a=1&b=2';
    const mail = await sent('invited@example.com', invitationMail({ businessName: 'Globex & Söhne', inviter: 'Ada', url }));
    expect(mail.subject).toBe('Ada invites you to Globex & Söhne on Waybill');
    expect(mail.text).toContain(url);
    expect(mail.html).toContain(`href="${url.replace('&', '&amp;')}"`);
    expect(mail.html).toContain('Globex &amp; Söhne');
  });

  test('about a lost domain names the domain and the business, and what to do', async () => {
    const mail = await sent('owner@example.com', domainLostMail({ domain: 'globex.example', businessName: 'Globex' }));
    expect(mail.subject).toBe('globex.example is no longer verified for Globex');
    for (const part of [mail.text, mail.html]) expect(part).toMatch(/globex\.example[\s\S]*TXT record/);
  });

  test.each([
    ['invitation', invitationMail({ businessName: HOSTILE, inviter: HOSTILE, url: 'https://waybill.example/i' })],
    [
      'reply',
      replyMail({ businessName: HOSTILE, handle: 'evil', url: 'https://waybill.example/a', unsubscribeUrl: 'https://waybill.example/u' }),
    ],
    [
      'member-less',
      replyToBusinessMail({
        ...{ businessName: HOSTILE, handle: 'evil', writtenAsName: HOSTILE, writtenAsHandle: 'own' },
        unsubscribeUrl: 'https://waybill.example/u',
      }),
    ],
    ['domain', domainLostMail({ domain: 'evil.example', businessName: HOSTILE })],
    ['webhook', webhookPausedMail({ host: 'evil.example', businessName: HOSTILE, url: 'https://waybill.example/w' }, { failures: 50 })],
    ['failing-webhook', webhookFailingMail({ host: 'evil.example', businessName: HOSTILE, url: 'https://waybill.example/w' }, 5)],
  ])('of the kind %s writes hostile names as text of one line', async (kind, template) => {
    const mail = await sent(`hostile-${kind}@example.com`, template);
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.envelope.to).toEqual([`hostile-${kind}@example.com`]);
    expect(mail.html).not.toMatch(/<script|<img/i);
    expect(mail.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;');
    expect(mail.text).not.toMatch(/^Bcc:/m);
    expect(`${mail.subject}${mail.text}${mail.html}`).not.toMatch(/[\u202e\u2028]/);
  });

  test.each([
    'https://evil.example/login',
    'HTTP://EVIL.EXAMPLE',
    'http:evil.example',
    'www.evil.example',
    'evil.example',
    'Click evil.example/pay now',
    'evil。example',
    'evil．example',
    'bücher.example',
    '\u{1f4a9}.example',
    'mailto:mallory@evil.example',
    'mallory@evil.example',
    'javascript:alert(1)',
    'tel:+4930123',
    '1.2.3.4/x',
    'evil\u200b.example',
    'x.evil\u2024example',
  ])('shows %j as a name, not as a link', async (name) => {
    const template = invitationMail({ businessName: name, inviter: name, url: 'https://waybill.example/i' });
    // Matches what mail programs turn into links: a scheme, a mailbox, or words with a dot between them.
    const linked = /[a-z][a-z0-9+.-]*:\S|\S@\S|[^\s.()⟩][.。．｡․][\p{L}\p{N}]/iu;
    const words = (text: string) => text.replaceAll('https://waybill.example/i', '').replace(/<head>.*<\/head>|<[^>]*>/gs, ' ');
    for (const part of [template.subject, words(template.text), words(template.html)]) expect(part).not.toMatch(linked);
  });

  test.each([
    'Dr. Müller & Co. KG',
    'Acme Inc.',
    'St. Gallen',
    'J. R. R. Tolkien',
    '.NET Group',
    'Smith, Jones: Partners',
    'a @ b',
    'علی\u200cرضا',
    '👨\u200d👩\u200d👧',
  ])('leaves the name %j as it is', (name) => {
    expect(nameInMail(name)).toBe(name);
  });

  test.each([
    ['booking.com Ltd', 'booking. com Ltd'],
    ['J.R.R. Tolkien', 'J. R. R. Tolkien'],
    ['Dr.Müller', 'Dr. Müller'],
    ['Acme \u202eemcA', 'Acme ⟨U+202E⟩emcA'],
    ['Ac\u200bme', 'Ac⟨U+200B⟩me'],
  ])('shows the name %j as %j', (name, shown) => {
    expect(nameInMail(name)).toBe(shown);
  });

  test('to a mailbox that wrote for a business without being a member says whom to ask, and has no link but to unsubscribe', async () => {
    const unsubscribeUrl = 'https://waybill.example/u';
    const names = { businessName: 'Globex', handle: 'globex', writtenAsName: 'Acme', writtenAsHandle: 'acme' };
    const mail = await sent('non-member@example.com', replyToBusinessMail({ ...names, unsubscribeUrl }));
    expect(mail.subject).toBe('Globex has replied to Acme');
    expect(mail.text).toContain('ask the people who look after Acme on Waybill');
    expect(mail.text?.match(/https?:\S+/g)).toEqual([unsubscribeUrl]);
    expect(String(mail.html).match(/href="[^"]*"/g)).toEqual([`href="${unsubscribeUrl}"`]);
  });

  test('needs nothing from elsewhere to be read, in light and in dark', async () => {
    const mail = await sent('plain@example.com', codeMail({ code: '111111', minutes: 10 }));
    expect(mail.html).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b|@import|url\(/i);
    expect(mail.html).toContain('<meta name="color-scheme" content="light dark">');
    expect(mail.html).toContain('prefers-color-scheme:dark');
  });
});

describe('a notice of a reply', () => {
  async function notify(to: string): Promise<void> {
    const response = { businessName: 'Globex', handle: 'globex', url: `${service.url}/threads/thr_1` };
    await queue.queue({ to, ...replyMail({ ...response, unsubscribeUrl: queue.mails.unsubscribeUrl(to) }) });
  }
  const pathOf = (mail: ReceivedMail) => mail.headers.get('list-unsubscribe')?.replace(/^<|>$/g, '').slice(service.url.length) as string;
  const request = (method: string, path: string, body?: string) =>
    service.anonymous.request(method, path, {
      ...(body !== undefined && { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    });

  test('says who has replied and where to read it, and nothing else', async () => {
    await notify('ada@example.com');
    const [mail] = await server.received('ada@example.com');
    expect(mail?.subject).toBe('You have a reply from Globex');
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('Globex (@globex)');
      expect(part).toContain(`${service.url}/threads/thr_1`);
    }
  });

  test('can be unsubscribed from with one click, as RFC 8058 has it', async () => {
    const to = `${'long.'.repeat(12)}name@${'department.'.repeat(16)}example.com`;
    await notify(to);
    const mail = (await server.received(to))[0] as ReceivedMail;
    const header = /^List-Unsubscribe:\s+(<[\s\S]+?>)\r\n\S/m.exec(mail.raw)?.[1]?.replace(/\r\n\s+/g, '');
    expect(header).toBe(`<${queue.mails.unsubscribeUrl(to)}>`);
    expect(mail.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n/m);
    const { status } = await request('POST', pathOf(mail), 'List-Unsubscribe=One-Click');
    expect(status).toBe(200);
    await notify(to);
    await expect.poll(() => queue.waiting(to)).toEqual([]);
    expect(server.to(to)).toHaveLength(1);
  });

  test('can be unsubscribed from on a page, which asks first', async () => {
    const to = 'Grace@Example.com';
    const path = queue.mails.unsubscribeUrl(to).slice(service.url.length);
    const asked = await request('GET', path);
    expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(asked.text).toContain('grace@example.com');
    expect(asked.text).toMatch(/<form method="post">/);
    expect(asked.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'self'/);
    await notify('grace@example.com');
    await server.received('grace@example.com');
    // Browsers send an empty body for a form without fields.
    expect((await request('POST', path, '')).text).toContain('Notifications are off');
    expect((await request('POST', path, '')).status).toBe(200);
    await notify('grace@example.com');
    await expect.poll(() => queue.waiting('grace@example.com')).toEqual([]);
    expect(server.to('grace@example.com')).toHaveLength(1);
  });

  test('is withheld also when it was queued before its mailbox was unsubscribed', async () => {
    const to = 'late@example.com';
    server.refuse(451);
    await notify(to);
    await queue.failed(to, 1);
    await request('POST', queue.mails.unsubscribeUrl(to).slice(service.url.length));
    server.accept();
    await queue.hurry();
    await expect.poll(() => queue.waiting(to), { timeout: 60_000 }).toEqual([]);
    expect(server.to(to)).toHaveLength(1);
  });

  test('stops notices only: codes still come, and so do the notices of others', async () => {
    await request('POST', queue.mails.unsubscribeUrl('both@example.com').slice(service.url.length));
    await sent('both@example.com', codeMail({ code: '222222', minutes: 10 }));
    await notify('other@example.com');
    await server.received('other@example.com');
  });

  test('can’t be stopped by anybody who has no link for that mailbox', async () => {
    const [, own, seal] = /unsubscribe\/([^.]+)\.(.+)$/.exec(queue.mails.unsubscribeUrl('own@example.com')) ?? [];
    const victim = Buffer.from('victim@example.com').toString('base64url');
    const forged = [
      `${victim}.${seal}`,
      `${victim}.`,
      victim,
      `.${seal}`,
      `${own}.${seal}.x`,
      `${own}.${seal?.slice(0, -1)}`,
      'x',
      '%00',
      `${own}.${seal}`.repeat(20),
    ];
    for (const token of forged) {
      for (const method of ['GET', 'POST']) {
        const response = await request(method, `/mail/unsubscribe/${token}`);
        // The token is longer than a path segment can be.
        expect(response.status, token).toBe(token.length > 512 ? 400 : 404);
      }
    }
    expect(await service.sql(`SELECT FROM unsubscribed_mailboxes WHERE email IN ('victim@example.com', 'own@example.com')`)).toEqual([]);
  });

  test('is unsubscribed from by GET and POST only', async () => {
    const path = queue.mails.unsubscribeUrl('own@example.com').slice(service.url.length);
    expectRefusal(await request('DELETE', path), 'method_not_allowed');
  });
});
