import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { HoldMeter } from '../support/largest/hold.ts';
import { type MeteredService, startMetered } from '../support/largest/metered-service.ts';
import { han } from '../support/largest/texts.ts';
import { attached, INBOUND, type MailText, mailText, multipart, SPF_HERE } from '../support/mail-world.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { SmtpClient } from '../support/smtp-client.ts';

const MB = 1_048_576;

/** Mails of the worst kinds must not make others wait. */
let metered: MeteredService;
let meter: HoldMeter;
let names: NameServer;
let port: number;

beforeAll(async () => {
  names = await startNameServer();
  port = await freePort();
  names.set('acme-works.test', { txt: [SPF_HERE] });
  metered = await startMetered({
    ...{ SMTP_LISTEN: `127.0.0.1:${port}`, INBOUND_DOMAIN: INBOUND, DNS_SERVERS: names.address, NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' },
  });
  await metered.service.business('globex', { claimed: true });
  meter = new HoldMeter(metered.process);
  await meter.calibrate();
});
afterAll(async () => {
  await metered.stop();
  await names.stop();
});

async function deliver(mail: Buffer): Promise<void> {
  const client = await SmtpClient.open(port);
  await client.say('EHLO client.test');
  for (const command of ['MAIL FROM:<ann@acme-works.test>', `RCPT TO:<globex@${INBOUND}>`, 'DATA']) await client.say(command);
  for (let at = 0; at < mail.length; at += 65_536) await client.writeAll(mail.subarray(at, at + 65_536));
  client.write('\r\n.\r\n');
  expect(await client.reply()).toMatch(/^250 /);
  client.close();
}

const base64 = (text: string) => `${Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`;
const html = (unit: string): MailText => ({
  headers: ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64'],
  body: base64(unit.repeat(Math.floor((MB - 100) / Buffer.byteLength(unit)))),
});

const mails: [name: string, mail: () => MailText][] = [
  ['HTML of <', () => html('<')],
  ['HTML of nested tags', () => html('<a>')],
  ['HTML of nested tables', () => html('<table><tr><td>x')],
  ['HTML of references', () => html('&amp;')],
  ['HTML of comments', () => html('<!--')],
  ['HTML of links', () => html('<a href="https://example.com/">x</a> ')],
  ['HTML of ideographs', () => html(`<p>${han(50)}</p>`)],
  [
    'a text of 1 MB',
    () => ({ headers: ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'], body: base64(han(MB / 3 - 100)) }),
  ],
  [
    '99 files with long names',
    () =>
      multipart(
        'mixed',
        Array.from({ length: 99 }, (_, i) => attached(`${'x'.repeat(900)}${i}.txt`, 'text/plain', 'x')),
      ),
  ],
  ['JSON of 1 MB', () => multipart('mixed', [attached('a.json', 'application/json', `[${'{"a":1},'.repeat(110_000)}0]`)])],
  ['900 parts', () => multipart('mixed', Array(900).fill({ headers: ['Content-Type: text/plain'], body: 'x' }))],
  ['500 encoded words in a subject', () => ({ subject: Array(500).fill('=?utf-8?B?w6TDpMOkw6TDpMOk?=').join('\r\n ') })],
  [
    '34 MB in base64',
    () =>
      multipart(
        'mixed',
        Array(2).fill({
          headers: ['Content-Type: application/octet-stream', 'Content-Transfer-Encoding: base64'],
          body: `${'QUJD'.repeat(19)}\r\n`.repeat(218_000),
        }),
      ),
  ],
];

test.each(mails)('%s does not hold the event loop', async (name, mail) => {
  await meter.measure(name, () => deliver(Buffer.from(mailText(mail()), 'latin1')), 4);
  meter.expectShort();
});
