import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { claim, drop, dropped, type Envelope, uploadForDrop } from '../support/drops.ts';
import { type JoiningService, startJoiningService } from '../support/joining.ts';
import { Operator } from '../support/operator.ts';
import { everyPage, ids } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { download, upload } from '../support/transfer.ts';

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

const replyTo = async ({ id }: Envelope, api = shop.api): Promise<Envelope> => {
  const { status, text, body } = await api.send({ in_reply_to: id });
  expect(status, text).toBe(201);
  return body;
};
const threadOf = async (api: { get: TestBusiness['api']['get'] }, { thread_id }: Envelope) => {
  const { body } = await api.get(`/threads/${thread_id}`);
  return { ids: ids(body.data), hidden: body.hidden };
};

describe('a thread that goes to two businesses in parts', () => {
  test('gets replies to the party that has the messages, and neither sees those of the other', async () => {
    const ann = await signInWithCode(service, 'ann@parts-works.test');
    const ben = await signInWithCode(service, 'ben@parts-works.test');
    const anns = await dropped(ann, { to: 'shop', note: 'of ann' });
    const toAnn = await replyTo(anns);
    const bens = await dropped(ben, { in_reply_to: toAnn.id, note: 'of ben' });
    const toBen = await replyTo(bens);
    const annsOwn = await claim(ann, 'anns-own');
    await service.join();
    expect(await threadOf(annsOwn, anns)).toEqual({ ids: [anns.id, toAnn.id], hidden: 2 });

    // Replies to a colleague stay with the organisation, although the person who began the thread has left it.
    const laterToBen = await replyTo(bens);
    expect(laterToBen.to.party).toMatchObject({ kind: 'domain', domain: 'parts-works.test' });
    const laterToAnn = await replyTo(anns);
    expect(laterToAnn.to.party).toMatchObject({ handle: 'anns-own' });
    expect((await annsOwn.get(`/messages/${laterToBen.id}`)).status).toBe(404);
    expect((await dropped(ben, { in_reply_to: laterToBen.id })).thread_id).toBe(anns.thread_id);

    const works = await service.business('works');
    await operator.verifyDomain('works', 'parts-works.test');
    await service.join();
    expect((await threadOf(works.api, anns)).ids).toEqual(expect.arrayContaining([bens.id, toBen.id, laterToBen.id]));
    for (const { id } of [anns, toAnn, laterToAnn]) expect((await works.api.get(`/messages/${id}`)).status).toBe(404);
    for (const { id } of [bens, toBen, laterToBen]) expect((await annsOwn.get(`/messages/${id}`)).status).toBe(404);
    await operator.removeDomain('works', 'parts-works.test');
    expect((await replyTo(bens)).to.party).toMatchObject({ handle: 'works' });
    expect((await replyTo(toBen)).to.party).toMatchObject({ handle: 'works' });
    expect((await replyTo(toAnn)).to.party).toMatchObject({ handle: 'anns-own' });
  });

  test('can’t be gone on with by somebody who has taken their part along, but as the business', async () => {
    const cat = await signInWithCode(service, 'cat@gone-works.test');
    const sent = await dropped(cat, { to: 'shop' });
    const cats = await claim(cat, 'cats');
    await service.join();
    expectRefusal(await drop(cat, { in_reply_to: sent.id }), 'not_found');
    expect((await cats.post('/messages', { in_reply_to: sent.id })).body).toMatchObject({
      thread_id: sent.thread_id,
      from: { party: { handle: 'cats' } },
    });
  });
});

describe('files', () => {
  test('of both sides come along, and stay where they were for the other', async () => {
    const dan = await signInWithCode(service, 'dan@file-works.test');
    const sent = await dropped(dan, { to: 'shop', files: [await uploadForDrop(dan, 'a plan')] });
    const { body: response } = await shop.api.send({ in_reply_to: sent.id, files: [await upload(shop.api, 'an offer')] });
    const filers = await service.business('filers');
    await operator.verifyDomain('filers', 'file-works.test');
    await service.join();
    await service.join();
    const { data } = (await filers.api.get(`/threads/${sent.thread_id}`)).body;
    expect(data.map((message: Envelope) => message.files.length)).toEqual([1, 1]);
    for (const [i, text] of ['a plan', 'an offer'].entries()) {
      expect(String((await download(data[i].files[0].download_url)).bytes)).toBe(text);
      for (const { api } of [filers, shop])
        expect((await api.get(`/files/${data[i].files[0].id}`, { accept: 'application/json' })).status).toBe(200);
    }
    const stranger = await service.business('stranger');
    expect((await stranger.api.get(`/files/${data[0].files[0].id}`)).status).toBe(404);
    for (const message of [sent, response]) {
      const receipt = await service.anonymous.get(`/receipts/${message.receipt_url.split('/').at(-1)}`);
      expect(receipt.body).toMatchObject({ content_hash: message.content_hash, files: [{ id: message.files[0].id }] });
    }
  });
});

describe('what an organisation wrote to the very business that gets its domain', () => {
  test('stands in both boxes and once in the thread, and so do the replies', async () => {
    const own = await service.business('own');
    const eve = await signInWithCode(service, 'eve@own-works.test');
    const sent = await dropped(eve, { to: 'own' });
    const response = await replyTo(sent, own.api);
    const back = await dropped(eve, { in_reply_to: response.id });
    await operator.verifyDomain('own', 'own-works.test');
    await service.join();
    await service.join();
    const all = [sent.id, response.id, back.id];
    for (const box of ['/inbox', '/outbox']) expect(ids((await everyPage(own.api, box)).flat())).toEqual(all.toReversed());
    expect(await threadOf(own.api, sent)).toEqual({ ids: all, hidden: 0 });
    for (const message of [sent, response, back]) {
      expect((await own.api.get(`/messages/${message.id}`)).body).toEqual(message);
      const more = await replyTo(message, own.api);
      expect(more).toMatchObject({ thread_id: sent.thread_id, to: { party: { handle: 'own' } } });
      all.push(more.id);
    }
    expect(await threadOf(own.api, sent)).toEqual({ ids: all, hidden: 0 });
  });
});

describe('places in the ledger', () => {
  test('that are taken are passed over: messages of one moment are all there, page by page', async () => {
    const fay = await signInWithCode(service, 'fay@place-works.test');
    const place = await service.business('place');
    const joined = [await dropped(fay, { to: 'shop' }), await dropped(fay, { to: 'shop' })];
    const own = [(await place.api.send({ to: 'shop' })).body, (await place.api.send({ to: 'shop' })).body];
    const [taken] = await service.sql<{ position: string }>("SELECT position FROM ledger_entries WHERE message_id = $1 AND box = 'out'", [
      parseId('msg', joined[0].id),
    ]);
    for (const [n, { id }] of own.entries())
      await service.sql("UPDATE ledger_entries SET position = $2 WHERE message_id = $1 AND box = 'out'", [
        parseId('msg', id),
        BigInt(taken?.position ?? 0) + BigInt(n),
      ]);
    await operator.verifyDomain('place', 'place-works.test');
    await service.join();
    const pages = await everyPage(place.api, '/outbox', { limit: 1 });
    expect(pages).toHaveLength(4);
    expect(ids(pages.flat()).sort()).toEqual(ids([...joined, ...own]).sort());
  });

  test('of a ledger that was ahead of the clock are not given out again', async () => {
    const gus = await signInWithCode(service, 'gus@ahead-works.test');
    const first = await dropped(gus, { to: 'shop' });
    await service.sql(
      `UPDATE ledgers SET head = (floor(extract(epoch FROM now()) * 1000)::bigint + 60000) * 4096 WHERE party_id = (SELECT id FROM parties WHERE domain = 'ahead-works.test')`,
    );
    const second = await dropped(gus, { to: 'shop' });
    const ahead = await service.business('ahead');
    const target = await service.business('target');
    await operator.verifyDomain('ahead', 'ahead-works.test');
    await service.join();
    const third = (await ahead.api.send({ to: target.handle })).body;
    expect(third.received_at >= second.received_at).toBe(true);
    expect(ids((await ahead.api.get('/outbox')).body.data)).toEqual([third.id, second.id, first.id]);
  });
});

test('a repeat after joining returns the original, with its files', async () => {
  const hal = await signInWithCode(service, 'hal@gmail.com');
  const files = [await uploadForDrop(hal, 'bytes')];
  const first = await dropped(hal, { to: 'shop', files }, { 'idempotency-key': 'first' });
  const response = await replyTo(first);
  const second = await dropped(hal, { in_reply_to: response.id }, { 'idempotency-key': 'second' });
  const hals = await claim(hal, 'hals');
  await service.join();
  for (const [original, body] of [
    [first, { to: 'shop', files }],
    [second, { in_reply_to: response.id }],
  ] as const) {
    const again = await drop(hal, body, { 'idempotency-key': original.idempotency_key });
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.id], again.text).toEqual([201, 'true', original.id]);
    expect(again.body.files).toMatchObject(original.files.map(({ id, sha256 }: Envelope) => ({ id, sha256 })));
  }
  // Idempotency keys belong to the party that used them, and the business has used none yet.
  const asBusiness = await hals.request('POST', '/messages', { to: 'shop' }, { 'idempotency-key': 'first' });
  expect([asBusiness.status, asBusiness.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect(ids((await hals.get('/outbox')).body.data)).toEqual([asBusiness.body.id, second.id, first.id]);
});
