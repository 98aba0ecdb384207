import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAIL_MAX_MB } from '../../src/contract/limits.ts';
import { newAuthority } from '../support/certificates.ts';
import { filesIn } from '../support/files-in.ts';
import { attached, INBOUND, type MailWorld, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import { temporaryFolder } from '../support/process.ts';
import type { TestBusiness } from '../support/service.ts';
import { dotStuffed, type SmtpClient } from '../support/smtp-client.ts';
import { tracesOfSends } from '../support/traces.ts';

const MB = 1_048_576;
const authority = newAuthority();
let world: MailWorld;
let globex: TestBusiness;

beforeAll(async () => {
  const folder = temporaryFolder();
  const { cert, key } = authority.issue([INBOUND]);
  writeFileSync(path.join(folder, 'cert.pem'), cert);
  writeFileSync(path.join(folder, 'key.pem'), key);
  world = await startMailWorld({ SMTP_TLS_CERT: path.join(folder, 'cert.pem'), SMTP_TLS_KEY: path.join(folder, 'key.pem') });
  globex = await world.service.business('globex');
  world.publish('acme-works.test');
});
afterAll(() => world.stop());

async function greeted(): Promise<SmtpClient> {
  const client = await world.connect();
  await client.say('EHLO client.test');
  return client;
}

async function inData(client: SmtpClient): Promise<void> {
  for (const command of ['MAIL FROM:<ann@acme-works.test>', `RCPT TO:<globex@${INBOUND}>`])
    expect(await client.say(command)).toBe('250 Accepted');
  expect(await client.say('DATA')).toMatch(/^354 /);
}

describe('a mail that hides a second one', () => {
  const hidden = `MAIL FROM:<ann@acme-works.test>\r\nRCPT TO:<globex@${INBOUND}>\r\nDATA\r\nFrom: ceo@acme-works.test\r\n\r\nPay.`;
  const head = mailText({ body: 'first' });

  test.each([
    ['\\n.\\n', '\n.\n'],
    ['\\n.\\r\\n', '\n.\r\n'],
    ['\\r\\n.\\n', '\r\n.\n'],
    ['\\r.\\r\\n', '\r.\r\n'],
    ['\\r\\n.\\r', '\r\n.\r'],
    ['\\r.\\r', '\r.\r'],
    ['\\r\\n\\0.\\r\\n', '\r\n\0.\r\n'],
    ['a bare line feed', '\n'],
    ['a bare carriage return', '\r'],
  ])('behind %s is refused whole, and the connection goes on behind its real end', async (_, seam) => {
    const before = await tracesOfSends(world.service);
    const client = await greeted();
    await inData(client);
    client.write(`${head}${seam}${hidden}\r\n.\r\n`);
    expect(await client.reply()).toMatch(/^554 5\.6\.0 The mail contains a (line break that is not CR LF|NUL character)\.$/);
    expect(await client.say('NOOP')).toBe('250 OK');
    expect(await tracesOfSends(world.service)).toEqual(before);
    expect((await world.handOver(client, { mail: mailText() })).mail).toMatch(/^250 /);
    client.close();
  });

  test('in pieces of one byte is still refused', async () => {
    const client = await greeted();
    await inData(client);
    for (const byte of `From: ann@acme-works.test\r\n\r\nx\n.\r\nQUIT\r\n.\r\n`) {
      client.write(byte);
      await sleep(1);
    }
    expect(await client.reply()).toMatch(/^554 5\.6\.0 /);
    client.close();
  });

  test('what comes behind the real end is a command, whatever it looks like', async () => {
    const client = await greeted();
    await inData(client);
    client.write(`${mailText()}\r\n.\r\nMAIL FROM:<ann@acme-works.test>\r\nRSET\r\n`);
    expect([await client.reply(), await client.reply(), await client.reply()]).toEqual([
      expect.stringMatching(/^250 2\.0\.0 Delivered/),
      '250 Accepted',
      '250 Flushed',
    ]);
    client.close();
  });
});

describe('large mails', () => {
  /** Makes a mail of exactly this many bytes. */
  const ofSize = (bytes: number, name: string) => {
    const build = (length: number) =>
      Buffer.from(mailText({ ...multipart('mixed', [part(length), part(length)]), messageId: `<${name}@x>` }));
    const part = (length: number) => ({
      ...attached('a.bin', 'application/octet-stream', ''),
      body: `${'A'.repeat(510)}\r\n`.repeat(length / 512),
    });
    const base = build(Math.floor((bytes - 4_096) / 2 / 1_024) * 1_024);
    const padding = bytes - base.length;
    const lines = `${' '.repeat(510)}\r\n`.repeat(Math.floor((padding - 2) / 512));
    return Buffer.concat([base, Buffer.from(`${lines}${' '.repeat(padding - lines.length - 2)}\r\n`)]);
  };

  test('of the largest size is taken, and one byte more is not', async () => {
    const client = await greeted();
    await inData(client);
    await client.writeAll(dotStuffed(ofSize(MAIL_MAX_MB * MB, 'fits')));
    expect(await client.reply()).toMatch(/^250 2\.0\.0 Delivered/);
    expect((await globex.api.get('/inbox?limit=1')).body.data[0].files).toHaveLength(2);
    const files = await filesIn(world.filesFolder);
    await inData(client);
    await client.writeAll(dotStuffed(ofSize(MAIL_MAX_MB * MB + 1, 'too-large')));
    expect(await client.reply()).toBe(`552 5.3.4 The mail is larger than ${MAIL_MAX_MB * MB} bytes.`);
    expect(await filesIn(world.filesFolder)).toEqual(files);
    expect(await client.say('NOOP')).toBe('250 OK');
    client.close();
  });

  test('are announced, and refused by what they announce', async () => {
    const client = await world.connect();
    expect(await client.say('EHLO client.test')).toContain(`250 SIZE ${MAIL_MAX_MB * MB}`);
    expect(await client.say(`MAIL FROM:<ann@acme-works.test> SIZE=${MAIL_MAX_MB * MB + 1}`)).toMatch(/^552 /);
    expect(await client.say(`MAIL FROM:<ann@acme-works.test> SIZE=${MAIL_MAX_MB * MB}`)).toBe('250 Accepted');
    client.close();
  });

  test('without end are cut off', async () => {
    const small = await startMailWorld({ MAIL_MAX_MB: '1' });
    try {
      await small.service.business('globex');
      const client = await small.connect();
      await client.say('EHLO client.test');
      for (const command of ['MAIL FROM:<ann@acme-works.test>', `RCPT TO:<globex@${INBOUND}>`, 'DATA']) await client.say(command);
      const reply = client.reply();
      let isOver = false;
      void reply.then(() => {
        isOver = true;
      });
      await client.writeAll(Buffer.from('From: ann@acme-works.test\r\n\r\n'));
      while (!isOver) await client.writeAll(Buffer.from('xxxxxxxxxxxxxx\r\n'.repeat(4_096)));
      expect(await reply).toBe(`552 5.3.4 The mail is larger than ${MB} bytes.`);
      client.close();
    } finally {
      await small.stop();
    }
  });

  test('that break off in the middle leave nothing behind', async () => {
    const before = [await tracesOfSends(world.service), await filesIn(world.filesFolder)];
    for (const part of [0.1, 0.5, 0.99]) {
      const client = await greeted();
      await inData(client);
      const mail = dotStuffed(ofSize(4 * MB, `broken-${part}`));
      await client.writeAll(mail.subarray(0, mail.length * part));
      client.close();
    }
    await expect.poll(async () => [await tracesOfSends(world.service), await filesIn(world.filesFolder)]).toEqual(before);
    expect(await world.deliver({ mail: mailText() })).toMatch(/^250 /);
  });
});

describe('the dialogue', () => {
  test('a mail without a sender is refused', async () => {
    const client = await greeted();
    expect(await client.say('MAIL FROM:<>')).toMatch(/^550 5\.7\.1 Mails without a sender/);
    client.close();
  });

  test.each([
    ['DATA without recipients', ['MAIL FROM:<ann@acme-works.test>', 'DATA'], /^503 /],
    ['RCPT before MAIL', [`RCPT TO:<globex@${INBOUND}>`], /^503 /],
    ['a sender that is none', ['MAIL FROM:<ann>'], /^501 /],
    ['a recipient that is none', ['MAIL FROM:<ann@acme-works.test>', 'RCPT TO:<a b@c>'], /^501 /],
    ['AUTH', ['AUTH PLAIN AGFubgBhbm4='], /^500 /],
    ['XCLIENT', ['XCLIENT ADDR=192.0.2.1'], /^500 /],
    ['HTTP', ['GET / HTTP/1.1'], /^421 /],
    ['a line of 100,000 bytes', ['x'.repeat(100_000)], /^421 /],
  ])('%s gets an SMTP reply', async (_, commands, expected) => {
    const client = await greeted();
    let reply = '';
    for (const command of commands) reply = await client.say(command);
    expect(reply).toMatch(expected);
    client.close();
    expect(await world.deliver({ mail: mailText() })).toMatch(/^250 /);
  });

  test('is encrypted on demand, with what the settings name', async () => {
    const client = await world.connect();
    expect(await client.say('EHLO client.test')).toContain('STARTTLS');
    expect(await client.say('STARTTLS')).toMatch(/^220 /);
    await client.startTls(authority.cert, INBOUND);
    expect(await client.say('EHLO client.test')).not.toContain('STARTTLS');
    expect((await world.handOver(client, { mail: mailText() })).mail).toMatch(/^250 /);
    client.close();
  });

  test('a usual mail program can lead', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: world.port,
      name: 'client.test',
      tls: { ca: authority.cert, servername: INBOUND },
    });
    const attachments = [{ filename: 'o.json', content: '{"a":1}', contentType: 'application/json' }];
    const info = await transport.sendMail({
      from: 'Ann <ann@acme-works.test>',
      to: `globex@${INBOUND}`,
      subject: 'Hi',
      text: 'Hello',
      attachments,
    });
    expect(info.response).toMatch(/^250 2\.0\.0 Delivered/);
    expect((await globex.api.get('/inbox?limit=1')).body.data[0]).toMatchObject({
      subject: 'Hi',
      note: 'Hello',
      json: { a: 1 },
      files: [],
    });
  });
});
