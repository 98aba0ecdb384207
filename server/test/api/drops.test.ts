import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser } from '../support/browser.ts';
import { byParty } from '../support/contacts.ts';
import { dropped, type Envelope } from '../support/drops.ts';
import { Operator } from '../support/operator.ts';
import { ids, list } from '../support/pages.ts';
import { askForCode, codesFor, signInWithCode } from '../support/people.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let shop: TestBusiness;
let other: TestBusiness;
beforeAll(async () => {
  service = await startTestService({ CONSUMER_MAIL_DOMAINS: 'Club-Mail.test, mail.village.test' });
  [shop, other] = [await service.business('shop', { segment: 'orders' }), await service.business('other')];
});
afterAll(() => service.stop());

const signIn = (email: string) => signInWithCode(service, email);
const inbox = async (filters: Record<string, string> = {}) => (await list(shop.api, '/inbox', filters)).body.data;

describe('a person without a handle writes', () => {
  test.each([
    ['ann@drop-works.test', 'drop-works.test'],
    ['ann@eu.drop-works.test', 'eu.drop-works.test'],
    ['ann@notgmail.com', 'notgmail.com'],
    // The list of consumer domains has com.ar, below which the organisations of a country have domains.
    ['ann@drop-works.com.ar', 'drop-works.com.ar'],
    ['ann@village.test', 'village.test'],
  ])('as the organisation, from %s', async (email, domain) => {
    const sent = await dropped(await signIn(email), { to: 'shop' });
    expect(sent.from).toEqual({
      party: { kind: 'domain', domain, display_name: domain },
      actor: { kind: 'person', id: expect.stringMatching(/^usr_/), name: 'ann', email, verified: true, provider: 'email' },
    });
  });

  test.each([
    'ann@gmail.com',
    'bob@outlook.com',
    'cleo@yahoo.co.jp',
    'dan@gmx.de',
    'eve@mail.gmx.de',
    'fay@proton.me',
    'gus@xn--mllmail-n2a.com',
    'hal@com.ar',
    'ida@club-mail.test',
    'jon@a.b.club-mail.test',
    'kim@mail.village.test',
  ])('as the mailbox, from %s', async (email) => {
    const sent = await dropped(await signIn(email), { to: 'shop' });
    expect(sent.from.party).toEqual({ kind: 'mailbox', email, display_name: email });
    expect(sent.from.actor).toMatchObject({ kind: 'person', email });
  });

  test('as the same party however the address is written', async () => {
    const browsers = [await signIn('lea@googlemail.com'), await signInWritten('LEA@GoogleMail.COM', 'lea@googlemail.com')];
    const [first, second] = [await dropped(browsers[0] as Browser, { to: 'shop' }), await dropped(browsers[1] as Browser, { to: 'shop' })];
    expect(second.from).toEqual(first.from);
    expect(ids(await inbox({ from: 'Lea@GoogleMail.com' }))).toEqual([second.id, first.id]);
  });
});

async function signInWritten(written: string, email: string): Promise<Browser> {
  const browser = new Browser(service.url);
  expect((await askForCode(browser, written)).status).toBe(200);
  const response = await browser.post('/auth/sign-in/email-otp', { email: written, otp: (await codesFor(service, email)).at(-1) });
  expect(response.status, response.text).toBe(200);
  return browser;
}

describe('what they write', () => {
  let ann: Browser;
  let sent: Envelope;
  beforeAll(async () => {
    ann = await signIn('ann@stand-works.test');
    const body = { to: 'Shop/Orders', type: 'order', subject: 'Order 7', note: 'soon, please', json: { n: 1 } };
    sent = await dropped(ann, body, { 'idempotency-key': 'order-7' });
  });

  test('is an envelope like any other, and stands in the inbox, the thread and the receipt', async () => {
    expect(sent).toMatchObject({
      in_reply_to: null,
      to: { party: { kind: 'handle', handle: 'shop', display_name: 'The shop company' }, segment: 'orders' },
      type: 'order',
      subject: 'Order 7',
      note: 'soon, please',
      json: { n: 1 },
      files: [],
      validation: { status: 'not_applicable', errors: [] },
      idempotency_key: 'order-7',
    });
    expect(await inbox({ thread: sent.thread_id })).toEqual([sent]);
    expect((await shop.api.get(`/messages/${sent.id}`)).body).toEqual(sent);
    const thread = await shop.api.get(`/threads/${sent.thread_id}`);
    expect(thread.body).toMatchObject({ thread_id: sent.thread_id, hidden: 0, data: [sent], next_cursor: null });
    const receipt = await service.anonymous.get(`/receipts/${sent.receipt_url.split('/').at(-1)}`);
    const { json: _, ...publicly } = sent;
    expect(receipt.body).toEqual(publicly);
  });

  test('is found by mailbox, domain, type and segment, and by nobody else’s', async () => {
    const found: Record<string, string>[] = [
      { from: 'ann@stand-works.test' },
      { from: 'ANN@Stand-Works.test' },
      { from: 'stand-works.test' },
      { from: 'stand-works.test', type: 'order' },
      { from: 'stand-works.test', to: 'orders' },
    ];
    for (const filters of found) expect(ids(await inbox(filters)), JSON.stringify(filters)).toEqual([sent.id]);
    for (const from of ['bob@stand-works.test', 'works.test', 'mail.stand-works.test', 'shop']) expect(await inbox({ from })).toEqual([]);
  });

  test('makes the organisation a contact that can only be replied to', async () => {
    const { body } = await byParty(shop.api, { domain: 'stand-works.test' });
    expect(body).toMatchObject({
      id: null,
      saved: false,
      party: { kind: 'domain', domain: 'stand-works.test', display_name: 'stand-works.test' },
      can_initiate: false,
      blocked: false,
      activity: {
        first_seen_at: sent.received_at,
        last_seen_at: sent.received_at,
        last_direction: 'in',
        messages_in: 1,
        messages_out: 0,
        types: ['order'],
        actors: [{ kind: 'person', name: 'ann', email: 'ann@stand-works.test' }],
      },
    });
  });

  test('is seen by nobody but the business it was sent to', async () => {
    for (const path of [`/messages/${sent.id}`, `/threads/${sent.thread_id}`]) expect((await other.api.get(path)).status).toBe(404);
    expect((await other.api.get(`/inbox?thread=${sent.thread_id}`)).body.data).toEqual([]);
    expect((await byParty(other.api, { domain: 'stand-works.test' })).status).toBe(404);
    expect((await other.api.get('/contacts')).body.data).toEqual([]);
  });

  test('gets a reply, and a reply to that, in the same thread', async () => {
    const { body: response } = await shop.api.send({ in_reply_to: sent.id, note: 'when?' });
    const back = await dropped(ann, { in_reply_to: response.id, note: 'on Friday' });
    expect(back).toMatchObject({ thread_id: sent.thread_id, in_reply_to: response.id, from: sent.from, to: sent.to });
    const more = await dropped(ann, { in_reply_to: sent.id, to: 'shop/orders', note: 'at noon' });
    expect((await shop.api.get(`/threads/${sent.thread_id}`)).body.data).toEqual([sent, response, back, more]);
    expect((await byParty(shop.api, { domain: 'stand-works.test' })).body.activity).toMatchObject({ messages_in: 3, messages_out: 1 });
  });

  test('is judged by the schema of the inbox', async () => {
    const strict = await service.business('strict');
    const schema = { type: 'object', required: ['n'] };
    expect((await strict.api.write('PUT', '/inbox/schema', { schema })).status).toBe(200);
    expect((await dropped(ann, { to: 'strict', json: { n: 1 } })).validation.status).toBe('passed');
    expect((await dropped(ann, { to: 'strict', json: {} })).validation.status).toBe('failed');
  });
});

test('of one mailbox the business sees one contact, of which it can save what it likes', async () => {
  const pia = await signIn('pia@gmail.com');
  await dropped(pia, { to: 'shop' });
  await dropped(pia, { to: 'shop' });
  const saved = await shop.api.write('POST', '/contacts', { email: 'Pia@gmail.com', label: 'Pia' });
  expect(saved.body).toMatchObject({ party: { kind: 'mailbox', email: 'pia@gmail.com' }, can_initiate: false, label: 'Pia' });
  expect(saved.body.activity).toMatchObject({ messages_in: 2 });
});

describe('whose domain a business has verified', () => {
  let operator: Operator;
  let sender: TestBusiness;
  beforeAll(async () => {
    operator = new Operator(service);
    sender = await service.business('smiths');
    await operator.verifyDomain('smiths', 'smith-works.test');
  });
  afterAll(() => operator.close());

  test('writes as that business, in their own name, and gets the replies there', async () => {
    const sue = await signIn('sue@smith-works.test');
    const sent = await dropped(sue, { to: 'shop', note: 'for all of us' });
    expect(sent.from).toMatchObject({
      party: { kind: 'handle', handle: 'smiths' },
      actor: { kind: 'person', email: 'sue@smith-works.test', verified: true, provider: 'email' },
    });
    expect((await sender.api.get('/outbox')).body.data).toEqual([sent]);
    const { body: response } = await shop.api.send({ in_reply_to: sent.id });
    expect((await sender.api.get('/inbox')).body.data).toEqual([response]);
  });

  test('writes as the organisation from a domain below it, and from its own once it is given up', async () => {
    const below = await dropped(await signIn('sid@eu.smith-works.test'), { to: 'shop' });
    expect(below.from.party).toMatchObject({ kind: 'domain', domain: 'eu.smith-works.test' });
    const sam = await signIn('sam@smith-works.test');
    expect((await dropped(sam, { to: 'shop' })).from.party).toMatchObject({ handle: 'smiths' });
    await operator.removeDomain('smiths', 'smith-works.test');
    expect((await dropped(sam, { to: 'shop' })).from.party).toMatchObject({ kind: 'domain', domain: 'smith-works.test' });
  });
});
