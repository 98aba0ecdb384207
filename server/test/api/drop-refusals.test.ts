import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { INLINE_FILE_MAX_BYTES, JSON_MAX_BYTES } from '../../src/contract/limits.ts';
import type { Browser } from '../support/browser.ts';
import { claim, drop, dropped, type Envelope, setSessions, uploadForDrop } from '../support/drops.ts';
import { type FormService, startFormService } from '../support/form-service.ts';
import type { MemberApi } from '../support/member.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, announcement, upload } from '../support/transfer.ts';

let service: FormService;
let shop: TestBusiness;
let ann: Browser;
beforeAll(async () => {
  service = await startFormService();
  shop = await service.business('shop');
  ann = await signInWithCode(service, 'ann@refused-works.test');
});
afterAll(() => service.stop());

describe('a drop that is refused leaves nothing behind', () => {
  beforeEach(async () => {
    const before = await service.traces();
    return async () => expect(await service.traces()).toEqual(before);
  });

  test('when nobody has signed in, or a page of another site asks', async () => {
    expectRefusal(await service.anonymous.write('POST', '/drops', { to: 'shop' }), 'unauthorized');
    expectRefusal(await shop.api.write('POST', '/drops', { to: 'shop' }), 'unauthorized');
    expectRefusal(await service.anonymous.write('POST', '/drops/uploads', announcement()), 'unauthorized');
    for (const origin of ['https://elsewhere.test', null])
      expectRefusal(await ann.post('/v1/drops', { to: 'shop' }, { origin }), 'forbidden');
  });

  test.each([
    ['a handle that nobody has', { to: 'nobody' }, 'unknown_recipient'],
    ['a domain', { to: 'refused-works.test' }, 'unknown_recipient'],
    ['a mailbox', { to: 'ann@gmail.com' }, 'unknown_recipient'],
    ['a message that there is not', { in_reply_to: 'msg_01h455vb4pex5vsknk084sn02q' }, 'not_found'],
    ['an upload that there is not', { to: 'shop', files: ['upl_01h455vb4pex5vsknk084sn02q'] }, 'upload_not_found'],
    ['the demo inbox, which shows that it takes no drops', { to: 'demo' }, 'forbidden'],
  ] as const)('because of %s', async (_, body, code) => {
    expectRefusal(await drop(ann, body), code);
  });

  test.each([
    ['to', {}],
    ['to', { to: 'no address' }],
    ['josn', { to: 'shop', josn: 1 }],
    ['type', { to: 'shop', type: 'x'.repeat(81) }],
    ['subject', { to: 'shop', subject: 'x'.repeat(201) }],
    ['note', { to: 'shop', note: 'x'.repeat(10_001) }],
    ['note', { to: 'shop', note: 'a\0b' }],
    ['from', { to: 'shop', from: { party: { kind: 'handle', handle: 'shop' } } }],
    ['actor', { to: 'shop', actor: { kind: 'agent' } }],
  ])('because of its %s', async (field, body) => {
    expectInvalid(await drop(ann, body), field);
  });

  test('because of its bytes', async () => {
    expectRefusal(await drop(ann, '{"to":"shop"'), 'invalid_json');
    expectRefusal(await drop(ann, '{"to":"shop","json":01}'), 'invalid_json');
    expectRefusal(await drop(ann, `{"to":"shop","json":"${'x'.repeat(JSON_MAX_BYTES)}"}`), 'json_too_large');
    expectRefusal(await drop(ann, 'to=shop', { 'content-type': 'text/plain' }), 'unsupported_media_type');
    expectInvalid(await drop(ann, { to: 'shop' }, { 'idempotency-key': 'a b' }), 'Idempotency-Key');
  });

  test('because of a file that is too large, or comes with a wrong field', async () => {
    const large = new FormData();
    large.set('to', 'shop');
    large.set('file', new Blob([new Uint8Array(INLINE_FILE_MAX_BYTES + 1)]), 'large.bin');
    // The service does not read the rest of the body, so the connection can't be used again.
    expectRefusal(await drop(ann, large, { connection: 'close' }), 'file_too_large');
    const wrong = new FormData();
    wrong.set('to', 'nobody');
    wrong.set('file', new Blob(['bytes']), 'a.txt');
    expectRefusal(await drop(ann, wrong), 'unknown_recipient');
  });

  test('because of a message that is somebody else’s, in the same words as one that does not exist', async () => {
    const unknown = await drop(ann, { in_reply_to: 'msg_01h455vb4pex5vsknk084sn02q' });
    const [{ id }] = (await shop.api.get('/inbox?from=bob@gmail.com')).body.data;
    expect(withoutTraces(await drop(ann, { in_reply_to: id }))).toEqual(withoutTraces(unknown));
  });

  beforeAll(async () => {
    await dropped(await signInWithCode(service, 'bob@gmail.com'), { to: 'shop', note: 'of somebody else' });
  });
});

test('an upload of somebody else, or without its bytes, is refused', async () => {
  const cat = await signInWithCode(service, 'cat@gmail.com');
  const ofShop = await upload(shop.api, 'bytes');
  const ofCat = await uploadForDrop(cat, 'bytes');
  for (const files of [[ofShop], [ofCat]]) expectRefusal(await drop(ann, { to: 'shop', files }), 'upload_not_found');
  expectRefusal(await shop.api.send({ to: 'shop', files: [ofCat] }), 'upload_not_found');
  const { body } = await ann.post('/v1/drops/uploads', announcement());
  expectRefusal(await drop(ann, { to: 'shop', files: [body.upload_id] }), 'upload_incomplete');
  expectInvalid(await drop(cat, { to: 'shop', files: [ofCat, ofCat] }), 'files');
  expect((await dropped(cat, { to: 'shop', files: [ofCat] })).files).toMatchObject([{ size_bytes: 5 }]);
  expectRefusal(await ann.post('/v1/drops/uploads', announcement({ size_bytes: 5 * 1024 ** 3 + 1 })), 'file_too_large');
  expectInvalid(await ann.post('/v1/drops/uploads', announcement({ content_type: 'none' })), 'content_type');
  expect((await announce(shop.api)).upload_id).toMatch(/^upl_/);
});

describe('where drops are not taken', () => {
  let door: MemberApi;
  beforeAll(async () => {
    door = await claim(await signInWithCode(service, 'keeper@gmx.de'), 'door');
  });
  const setDoor = async (accepting_drops: boolean) => {
    expect((await door.patch('/business', { accepting_drops })).status).toBe(200);
    expect((await service.anonymous.get('/public/door')).body.accepting_drops).toBe(accepting_drops);
  };

  test('a first message is refused, and so is a follow-up; a person who has received a reply can reply', async () => {
    const dan = await signInWithCode(service, 'dan@gmail.com');
    const responded = await dropped(dan, { to: 'door' });
    const unresponded = await dropped(dan, { to: 'door' });
    const { body: response } = await door.post('/messages', { in_reply_to: responded.id });
    const sibling = await service.sibling();
    try {
      await dropped(dan.at(sibling.url), { to: 'door' });
      await setDoor(false);
      const before = await service.traces();
      for (const person of [ann, dan, dan.at(sibling.url)]) expectRefusal(await drop(person, { to: 'door/orders' }), 'forbidden');
      expectRefusal(await drop(dan, { in_reply_to: unresponded.id }), 'forbidden');
      expect(await service.traces()).toEqual(before);
      expect((await dropped(dan, { in_reply_to: response.id })).thread_id).toBe(responded.thread_id);
      expect((await dropped(dan, { in_reply_to: responded.id })).thread_id).toBe(responded.thread_id);
      await setDoor(true);
      await dropped(dan.at(sibling.url), { in_reply_to: unresponded.id });
    } finally {
      await sibling.stop();
    }
  });

  test('businesses can still write, and so can the mailboxes of a domain that one has verified', async () => {
    const operator = new Operator(service);
    const other = await service.business('other');
    await setDoor(false);
    expect((await other.api.send({ to: 'door' })).status).toBe(201);
    const eve = await signInWithCode(service, 'eve@other-works.test');
    expectRefusal(await drop(eve, { to: 'door' }), 'forbidden');
    await operator.verifyDomain('other', 'other-works.test');
    expect((await dropped(eve, { to: 'door' })).from.party.handle).toBe('other');
    await operator.close();
  });
});

describe('the door of a business tells', () => {
  const look = (person: Browser, handle: string) => person.get(`/v1/drops/${handle}`);

  /** The refusal that is announced is the one that happens, and announcing it stores nothing, not even a party. */
  async function expectTold(person: Browser, handle: string): Promise<{ body: Envelope; code: string | null }> {
    const parties = async () => (await service.sql('SELECT id FROM parties')).length;
    const before = [await service.traces(), await parties()];
    const { status, text, body } = await look(person, handle);
    expect(status, text).toBe(200);
    expect([await service.traces(), await parties()]).toEqual(before);
    expect(body.to).toEqual((await service.anonymous.get(`/public/${handle}`)).body);
    const sent = await drop(person, { to: handle });
    const { code, message } = sent.body.error ?? {};
    expect([body.allowed, body.reason]).toEqual([sent.status === 201, code === undefined ? null : { code, message }]);
    if (sent.status === 201) expect(body.sender).toEqual(sent.body.from.party);
    return { body, code: code ?? null };
  }

  test('as whom somebody would write, before they have written and after', async () => {
    for (const email of ['jo@first-works.test', 'jo@gmail.com', 'jo@xn--mllmail-n2a.com']) {
      const jo = await signInWithCode(service, email);
      const { body } = await expectTold(jo, 'shop');
      expect(await expectTold(jo, 'shop')).toEqual({ body, code: null });
      expect(body.sender.display_name).toBe(email === 'jo@first-works.test' ? 'first-works.test' : email);
    }
    expect((await look(ann, 'SHOP')).body.to).toEqual({
      ...{ handle: 'shop', display_name: 'The shop company', verified_domains: [], accepting_drops: true },
    });
  });

  test('that it is closed, whether the sender has written before or not', async () => {
    const door = await claim(await signInWithCode(service, 'keeper@gmx.net'), 'closed-door');
    await dropped(ann, { to: 'closed-door' });
    await door.patch('/business', { accepting_drops: false });
    const newcomer = await signInWithCode(service, 'new@newcomer-works.test');
    for (const person of [ann, newcomer]) expect((await expectTold(person, 'closed-door')).code).toBe('forbidden');
    expect((await expectTold(ann, 'demo')).code).toBe('forbidden');
    // A business is not refused, and mailboxes of its domain write for it.
    const operator = new Operator(service);
    await service.business('neighbour');
    await operator.verifyDomain('neighbour', 'newcomer-works.test');
    const { body, code } = await expectTold(newcomer, 'closed-door');
    expect([code, body.sender.handle]).toEqual([null, 'neighbour']);
    expect((await look(ann, 'neighbour')).body.to.verified_domains).toEqual(['newcomer-works.test']);
    await operator.close();
  });

  test('that the sender is blocked, alone or with the domain, and that nobody else is', async () => {
    const picky = await service.business('picky');
    const kim = await signInWithCode(service, 'kim@eu.blocked-works.test');
    const { id } = (await kim.get('/v1/account')).body;
    for (const block of [{ user_id: id }, { email_domain: 'blocked-works.test' }]) {
      const { body } = await picky.api.write('POST', '/blocks', block);
      const told = await expectTold(kim, 'picky');
      expect([told.code, told.body.sender.domain]).toEqual(['sender_blocked', 'eu.blocked-works.test']);
      expect((await expectTold(ann, 'picky')).code).toBeNull();
      await picky.api.request('DELETE', `/v1/blocks/${body.id}`);
    }
    expect((await expectTold(kim, 'picky')).code).toBeNull();
  });

  test('that the account has proved no mailbox', async () => {
    const lou = await signInWithCode(service, 'lou@gmail.com');
    await setSessions(service, 'lou@gmail.com', 'google', 'nothing');
    const { body, code } = await expectTold(lou, 'shop');
    expect([code, body.sender]).toEqual(['party_required', null]);
  });

  test('nothing about an unclaimed handle, and nothing to people who are not signed in', async () => {
    for (const handle of ['nobody', 'no-', '%00', 'shop%2Forders', 'a@b.test']) expectRefusal(await look(ann, handle), 'not_found');
    expectRefusal(await service.anonymous.get('/drops/shop'), 'unauthorized');
    expectRefusal(await shop.api.get('/drops/shop'), 'unauthorized');
  });
});

describe('an idempotency key', () => {
  const key = { 'idempotency-key': 'the-same' };

  test('makes a repeat harmless, whatever its body', async () => {
    const first = await dropped(ann, { to: 'shop', note: 'once' }, key);
    for (const body of [{ to: 'shop', note: 'once' }, { to: 'nobody' }, '{"to":']) {
      const again = await drop(ann, body, key);
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([201, 'true', first]);
    }
    const many = await Promise.all(Array.from({ length: 20 }, () => drop(ann, { to: 'shop' }, { 'idempotency-key': 'at-once' })));
    expect(new Set(many.map(({ body }) => body.id)).size).toBe(1);
  });

  test('is the party’s own: others may use the same', async () => {
    const fay = await signInWithCode(service, 'fay@gmail.com');
    const gus = await signInWithCode(service, 'gus@gmail.com');
    const sent = [
      await dropped(ann, { to: 'shop' }, key),
      await dropped(fay, { to: 'shop' }, key),
      await dropped(gus, { to: 'shop' }, key),
    ];
    const ofShop = await shop.api.send({ to: 'shop' }, key);
    expect(new Set([...sent.map(({ id }) => id), ofShop.body.id]).size).toBe(4);
  });

  test('of a colleague shows nothing of what the colleague wrote, nor does it swallow what is sent', async () => {
    const operator = new Operator(service);
    const hal = await signInWithCode(service, 'hal@refused-works.test');
    await dropped(ann, { to: 'shop', note: 'a secret of ann' }, { 'idempotency-key': 'order-1' });
    for (const body of [{ to: 'shop', note: 'of hal' }, { to: 'nobody' }]) {
      const response = await drop(hal, body, { 'idempotency-key': 'order-1' });
      expectRefusal(response, 'conflict');
      expect(response.text).not.toContain('secret');
    }
    // The same holds for a business whose domain the mailbox has: its writers need not be members.
    const keeper = await service.business('keeper');
    await operator.verifyDomain('keeper', 'keeper-works.test');
    await keeper.api.send({ to: 'shop', note: 'a secret of the agent' }, { 'idempotency-key': 'order-1' });
    const ida = await signInWithCode(service, 'ida@keeper-works.test');
    expectRefusal(await drop(ida, { to: 'shop' }, { 'idempotency-key': 'order-1' }), 'conflict');
    await operator.close();
  });
});
