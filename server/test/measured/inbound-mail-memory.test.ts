import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INBOUND, type MailWorld, mailText, multipart, startMailWorld } from '../support/mail-world.ts';
import type { TestBusiness } from '../support/service.ts';

const MB = 1_048_576;
const SENDERS = 8;
const MAIL_MB = 24;
/** All clients send the same buffer, because they run in this process and must take hardly any memory. */
const megabyte = Buffer.from(`${'d2F5YmlsbCBz'.repeat(6)}\r\n`.repeat(MB / 74 + 1)).subarray(0, 74 * Math.floor(MB / 74));

let world: MailWorld;
let globex: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex');
  world.publish('acme-works.test');
});
afterAll(() => world.stop());

/** Sends a mail with one large part piece by piece, at the pace of the service. */
async function sendPieceByPiece(partHeaders: string[]): Promise<string> {
  const id = `<${randomUUID()}@acme-works.test>`;
  const mail = mailText({ ...multipart('mixed', [{ headers: partHeaders, body: 'MARK' }]), messageId: id });
  const [before = '', after = ''] = mail.split('MARK');
  const client = await world.connect();
  for (const command of ['EHLO client.test', 'MAIL FROM:<ann@acme-works.test>', `RCPT TO:<globex@${INBOUND}>`, 'DATA'])
    await client.say(command);
  await client.writeAll(Buffer.from(before));
  for (let i = 0; i < MAIL_MB; i++) await client.writeAll(megabyte);
  await client.writeAll(Buffer.from(`${after}.\r\n`));
  const reply = await client.reply();
  client.close();
  return reply;
}

test.each([
  ['files', ['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64']],
  ['texts', ['Content-Type: text/plain']],
])('eight mails at once with large %s are never held in memory', { timeout: 600_000 }, async (_, headers) => {
  // Only buffers are measured, because other memory depends on the garbage collection.
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }, 5);
  const replies = await Promise.all(Array.from({ length: SENDERS }, () => sendPieceByPiece(headers)));
  clearInterval(watch);
  for (const reply of replies) expect(reply).toMatch(/^250 /);
  expect(peak).toBeLessThan((SENDERS * MAIL_MB * MB * 2) / 3);
  expect((await globex.api.get('/inbox?limit=1')).status).toBe(200);
});
