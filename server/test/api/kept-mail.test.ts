import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeMail, invitationMail } from '../../src/modules/mail/templates.ts';
import { Api } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';
import { startMailServer } from '../support/mail-server.ts';
import { type MailQueue, openMailQueue } from '../support/outgoing-mail.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: mails as they are shown
type Json = any;

let service: TestService;
let queue: MailQueue;

beforeAll(async () => {
  service = await startTestService();
  queue = await openMailQueue(service);
});
afterAll(async () => {
  await queue.close();
  await service.stop();
});

const get = (path: string, headers: Record<string, string> = {}) => service.anonymous.request('GET', path, { headers });
const keptFor = async (to: string): Promise<Json[]> =>
  (await get('/dev/mail?format=json')).body.data.filter((mail: Json) => mail.to === to);

async function kept(to: string): Promise<Json> {
  await expect.poll(async () => (await keptFor(to)).length, { timeout: 20_000 }).toBe(1);
  return (await keptFor(to))[0];
}

/** Asks with headers that fetch would not let anybody set. */
function answerTo(headers: Record<string, string>, path: string): Promise<http.IncomingMessage> {
  const { port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path, headers }, resolve).on('error', reject);
  });
}

async function askAs(headers: Record<string, string>, path = '/dev/mail'): Promise<number | undefined> {
  return (await answerTo(headers, path)).resume().statusCode;
}

/** Where the page for signing in would send somebody for their code. */
async function mailsAt(headers: Record<string, string>): Promise<string | null> {
  return JSON.parse((await (await answerTo(headers, '/v1/sign-in')).toArray()).join('')).mails_at;
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
  test('and whoever signs in is sent there only if they can', async () => {
    for (const host of ['localhost', '127.0.0.1:3000']) expect(await mailsAt({ host })).toBe('/dev/mail');
    for (const [name, value] of [
      ['host', 'evil.example'],
      ['X-Forwarded-For', '127.0.0.1'],
      ['via', '1.1 proxy'],
    ] as const)
      expect(await mailsAt({ [name]: value }), name).toBeNull();
  });

  test('through a proxy on the same machine, which says so in a header', async () => {
    expect(await askAs({})).toBe(200);
    for (const name of ['X-Forwarded-For', 'x-real-ip', 'Forwarded', 'Via', 'X-Forwarded-Host', 'X-Forwarded-Proto'])
      for (const value of ['127.0.0.1', '203.0.113.9']) expect(await askAs({ [name]: value }), name).toBe(404);
  });

  test('by a page in the browser of that person, with a name that leads to this machine', async () => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:3000', '10.0.0.1', 'no host'])
      for (const path of ['/dev/mail', '/dev/mail?format=json']) expect(await askAs({ host }, path), host).toBe(404);
    for (const host of ['localhost', 'LOCALHOST:3000', '127.0.0.1', '[::1]:3000']) expect(await askAs({ host }), host).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['with TRUSTED_PROXIES', { TRUSTED_PROXIES: '127.0.0.1' }],
    ['with a PUBLIC_URL that is not of this machine', { PUBLIC_URL: 'https://waybill.example' }],
    ['with a DATABASE_URL, when other machines reach the service', { HOST: '0.0.0.0' }],
  ])('%s', async (_name, env) => {
    const port = await freePort();
    const other = await startTestService({ ...env, PORT: String(port) });
    const api = new Api(`http://127.0.0.1:${port}`);
    for (const path of ['/dev/mail', '/dev/mail?format=json', '/dev/mail/x', '/dev/mail/x/html'])
      expectRefusal(await api.request('GET', path), 'not_found');
    expect((await api.get('/sign-in')).body.mails_at).toBeNull();
    await other.stop();
  });

  test('unless PUBLIC_URL is but another name of this machine', async () => {
    const port = await freePort();
    const other = await startTestService({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` });
    expect((await new Api(`http://127.0.0.1:${port}`).request('GET', '/dev/mail')).status).toBe(200);
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
