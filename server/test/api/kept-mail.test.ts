import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeMail, invitationMail } from '../../src/modules/mail/templates.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type MailQueue, openMailQueue } from '../support/outgoing-mail.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: mails as they are shown
type Json = any;

const pathOf = ({ keptMailsAt, url }: Pick<TestService, 'keptMailsAt' | 'url'>) => keptMailsAt.slice(url.length);

let service: TestService;
let queue: MailQueue;

beforeAll(async () => {
  service = await startTestService();
  queue = await openMailQueue(service);
  const opened = await service.anonymous.request('GET', pathOf(service));
  cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await queue.close();
  await service.stop();
});

/** The cookie of a browser that has opened the printed link. */
let cookie = '';
const get = (path: string, headers: Record<string, string> = {}) =>
  service.anonymous.request('GET', path, { headers: { cookie, ...headers } });
const keptFor = async (to: string): Promise<Json[]> =>
  (await get('/dev/mail?format=json')).body.data.filter((mail: Json) => mail.to === to);

async function kept(to: string): Promise<Json> {
  await expect.poll(async () => (await keptFor(to)).length, { timeout: 60_000 }).toBe(1);
  return (await keptFor(to))[0];
}

describe('without SMTP_URL', () => {
  test('a mail can be read at /dev/mail: a code, by programs and people', async () => {
    await queue.queue({ to: 'ada@example.com', ...codeMail({ code: '424242', minutes: 10 }), replyTo: 'desk@example.org' });
    const mail = await kept('ada@example.com');
    expect(mail).toMatchObject({
      subject: '424242 is your Waybill code',
      reply_to: 'desk@example.org',
      text: expect.stringContaining('424242'),
    });
    const list = await get('/dev/mail');
    expect(list.text).toContain(`<a href="/dev/mail/${mail.id}">424242 is your Waybill code</a>`);
    const page = await get(`/dev/mail/${mail.id}`);
    expect(page.text).toMatch(/<pre>[\s\S]*424242[\s\S]*<\/pre>/);
    expect(page.text).toContain(`src="/dev/mail/${mail.id}/html"`);
    expect((await get(`/dev/mail/${mail.id}/html`)).text).toBe(mail.html);
  });

  test('mails are listed newest first, and their links can be followed', async () => {
    await queue.queue({ to: 'first@example.com' });
    await kept('first@example.com');
    await queue.queue({
      to: 'second@example.com',
      ...invitationMail({ businessName: 'B', inviter: 'I', url: 'https://w.example/i?a=1&b=2' }),
    });
    const { id } = await kept('second@example.com');
    const to = (await get('/dev/mail?format=json')).body.data.map((mail: Json) => mail.to);
    expect(to.slice(0, 2)).toEqual(['second@example.com', 'first@example.com']);
    expect((await get(`/dev/mail/${id}`)).text).toContain('<a href="https://w.example/i?a=1&amp;b=2">');
  });

  test('hostile mails have no power: neither in the list, nor in their page, nor in their frame', async () => {
    const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';
    await queue.queue({
      to: 'evil@example.com',
      subject: hostile,
      text: `${hostile} javascript:alert(1)`,
      html: hostile,
      headers: { 'X-A': hostile },
    });
    const { id } = await kept('evil@example.com');
    for (const path of ['/dev/mail', `/dev/mail/${id}`]) {
      const { text, headers } = await get(path);
      expect(text).not.toMatch(/<script|<img|href="javascript/i);
      expect(text).toContain('&lt;script&gt;');
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|script-src/);
    }
    const frame = (await get(`/dev/mail/${id}/html`)).headers;
    expect(frame.get('content-security-policy')).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; /);
    expect(frame.get('content-security-policy')).not.toMatch(/script|allow-same-origin/);
  });

  test('nothing of it is stored by browsers, or framed by others', async () => {
    for (const path of ['/dev/mail', '/dev/mail?format=json']) expect((await get(path)).headers.get('cache-control')).toBe('no-store');
    expect((await get('/dev/mail')).headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect((await get('/dev/mail?format=json')).headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each(['x', '%00', '00000000-0000-7000-8000-000000000000', '../mail'])('there is no mail "%s"', async (id) => {
    expectRefusal(await get(`/dev/mail/${encodeURIComponent(id)}`), 'not_found');
    expectRefusal(await get(`/dev/mail/${encodeURIComponent(id)}/html`), 'not_found');
  });

  test('other formats are refused', async () => {
    expectInvalid(await get('/dev/mail?format=xml'), 'format');
  });

  test('the newest 200 of the last 7 days are kept', async () => {
    await service.sql('DELETE FROM kept_mails');
    const insert = `INSERT INTO kept_mails (id, kept_at, mail)
      SELECT gen_random_uuid(), now() - make_interval(secs => n) - $2::interval, json_build_object('to', $1 || n, 'subject', '') FROM generate_series(1, $3::int) n`;
    await service.sql(insert, ['old', '7 days', 5]);
    await service.sql(insert, ['new', '0', 190]);
    const names = async () => (await service.sql<{ to: string }>(`SELECT mail ->> 'to' AS to FROM kept_mails`)).map(({ to }) => to);
    const purge = () => service.sql(`SELECT graphile_worker.add_job('purge-mails')`);
    await purge();
    await expect.poll(async () => (await names()).length).toBe(190);
    expect((await names()).filter((name) => name.startsWith('old'))).toEqual([]);
    await service.sql(insert, ['newer', '-1 hour', 50]);
    await purge();
    await expect.poll(async () => (await names()).length).toBe(200);
    expect((await names()).filter((name) => name.startsWith('newer'))).toHaveLength(50);
    expect(await names()).not.toContain('new190');
  });
});

describe('nobody else can read them', () => {
  test('the printed link leaves a cookie for these pages alone, and takes the token out of the address', async () => {
    const { status, headers } = await service.anonymous.request('GET', pathOf(service));
    expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([303, '/dev/mail', 'no-store']);
    const attributes = headers.get('set-cookie')?.split('; ').slice(1);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/dev/mail', 'HttpOnly', 'SameSite=Strict']));
    expect(attributes).not.toContain('Secure');
    expect((await get('/dev/mail')).status).toBe(200);
  });

  test('scripts give the token with each request', async () => {
    const response = await service.anonymous.request('GET', `${pathOf(service)}&format=json`);
    expect([response.status, response.headers.get('set-cookie'), Array.isArray(response.body.data)]).toEqual([200, null, true]);
  });

  test('without the token nothing is shown, not even on the same machine; the page says where it is', async () => {
    const list = await service.anonymous.request('GET', '/dev/mail');
    expect([list.status, list.text]).toEqual([403, expect.stringContaining('open the link that Waybill printed when it started')]);
    await queue.queue({ to: 'secret@example.com' });
    const { id } = await kept('secret@example.com');
    const token = new URL(service.keptMailsAt).searchParams.get('token') as string;
    for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toLowerCase()]) {
      for (const path of [`/dev/mail?format=json&token=${wrong}`, `/dev/mail/${id}`, `/dev/mail/${id}/html`])
        expectRefusal(await service.anonymous.request('GET', path, { headers: { cookie: `waybill_mails=${wrong}` } }), 'forbidden');
      const page = await service.anonymous.request('GET', `/dev/mail?token=${wrong}`);
      expect([page.status, page.headers.get('set-cookie')]).toEqual([403, null]);
      expect(page.text).not.toContain('example.com');
    }
  });

  test('the ways to sign in include where mails are, without the token', async () => {
    const { text, body } = await service.anonymous.get('/sign-in');
    expect(body.mails_at).toBe('/dev/mail');
    expect(text).not.toContain('token');
  });

  test('the token is the same for all processes and starts of a service, and another for each service', async () => {
    const sibling = await service.sibling();
    const response = await sibling.anonymous.request('GET', pathOf(service));
    expect(response.status).toBe(303);
    await sibling.stop();
    const other = await startTestService({ PUBLIC_URL: 'https://waybill.example' });
    expect(new URL(other.keptMailsAt).searchParams.get('token')).not.toBe(new URL(service.keptMailsAt).searchParams.get('token'));
    expect(other.keptMailsAt).toMatch(/^https:\/\/waybill\.example\/dev\/mail\?token=[\w-]{43}$/);
    await other.stop();
  });

  test('with SMTP_URL there is nothing to read, and nothing is kept', async () => {
    const server = await startMailServer();
    const other = await startTestService(server.settings);
    const otherQueue = await openMailQueue(other);
    await otherQueue.queue({ to: 'ada@example.com' });
    await server.received('ada@example.com');
    for (const path of ['/dev/mail', '/dev/mail?format=json', '/dev/mail/x', '/dev/mail/x/html'])
      expectRefusal(await other.anonymous.request('GET', path), 'not_found');
    expect((await other.anonymous.get('/sign-in')).body.mails_at).toBeNull();
    expect(await other.sql('SELECT FROM kept_mails')).toEqual([]);
    await otherQueue.close();
    await other.stop();
    await server.stop();
  });
});
