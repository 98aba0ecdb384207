import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { archive, known, listed, save, saved } from '../support/contacts.ts';
import { sendForm } from '../support/form.ts';
import { Operator } from '../support/operator.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let operator: Operator;
let made = 0;
/** Two businesses without earlier messages between them. */
let here: TestBusiness;
let there: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  operator = new Operator(service);
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});
beforeEach(async () => {
  here = await service.business(`here-${++made}`);
  there = await service.business(`there-${made}`);
});

const toThere = (body: object = {}, headers = {}) => here.api.send({ to: there.handle, ...body }, headers);
const toHere = (body: object = {}, headers = {}) => there.api.send({ to: here.handle, ...body }, headers);
const activity = async (of: TestBusiness = here, about: TestBusiness = there) => (await known(of.api, about.handle)).activity;
const agentOf = ({ handle }: TestBusiness) => ({ kind: 'agent', name: `Agent of ${handle}`, email: null });
const timesOf = (responses: ApiResponse[]) => responses.map(({ body }) => body.received_at).toSorted();

describe('activity', () => {
  test('tells what was exchanged, to each side as it sees it', async () => {
    const first = await toThere({ type: 'order' });
    expect(await activity()).toEqual({
      first_seen_at: first.body.received_at,
      last_seen_at: first.body.received_at,
      last_direction: 'out',
      messages_in: 0,
      messages_out: 1,
      types: ['order'],
      actors: [],
    });
    await toHere({ type: 'invoice' });
    await toHere();
    const last = await toHere({ type: 'order' });
    const both = { first_seen_at: first.body.received_at, last_seen_at: last.body.received_at, types: ['invoice', 'order'] };
    expect(await activity()).toEqual({
      ...both,
      last_direction: 'in',
      messages_in: 3,
      messages_out: 1,
      actors: [agentOf(there)],
    });
    expect(await activity(there, here)).toEqual({
      ...both,
      last_direction: 'out',
      messages_in: 1,
      messages_out: 3,
      actors: [agentOf(here)],
    });
  });

  test('counts replies and forms like any message', async () => {
    const { id } = (await toThere()).body;
    expect((await there.api.send({ in_reply_to: id, type: 'reply' })).status).toBe(201);
    const form = [
      { name: 'to', bytes: here.handle },
      { name: 'type', bytes: 'scan' },
      { filename: 'a.txt', bytes: 'a' },
    ];
    const last = await sendForm(there.api, form);
    expect(await activity()).toMatchObject({
      messages_in: 2,
      messages_out: 1,
      types: ['reply', 'scan'],
      last_seen_at: last.body.received_at,
    });
  });

  test('counts what a business sends to itself both ways', async () => {
    const [first, last] = [await here.api.send({ to: here.handle, type: 'memo' }), await here.api.send({ to: here.handle })];
    expect(await activity(here, here)).toEqual({
      first_seen_at: first.body.received_at,
      last_seen_at: last.body.received_at,
      last_direction: 'in',
      messages_in: 2,
      messages_out: 2,
      types: ['memo'],
      actors: [agentOf(here)],
    });
    expect(await listed(here.api)).toEqual([here.handle]);
  });

  test('counts the demo inbox as any other party', async () => {
    await here.api.send({ to: 'demo' });
    expect(await known(here.api, 'demo')).toMatchObject({
      party: { kind: 'handle', handle: 'demo' },
      can_initiate: true,
      activity: { messages_out: 1, last_direction: 'out' },
    });
  });

  test('counts neither repeats nor what was refused', async () => {
    const key = { 'idempotency-key': 'once' };
    await Promise.all(Array.from({ length: 10 }, () => toThere({ type: 'one' }, key)));
    await toThere({ type: 'another' }, key);
    expectRefusal(await toThere({ type: 'x', josn: 1 }), 'validation_error');
    expectRefusal(await toThere({ type: 'x', files: ['upl_x'] }), 'upload_not_found');
    await operator.verifyDomain(here.handle, `${here.handle}.example`);
    await there.api.write('POST', '/blocks', { email_domain: `${here.handle}.example` });
    expectRefusal(await toThere({ type: 'x' }), 'sender_blocked');
    const sibling = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '1' });
    await toHere();
    expectRefusal(await there.api.at(sibling.url).send({ to: here.handle, type: 'x' }), 'quota_exceeded');
    await sibling.stop();
    expect(await activity()).toMatchObject({ messages_in: 1, messages_out: 1, types: ['one'], last_direction: 'in' });
    expect(await activity(there, here)).toMatchObject({ messages_in: 1, messages_out: 1, types: ['one'], last_direction: 'out' });
  });

  test('of a send that was refused there is no contact', async () => {
    const sibling = await service.sibling({ MONTHLY_MESSAGE_LIMIT: '1' });
    await here.api.send({ to: 'demo' });
    expectRefusal(await here.api.at(sibling.url).send({ to: there.handle }), 'quota_exceeded');
    await sibling.stop();
    expect([await listed(here.api), await listed(there.api)]).toEqual([['demo'], []]);
  });

  test('names who has written for the other party, each once and by the latest name', async () => {
    const second = await operator.addAgent(there.handle, 'Second desk', 'second');
    const { secret } = await operator.addKey(second, 'read_write');
    const asSecond = { authorization: `Bearer ${secret}` };
    await toHere();
    await toHere({}, asSecond);
    await toHere({}, asSecond);
    expect((await activity()).actors).toEqual([agentOf(there), { kind: 'agent', name: 'Second desk', email: null }]);
    await there.api.patch(`/agents/${second}`, { name: 'Renamed desk' });
    expect((await activity()).actors[1].name).toBe('Second desk');
    await toHere({}, asSecond);
    expect((await activity()).actors).toEqual([agentOf(there), { kind: 'agent', name: 'Renamed desk', email: null }]);
    await there.api.patch(`/agents/${second}`, { name: 'Second desk' });
    await toHere({}, asSecond);
    expect((await activity()).actors[1].name).toBe('Second desk');
    expect((await activity(there, here)).actors).toEqual([]);
  });

  test('shows 100 types at most, and finds the party by each of them all the same', async () => {
    const types = Array.from({ length: 120 }, (_, i) => `type-${String(i).padStart(3, '0')}`);
    await Promise.all(types.map((type) => toThere({ type })));
    const shown = await activity();
    expect(shown.types).toEqual(types.slice(0, 100));
    expect(shown.messages_out).toBe(120);
    expect(await listed(here.api, { type: 'type-119' })).toEqual([there.handle]);
  });

  test('keeps a type of any characters', async () => {
    for (const type of ['ünïcode 🚚', `"quoted" \\ 'n' {braces}, NULL`, ' ', 'NULL', '']) await toHere({ type });
    const { types } = await activity();
    expect(types.toSorted()).toEqual(['', ' ', `"quoted" \\ 'n' {braces}, NULL`, 'NULL', 'ünïcode 🚚'].toSorted());
  });
});

describe('at the same time', () => {
  let sibling: Awaited<ReturnType<TestService['sibling']>>;
  beforeAll(async () => {
    sibling = await service.sibling();
  });
  afterAll(() => sibling.stop());

  test('sends in both directions from two processes are all counted, and so are those of others', async () => {
    const third = await service.business(`third-${made}`);
    const count = 40;
    const sends = Array.from({ length: count }, (_, i) => {
      const url = i % 2 ? sibling.url : service.url;
      return [
        here.api.at(url).send({ to: there.handle, type: `out-${i % 5}` }),
        there.api.at(url).send({ to: here.handle, type: `in-${i % 3}` }),
        third.api.at(url).send({ to: i % 2 ? here.handle : there.handle }),
        here.api.at(url).send({ to: here.handle }),
      ];
    });
    const saves = Array.from({ length: 5 }, () => save(here.api, { handle: there.handle, label: 'Meanwhile' }));
    const responses = await Promise.all(sends.flat());
    for (const { status } of await Promise.all(saves)) expect([200, 201]).toContain(status);
    for (const { status, text } of responses) expect(status, text).toBe(201);
    const between = timesOf(responses.filter((_, i) => i % 4 < 2));
    const both = { first_seen_at: between[0], last_seen_at: between.at(-1) };
    expect(await activity()).toMatchObject({ ...both, messages_in: count, messages_out: count });
    expect(await activity(there, here)).toMatchObject({ ...both, messages_in: count, messages_out: count });
    expect((await activity()).types).toEqual(['in-0', 'in-1', 'in-2', 'out-0', 'out-1', 'out-2', 'out-3', 'out-4']);
    for (const one of [here, there]) expect(await activity(one, third)).toMatchObject({ messages_in: count / 2, messages_out: 0 });
    expect(await activity(here, here)).toMatchObject({ messages_in: count, messages_out: count });
    expect((await listed(here.api)).toSorted()).toEqual([here.handle, there.handle, third.handle].toSorted());
  });

  test('the latest direction is that of the latest message in the ledger', async () => {
    for (let round = 0; round < 8; round++) {
      const responses = await Promise.all(Array.from({ length: 6 }, (_, i) => (i % 2 ? toHere() : toThere())));
      // Of several messages in one millisecond, only the ledger says which came last.
      const [entry] = await service.sql<{ box: string }>(
        'SELECT e.box FROM ledger_entries e JOIN parties p ON p.id = e.party_id WHERE p.handle = $1 ORDER BY e.position DESC LIMIT 1',
        [here.handle],
      );
      expect(await activity()).toMatchObject({ last_direction: entry?.box, last_seen_at: timesOf(responses).at(-1) });
    }
  });

  test('twenty saves of a contact make one', async () => {
    for (const name of [{ handle: there.handle }, { domain: `at-once-${made}.example` }, { email: `at-once-${made}@gmail.com` }]) {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          save(here.api.at(i % 2 ? sibling.url : service.url), { ...name, label: String(i), notes: String(i) }),
        ),
      );
      expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      const now = (await here.api.get(`/contacts/${responses[0]?.body.id}`)).body;
      expect(now.label).toBe(now.notes);
    }
    expect(await listed(here.api)).toHaveLength(3);
  });

  test('a party that writes while it is saved is one contact', async () => {
    const [sent, ...saves] = await Promise.all([
      toHere(),
      ...Array.from({ length: 8 }, () => save(here.api, { handle: there.handle, label: 'Known' })),
    ]);
    expect(saves.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(200), 201]);
    expect(await known(here.api, there.handle)).toMatchObject({
      saved: true,
      label: 'Known',
      activity: { messages_in: 1, first_seen_at: sent.body.received_at },
    });
    expect(await listed(here.api)).toEqual([there.handle]);
  });

  test('saves, changes, archives and messages leave one contact, whole and countable', async () => {
    const name = { handle: there.handle };
    const { id } = await saved(here.api, name);
    const work = Array.from({ length: 20 }, (_, i) => {
      const api = here.api.at(i % 2 ? sibling.url : service.url);
      const pair = { label: `pair ${i}`, notes: `pair ${i}` };
      return [archive(api, id), saved(api, { ...name, ...pair }), api.patch(`/contacts/${id}`, pair), toHere({ type: 'busy' })];
    });
    await Promise.all(work.flat());
    const now = await known(here.api, there.handle);
    expect(now).toMatchObject({ id, saved: true, activity: { messages_in: 20, messages_out: 0, types: ['busy'] } });
    expect(now.label).toMatch(/^pair \d+$/);
    expect(now.notes).toBe(now.label);
    expect([...(await listed(here.api)), ...(await listed(here.api, { archived: 'true' }))]).toEqual([there.handle]);
    expect(await listed(here.api, { archived: String(now.archived) })).toEqual([there.handle]);
    expect((await archive(here.api, id)).archived).toBe(true);
    expect(await saved(here.api, name)).toEqual({ ...now, archived: false });
  });
});
