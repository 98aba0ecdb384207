import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.ts';
import { Operator } from '../support/operator.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { tracesOfSends } from '../support/traces.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let initech: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme', { segment: 'purchasing' });
  globex = await service.business('globex', { segment: 'orders' });
  initech = await service.business('initech');
});
afterAll(() => service.stop());

async function messageToGlobex() {
  const { status, body } = await acme.api.send({ to: 'globex/orders', type: 'order', subject: 'Order 7' });
  expect(status).toBe(201);
  return body;
}

describe('a reply', () => {
  test('goes to the other party, joins the thread, and names its parent', async () => {
    const parent = await messageToGlobex();
    const { status, body } = await globex.api.send({ in_reply_to: parent.id, json: { accepted: true } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ thread_id: parent.thread_id, in_reply_to: parent.id, to: { party: parent.from.party } });
    expect(body.from).toMatchObject({ party: parent.to.party, actor: { kind: 'agent', id: globex.agentId } });
    expect(body.id).not.toBe(parent.id);
    expect(body).toMatchObject({ type: null, subject: null });
    expect((await acme.api.get('/inbox?limit=1')).body.data).toEqual([body]);
    expect((await globex.api.get('/outbox?limit=1')).body.data).toEqual([body]);
    for (const { api } of [acme, globex]) {
      expect((await api.get(`/threads/${parent.thread_id}`)).body.data).toEqual([parent, body]);
    }
  });

  test('to a message of one’s own goes to its recipient', async () => {
    const parent = await messageToGlobex();
    const { status, body } = await acme.api.send({ in_reply_to: parent.id, note: 'and one more thing' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ thread_id: parent.thread_id, in_reply_to: parent.id, from: parent.from, to: parent.to });
    expect((await globex.api.get('/inbox?limit=1')).body.data).toEqual([body]);
  });

  test('to a message to oneself goes to oneself', async () => {
    const { body: parent } = await acme.api.send({ to: 'acme' });
    const { status, body } = await acme.api.send({ in_reply_to: parent.id });
    expect(status).toBe(201);
    expect(body).toMatchObject({ thread_id: parent.thread_id, in_reply_to: parent.id, to: { party: { handle: 'acme' } } });
    for (const list of ['/inbox?limit=1', '/outbox?limit=1']) expect((await acme.api.get(list)).body.data).toEqual([body]);
    expect((await acme.api.get(`/threads/${parent.thread_id}`)).body.data).toEqual([parent, body]);
  });

  test('to a reply names that reply, in the one flat thread', async () => {
    const first = await messageToGlobex();
    const { body: second } = await globex.api.send({ in_reply_to: first.id });
    const { body: third } = await acme.api.send({ in_reply_to: second.id });
    const { body: fourth } = await globex.api.send({ in_reply_to: first.id });
    const { body: thread } = await acme.api.get(`/threads/${first.thread_id}`);
    expect(thread.data.map(({ id, in_reply_to }: typeof first) => [id, in_reply_to])).toEqual([
      [first.id, null],
      [second.id, first.id],
      [third.id, second.id],
      [fourth.id, first.id],
    ]);
  });

  test('is one of many that both parties may write at once, and all of them stand in the thread', async () => {
    const parent = await messageToGlobex();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? acme : globex).api.send({ in_reply_to: parent.id })),
    );
    const { body: thread } = await acme.api.get(`/threads/${parent.thread_id}`);
    expect(thread.data.map(({ id }: typeof parent) => id).sort()).toEqual([parent.id, ...replies.map(({ body }) => body.id)].sort());
  });
});

describe('`to` in a reply', () => {
  test.each(['acme', 'ACME', 'acme/purchasing', 'acme/nobody-yet'])('may be the other party: %s', async (to) => {
    const parent = await messageToGlobex();
    const { status, body } = await globex.api.send({ in_reply_to: parent.id, to });
    expect(status).toBe(201);
    expect(body).toMatchObject({ thread_id: parent.thread_id, in_reply_to: parent.id, to: { party: parent.from.party } });
  });

  test('addresses the segment that it names; without it the reply goes to that of the agent who wrote', async () => {
    const parent = await messageToGlobex();
    const named = await globex.api.send({ in_reply_to: parent.id, to: 'acme/Billing' });
    const bare = await globex.api.send({ in_reply_to: parent.id, to: 'acme' });
    const derived = await globex.api.send({ in_reply_to: parent.id });
    // A follow-up to an own message has the address of that message.
    const further = await acme.api.send({ in_reply_to: parent.id });
    const ofThread = `thread=${parent.thread_id}`;
    expect((await acme.api.get(`/inbox?to=billing&${ofThread}`)).body.data).toEqual([named.body]);
    expect((await acme.api.get(`/inbox?to=purchasing&${ofThread}`)).body.data).toEqual([derived.body]);
    expect((await acme.api.get(`/inbox?${ofThread}`)).body.data).toEqual([derived.body, bare.body, named.body]);
    expect((await globex.api.get(`/inbox?to=orders&${ofThread}`)).body.data).toEqual([further.body, parent]);
    expect((await globex.api.get(`/inbox?${ofThread}`)).body.data).toEqual([further.body, parent]);
  });

  test.each(['globex', 'initech', 'initech/purchasing', 'nobody', 'demo'])('must not be anybody else: %s', async (to) => {
    const parent = await messageToGlobex();
    const before = await tracesOfSends(service);
    const response = await globex.api.send({ in_reply_to: parent.id, to });
    expectRefusal(response, 'reply_recipient_mismatch');
    expect(response.status).toBe(400);
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test('must be an address at all', async () => {
    const parent = await messageToGlobex();
    for (const to of ['', 'acme/', 'no address']) expectInvalid(await globex.api.send({ in_reply_to: parent.id, to }), 'to');
  });

  test('may be null', async () => {
    const parent = await messageToGlobex();
    expect((await globex.api.send({ in_reply_to: parent.id, to: null })).status).toBe(201);
  });
});

describe('a parent that is not the caller’s', () => {
  test('gives the same 404 as one that does not exist, with or without `to`', async () => {
    const parent = await messageToGlobex();
    const before = await tracesOfSends(service);
    for (const more of [{}, { to: 'acme' }, { to: 'globex' }, { to: 'initech' }, { to: 'nobody' }, { files: ['x'] }]) {
      const foreign = await initech.api.send({ in_reply_to: parent.id, ...more });
      const unknown = await initech.api.send({ in_reply_to: 'msg_01h455vb4pex5vsknk084sn02q', ...more });
      expectRefusal(foreign, 'not_found');
      expect(foreign.status).toBe(404);
      expect(withoutTraces(foreign)).toEqual(withoutTraces(unknown));
    }
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test.each([
    ['the id of a thread', (parent: { thread_id: string }) => parent.thread_id],
    ['the id without prefix', (parent: { id: string }) => parent.id.slice(4)],
    ['the id in capitals', (parent: { id: string }) => parent.id.toUpperCase()],
    ['the id with a space', (parent: { id: string }) => `${parent.id} `],
    ['nothing', () => ''],
    ['a text', () => "' OR true --"],
  ])('gives the same 404 as %s', async (_, idOf) => {
    const parent = await messageToGlobex();
    const foreign = await initech.api.send({ in_reply_to: parent.id });
    const malformed = await initech.api.send({ in_reply_to: idOf(parent as { id: string; thread_id: string }) });
    expect(withoutTraces(malformed)).toEqual(withoutTraces(foreign));
  });
});

describe('the demo inbox', () => {
  test('takes messages, but nobody replies to one: reply_unaddressable', async () => {
    const { body: parent } = await acme.api.send({ to: 'demo' });
    const before = await tracesOfSends(service);
    for (const more of [{}, { to: 'demo' }, { to: 'globex' }]) {
      const response = await acme.api.send({ in_reply_to: parent.id, ...more });
      expectRefusal(response, 'reply_unaddressable');
      expect(response.status).toBe(400);
    }
    expect(await tracesOfSends(service)).toEqual(before);
  });

  test('neither replies nor is replied to when the operator gives it a key', async () => {
    const operator = new Operator(service);
    const { secret } = await operator.addKey(await operator.addAgent('demo', 'Keeper'), 'read_write');
    await operator.close();
    const keeper = new Api(service.url, secret);
    const { body: fromDemo } = await keeper.send({ to: 'acme' });
    expect(fromDemo.from.party.handle).toBe('demo');
    expectRefusal(await acme.api.send({ in_reply_to: fromDemo.id }), 'reply_unaddressable');
    const { body: toDemo } = await acme.api.send({ to: 'demo' });
    expectRefusal(await keeper.send({ in_reply_to: toDemo.id }), 'reply_unaddressable');
    expectRefusal(await globex.api.send({ in_reply_to: fromDemo.id }), 'not_found');
  });
});

test('replies count toward the monthly limit, and are refused when it is used up', async () => {
  const used = async () => (await globex.api.get('/me')).body.usage.messages.used;
  const parent = await messageToGlobex();
  const before = await used();
  expect((await globex.api.send({ in_reply_to: parent.id })).status).toBe(201);
  expect(await used()).toBe(before + 1);
  const sibling = await service.sibling({ MONTHLY_MESSAGE_LIMIT: String(before + 2) });
  try {
    const api = globex.api.at(sibling.url);
    expect((await api.send({ in_reply_to: parent.id })).status).toBe(201);
    expectRefusal(await api.send({ in_reply_to: parent.id }), 'quota_exceeded');
    expect(await used()).toBe(before + 2);
  } finally {
    await sibling.stop();
  }
});
