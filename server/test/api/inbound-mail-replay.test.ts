import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  INBOUND,
  type MailText,
  type MailWorld,
  mailText,
  type SigningOptions,
  SPF_ELSEWHERE,
  signed,
  startMailWorld,
} from '../support/mail-world.ts';
import { Operator } from '../support/operator.ts';
import type { TestBusiness } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

let world: MailWorld;
let globex: TestBusiness;
let initech: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex');
  initech = await world.service.business('initech');
  world.publish('acme-works.test');
  world.publish('signs-only.test', { spf: SPF_ELSEWHERE });
});
afterAll(() => world.stop());

const HOUR = 3_600_000;
const FROM = 'Ann <ann@signs-only.test>';
const idsIn = (reply: string) => reply.match(/msg_\w+/g) ?? [];
const messages = async () => Number((await tracesOfSends(world.service)).messages);

/** Delivers a signed mail as a stranger would who forwards it. */
async function resend(mail: string, recipients = [`globex@${INBOUND}`]): Promise<string> {
  return world.deliver({ sender: 'mallory@elsewhere.test', recipients, mail });
}
const signedMail = (text: MailText = {}, options: SigningOptions = {}) =>
  signed(mailText({ from: FROM, ...text }), { domain: 'signs-only.test', ...options });
const dated = (ms: number) => mailText({ from: FROM }).replace(/Date: .*/, `Date: ${new Date(Date.now() + ms).toUTCString()}`);
const addressed = (to: string) => mailText({ from: FROM }).replace(/To: .*/, to);
const sign = (mail: string, options: SigningOptions = {}) => signed(mail, { domain: 'signs-only.test', ...options });

describe('a mail that only its signature vouches for', () => {
  test.each([
    ['two years old', -2 * 365 * 24 * HOUR],
    ['of more than three days ago', -73 * HOUR],
    ['of tomorrow', 24 * HOUR],
  ])('is refused when it is %s', async (_, ms) => {
    expect(await resend(await sign(dated(ms)))).toMatch(/^550 5\.7\.26 Only its DKIM signature vouches for this mail, and its Date /);
  });

  test('is refused when its date is none', async () => {
    const mail = mailText({ from: FROM }).replace(/Date: .*/, 'Date: soon');
    expect(await resend(await sign(mail))).toMatch(/^550 5\.7\.26 .*its Date is not of the last 3 days/);
  });

  test('is taken within three days', async () => {
    expect(await resend(await sign(dated(-71 * HOUR)))).toMatch(/^250 /);
  });

  test.each([
    ['somebody else', 'To: mallory@evil.test'],
    ['another business', `To: initech@${INBOUND}`],
    ['the business at another domain', 'To: globex@evil.test'],
    ['somebody who is called so', `To: "globex@${INBOUND}" <mallory@evil.test>`],
  ])('is refused when it is addressed to %s', async (_, to) => {
    const before = await messages();
    expect(await resend(await sign(addressed(to)))).toMatch(
      /^550 5\.7\.26 Only its DKIM signature vouches for this mail, and neither To nor Cc names globex\. /,
    );
    expect(await messages()).toBe(before);
  });

  test.each([
    ['in Cc', `To: ann@signs-only.test\r\nCc: "Globex, Inc." <Globex@${INBOUND.toUpperCase()}>`],
    ['with another segment', `To: globex+billing@${INBOUND}`],
    ['in a group', `To: Partners: mallory@evil.test, globex@${INBOUND};`],
  ])('is taken when it names the business %s', async (_, to) => {
    expect(await resend(await sign(addressed(to)))).toMatch(/^250 /);
  });

  test('is refused when one of its recipients is not named', async () => {
    const before = await messages();
    expect(await resend(await signedMail(), [`globex@${INBOUND}`, `initech@${INBOUND}`])).toMatch(/^550 5\.7\.26 .*nor Cc names initech\./);
    expect(await messages()).toBe(before);
  });

  test.each([
    ['to', ['From', 'Subject', 'Date', 'Message-ID']],
    ['date', ['From', 'Subject', 'To', 'Message-ID']],
    ['message-id', ['From', 'Subject', 'Date', 'To']],
  ])('is refused when the signature does not cover the header %s', async (name, fields) => {
    expect(await resend(await signedMail({}, { fields }))).toContain(`its DKIM signature does not cover the header ${name}`);
  });

  test('is refused when a recipient was added whom the signature does not cover', async () => {
    const mail = await sign(addressed('To: mallory@evil.test'), { fields: ['From', 'Subject', 'Date', 'Message-ID', 'To'] });
    expect(await resend(`Cc: globex@${INBOUND}\r\n${mail}`)).toMatch(/^550 5\.7\.26 .*neither To nor Cc names globex/);
  });

  test('is one message of a business, whatever segments it comes to, and how often', async () => {
    const mail = await signedMail();
    const before = await messages();
    const first = await resend(mail, [`globex+a@${INBOUND}`, `globex+b@${INBOUND}`]);
    expect(idsIn(first)).toHaveLength(1);
    for (let i = 0; i < 10; i++) expect(await resend(mail, [`globex+s${i}@${INBOUND}`])).toBe(first);
    expect(await resend(mail)).toBe(first);
    expect(await Promise.all([1, 2, 3].map((i) => resend(mail, [`globex+t${i}@${INBOUND}`])))).toEqual([first, first, first]);
    expect(await messages()).toBe(before + 1);
  });

  test('is the same one in every form that its signature covers', async () => {
    const mail = await signedMail({ body: 'Three of A-1, please.\r\nThanks\r\n' }, { canonicalization: 'relaxed/relaxed' });
    const first = await resend(mail);
    expect(first).toMatch(/^250 /);
    const before = await messages();
    const forms = [
      `${mail}\r\n\r\n`,
      mail.replace('Three of', 'Three  \t of'),
      mail.replace('please.', 'please. \t'),
      `X-Seen: 1\r\n${mail}`,
    ];
    for (const form of forms) expect(await resend(form)).toBe(first);
    expect(await messages()).toBe(before);
  });

  test('at once to many segments is one message', async () => {
    const mail = await signedMail();
    const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => resend(mail, [`globex+x${i}@${INBOUND}`])));
    expect(new Set(replies).size).toBe(1);
    expect(idsIn(replies[0] as string)).toHaveLength(1);
  });

  test('is one for as long as its date lets it in', async () => {
    const mail = await sign(dated(0));
    const first = await resend(mail);
    expect(first).toMatch(/^250 /);
    await world.service.sql("UPDATE idempotency_keys SET expires_at = expires_at - interval '73 hours'");
    expect(await resend(mail, [`globex+later@${INBOUND}`])).toBe(first);
  });

  test('is none if the business has it from its author already', async () => {
    world.publish('both.test');
    const mail = await signed(mailText({ from: 'ann@both.test' }), { domain: 'both.test' });
    const first = await world.deliver({ sender: 'ann@both.test', recipients: [`globex+desk@${INBOUND}`], mail });
    expect(first).toMatch(/^250 /);
    expect(await resend(mail)).toBe(first);
  });

  test('is none if its author’s domain has become a business since', async () => {
    world.publish('grown.test', { spf: SPF_ELSEWHERE });
    const mail = await signed(mailText({ from: 'ann@grown.test' }), { domain: 'grown.test' });
    const first = await resend(mail);
    expect(first).toMatch(/^250 /);
    await world.service.business('grown');
    const operator = new Operator(world.service);
    await operator.verifyDomain('grown', 'grown.test');
    await operator.close();
    expect(await resend(mail)).toBe(first);
  });

  test('joins no thread that its author has not named', async () => {
    const first = await resend(await signedMail());
    const reply = (await globex.api.send({ in_reply_to: idsIn(first)[0] })).body;
    const fields = ['From', 'Subject', 'Date', 'Message-ID', 'To'];
    const mail = await signedMail({ headers: [`In-Reply-To: <${reply.id}@${INBOUND}>`] }, { fields });
    expect(await resend(mail)).toMatch(/^250 /);
    expect((await globex.api.get('/inbox?limit=1')).body.data[0].in_reply_to).toBeNull();
  });
});

test('a mail that SPF vouches for is a message for each segment, whatever its date and To', async () => {
  const mail = mailText({ headers: [] })
    .replace(/To: .*/, 'To: undisclosed-recipients:;')
    .replace(/Date: .*/, 'Date: Thu, 1 Jan 2015 00:00:00 +0000');
  const reply = await world.deliver({ recipients: [`initech+a@${INBOUND}`, `initech+b@${INBOUND}`], mail });
  expect(idsIn(reply)).toHaveLength(2);
  expect((await initech.api.get('/inbox?limit=2')).body.data).toHaveLength(2);
});

describe('what a signature leaves out says nothing of the body', () => {
  const fields = ['From', 'Subject', 'Date', 'Message-ID', 'To'];
  const WORDS = 'UGF5IG1hbGxvcnku <title>Do not</title> pay.';
  const JSON_WORDS = '{"pay":"mallory"}';

  test.each<[string, string[], string]>([
    ['Content-Transfer-Encoding: base64', ['MIME-Version: 1.0', 'Content-Transfer-Encoding: base64'], WORDS],
    ['Content-Transfer-Encoding: quoted-printable', ['Content-Transfer-Encoding: quoted-printable'], 'a=3Db'],
    ['text/html', ['MIME-Version: 1.0', 'Content-Type: text/html'], WORDS],
    ['application/json', ['Content-Type: application/json'], JSON_WORDS],
    ['an attachment', ['Content-Type: text/plain; name=a.txt', 'Content-Disposition: attachment; filename=a.txt'], WORDS],
    ['another charset', ['Content-Type: text/plain; charset=utf-7'], 'a+AD4-b'],
    ['multipart/mixed', ['Content-Type: multipart/mixed; boundary=theirs'], 'I quote:\n--theirs\n\nPay mallory.\n--theirs--'],
    [
      'multipart/mixed with two boundaries',
      ['Content-Type: multipart/mixed; boundary=ours; boundary=theirs'],
      '--ours\n--theirs\n\nPay mallory.\n--theirs--',
    ],
  ])('%s', async (_, headers, body) => {
    const mail = await signedMail({ body: `${body.replaceAll('\n', '\r\n')}\r\n` }, { fields });
    const reply = await resend(`${headers.join('\r\n')}\r\n${mail}`);
    expect(reply).toMatch(/^250 /);
    expect((await globex.api.get('/inbox?limit=1')).body.data[0]).toMatchObject({
      id: idsIn(reply)[0],
      note: body,
      json: null,
      files: [],
    });
  });

  test('and what it covers does', async () => {
    const mail = await signedMail({
      headers: ['Content-Type: text/html', 'Content-Transfer-Encoding: base64'],
      body: 'PGI+RGVhciBTaXI8L2I+\r\n',
    });
    expect(await resend(mail)).toMatch(/^250 /);
    expect((await globex.api.get('/inbox?limit=1')).body.data[0]).toMatchObject({ note: 'Dear Sir', files: [{ filename: 'note.html' }] });
  });
});
