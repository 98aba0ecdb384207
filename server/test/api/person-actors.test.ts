import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byParty } from '../support/contacts.ts';
import { claim, dropped, type Envelope, setSessions } from '../support/drops.ts';
import type { MemberApi } from '../support/member.ts';
import { signInWithCode } from '../support/people.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { contentHashOf, sha256OfCanonical } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { verifyOwn } from '../support/verify-webhook.ts';
import { createWebhook } from '../support/webhook-log.ts';

let service: TestService;
let receiver: Receiver;
let shop: TestBusiness;
let secret: string;
let tailor: MemberApi;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService(receiverSettings);
  shop = await service.business('shop');
  secret = (await createWebhook(shop.api, receiver.url('/shop'))).secret;
  tailor = await claim(await signInWithCode(service, 'tina@tailor-works.test'), 'tailor');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const USER_ID = /^usr_[0-9a-hjkmnp-tv-z]{26}$/;

async function receiptOf({ receipt_url }: Envelope): Promise<Envelope> {
  return (await service.anonymous.get(`/receipts/${receipt_url.split('/').at(-1)}`)).body;
}

/** The body of the message's webhook delivery. Its download URLs are signed again. */
async function deliveryOf({ id }: Envelope): Promise<Envelope> {
  const find = () => receiver.deliveries.find(({ headers }) => headers['webhook-id'] === id);
  await expect.poll(() => find() !== undefined, { timeout: 60_000 }).toBe(true);
  const delivery = find();
  expect(delivery && verifyOwn(delivery, secret)).toBe(true);
  return JSON.parse(String(delivery?.body));
}

/** Expects the same sender in every place that shows the message. */
async function expectSameEverywhere(sent: Envelope): Promise<void> {
  const { from } = sent;
  for (const shown of [(await shop.api.get(`/messages/${sent.id}`)).body, await receiptOf(sent), await deliveryOf(sent)])
    expect(shown).toMatchObject({ id: sent.id, from, content_hash: sent.content_hash });
  const [inInbox] = (await shop.api.get(`/inbox?thread=${sent.thread_id}`)).body.data;
  expect(inInbox.from).toEqual(from);
  expect(contentHashOf(inInbox)).toBe(sent.content_hash);
}

test('an agent is shown with its own name, and no mailbox', async () => {
  const mill = await service.business('mill');
  const { body: sent } = await mill.api.send({ to: 'shop' });
  expect(sent.from).toEqual({
    party: { kind: 'handle', handle: 'mill', display_name: 'The mill company' },
    actor: { kind: 'agent', id: mill.agentId, name: 'Agent of mill', email: null, verified: true, provider: 'api_key' },
  });
  expect(mill.agentId).toMatch(/^agt_/);
  await expectSameEverywhere(sent);
  expect((await byParty(shop.api, { handle: 'mill' })).body.activity.actors).toEqual([
    { kind: 'agent', name: 'Agent of mill', email: null },
  ]);
});

describe('a member of a business is shown as a person', () => {
  test.each([
    ['a code', 'email', 'mailbox', true],
    ['an account of an organisation at Google', 'google', 'domain', true],
    ['a consumer’s account at Google', 'google', 'nothing', false],
    ['an account at Microsoft', 'microsoft', 'nothing', false],
    ['another provider, which vouches for its domain', 'oidc', 'domain', true],
    ['another provider, which vouches for nothing', 'oidc', 'nothing', false],
  ])('who has signed in with %s', async (_, provider, proves, verified) => {
    await setSessions(service, 'tina@tailor-works.test', provider, proves);
    const { status, text, body: sent } = await tailor.post('/messages', { to: 'shop', json: { a: [1.0, 'ü'] } });
    expect(status, text).toBe(201);
    expect(sent.from).toEqual({
      party: { kind: 'handle', handle: 'tailor', display_name: 'The tailor company' },
      actor: { kind: 'person', id: expect.stringMatching(USER_ID), name: 'tina', email: 'tina@tailor-works.test', verified, provider },
    });
    await expectSameEverywhere(sent);
    expect((await tailor.get(`/messages/${sent.id}`)).body).toEqual(sent);
  });

  test('and is found by mailbox and domain in the inbox and in the business’s own outbox', async () => {
    const { body: sent } = await tailor.post('/messages', { to: 'shop' });
    for (const from of ['tina@tailor-works.test', 'tailor-works.test', 'tailor'])
      expect((await shop.api.get(`/inbox?from=${from}&limit=1`)).body.data).toEqual([sent]);
    expect((await tailor.get('/outbox?from=tina@tailor-works.test&limit=1')).body.data).toEqual([sent]);
  });
});

describe('a sender without a handle is shown as a person', () => {
  test.each([
    ['a code', 'email', 'mailbox'],
    ['an account that their organisation gave them at Google', 'google', 'domain'],
    ['the organisation’s own provider', 'oidc', 'domain'],
  ])('with %s', async (_, provider, proves) => {
    const email = `uma@${provider}-works.test`;
    const uma = await signInWithCode(service, email);
    await setSessions(service, email, provider, proves);
    const sent = await dropped(uma, { to: 'shop', subject: 'Größe "9"\u2028', note: 'a\nb', json: [1e21, null] });
    expect(sent.from).toEqual({
      party: { kind: 'domain', domain: `${provider}-works.test`, display_name: `${provider}-works.test` },
      actor: { kind: 'person', id: expect.stringMatching(USER_ID), name: 'uma', email, verified: true, provider },
    });
    await expectSameEverywhere(sent);
    expect((await byParty(shop.api, { domain: `${provider}-works.test` })).body.activity.actors).toEqual([
      { kind: 'person', name: 'uma', email },
    ]);
  });

  test('under a name that they have given themselves, from then on', async () => {
    const vic = await signInWithCode(service, 'vic@gmail.com');
    const before = await dropped(vic, { to: 'shop' });
    expect((await vic.request('PATCH', '/v1/account', { body: { name: 'Vic "the Mill" Müller' } })).status).toBe(200);
    const after = await dropped(vic, { to: 'shop' });
    expect(after.from.actor).toEqual({ ...before.from.actor, name: 'Vic "the Mill" Müller' });
    expect((await shop.api.get(`/messages/${before.id}`)).body.from).toEqual(before.from);
    await expectSameEverywhere(after);
    const { actors } = (await byParty(shop.api, { email: 'vic@gmail.com' })).body.activity;
    expect(actors).toEqual([{ kind: 'person', name: 'Vic "the Mill" Müller', email: 'vic@gmail.com' }]);
  });

  test('with the same id as member, and in every session', async () => {
    const again = await signInWithCode(service, 'tina@tailor-works.test');
    const [first, second] = [await dropped(again, { to: 'shop' }), (await tailor.post('/messages', { to: 'shop' })).body];
    expect([first.from.party.kind, second.from.party.kind]).toEqual(['domain', 'handle']);
    expect(first.from.actor.id).toBe(second.from.actor.id);
  });
});

describe('the content_hash can be computed from the envelope', () => {
  function hashWithFiles({
    json: _j,
    validation: _v,
    content_hash: _c,
    receipt_url: _r,
    idempotency_key: _i,
    expires_at: _e,
    ...hashed
  }: Envelope): string {
    const files = hashed.files.map(({ download_url: _d, ...file }: Envelope) => file);
    return sha256OfCanonical({ ...hashed, files });
  }

  test.each(['wim@gmail.com', 'wim@hash-works.test'])('of what %s sends and receives as replies, with files', async (email) => {
    const wim = await signInWithCode(service, email);
    const form = new FormData();
    for (const [name, text] of Object.entries({ to: 'shop', note: 'mit Datei', json: '{"b":1,"a":[0.1]}' })) form.set(name, text);
    form.set('file', new Blob(['bytes'], { type: 'text/plain' }), 'ä.txt');
    const sent = await dropped(wim, form, { 'idempotency-key': 'hashed' });
    expect(hashWithFiles(sent)).toBe(sent.content_hash);
    expect(sent.json_sha256).toBe(sha256OfCanonical({ b: 1, a: [0.1] }));
    const { body: response } = await shop.api.send({ in_reply_to: sent.id, note: 'danke', json: null });
    expect(response.to).toEqual({ party: sent.from.party, segment: null });
    expect(hashWithFiles(response)).toBe(response.content_hash);
    for (const message of [sent, response]) {
      const receipt = await receiptOf(message);
      expect(receipt.content_hash).toBe(message.content_hash);
      expect(hashWithFiles(receipt)).toBe(message.content_hash);
    }
    expect(hashWithFiles(await deliveryOf(sent))).toBe(sent.content_hash);
  });
});
