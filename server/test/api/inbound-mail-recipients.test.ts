import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesIn } from '../support/files-in.ts';
import { attached, INBOUND, type MailWorld, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import type { TestBusiness } from '../support/service.ts';
import { SmtpClient } from '../support/smtp-client.ts';
import { tracesOfSends } from '../support/traces.ts';

let world: MailWorld;
let globex: TestBusiness;
let initech: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex');
  initech = await world.service.business('initech');
  for (const domain of ['acme-works.test', 'eve.test']) world.publish(domain);
});
afterAll(() => world.stop());

const both = [`globex@${INBOUND}`, `initech+billing@${INBOUND}`];
const withFile = () => mailText(multipart('mixed', [attached('a.txt', 'text/plain', 'for all')]));
const newest = async ({ api }: TestBusiness) => (await api.get('/inbox?limit=1')).body.data[0];
const left = async () => [await tracesOfSends(world.service), await filesIn(world.filesFolder)];

describe('each recipient gets an SMTP reply of its own', () => {
  test.each([
    ['an unknown handle', `nobody@${INBOUND}`],
    ['an unknown handle with a segment', `nobody+orders@${INBOUND}`],
    ['a segment that can be none', `globex+@${INBOUND}`],
    ['a segment with a sign that none has', `globex+a_b@${INBOUND}`],
    ['another domain', 'globex@elsewhere.test'],
    ['a domain below ours', `globex@x.${INBOUND}`],
    ['a reserved name', `postmaster@${INBOUND}`],
    ['no domain', 'postmaster'],
  ])('%s is unknown', async (_, recipient) => {
    const client = await world.connect();
    await client.say('EHLO client.test');
    const replies = await world.handOver(client, { recipients: [recipient, `globex@${INBOUND}`], mail: mailText() });
    client.close();
    expect(replies.recipients).toEqual([`550 5.1.1 No business has the address ${recipient}.`, '250 Accepted']);
    expect(replies.mail).toMatch(/^250 2\.0\.0 Delivered as msg_\w+$/);
  });

  test('of 1,000, fifty are taken, and the others may come with the next mail', async () => {
    const client = await world.connect();
    await client.say('EHLO client.test');
    const recipients = Array.from({ length: 1_000 }, (_, i) => `globex+s${i}@${INBOUND}`);
    const before = (await tracesOfSends(world.service)).messages;
    const replies = await world.handOver(client, { recipients, mail: mailText() });
    client.close();
    expect(replies.recipients.filter((reply) => reply === '250 Accepted')).toHaveLength(50);
    expect(replies.recipients.slice(50)).toEqual(Array(950).fill('452 Error: too many recipients'));
    expect(replies.mail.match(/msg_\w+/g)).toHaveLength(50);
    expect(Number((await tracesOfSends(world.service)).messages)).toBe(Number(before) + 50);
  });

  test('of unknown ones, a hundred end the connection', async () => {
    const client = await world.connect();
    await client.say('EHLO client.test');
    await client.say('MAIL FROM:<ann@acme-works.test>');
    for (let i = 1; i < 100; i++) expect(await client.say(`RCPT TO:<nobody-${i}@${INBOUND}>`)).toMatch(/^550 5\.1\.1 /);
    expect(await client.say(`RCPT TO:<nobody@${INBOUND}>`)).toMatch(/^421 4\.7\.0 Too many addresses were refused/);
    expect(await client.reply()).toBe('');
  });
});

describe('a mail to several', () => {
  test('is a message for each, with files of its own', async () => {
    const reply = await world.deliver({ recipients: both, mail: withFile() });
    const [one, other] = [await newest(globex), await newest(initech)];
    expect(reply).toBe(`250 2.0.0 Delivered as ${one.id}, ${other.id}`);
    expect(one.thread_id).not.toBe(other.thread_id);
    expect(one.files[0].id).not.toBe(other.files[0].id);
    for (const { files } of [one, other]) expect(await (await fetch(files[0].download_url)).text()).toBe('for all');
  });

  test('again is no further message, and the files stay', async () => {
    const mail = withFile();
    const first = await world.deliver({ recipients: both, mail });
    const before = await left();
    expect(await world.deliver({ recipients: both, mail })).toBe(first);
    expect(await left()).toEqual(before);
    expect(await (await fetch((await newest(initech)).files[0].download_url)).text()).toBe('for all');
  });

  test('that one has already is completed', async () => {
    const mail = withFile();
    const first = await world.deliver({ recipients: both.slice(1), mail });
    const reply = await world.deliver({ recipients: both, mail });
    expect(reply).toBe(`250 2.0.0 Delivered as ${(await newest(globex)).id}, ${first.split(' ').at(-1)}`);
    for (const business of [globex, initech])
      expect(await (await fetch((await newest(business)).files[0].download_url)).text()).toBe('for all');
  });

  test('of whom one has blocked the sender is refused for all, and nothing stays', async () => {
    expect((await initech.api.write('POST', '/blocks', { email_domain: 'eve.test' })).status).toBe(201);
    const before = await left();
    const mail = withFile().replace('ann@acme-works.test', 'eve@eve.test');
    expect(await world.deliver({ sender: 'eve@eve.test', recipients: both, mail })).toMatch(
      /^550 5\.7\.1 The recipient has blocked this sender\.$/,
    );
    expect(await left()).toEqual(before);
    expect(await world.deliver({ sender: 'eve@eve.test', recipients: both.slice(0, 1), mail })).toMatch(/^250 /);
  });
});

describe('beyond a limit of its sender', () => {
  test('a mail is put off, and nothing stays; for several, all or none', async () => {
    const limited = await startMailWorld({ MONTHLY_MESSAGE_LIMIT: '3' });
    try {
      for (const handle of ['globex', 'initech']) await limited.service.business(handle);
      limited.publish('acme-works.test');
      const both = [`globex@${INBOUND}`, `initech@${INBOUND}`];
      const repeated = mailText();
      const first = await limited.deliver({ recipients: both, mail: repeated });
      expect(first).toMatch(/^250 /);
      const before = await tracesOfSends(limited.service);
      const USED_UP = /^452 4\.7\.0 This business can send 3 messages a month\. The limit resets at /;
      expect(await limited.deliver({ recipients: both, mail: withFile() })).toMatch(USED_UP);
      expect(await tracesOfSends(limited.service)).toEqual(before);
      expect(await filesIn(limited.filesFolder)).toEqual([]);
      expect(await limited.deliver({ mail: mailText() })).toMatch(/^250 /);
      expect(await limited.deliver({ mail: withFile() })).toMatch(USED_UP);
      expect(await filesIn(limited.filesFolder)).toEqual([]);
      expect(await limited.deliver({ recipients: both, mail: repeated })).toBe(first);
    } finally {
      await limited.stop();
    }
  });

  test('an address that sends too many mails a minute is put off', async () => {
    const limited = await startMailWorld({ PUBLIC_RATE_LIMIT_PER_MINUTE: '2' });
    try {
      const client = await SmtpClient.open(limited.port);
      await client.say('EHLO client.test');
      const ask = async () => [await client.say('MAIL FROM:<ann@acme-works.test>'), await client.say('RSET')][0];
      expect([await ask(), await ask()]).toEqual(['250 Accepted', '250 Accepted']);
      expect(await ask()).toMatch(/^451 4\.7\.0 Too many requests: 2 a minute and mail server are allowed/);
      client.close();
    } finally {
      await limited.stop();
    }
  });
});
