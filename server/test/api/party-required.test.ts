import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser } from '../support/browser.ts';
import { claim, drop, dropped, setSessions } from '../support/drops.ts';
import { type FormService, startFormService } from '../support/form-service.ts';
import { MemberApi } from '../support/member.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announcement } from '../support/transfer.ts';

let service: FormService;
let shop: TestBusiness;
beforeAll(async () => {
  service = await startFormService();
  shop = await service.business('shop');
});
afterAll(() => service.stop());

/** Signs in at a provider that proves nothing about the mailbox. */
async function signInUnproven(email: string, provider = 'google'): Promise<Browser> {
  const browser = await signInWithCode(service, email);
  await setSessions(service, email, provider, 'nothing');
  return browser;
}

const parties = async () => (await service.sql('SELECT id FROM parties ORDER BY id')).length;

test.each(['google', 'microsoft', 'oidc'])(
  'an account at %s that has proved no mailbox can’t write, and leaves nothing behind',
  async (provider) => {
    for (const email of [`ann.${provider}@gmail.com`, `ann@${provider}-works.test`]) {
      const ann = await signInUnproven(email, provider);
      const before = [await service.traces(), await parties()];
      const form = new FormData();
      form.set('to', 'shop');
      form.set('file', new Blob(['bytes']), 'a.txt');
      for (const body of [{ to: 'shop' }, { to: 'nobody' }, { in_reply_to: 'msg_x' }, '{', form]) {
        const response = await drop(ann, body, { 'idempotency-key': 'tried' });
        expectRefusal(response, 'party_required');
        expect(response.status).toBe(403);
      }
      expectRefusal(await ann.post('/v1/drops/uploads', announcement()), 'party_required');
      expect([await service.traces(), await parties()]).toEqual(before);
    }
  },
);

test('nor does it write for the business that has verified its domain', async () => {
  const operator = new Operator(service);
  await service.business('proud');
  await operator.verifyDomain('proud', 'proud-works.test');
  expectRefusal(await drop(await signInUnproven('ann@proud-works.test', 'microsoft'), { to: 'shop' }), 'party_required');
  await operator.close();
});

test('a person without a mailbox gets the same response', async () => {
  const bob = await signInUnproven('bob@gmail.com', 'oidc');
  await service.sql("UPDATE people SET email = 'none@unproven.invalid', email_verified = false WHERE email = 'bob@gmail.com'");
  expectRefusal(await drop(bob, { to: 'shop' }), 'party_required');
  const bobs = await claim(bob, 'bobs');
  const { status, body } = await bobs.post('/messages', { to: 'shop' });
  expect([status, body.from.actor.email, body.from.actor.verified]).toEqual([201, null, false]);
});

test('with a handle the same person writes, as the business', async () => {
  const cat = await signInUnproven('cat@gmail.com');
  expectRefusal(await drop(cat, { to: 'shop' }), 'party_required');
  const cats = await claim(cat, 'cats');
  const { status, body } = await cats.post('/messages', { to: 'shop', note: 'with a handle' });
  expect(status).toBe(201);
  expect(body.from).toMatchObject({
    party: { kind: 'handle', handle: 'cats' },
    actor: { kind: 'person', verified: false, provider: 'google' },
  });
  expect((await shop.api.get('/inbox?from=cats')).body.data).toEqual([body]);
  const { body: response } = await shop.api.send({ in_reply_to: body.id });
  expect((await cats.get('/inbox')).body.data).toEqual([response]);
  // Without the header that names the business, the request acts for none.
  expectRefusal(await drop(cat, { to: 'shop' }), 'party_required');
});

test('another way of signing in is judged by itself, for the same person', async () => {
  const dan = await signInUnproven('dan@gmail.com');
  const danWithCode = await signInWithCode(service, 'dan@gmail.com');
  expectRefusal(await drop(dan, { to: 'shop' }), 'party_required');
  const sent = await dropped(danWithCode, { to: 'shop' });
  expect(sent.from).toMatchObject({ party: { kind: 'mailbox' }, actor: { verified: true, provider: 'email' } });
  expectRefusal(await drop(dan, { in_reply_to: sent.id }), 'party_required');
});

test('POST /v1/messages says the same to a person who is signed in and names no business', async () => {
  const fay = await signInUnproven('fay@gmail.com');
  const gus = await signInWithCode(service, 'gus@gmail.com');
  for (const person of [fay, gus]) {
    for (const body of [{ to: 'shop' }, { to: 'nobody' }]) expectRefusal(await person.post('/v1/messages', body), 'party_required');
  }
  // Other endpoints, and requests without a session, report the missing key.
  expectRefusal(await fay.get('/v1/inbox'), 'unauthorized');
  expectRefusal(await service.anonymous.send({ to: 'shop' }), 'unauthorized');
  expectRefusal(await service.anonymous.send({ to: 'shop' }, { cookie: 'waybill.session_token=none' }), 'unauthorized');
  const fays = await claim(fay, 'fays');
  expect((await fays.post('/messages', { to: 'shop' })).status).toBe(201);
});

test('nobody writes as a business that is not theirs', async () => {
  const eve = await signInUnproven('eve@gmail.com');
  await claim(eve, 'eves');
  for (const handle of ['shop', 'nobody', 'demo'])
    expectRefusal(await new MemberApi(eve, handle).post('/messages', { to: 'eves' }), 'forbidden');
});
