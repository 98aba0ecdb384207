import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIL_MAX_MB } from '../../src/contract/limits.ts';
import { idleStallMs } from '../support/idle-stall.ts';
import {
  INBOUND,
  type MailText,
  type MailWorld,
  mailText,
  multipart,
  SPF_ELSEWHERE,
  signed,
  startMailWorld,
} from '../support/mail-world.ts';

const MB = 1_048_576;
const LARGEST = Buffer.alloc(MAIL_MAX_MB * MB);
/** Near the largest mail (MAIL_MAX_MB), in files that are small enough for a mail. */
const FILE_BYTES = ((MAIL_MAX_MB - 1) * MB) / 2;
const HASHES_MAX = 45;
const STALL_MAX_MS = 500;
/** The limit is this multiple of the stall of an idle process. */
const OTHERS = 4;

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
  await world.service.business('globex');
  world.publish('acme-works.test');
  world.publish('signs-only.test', { spf: SPF_ELSEWHERE });
  // Loads and compiles everything before the measurement.
  await deliver(Buffer.from(mailText({ headers: ['Content-Type: text/html'], body: '<p>warm</p>\r\n' })));
});
afterAll(() => world.stop());

const lines = (line: string, bytes: number) => `${line}\r\n`.repeat(Math.floor(bytes / (line.length + 2)));
const html = (text: string): MailText => ({
  headers: ['Content-Type: text/html', 'Content-Transfer-Encoding: base64'],
  body: `${Buffer.from(text.repeat(Math.floor(MB / text.length)))
    .toString('base64')
    .replace(/.{76}/g, '$&\r\n')}\r\n`,
});
const attachments = (encoding: string, bodies: string[]): MailText =>
  multipart(
    'mixed',
    bodies.map((body) => ({ headers: ['Content-Type: application/octet-stream', `Content-Transfer-Encoding: ${encoding}`], body })),
  );
const attachment = (encoding: string, body: string) => attachments(encoding, [body]);
/** Two files that repeat one line. */
const twoFiles = (encoding: string, line: string) => {
  const body = lines(line, FILE_BYTES);
  return attachments(encoding, [body, body]);
};
const withHeaders = (mail: MailText, headers: string[]): MailText => ({ ...mail, headers: [...(mail.headers ?? []), ...headers] });
const badSignatures = (n: number, domain: string) =>
  Array.from(
    { length: n },
    (_, i) =>
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=test; l=${900_000_000 + i}; b=eg==; bh=eg==; h=from:to:subject:date:message-id`,
  );

async function deliver(mail: Buffer): Promise<string> {
  const client = await world.connect();
  await client.say('EHLO client.test');
  for (const command of [`MAIL FROM:<ann@acme-works.test>`, `RCPT TO:<globex@${INBOUND}>`, 'DATA']) await client.say(command);
  // Written in pieces, as a network would deliver it, because the client must not block the event loop itself.
  for (let at = 0; at < mail.length; at += 65_536) await client.writeAll(mail.subarray(at, at + 65_536));
  client.write('\r\n.\r\n');
  const reply = await client.reply();
  client.close();
  return reply;
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Hashes in JavaScript, because some processors have instructions for SHA-256 and are five times as fast. */
function hashingMs(): number {
  const before = process.cpuUsage();
  let sum = 0x811c9dc5;
  for (let i = 0; i < LARGEST.length; i++) sum = Math.imul(sum ^ (LARGEST[i] as number), 0x01000193);
  expect(sum).not.toBe(0);
  return cpuMsSince(before);
}

const signsOnly = 'ann@signs-only.test';
const hostile: [string, () => string | Promise<string>, RegExp][] = [
  [
    'one line of 10 MB with ten signatures',
    () => mailText({ from: signsOnly, headers: badSignatures(10, 'signs-only.test'), body: `${'x '.repeat(5 * MB)}\r\n` }),
    /^554 5\.6\.0 .*998/,
  ],
  [
    '34 MB of lines with tabs and ten signatures',
    () => mailText({ ...withHeaders(twoFiles('7bit', 'a\tb  c '.repeat(20)), badSignatures(10, 'signs-only.test')), from: signsOnly }),
    /^550 5\.7\.26 /,
  ],
  [
    'a good signature over 34 MB',
    () => signed(mailText({ ...twoFiles('7bit', 'a b\tc'.repeat(20)), from: signsOnly }), { domain: 'signs-only.test' }),
    /^250 /,
  ],
  ['34 MB in base64', () => mailText(twoFiles('base64', 'QUJD'.repeat(19))), /^250 /],
  ['34 MB, quoted-printable', () => mailText(twoFiles('quoted-printable', '=41'.repeat(25))), /^250 /],
  ['34 MB of lines that might be boundaries', () => mailText(twoFiles('7bit', '-'.repeat(48))), /^250 /],
  ['900,000 lines of one letter', () => mailText(attachment('base64', lines('A', 2.7 * MB))), /^250 /],
  ['900,000 empty lines', () => mailText({ body: lines('', 1.8 * MB) }), /^250 /],
  ['900,000 lines that might be boundaries', () => mailText(attachment('7bit', lines('--', 3.6 * MB))), /^250 /],
  ['HTML of 1 MB of <', () => mailText(html('<')), /^250 /],
  ['HTML of nested tags', () => mailText(html('<a>')), /^250 /],
  ['HTML of nested tables', () => mailText(html('<table><tr><td>x')), /^250 /],
  ['HTML of references', () => mailText(html('&')), /^250 /],
  ['HTML of comments', () => mailText(html('<!--')), /^250 /],
  ['999 parts', () => mailText(multipart('mixed', Array(999).fill({ headers: ['Content-Type: text/plain'], body: 'x' }))), /^250 /],
  ['a folded header of 3,900 lines', () => mailText({ headers: [`X-Long: ${'x\r\n '.repeat(3_900)}x`] }), /^250 /],
  ['500 encoded words in a subject', () => mailText({ subject: Array(500).fill('=?utf-8?B?w6TDpMOkw6TDpMOk?=').join('\r\n ') }), /^250 /],
  ['a From that a careless pattern would read for ever', () => mailText({ from: `${'"a" '.repeat(200)}<` }), /^554 5\.6\.0 /],
];

test.each(hostile)('%s: read in time, and others are served meanwhile', { timeout: 600_000 }, async (name, build, expected) => {
  const mail = Buffer.from(await build(), 'latin1');
  const hashBefore = hashingMs();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const before = process.cpuUsage();
  const reply = await deliver(mail);
  const cpuMs = cpuMsSince(before);
  delay.disable();
  expect(reply).toMatch(expected);
  const hashMs = Math.max(hashBefore, hashingMs());
  if (process.env['SHOW_COST'])
    console.log(`${name}: ${cpuMs.toFixed(0)} ms of CPU (hashing ${hashMs.toFixed(0)}), longest stall ${(delay.max / 1e6).toFixed(0)} ms`);
  expect(cpuMs / hashMs).toBeLessThan(HASHES_MAX);
  expect(delay.percentile(99) / 1e6).toBeLessThan(STALL_MAX_MS + OTHERS * (await idleStallMs()));
});
