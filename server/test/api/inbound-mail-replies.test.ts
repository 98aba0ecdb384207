import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIL_FROM, type MailServer, startMailServer } from '../support/mail-server.ts';
import { INBOUND, type MailWorld, mailText, startMailWorld } from '../support/mail-world.ts';
import { Operator } from '../support/operator.ts';
import type { TestBusiness } from '../support/service.ts';

let server: MailServer;
let world: MailWorld;
let globex: TestBusiness;

beforeAll(async () => {
  server = await startMailServer();
  world = await startMailWorld(server.settings);
  globex = await world.service.business('globex');
  for (const domain of ['acme-works.test', 'verified-works.test', 'waybill.example']) world.publish(domain);
});
afterAll(async () => {
  await world.stop();
  await server.stop();
});

const newest = async () => (await globex.api.get('/inbox?limit=1')).body.data[0];
const deliver = async (from: string, more: Parameters<typeof mailText>[0] = {}) => {
  const reply = await world.deliver({ sender: from, mail: mailText({ from, ...more }) });
  expect(reply).toMatch(/^250 /);
  return newest();
};

test('a mail gets a reply, its sender is notified by mail, and the mail in reply to that joins the thread', async () => {
  const first = await deliver('ann@acme-works.test');
  const reply = (await globex.api.send({ in_reply_to: first.id, subject: 'CONFIDENTIAL', note: 'We have it.' })).body;
  const [notice] = await server.received('ann@acme-works.test');
  expect(notice?.raw).not.toContain('CONFIDENTIAL');
  expect(notice?.replyTo).toMatchObject([{ address: `globex@${INBOUND}` }]);

  const second = await deliver('ann@acme-works.test', {
    headers: [`In-Reply-To: ${notice?.messageId}`, `References: ${notice?.messageId}`],
  });
  expect(second).toMatchObject({ in_reply_to: reply.id, thread_id: first.thread_id });
});

test('a reply of another person to such a mail does not join the thread', async () => {
  const first = await deliver('ann@acme-works.test');
  const reply = (await globex.api.send({ in_reply_to: first.id, note: 'For Ann.' })).body;
  const other = await deliver('eve@verified-works.test', { headers: [`In-Reply-To: <${reply.id}@${INBOUND}>`] });
  expect(other.in_reply_to).toBeNull();
  expect(other.thread_id).not.toBe(first.thread_id);
});

test('mailboxes of a domain that a business has verified send as the business, and are told of replies unless they are members', async () => {
  const operator = new Operator(world.service);
  const owner = await world.service.business('proven');
  await operator.verifyDomain('proven', 'verified-works.test');
  const message = await deliver('vera@verified-works.test');
  expect(message.from).toMatchObject({
    party: { kind: 'handle', handle: 'proven' },
    actor: { kind: 'mailbox', email: 'vera@verified-works.test', provider: 'smtp' },
  });
  expect((await owner.api.get('/outbox')).body.data[0].id).toBe(message.id);
  const reply = (await globex.api.send({ in_reply_to: message.id, subject: 'CONFIDENTIAL' })).body;
  const [notice] = await server.received('vera@verified-works.test');
  expect(notice?.subject).toBe('The globex company has replied to The proven company');
  expect(notice?.raw).not.toMatch(/CONFIDENTIAL|threads/);
  const second = await deliver('vera@verified-works.test', { headers: [`In-Reply-To: ${notice?.messageId}`] });
  expect(second).toMatchObject({ in_reply_to: reply.id, thread_id: message.thread_id });
  await operator.close();
});

test('what claims to come from our own mailbox is refused, for it could go round for ever', async () => {
  const own = MAIL_FROM.replace(/.*<|>/g, '');
  expect(await world.deliver({ sender: own, mail: mailText({ from: own }) })).toMatch(/^550 5\.7\.1 Mail from /);
});
