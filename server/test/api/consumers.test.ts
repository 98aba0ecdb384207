import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import { CONSUMERS_PER_BUSINESS_MAX } from '../../src/contract/limits.ts';
import { ConsumerClient, idsOf, passTime, sendTo } from '../support/consumers.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let sender: TestBusiness;
let acme: TestBusiness;
let consumer: ConsumerClient;
let businesses = 0;

beforeAll(async () => {
  service = await startTestService();
  sender = await service.business('sender');
});
beforeEach(async () => {
  acme = await service.business(`acme-${++businesses}`, { segment: 'orders' });
  consumer = new ConsumerClient(acme.api, 'billing');
});
afterAll(() => service.stop());

const send = (fields: object = {}) => sendTo(sender.api, acme.handle, fields);

describe('PUT /v1/consumers/{name}', () => {
  test('creates a consumer that begins now, and shows it', async () => {
    await send();
    const { status, body } = await consumer.put();
    expect(status).toBe(201);
    expect(body).toEqual({
      name: 'billing',
      filter: {},
      ordered: false,
      max_tries: 10,
      position: expect.stringMatching(/^\d+$/),
      lag: 0,
      leased: 0,
      parked: 0,
      oldest_unacknowledged_at: null,
      holders: [],
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await consumer.leaseIds()).toEqual([]);
    const id = await send();
    expect(await consumer.leaseIds()).toEqual([id]);
  });

  test('again changes nothing, or the settings; the position stays', async () => {
    const { body: created } = await consumer.put({ start: 'beginning', filter: { types: ['order.*'] }, max_tries: 3 });
    const again = await consumer.put({ start: 'now', filter: { types: ['order.*'] }, max_tries: 3 });
    expect([again.status, again.body]).toEqual([200, created]);
    const { status, body } = await consumer.put({ filter: { target: `${acme.handle}/orders`, validation: 'failed' } });
    expect([status, body]).toEqual([200, { ...created, filter: { target: 'orders', validation: 'failed' }, max_tries: 10 }]);
    expectRefusal(await consumer.put({ ordered: true }), 'conflict');
    expect(await consumer.get()).toEqual(body);
  });

  test('begins at the beginning, behind a position, or at a time', async () => {
    const ids = [await send(), await send(), await send()];
    const all = new ConsumerClient(acme.api, 'all');
    await all.put({ start: 'beginning' });
    const leased = await all.lease();
    expect(idsOf(leased)).toEqual(ids);
    await consumer.put({ start: leased[0].position });
    expect(await consumer.leaseIds()).toEqual(ids.slice(1));
    const timed = new ConsumerClient(acme.api, 'timed');
    await timed.put({ start: leased[0].message.received_at });
    expect(await timed.leaseIds()).toEqual(ids);
    const late = new ConsumerClient(acme.api, 'late');
    await late.put({ start: '2100-01-01' });
    expect(await late.leaseIds()).toEqual([]);
    // The position is limited to the end of the inbox.
    expect(await late.leaseIds()).toEqual([]);
    const next = await send();
    expect(await late.leaseIds()).toEqual([next]);
  });

  test.each([
    ['filter', { filter: { colour: 'red' } }, 'filter/colour'],
    ['types', { filter: { types: [] } }, 'filter/types'],
    ['a type with NUL', { filter: { types: ['a', '\0'] } }, 'filter/types/1'],
    ['target', { filter: { target: 'other/orders' } }, 'filter/target'],
    ['validation', { filter: { validation: 'maybe' } }, 'filter/validation'],
    ['start', { start: 'yesterday' }, 'start'],
    ['a start beyond every position', { start: '9'.repeat(19) }, 'start'],
    ['max_tries', { max_tries: 0 }, 'max_tries'],
    ['ordered', { ordered: 'yes' }, 'ordered'],
  ])('refuses a wrong %s', async (_, fields, path) => {
    expectInvalid(await consumer.put(fields), path);
  });

  test.each(['Billing', '.hidden', 'a b', 'x'.repeat(65), 'a,b'])('refuses the name %s, and knows no such consumer', async (name) => {
    const path = `/consumers/${encodeURIComponent(name)}`;
    expectInvalid(await acme.api.write('PUT', path, {}), 'name');
    expectRefusal(await acme.api.get(path), 'not_found');
    expectRefusal(await acme.api.write('POST', `${path}/lease`, {}), 'not_found');
  });

  test('is limited in number, also when many ask at once', async () => {
    const names = Array.from({ length: CONSUMERS_PER_BUSINESS_MAX + 5 }, (_, i) => `c${i}`);
    const statuses = await Promise.all(names.map(async (name) => (await new ConsumerClient(acme.api, name).put()).status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(CONSUMERS_PER_BUSINESS_MAX);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    const [first] = names.filter((_, i) => statuses[i] === 201);
    expect((await acme.api.request('DELETE', `/v1/consumers/${first}`)).status).toBe(204);
    expect((await consumer.put()).status).toBe(201);
  });
});

describe('GET /v1/consumers', () => {
  test('shows lag, what is leased and parked, the oldest message, and holders', async () => {
    await consumer.put({ max_tries: 1 });
    const ids = [await send(), await send(), await send(), await send()];
    const { received_at } = (await acme.api.get(`/messages/${ids[0]}`)).body;
    const before = await consumer.get();
    expect(before).toMatchObject({ lag: 4, leased: 0, holders: [] });
    const { oldest_unacknowledged_at } = before;
    // If the sender is in another shard, the message enters the inbox a little later.
    expect(Date.parse(oldest_unacknowledged_at)).toBeGreaterThanOrEqual(Date.parse(received_at));
    const [first] = await consumer.as('worker 1').lease({ limit: 1, lease_s: 600 });
    await consumer.lease({ limit: 2 });
    expect(await consumer.get()).toMatchObject({
      position: expect.stringMatching(/^\d+$/),
      lag: 1,
      leased: 3,
      oldest_unacknowledged_at,
      holders: [
        { holder: acme.agentId, leased: 2, lease_until: expect.stringMatching(/Z$/) },
        { holder: 'worker 1', leased: 1, lease_until: first.lease_until },
      ],
    });
    await consumer.as('worker 1').do('release', [ids[0] as string], { reason: 'no' });
    const after = await consumer.get();
    expect(after).toMatchObject({ lag: 1, leased: 2, parked: 1 });
    expect(Date.parse(after.oldest_unacknowledged_at)).toBeGreaterThanOrEqual(Date.parse(oldest_unacknowledged_at));
    await consumer.do('ack', ids);
    expect(await consumer.get()).toMatchObject({ lag: 1, leased: 0, parked: 0, holders: [] });
  });

  test('lists consumers by name, in pages', async () => {
    for (const name of ['b', 'c', 'a']) await new ConsumerClient(acme.api, name).put();
    const { body } = await acme.api.get('/consumers?limit=2');
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const rest = await acme.api.get(`/consumers?limit=2&cursor=${body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ name: 'c', lag: 0 }], next_cursor: null });
  });
});

describe('a filter', () => {
  test('takes what matches all of it, and passes over the rest for ever', async () => {
    await consumer.put({ filter: { types: ['order.*', 'invoice'], target: 'orders' } });
    const to = `${acme.handle}/orders`;
    const wanted = [await sendTo(sender.api, to, { type: 'order.new' })];
    await sendTo(sender.api, to, { type: 'order' });
    await sendTo(sender.api, to, {});
    await send({ type: 'invoice' });
    wanted.push(await sendTo(sender.api, to, { type: 'invoice' }));
    expect(await consumer.get()).toMatchObject({ lag: 2 });
    expect(await consumer.leaseIds()).toEqual(wanted);
    await consumer.do('ack', wanted);
    await consumer.put({});
    expect(await consumer.leaseIds()).toEqual([]);
  });

  test('takes messages that the inbox schema does not accept', async () => {
    await acme.api.write('PUT', '/inbox/schema', { schema: { type: 'object' } });
    await consumer.put({ filter: { validation: 'failed' } });
    await send({ json: {} });
    const failed = await send({ json: [] });
    expect(await consumer.leaseIds()).toEqual([failed]);
  });

  test('that matches little finds it behind thousands of others', async () => {
    await consumer.put({ filter: { types: ['rare'] } });
    await send();
    // Copies one entry, because sending that many messages would take minutes.
    await service.sql(
      `INSERT INTO ledger_entries (party_id, box, position, message_id, counterparty_id, thread_id, validation)
       SELECT e.party_id, e.box, e.position + n, e.message_id, e.counterparty_id, e.thread_id, e.validation
         FROM ledger_entries e JOIN parties p ON p.id = e.party_id AND p.handle = $1, generate_series(1, 4500) AS n WHERE e.box = 'in'`,
      [acme.handle],
    );
    await service.sql('UPDATE ledgers SET head = head + 5000 WHERE party_id = (SELECT id FROM parties WHERE handle = $1)', [acme.handle]);
    const rare = await send({ type: 'rare' });
    expect(await consumer.leaseIds()).toEqual([rare]);
  });
});

describe('POST /v1/consumers/{name}/seek', () => {
  test('goes back, and forgets what workers hold', async () => {
    await consumer.put();
    const ids = [await send(), await send(), await send()];
    const leased = await consumer.lease();
    await consumer.do('ack', [ids[0] as string]);
    const { status, body } = await consumer.post('seek', { position: 'beginning' });
    expect([status, body]).toMatchObject([200, { position: '0', lag: 3, leased: 0 }]);
    expect(await consumer.do('ack', ids)).toEqual({ acknowledged: 0, unknown: ids });
    expect(await consumer.leaseIds()).toEqual(ids);
    await consumer.post('seek', { position: leased[1].position });
    expect(await consumer.leaseIds()).toEqual([ids[2]]);
    await consumer.post('seek', { position: leased[2].message.received_at });
    expect(await consumer.leaseIds()).toContain(ids[2]);
  });

  test('to now skips what is there; what is parked stays, unless it comes again', async () => {
    await consumer.put({ max_tries: 1 });
    const id = await send();
    await consumer.do('release', await consumer.leaseIds());
    await send();
    expect((await consumer.post('seek', { position: 'now' })).body).toMatchObject({ lag: 0, parked: 1 });
    expect(await consumer.leaseIds()).toEqual([]);
    expect((await consumer.post('seek', { position: 'beginning' })).body).toMatchObject({ lag: 2, parked: 0 });
    expect(await consumer.leaseIds({ limit: 1 })).toEqual([id]);
    expectInvalid(await consumer.post('seek', { position: 'later' }), 'position');
  });
});

describe('DELETE /v1/consumers/{name}', () => {
  test('forgets the consumer and what it has taken; one of the same name starts without them', async () => {
    await consumer.put();
    await send();
    const ids = await consumer.leaseIds();
    expect((await acme.api.request('DELETE', '/v1/consumers/billing')).status).toBe(204);
    for (const response of [
      await acme.api.get('/consumers/billing'),
      await acme.api.request('DELETE', '/v1/consumers/billing'),
      await consumer.post('lease', {}),
      await consumer.post('ack', { ids }),
      await consumer.post('extend', { ids }),
      await consumer.post('release', { ids }),
      await consumer.post('unpark', { ids }),
      await consumer.post('seek', { position: 'now' }),
      await acme.api.get('/consumers/billing/parked'),
    ])
      expectRefusal(response, 'not_found');
    await consumer.put({ start: 'beginning' });
    expect(await consumer.leaseIds()).toEqual(ids);
    expect(await consumer.do('ack', ids)).toEqual({ acknowledged: 1, unknown: [] });
  });
});

describe('isolation', () => {
  test('a business neither sees nor touches a consumer of another one', async () => {
    await consumer.put();
    const id = await send();
    await consumer.lease();
    const other = await service.business(`other-${businesses}`);
    const theirs = new ConsumerClient(other.api, 'billing');
    const unknown = new ConsumerClient(other.api, 'nothing');
    for (const what of ['lease', 'ack', 'extend', 'release', 'unpark', 'seek']) {
      const fields = what === 'lease' ? {} : what === 'seek' ? { position: 'now' } : { ids: [id] };
      const response = await theirs.post(what, fields);
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(await unknown.post(what, fields)));
    }
    await theirs.put({ start: 'beginning' });
    expect(await theirs.leaseIds()).toEqual([]);
    expect(await theirs.as(acme.agentId).do('ack', [id])).toEqual({ acknowledged: 0, unknown: [id] });
    expect(await consumer.do('ack', [id])).toEqual({ acknowledged: 1, unknown: [] });
  });

  test('a read key can neither lease nor look', async () => {
    await consumer.put();
    const reader = new ConsumerClient(await acme.withKey('read'), 'billing');
    for (const response of [await reader.post('lease', {}), await reader.put(), await reader.api.get('/consumers')])
      expectRefusal(response, 'forbidden');
  });
});

describe('ids', () => {
  test('that are none, or of other messages, are unknown', async () => {
    await consumer.put();
    const id = await send();
    const unleased = await send();
    await consumer.lease({ limit: 1 });
    const strange = ['msg_', 'no', formatId('msg', newUuid()), formatId('thr', newUuid()), '\0', unleased];
    expect(await consumer.do('extend', [...strange, id])).toMatchObject({ extended: 1, unknown: strange });
    expect(await consumer.do('ack', [...strange, id])).toEqual({ acknowledged: 1, unknown: strange });
    expect(await consumer.do('release', strange)).toEqual({ released: 0, unknown: strange });
    expect(await consumer.do('unpark', strange)).toEqual({ unparked: 0, unknown: strange });
    await passTime(service);
    expect(await consumer.leaseIds()).toEqual([unleased]);
  });

  test('or `through` are required to acknowledge, not both', async () => {
    await consumer.put();
    for (const fields of [{}, { ids: [], through: '1' }, { ids: ['msg_'], through: '1' }, { through: 'x' }, { through: '9'.repeat(30) }])
      expectRefusal(await consumer.post('ack', fields), 'validation_error');
  });
});
