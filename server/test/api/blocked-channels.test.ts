import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { byParty, listedContacts } from '../support/contacts.ts';
import { claim, drop, dropped } from '../support/drops.ts';
import { INBOUND, type MailWorld, mailText, startMailWorld } from '../support/mail-world.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness, TestService } from '../support/service.ts';

const BLOCKED = /^550 5\.7\.1 The recipient has blocked this sender\.$/;
const TAKEN = /^250/;

let world: MailWorld;
let service: TestService;
let operator: Operator;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let shop: TestBusiness;
let made = 0;
beforeAll(async () => {
  world = await startMailWorld();
  service = world.service;
  operator = new Operator(service);
  sibling = await service.sibling({ SMTP_LISTEN: '' });
  world.publish('gmx.de');
});
afterAll(async () => {
  await operator.close();
  await sibling.stop();
  await world.stop();
});
beforeEach(async () => {
  shop = await service.business(`shop-${++made}`);
});

const block = async (body: object): Promise<string> => {
  const response = await shop.api.write('POST', '/blocks', body);
  expect(response.status, response.text).toBe(201);
  return response.body.id;
};
const unblock = async (id: string) => expect((await shop.api.request('DELETE', `/v1/blocks/${id}`)).status).toBe(204);
const mail = (from: string) => world.deliver({ sender: from, recipients: [`${shop.handle}@${INBOUND}`], mail: mailText({ from }) });
const newestSender = async (): Promise<string> => (await shop.api.get('/inbox?limit=1')).body.data[0].from.actor.id;
const isBlocked = async (name: object) => (await byParty(shop.api, name)).body.blocked;

describe('a person and the mailbox that is theirs are one', () => {
  test('a block of the person holds for mail, in the list of contacts too', async () => {
    const email = `ann${made}@gmx.de`;
    const ann = await signInWithCode(service, email);
    const { from } = await dropped(ann, { to: shop.handle });
    expect(await mail(email)).toMatch(TAKEN);
    expect(await isBlocked({ email })).toBe(false);
    const id = await block({ user_id: from.actor.id });
    expect(from.actor.id).toMatch(/^usr_/);
    expect(await mail(email)).toMatch(BLOCKED);
    expectRefusal(await drop(ann, { to: shop.handle }), 'sender_blocked');
    expect(await isBlocked({ email })).toBe(true);
    expect(await mail(`other${made}@gmx.de`)).toMatch(TAKEN);
    expect(await isBlocked({ email: `other${made}@gmx.de` })).toBe(false);
    await unblock(id);
    expect(await mail(email)).toMatch(TAKEN);
    expect(await isBlocked({ email })).toBe(false);
  });

  test('a block of the mailbox holds for the person who signs in with it, later or not, in every process', async () => {
    const email = `ben${made}@gmx.de`;
    expect(await mail(email)).toMatch(TAKEN);
    const userId = await newestSender();
    expect(userId).toMatch(/^mbx_/);
    const id = await block({ user_id: userId });
    const ben = await signInWithCode(service, email);
    for (const place of [ben, ben.at(sibling.url)]) expectRefusal(await drop(place, { to: shop.handle }), 'sender_blocked');
    expect(await isBlocked({ email })).toBe(true);
    const business = await claim(ben, `bens-${made}`);
    expectRefusal(await business.post('/messages', { to: shop.handle }), 'sender_blocked');
    await unblock(id);
    for (const place of [ben, ben.at(sibling.url)]) expect((await drop(place, { to: shop.handle })).status).toBe(201);
  });

  test('of an organisation too, whose other mailboxes are not blocked', async () => {
    const domain = `channel-works-${made}.test`;
    world.publish(domain);
    const cat = await signInWithCode(service, `cat@${domain}`);
    await block({ user_id: (await dropped(cat, { to: shop.handle })).from.actor.id });
    expect(await mail(`cat@${domain}`)).toMatch(BLOCKED);
    expect(await mail(`dan@${domain}`)).toMatch(TAKEN);
    expect(await isBlocked({ domain })).toBe(false);
  });
});

describe('a block of a handle', () => {
  let firm: TestBusiness;
  beforeEach(async () => {
    firm = await service.business(`firm-${made}`);
  });
  const refused = async (response: Promise<ApiResponse>) => expectRefusal(await response, 'sender_blocked');

  test('is shown with it, once, in any case', async () => {
    const response = await shop.api.write('POST', '/blocks', { handle: firm.handle.toUpperCase() });
    expect([response.status, response.body]).toEqual([
      201,
      { id: expect.stringMatching(/^blk_/), user_id: null, email_domain: null, handle: firm.handle, created_at: expect.any(String) },
    ]);
    const again = await shop.api.write('POST', '/blocks', { handle: firm.handle });
    expect([again.status, again.body]).toEqual([200, response.body]);
    expect((await shop.api.get('/blocks')).body.data).toEqual([response.body]);
  });

  test('keeps out its agents, people and mailboxes, in every process, and nobody else', async () => {
    const domain = `firm-works-${made}.test`;
    world.publish(domain);
    const eve = await signInWithCode(service, `eve${made}@gmx.de`);
    const owned = await claim(eve, `owned-${made}`);
    await operator.verifyDomain(owned.handle, domain);
    const agent = (await owned.post('/agents', { name: 'Agent' })).body;
    const { secret } = (await owned.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body;
    const byAgent = (at: TestService['anonymous']) => at.send({ to: shop.handle }, { authorization: `Bearer ${secret}` });
    const byMember = () => owned.post('/messages', { to: shop.handle });
    expect([(await byAgent(service.anonymous)).status, (await byMember()).status]).toEqual([201, 201]);
    expect(await mail(`somebody@${domain}`)).toMatch(TAKEN);
    const id = await block({ handle: owned.handle });
    await refused(byAgent(service.anonymous));
    await refused(byAgent(sibling.anonymous));
    await refused(byMember());
    expect(await mail(`somebody@${domain}`)).toMatch(BLOCKED);
    expect(await isBlocked({ handle: owned.handle })).toBe(true);
    // With her own mailbox, she writes for no business.
    expect((await drop(eve, { to: shop.handle })).status).toBe(201);
    expect((await firm.api.send({ to: shop.handle })).status).toBe(201);
    expect(await isBlocked({ handle: firm.handle })).toBe(false);
    const contacts = await listedContacts(shop.api);
    expect(contacts.filter(({ blocked }) => blocked).map(({ party }) => party.handle)).toEqual([owned.handle]);
    await unblock(id);
    expect((await byAgent(sibling.anonymous)).status).toBe(201);
  });

  test('is exactly one of three names, and must exist', async () => {
    const add = (body: object) => shop.api.write('POST', '/blocks', body);
    expectRefusal(await add({ handle: 'nobody-at-all' }), 'not_found');
    for (const handle of ['', '-x', 'a b', 'firm/orders', 'x'.repeat(40), 1]) expectInvalid(await add({ handle }), 'handle');
    expectInvalid(await add({ handle: firm.handle, email_domain: 'x.example' }), 'handle');
    expectInvalid(await add({ handle: firm.handle, user_id: 'usr_x' }), 'handle');
    expectRefusal(await add({ handle: null }), 'validation_error');
    expect((await shop.api.get('/blocks')).body.data).toEqual([]);
  });
});
