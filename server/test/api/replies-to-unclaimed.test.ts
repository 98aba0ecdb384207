import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { byParty, saved } from '../support/contacts.ts';
import { claim, dropped, queued } from '../support/drops.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';
import { tracesOfSends } from '../support/traces.ts';

let service: TestService;
let shop: TestBusiness;
let other: TestBusiness;
beforeAll(async () => {
  // No worker runs chores, so queued jobs can be inspected.
  service = await startTestService({}, 'api');
  [shop, other] = [await service.business('shop'), await service.business('other')];
});
afterAll(() => service.stop());

const notices = async () => (await queued(service, 'notify-of-reply')).map(({ party_id, message_id }) => ({ party_id, message_id }));
const noticesOf = async ({ id }: { id: string }) => (await notices()).filter(({ message_id }) => message_id === parseId('msg', id));
const partyId = async (column: 'domain' | 'email', name: string) =>
  (await service.sql<{ id: string }>(`SELECT id FROM parties WHERE ${column} = $1`, [name]))[0]?.id;

describe.each([
  ['an organisation', 'ann@reply-works.test', 'domain', 'reply-works.test'],
  ['a consumer', 'ann@gmail.com', 'email', 'ann@gmail.com'],
] as const)('a reply to %s', (_, email, column, name) => {
  test('is delivered, joins the thread, stands in the outbox, and is told of by one mail', async () => {
    const sent = await dropped(await signInWithCode(service, email), { to: 'shop', note: 'a question' });
    expect(await noticesOf(sent)).toEqual([]);
    const { status, body } = await shop.api.send({ in_reply_to: sent.id, note: 'a reply', json: { secret: 1 } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ thread_id: sent.thread_id, in_reply_to: sent.id, to: { party: sent.from.party } });
    expect((await shop.api.get('/outbox?limit=1')).body.data).toEqual([body]);
    expect((await shop.api.get(`/threads/${sent.thread_id}`)).body.data).toEqual([sent, body]);
    expect((await service.anonymous.get(`/receipts/${body.receipt_url.split('/').at(-1)}`)).body.id).toBe(body.id);
    expect((await byParty(shop.api, { [column]: name })).body.activity).toMatchObject({
      last_direction: 'out',
      messages_in: 1,
      messages_out: 1,
    });
    expect(await noticesOf(body)).toEqual([{ party_id: await partyId(column, name), message_id: parseId('msg', body.id) }]);
    // Queued jobs contain nothing of the message.
    expect(JSON.stringify(await queued(service, 'notify-of-reply'))).not.toMatch(/a reply"|secret|question/);
  });

  test('can be followed by others, each with a notice to be judged', async () => {
    const sent = await dropped(await signInWithCode(service, email), { to: 'shop' });
    const replies = await Promise.all(Array.from({ length: 10 }, () => shop.api.send({ in_reply_to: sent.id })));
    const { body: more } = await shop.api.send({ in_reply_to: replies[0]?.body.id });
    expect(more.to.party).toEqual(sent.from.party);
    for (const { body } of [...replies, { body: more }]) expect(await noticesOf(body)).toHaveLength(1);
    expect((await shop.api.get(`/threads/${sent.thread_id}`)).body.data).toHaveLength(12);
  });

  test('names nobody in `to`: there is no handle that it could be', async () => {
    const sent = await dropped(await signInWithCode(service, email), { to: 'shop' });
    const before = [await tracesOfSends(service), await notices()];
    for (const to of ['shop', 'other', 'nobody', 'demo', name, email])
      expectRefusal(await shop.api.send({ in_reply_to: sent.id, to }), 'reply_recipient_mismatch');
    expect([await tracesOfSends(service), await notices()]).toEqual(before);
  });

  test('is repeated without a second message or notice', async () => {
    const sent = await dropped(await signInWithCode(service, email), { to: 'shop' });
    const key = { 'idempotency-key': `reply-to-${email}` };
    const responses = await Promise.all(Array.from({ length: 8 }, () => shop.api.send({ in_reply_to: sent.id }, key)));
    const [first] = responses.map(({ body }) => body);
    for (const { status, body } of responses) expect([status, body.id]).toEqual([201, first.id]);
    expect(await noticesOf(first)).toHaveLength(1);
    expect((await shop.api.get(`/threads/${sent.thread_id}`)).body.data).toHaveLength(2);
  });

  test('can be given by those only who were written to, in the same words as for what does not exist', async () => {
    const sent = await dropped(await signInWithCode(service, email), { to: 'shop' });
    const unknown = await other.api.send({ in_reply_to: 'msg_01h455vb4pex5vsknk084sn02q' });
    expect(withoutTraces(await other.api.send({ in_reply_to: sent.id }))).toEqual(withoutTraces(unknown));
    expect(await notices()).not.toContainEqual(expect.objectContaining({ message_id: parseId('msg', sent.id) }));
  });
});

describe('a notice', () => {
  test('is queued by the transaction that delivers the reply, or not at all', async () => {
    const sent = await dropped(await signInWithCode(service, 'bob@crash-works.test'), { to: 'shop' });
    const before = [await tracesOfSends(service), await notices()];
    const id = await partyId('domain', 'crash-works.test');
    // This is the last row that is written for the recipient, so everything else is written when the connection breaks.
    const lock = await lockingWith(
      service,
      `UPDATE daily_usage SET messages = messages WHERE party_id = (SELECT id FROM parties WHERE handle = 'shop')`,
    );
    const sending = shop.api.send({ in_reply_to: sent.id });
    await terminate(await connectionWaitingIn(service, 'commit_messages'));
    const broken = await sending;
    await lock.rollBack();
    expect(broken.status).toBe(503);
    expect([await tracesOfSends(service), await notices()]).toEqual(before);
    const { body } = await shop.api.send({ in_reply_to: sent.id });
    expect(await noticesOf(body)).toEqual([{ party_id: id, message_id: parseId('msg', body.id) }]);
  });

  test('is not for businesses: not for their messages, replies, members or verified domains', async () => {
    const operator = new Operator(service);
    const cat = await signInWithCode(service, 'cat@claim-works.test');
    const early = await dropped(cat, { to: 'shop' });
    const cats = await claim(cat, 'cats');
    const before = await notices();
    const { body: first } = await other.api.send({ to: 'shop' });
    await shop.api.send({ in_reply_to: first.id });
    const { body: second } = await cats.post('/messages', { to: 'shop' });
    expect((await shop.api.send({ in_reply_to: second.id })).body.to.party.handle).toBe('cats');
    await operator.verifyDomain('cats', 'claim-works.test');
    // The history has not been moved yet, but the domain already belongs to the business.
    const late = await shop.api.send({ in_reply_to: early.id });
    expect(late.body.to.party.handle).toBe('cats');
    expect((await cats.get('/inbox')).body.data.map(({ id }: { id: string }) => id)).toContain(late.body.id);
    expect(await notices()).toEqual(before);
    await operator.close();
  });
});

describe('contact is not begun with', () => {
  beforeAll(async () => {
    await dropped(await signInWithCode(service, 'dan@begin-works.test'), { to: 'shop' });
  });

  test.each(['begin-works.test', 'BEGIN-works.test', 'dan@begin-works.test', 'dan@gmail.com', 'mailto:dan@gmail.com', 'gmail.com'])(
    '%s, whether it has written or was only saved',
    async (to) => {
      for (const name of [{ domain: 'begin-works.test' }, { email: 'dan@gmail.com' }]) {
        const contact = await saved(shop.api, { ...name, label: 'known' });
        expect(contact.can_initiate).toBe(false);
        await saved(other.api, name);
      }
      const before = [await tracesOfSends(service), await notices()];
      for (const { api } of [shop, other]) expectRefusal(await api.send({ to }), 'unknown_recipient');
      expect([await tracesOfSends(service), await notices()]).toEqual(before);
    },
  );

  test('anybody by the id of a contact, party or person', async () => {
    const eve = await signInWithCode(service, 'eve@gmail.com');
    const sent = await dropped(eve, { to: 'shop' });
    const contact = await saved(shop.api, { email: 'eve@gmail.com' });
    for (const to of [contact.id, sent.from.actor.id, sent.thread_id]) {
      const { status, body } = await shop.api.send({ to });
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    }
  });
});
