import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import type { Browser } from '../support/browser.ts';
import { claim, drop, dropped, type Envelope } from '../support/drops.ts';
import { type JoiningService, startJoiningService } from '../support/joining.ts';
import { Operator } from '../support/operator.ts';
import { everyPage, ids } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import type { TestBusiness } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';

let service: JoiningService;
let operator: Operator;
let shop: TestBusiness;
beforeAll(async () => {
  service = await startJoiningService();
  operator = new Operator(service);
  shop = await service.business('shop');
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

const replyTo = async ({ id }: Envelope): Promise<Envelope> => {
  const { status, text, body } = await shop.api.send({ in_reply_to: id });
  expect(status, text).toBe(201);
  return body;
};
const dropMany = (person: Browser, count: number): Promise<Envelope[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => dropped(person, { to: 'shop', note: `${n}` })));

describe('a chore that is cut short', () => {
  test('has moved whole threads or nothing of them; done again, it moves the rest, and nothing twice', async () => {
    const ann = await signInWithCode(service, 'ann@cut-works.test');
    const sent = await dropMany(ann, 6);
    const responses = await Promise.all(sent.map(replyTo));
    const cut = await service.business('cut');
    await operator.verifyDomain('cut', 'cut-works.test');
    const held = sent[3];
    const lock = await lockingWith(service, 'UPDATE ledger_entries SET type = type WHERE thread_id = $1', [parseId('thr', held.thread_id)]);
    const joining = service.join().then(
      () => 'done',
      () => 'cut short',
    );
    await terminate(await connectionWaitingIn(service, 'leave_thread'));
    expect(await joining).toBe('cut short');
    await lock.rollBack();
    expect(await service.holders(held.id, 'shop')).toEqual(['cut-works.test']);
    for (const [n, message] of sent.entries())
      expect(await service.holders(responses[n].id, 'shop')).toEqual(await service.holders(message.id, 'shop'));

    for (let time = 0; time < 3; time++) {
      await service.join();
      expect(ids((await everyPage(cut.api, '/outbox')).flat()).sort()).toEqual(ids(sent).sort());
      expect(ids((await everyPage(cut.api, '/inbox')).flat()).sort()).toEqual(ids(responses).sort());
      expect((await cut.api.get('/contacts')).body.data[0].activity).toMatchObject({ messages_in: 6, messages_out: 6 });
    }
  });

  test('of two at the same time, each message is moved by one', async () => {
    const bob = await signInWithCode(service, 'bob@twice-works.test');
    const sent = await dropMany(bob, 10);
    const twice = await service.business('twice');
    await operator.verifyDomain('twice', 'twice-works.test');
    await Promise.all([service.join(), service.join(), service.join()]);
    expect(ids((await everyPage(twice.api, '/outbox')).flat()).sort()).toEqual(ids(sent).sort());
    expect((await twice.api.get('/contacts')).body.data[0].activity).toMatchObject({ messages_in: 0, messages_out: 10 });
  });
});

describe('while threads are moved', () => {
  test('messages and replies stand in one of the two ledgers, and in the end in the business’s', async () => {
    const cat = await signInWithCode(service, 'cat@busy-works.test');
    const sent = await dropMany(cat, 25);
    const busy = await service.business('busy');
    const more: Envelope[] = [];
    const responding = sent.map(async (message) => {
      for (let n = 0; n < 3; n++) more.push(await replyTo(message));
    });
    const dropping = Array.from({ length: 10 }, async () => more.push(await dropped(cat, { to: 'shop' })));
    await operator.verifyDomain('busy', 'busy-works.test');
    await service.join();
    await Promise.all([...responding, ...dropping]);
    const holders = await Promise.all([...sent, ...more].map(({ id }) => service.holders(id, 'shop')));
    for (const held of holders) expect(held).toHaveLength(1);
    await service.join();
    const [outbox, inbox] = [(await everyPage(busy.api, '/outbox')).flat(), (await everyPage(busy.api, '/inbox')).flat()];
    expect(ids([...outbox, ...inbox]).sort()).toEqual(ids([...sent, ...more]).sort());
    // The other party still has everything.
    const ofShop = [...(await everyPage(shop.api, '/inbox')).flat(), ...(await everyPage(shop.api, '/outbox')).flat()];
    expect(ids(ofShop)).toEqual(expect.arrayContaining(ids([...sent, ...more])));
    expect(new Set(ids(ofShop)).size).toBe(ofShop.length);
  });

  /** A reply whose destination was determined before the thread was moved, and which arrives after it. */
  async function straggler(first: Envelope, joined: string): Promise<Envelope> {
    const lock = await lockingWith(
      service,
      `UPDATE ledgers SET head = head WHERE party_id = (SELECT id FROM parties WHERE handle = 'shop')`,
    );
    const responding = replyTo(first);
    await connectionWaitingIn(service, 'commit_messages');
    await service.join();
    expect(await service.holders(first.id, 'shop')).toEqual([joined]);
    await lock.rollBack();
    return responding;
  }

  test.each(['claimed', 'verified'])(
    'a reply on its way to a thread that a business has %s is not lost: the chore finds it',
    async (how) => {
      const domain = `late-${how}.test`;
      const dan = await signInWithCode(service, `dan@${domain}`);
      const eve = await signInWithCode(service, `eve@${domain}`);
      const first = await dropped(dan, { to: 'shop' });
      const eves = await dropped(eve, { to: 'shop', in_reply_to: first.id });
      const toEve = await replyTo(eves);
      // A name does not call itself verified.
      const handle = how === 'verified' ? 'late-owner' : 'late-claimant';
      const business = await claim(dan, handle);
      if (how === 'verified') await operator.verifyDomain(handle, domain);
      const late = await straggler(first, handle);
      // The reply went to the organisation before any business had its domain, or directly to the business.
      const [holder] = await service.holders(late.id, 'shop');
      expect(holder).toBe(how === 'claimed' ? domain : handle);
      await service.join();
      await service.join();
      expect(await service.holders(late.id, 'shop')).toEqual([handle]);
      const thread = await business.get(`/threads/${first.thread_id}`);
      const expected = how === 'claimed' ? [first.id, late.id] : [first.id, eves.id, toEve.id, late.id];
      expect(ids(thread.body.data)).toEqual(expected);
      expect(thread.body.hidden).toBe(how === 'claimed' ? 2 : 0);
    },
  );
});

test('a thousand threads join, each whole, and in the order in which they were', async () => {
  const fay = await signInWithCode(service, 'fay@many-works.test');
  const sent: Envelope[] = [];
  for (let n = 0; n < 20; n++) sent.push(...(await dropMany(fay, 50)));
  const many = await service.business('many');
  await operator.verifyDomain('many', 'many-works.test');
  await service.join();
  const outbox = (await everyPage(many.api, '/outbox', { limit: 200 })).flat();
  expect(outbox).toHaveLength(1_000);
  expect(new Set(ids(outbox))).toEqual(new Set(ids(sent)));
  const times = outbox.map(({ received_at }) => received_at);
  expect(times).toEqual(times.toSorted().toReversed());
  expect((await many.api.get('/contacts')).body.data[0].activity).toMatchObject({ messages_out: 1_000 });
});

describe('a domain that was given up before its history had joined', () => {
  test('joins the business that has it now, and not an earlier one', async () => {
    const gus = await signInWithCode(service, 'gus@moved-works.test');
    const before = await dropped(gus, { to: 'shop' });
    const [former, present] = [await service.business('former'), await service.business('present')];
    await operator.verifyDomain('former', 'moved-works.test');
    await operator.removeDomain('former', 'moved-works.test');
    const between = await dropped(gus, { to: 'shop' });
    await service.join();
    expect((await former.api.get('/outbox')).body.data).toEqual([]);
    await operator.verifyDomain('present', 'moved-works.test');
    await service.join();
    expect(ids((await present.api.get('/outbox')).body.data)).toEqual([between.id, before.id]);
    for (const { id } of [before, between]) expect((await former.api.get(`/messages/${id}`)).status).toBe(404);
    expect((await former.api.get('/contacts')).body.data).toEqual([]);
    expect((await drop(gus, { to: 'shop' })).body.from.party.handle).toBe('present');
  });
});
