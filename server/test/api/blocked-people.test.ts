import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Browser } from '../support/browser.ts';
import { byParty } from '../support/contacts.ts';
import { claim, drop, dropped, uploadForDrop } from '../support/drops.ts';
import { type FormService, startFormService } from '../support/form-service.ts';
import type { MemberApi } from '../support/member.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';

let service: FormService;
let sibling: Awaited<ReturnType<FormService['sibling']>>;
let shop: TestBusiness;
let other: TestBusiness;
let made = 0;
/** A person of an organisation without a handle. */
let ann: Browser;
let domain: string;
beforeAll(async () => {
  service = await startFormService();
  sibling = await service.sibling();
  other = await service.business('other');
});
afterAll(async () => {
  await sibling.stop();
  await service.stop();
});
beforeEach(async () => {
  domain = `mail.block-works-${++made}.test`;
  shop = await service.business(`shop-${made}`);
  ann = await signInWithCode(service, `ann@${domain}`);
});

const block = async (body: { user_id?: string; email_domain?: string }): Promise<string> => {
  const response = await shop.api.write('POST', '/blocks', body);
  expect(response.status, response.text).toBe(201);
  return response.body.id;
};
const unblock = async (id: string) => expect((await shop.api.request('DELETE', `/v1/blocks/${id}`)).status).toBe(204);
const toShop = (person: Browser, body: object = {}) => drop(person, { to: shop.handle, ...body });
const idOf = async (person: Browser): Promise<string> => (await dropped(person, { to: shop.handle })).from.actor.id;

/** Checks the process that took the block, and the other one. */
async function expectRefused(person: Browser): Promise<void> {
  for (const place of [person, person.at(sibling.url)]) expectRefusal(await toShop(place), 'sender_blocked');
}
async function expectNotBlocked(person: Browser): Promise<void> {
  for (const place of [person, person.at(sibling.url)]) expect((await toShop(place)).status).toBe(201);
}
async function expectMemberRefused(member: MemberApi): Promise<void> {
  expectRefusal(await member.post('/messages', { to: shop.handle }), 'sender_blocked');
}

describe('a block of a person', () => {
  test('holds at once in every process, for drops and for what they send as a member, until it is removed', async () => {
    const business = await claim(ann, `claimed-${made}`);
    const userId = await idOf(ann);
    for (let round = 0; round < 3; round++) {
      await expectNotBlocked(ann);
      const id = await block({ user_id: userId });
      await expectRefused(ann);
      await expectMemberRefused(business);
      await unblock(id);
      expect((await business.post('/messages', { to: shop.handle })).status).toBe(201);
    }
    await expectNotBlocked(ann);
  });

  test('holds in every session of theirs, and for nobody else of their organisation or business', async () => {
    const business = await service.business(`agents-${made}`);
    const ben = await signInWithCode(service, `ben@${domain}`);
    await expectNotBlocked(ben);
    await block({ user_id: await idOf(ann) });
    await expectRefused(await signInWithCode(service, `ann@${domain}`));
    await expectNotBlocked(ben);
    expect((await business.api.send({ to: shop.handle })).status).toBe(201);
    expect((await byParty(shop.api, { domain })).body.blocked).toBe(false);
  });

  test('keeps out replies and files too, and leaves nothing behind', async () => {
    const sent = await dropped(ann, { to: shop.handle });
    const { body: response } = await shop.api.send({ in_reply_to: sent.id });
    const upload = await uploadForDrop(ann, 'bytes');
    expect((await dropped(ann, { to: other.handle, files: [upload] })).files).toHaveLength(1);
    await block({ user_id: sent.from.actor.id });
    const before = await service.traces();
    const form = new FormData();
    form.set('to', shop.handle);
    form.set('file', new Blob(['bytes']), 'a.txt');
    expectRefusal(await drop(ann, form), 'sender_blocked');
    for (const body of [{ in_reply_to: response.id }, { in_reply_to: sent.id }, { to: shop.handle, files: [upload] }])
      expectRefusal(await drop(ann, body), 'sender_blocked');
    expect(await service.traces()).toEqual(before);
    // Earlier messages stay, and the business that blocked may reply to them.
    expect((await shop.api.get(`/threads/${sent.thread_id}`)).body.data).toHaveLength(2);
    expect((await shop.api.send({ in_reply_to: sent.id })).status).toBe(201);
  });

  test('is of one business alone, and shows nothing to another', async () => {
    await block({ user_id: await idOf(ann) });
    await expectRefused(ann);
    await dropped(ann, { to: other.handle });
    expect((await other.api.get('/blocks')).body.data).toEqual([]);
    expect((await byParty(other.api, { domain })).body.blocked).toBe(false);
  });
});

describe('a block of a domain', () => {
  test.each([
    ['itself', (own: string) => own],
    ['above it', (own: string) => own.replace('mail.', '')],
    ['in other letters', (own: string) => own.toUpperCase()],
  ])('keeps out everybody of a mailbox there: the domain %s', async (_, blockedOf) => {
    const neighbour = domain.replace('mail.', 'mail.not-');
    const [ben, cat] = [await signInWithCode(service, `ben@${domain}`), await signInWithCode(service, `cat@${neighbour}`)];
    const business = await claim(ben, `domain-${made}`);
    const id = await block({ email_domain: blockedOf(domain) });
    await expectRefused(ann);
    await expectRefused(ben);
    await expectMemberRefused(business);
    await expectNotBlocked(cat);
    await dropped(ann, { to: other.handle });
    expect((await byParty(shop.api, { domain: neighbour })).body.blocked).toBe(false);
    await unblock(id);
    await expectNotBlocked(ann);
    expect((await byParty(shop.api, { domain })).body.blocked).toBe(false);
    await block({ email_domain: blockedOf(domain) });
    expect((await byParty(shop.api, { domain })).body.blocked).toBe(true);
  });

  test('keeps nobody out who is only below its neighbours', async () => {
    for (const email_domain of [`x.${domain}`, `${domain}.net`, domain.replace('mail.', 'smtp.'), domain.slice(1)])
      await block({ email_domain });
    await expectNotBlocked(ann);
  });

  test('of consumers keeps out all mailboxes there', async () => {
    const [dan, eve] = [await signInWithCode(service, `dan${made}@gmx.de`), await signInWithCode(service, `eve${made}@web.de`)];
    await expectNotBlocked(dan);
    await block({ email_domain: 'gmx.de' });
    await expectRefused(dan);
    await expectNotBlocked(eve);
    expect((await byParty(shop.api, { email: `dan${made}@gmx.de` })).body.blocked).toBe(true);
  });

  test('keeps out people who write for a business that has verified it, wherever their own mailbox is', async () => {
    const operator = new Operator(service);
    const fay = await signInWithCode(service, `fay${made}@gmx.de`);
    const business = await claim(fay, `verified-${made}`);
    await operator.verifyDomain(`verified-${made}`, domain);
    await block({ email_domain: domain });
    await expectMemberRefused(business);
    // With her own mailbox, she writes for no business.
    await expectNotBlocked(fay);
    await expectRefused(ann);
    await operator.close();
  });
});

test('nothing gets through that is sent after the response, however much is under way', async () => {
  const userId = await idOf(ann);
  let isBlocked = false;
  const later: number[] = [];
  const senders = Array.from({ length: 6 }, async (_, i) => {
    for (let n = 0; n < 8; n++) {
      const after = isBlocked;
      const { status } = await toShop(i % 2 ? ann : ann.at(sibling.url));
      if (after) later.push(status);
    }
  });
  await block({ user_id: userId });
  isBlocked = true;
  await Promise.all(senders);
  later.push((await toShop(ann.at(sibling.url))).status);
  expect(new Set(later)).toEqual(new Set([403]));
});
