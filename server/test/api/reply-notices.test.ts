import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { joinThread } from '../../src/modules/joined-history/store.ts';
import { Browser } from '../support/browser.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../support/mail-server.ts';
import { Operator } from '../support/operator.ts';
import { askForCode, signInWithCode } from '../support/people.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const INBOUND = 'in.waybill.test';

let server: MailServer;
let service: TestService;
let shop: TestBusiness;

beforeAll(async () => {
  server = await startMailServer();
  service = await startTestService({ ...server.settings, INBOUND_DOMAIN: INBOUND });
  shop = await service.business('shop');
});
afterAll(async () => {
  await service.stop();
  await server.stop();
});

const drop = async (person: Browser, body: object = {}) => {
  const response = await person.post('/v1/drops', { to: 'shop', note: 'a question', ...body });
  expect(response.status, response.text).toBe(201);
  return response.body;
};
const response = async (message: { id: string }, body: object = {}) => {
  const sent = await shop.api.send({ in_reply_to: message.id, note: 'a reply', ...body });
  expect(sent.status, sent.text).toBe(201);
  return sent.body;
};
/** Mails other than those with codes. */
const notices = (to: string) => server.to(to).filter((mail) => /reply|replied/.test(mail.subject ?? ''));
/** Waits until all due notices were judged, and mailed if needed. A running job already counts an attempt. */
const settled = (of = service) =>
  expect
    .poll(async () => [
      ...(await of.sql('SELECT FROM queued_jobs')),
      ...(await of.sql(
        `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('notify-of-reply', 'send-mail') AND (attempts = 0 OR locked_at IS NOT NULL)`,
      )),
    ])
    .toEqual([]);
const notice = async (to: string, count = 1): Promise<ReceivedMail> => {
  await expect.poll(() => notices(to).length, { timeout: 60_000 }).toBe(count);
  return notices(to).at(-1) as ReceivedMail;
};
/** Signs in with the code from the mail. */
const signIn = async (email: string): Promise<Browser> => {
  const browser = new Browser(service.url);
  await askForCode(browser, email);
  const [mail] = await server.received(email);
  const responded = await browser.post('/auth/sign-in/email-otp', { email, otp: /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] });
  expect(responded.status, responded.text).toBe(200);
  return browser;
};

test('a reply causes one mail, with a link and nothing of what it says', async () => {
  const ann = await signIn('ann@quilt-works.test');
  const sent = await response(await drop(ann), {
    subject: 'SECRET-SUBJECT',
    note: 'SECRET-NOTE',
    type: 'SECRET-TYPE',
    json: { key: 'SECRET-JSON' },
  });
  const mail = await notice('ann@quilt-works.test');
  expect(mail.subject).toBe('You have a reply from The shop company');
  expect(mail.text).toContain(`${service.url}/threads/${sent.thread_id}`);
  expect(mail.raw).not.toMatch(/SECRET/);
  expect(mail.raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n/m);
  expect(mail.raw).toMatch(/^Auto-Submitted: auto-generated\r\n/m);
});

test('a mail in reply to it goes to the business, and names the message', async () => {
  const ben = await signIn('ben@quilt-works.test');
  const sent = await response(await drop(ben));
  const mail = await notice('ben@quilt-works.test');
  expect(mail.replyTo).toMatchObject([{ address: `shop@${INBOUND}` }]);
  expect(mail.messageId).toBe(`<${sent.id}@${INBOUND}>`);
});

test('the person who began the thread is notified, not a colleague', async () => {
  const [cleo, dan] = [await signIn('cleo@felt-works.test'), await signIn('dan@felt-works.test')];
  const first = await drop(cleo);
  const reply = await response(first);
  await notice('cleo@felt-works.test', 1);
  const again = await drop(cleo, { in_reply_to: reply.id });
  await response(again);
  await response(await drop(dan, { in_reply_to: reply.id }));
  await notice('cleo@felt-works.test', 2);
  await settled();
  expect(notices('dan@felt-works.test')).toEqual([]);
});

test('many replies in a thread are told of once, until the mailbox writes there or its person signs in', async () => {
  const email = 'gil@wool-works.test';
  const gil = await signIn(email);
  const [message, elsewhere] = [await drop(gil), await drop(gil)];
  await Promise.all(Array.from({ length: 25 }, () => response(message)));
  await notice(email, 1);
  await settled();
  expect(notices(email)).toHaveLength(1);
  await response(elsewhere);
  await notice(email, 2);
  await response(await drop(gil, { in_reply_to: message.id }));
  await notice(email, 3);
  await response(message);
  await settled();
  expect(notices(email)).toHaveLength(3);
  const again = new Browser(service.url);
  const codes = server.to(email).length;
  await askForCode(again, email);
  await expect.poll(() => server.to(email).length).toBe(codes + 1);
  const otp = /\b\d{6}\b/.exec(server.to(email).at(-1)?.text ?? '')?.[0];
  expect((await again.post('/auth/sign-in/email-otp', { email, otp })).status).toBe(200);
  expect((await again.post('/auth/sign-out', undefined)).status).toBe(200);
  await Promise.all([response(message), response(message)]);
  await notice(email, 4);
  await settled();
  expect(notices(email)).toHaveLength(4);
});

test('two workers that come to two replies of a thread at the same moment tell of one', async () => {
  const quiet = await startTestService(server.settings, 'api');
  const [mill, ida] = [await quiet.business('mill'), await signInWithCode(quiet, 'ida@silk-works.test')];
  const dropped = (await ida.post('/v1/drops', { to: 'mill' })).body;
  for (let i = 0; i < 40; i++) expect((await mill.api.send({ in_reply_to: dropped.id })).status).toBe(201);
  const env = { ...server.settings, DATABASE_URL: quiet.databaseUrl, PUBLIC_URL: quiet.url };
  const workers = await Promise.all([startTestService(env, 'worker'), startTestService(env, 'worker')]);
  await settled(quiet);
  expect(notices('ida@silk-works.test')).toHaveLength(1);
  await Promise.all(workers.map((worker) => worker.stop()));
  await quiet.stop();
});

test('a mailbox of a verified domain that wrote for the business without being a member is told, without content or link', async () => {
  const acme = await service.business('acme');
  const operator = new Operator(service);
  await operator.verifyDomain('acme', 'acme-works.test');
  await operator.close();
  const jo = await signIn('jo@acme-works.test');
  const message = await drop(jo);
  expect(message.from.party).toMatchObject({ kind: 'handle', handle: 'acme' });
  const reply = await response(message, { subject: 'SECRET-SUBJECT', note: 'SECRET-NOTE' });
  await response(message);
  const mail = await notice('jo@acme-works.test');
  expect(mail.subject).toBe('The shop company has replied to The acme company');
  expect(mail.text).toContain('ask the people who look after The acme company on Waybill');
  expect(mail.raw).not.toMatch(/SECRET|thr_|\/threads\//);
  expect(mail.replyTo).toMatchObject([{ address: `shop@${INBOUND}` }]);
  expect(mail.messageId).toBe(`<${reply.id}@${INBOUND}>`);
  await settled();
  expect(notices('jo@acme-works.test')).toHaveLength(1);
  // Agents and members get no notice, and neither does the mailbox once it is a member's.
  const { body } = await acme.api.send({ to: 'shop' });
  await response(body);
  await service.sql(
    `INSERT INTO members (party_id, person_id, role)
     SELECT p.id, h.id, 'member' FROM parties p, people h WHERE p.handle = 'acme' AND h.email = 'jo@acme-works.test'`,
  );
  const asMember = await jo.post('/v1/messages', { to: 'shop' }, { headers: { 'waybill-business': 'acme' } });
  expect(asMember.status, asMember.text).toBe(201);
  await response(asMember.body);
  await settled();
  expect(notices('jo@acme-works.test')).toHaveLength(1);
});

test('a business is not told by mail', async () => {
  const globex = await service.business('globex');
  const { body } = await globex.api.send({ to: 'shop' });
  await response(body);
  const jobs = await service.sql(`SELECT FROM graphile_worker.jobs WHERE task_identifier = 'notify-of-reply'`);
  expect(jobs).toEqual([]);
});

test('a mailbox that accepts no mail does not fail the reply', async () => {
  const eve = await signIn('eve@lace-works.test');
  const message = await drop(eve);
  server.refuse(550);
  const sent = await response(message);
  await expect.poll(() => notices('eve@lace-works.test').length, { timeout: 60_000 }).toBe(1);
  server.accept();
  expect((await shop.api.get(`/messages/${sent.id}`)).body.to.party).toMatchObject({ kind: 'domain', domain: 'lace-works.test' });
});

test('a reply that was on its way while its thread joined a business follows it, and no mail is sent', async () => {
  const quiet = await startTestService(server.settings, 'api');
  const [mill, fay] = [await quiet.business('mill'), await signInWithCode(quiet, 'fay@knit-works.test')];
  const dropped = (await fay.post('/v1/drops', { to: 'mill' })).body;
  const claimed = await fay.post('/v1/businesses', { handle: 'knitters', display_name: 'Knitters' });
  expect(claimed.status, claimed.text).toBe(201);
  // Does what the chore does, but stops before it records where the thread went. So the destination of the reply is the domain.
  const idOf = async (name: string) =>
    BigInt((await quiet.sql<{ id: string }>('SELECT id FROM parties WHERE $1 IN (domain, handle)', [name]))[0]?.id ?? 0);
  const [domainId, businessId] = [await idOf('knit-works.test'), await idOf('knitters')];
  const threadId = String(parseId('thr', dropped.thread_id));
  await joinThread(quiet.database, domainId, threadId, businessId, 'fay@knit-works.test');
  await quiet.sql('DELETE FROM joined_threads');
  const late = await mill.api.send({ in_reply_to: dropped.id, note: 'late' });
  expect(late.body.to.party).toMatchObject({ kind: 'domain', domain: 'knit-works.test' });
  await quiet.sql('INSERT INTO joined_threads (party_id, thread_id, business_id) VALUES ($1, $2, $3)', [domainId, threadId, businessId]);

  const worker = await startTestService({ ...server.settings, DATABASE_URL: quiet.databaseUrl, PUBLIC_URL: quiet.url }, 'worker');
  const inbox = async () => (await fay.get('/v1/inbox', { 'waybill-business': 'knitters' })).body.data;
  await expect.poll(async () => (await inbox()).map(({ id }: { id: string }) => id), { timeout: 60_000 }).toEqual([late.body.id]);
  await expect
    .poll(async () => (await quiet.sql('SELECT FROM graphile_worker.jobs WHERE attempts = 0')).length, { timeout: 60_000 })
    .toBe(0);
  expect(notices('fay@knit-works.test')).toEqual([]);
  await worker.stop();
  await quiet.stop();
});
