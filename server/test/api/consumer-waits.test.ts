import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LEASE_WAITS_PER_BUSINESS_MAX } from '../../src/contract/limits.ts';
import { Api } from '../support/api.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import { ConsumerClient, idsOf, sendTo } from '../support/consumers.ts';
import { expectRefusal } from '../support/refusals.ts';
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
  acme = await service.business(`acme-${++businesses}`);
  consumer = new ConsumerClient(acme.api, 'billing');
  expect((await consumer.put()).status).toBe(201);
});
/** After every test, no ended request may still wait. */
afterEach(() => untilWaiting(0));
afterAll(() => service.stop());

const send = (fields: object = {}) => sendTo(sender.api, acme.handle, fields);
const waitsAt = async (url: string) => {
  const { text } = await sender.api.at(url).request('GET', '/metrics');
  return Number(/^waybill_lease_waits (\d+)$/m.exec(text)?.[1]);
};
const untilWaiting = (count: number, url = service.url) => expect.poll(() => waitsAt(url), { timeout: 60_000 }).toBe(count);

/** Runs work that must end before an earlier lease, for which no message comes. */
async function endingEarly<T>(begin: () => Promise<T>, interrupt: () => Promise<unknown>): Promise<T> {
  const undisturbed = await service.business(`patient-${businesses}`);
  const patient = new ConsumerClient(undisturbed.api, 'patient');
  await patient.put();
  const waiting = patient.lease({ wait_s: 30 });
  await untilWaiting(1);
  const work = begin();
  await interrupt();
  const result = await Promise.race([work, waiting.then(() => Promise.reject(new Error('it has waited to the end')))]);
  await sendTo(sender.api, undisturbed.handle);
  expect(await waiting).toHaveLength(1);
  return result;
}

describe('a lease that waits', () => {
  test('gets a message as soon as it comes, and others go on waiting', async () => {
    const [first, second] = [consumer.as('one').lease({ wait_s: 30 }), consumer.as('two').lease({ wait_s: 30 })];
    await untilWaiting(2);
    const id = await send();
    const leased = await Promise.race([first, second]);
    expect(idsOf(leased)).toEqual([id]);
    await untilWaiting(1);
    const next = await send();
    expect((await Promise.all([first, second])).flatMap(idsOf).toSorted()).toEqual([id, next].toSorted());
  });

  test('is empty when nothing came in time; what does not match is nothing', async () => {
    await consumer.put({ filter: { types: ['order'] } });
    const waiting = consumer.lease({ wait_s: 1 });
    await untilWaiting(1);
    await send({ type: 'invoice' });
    expect(await waiting).toEqual([]);
  });

  test('does not wait if something is there', async () => {
    const id = await send();
    expect(idsOf(await consumer.lease({ wait_s: 30 }))).toEqual([id]);
  });

  test('wakes when a message is released, when its delay ends, and when a lease lapses', async () => {
    const id = await send();
    await consumer.as('one').lease({ lease_s: 600 });
    const released = consumer.as('two').lease({ wait_s: 30, lease_s: 1 });
    await untilWaiting(1);
    await consumer.as('one').do('release', [id], { delay_s: 1 });
    expect(idsOf(await released)).toEqual([id]);
    expect(idsOf(await consumer.as('three').lease({ wait_s: 30 }))).toEqual([id]);
  });

  test('wakes when a message is put back, and when the consumer goes back', async () => {
    await consumer.put({ max_tries: 1 });
    const id = await send();
    await consumer.do('release', await consumer.leaseIds());
    const unparked = consumer.lease({ wait_s: 30 });
    await untilWaiting(1);
    await consumer.do('unpark', [id]);
    expect(idsOf(await unparked)).toEqual([id]);
    await consumer.do('ack', [id]);
    const again = consumer.lease({ wait_s: 30 });
    await untilWaiting(1);
    await consumer.post('seek', { position: 'beginning' });
    expect(idsOf(await again)).toEqual([id]);
  });

  test('of an ordered consumer wakes when the message before is acknowledged', async () => {
    const ordered = new ConsumerClient(acme.api, 'ordered');
    await ordered.put({ ordered: true });
    const id = await send();
    const { body: reply } = await sender.api.send({ in_reply_to: id });
    expect(await ordered.as('one').leaseIds()).toEqual([id]);
    const waiting = ordered.as('two').lease({ wait_s: 30 });
    await untilWaiting(1);
    await ordered.as('one').do('ack', [id]);
    expect(idsOf(await waiting)).toEqual([reply.id]);
  });

  test('wakes by what another process delivers or releases', async () => {
    const sibling = await service.sibling();
    const waiting = consumer.as('one', acme.api.at(sibling.url)).lease({ wait_s: 30 });
    await untilWaiting(1, sibling.url);
    const id = await send();
    expect(idsOf(await waiting)).toEqual([id]);
    const again = consumer.as('two').lease({ wait_s: 30 });
    await untilWaiting(1);
    await consumer.as('one', acme.api.at(sibling.url)).do('release', [id]);
    expect(idsOf(await again)).toEqual([id]);
    await sibling.stop();
  });

  test('ends when the process stops, empty-handed', async () => {
    const sibling = await service.sibling();
    const ended = await endingEarly(
      () => consumer.as('one', acme.api.at(sibling.url)).lease({ wait_s: 30 }),
      async () => {
        await untilWaiting(1, sibling.url);
        await sibling.stop();
      },
    );
    expect(ended).toEqual([]);
  });

  test('ends at once when its key is revoked, or the consumer deleted', async () => {
    const owner = await claimedBy(service, `owner${businesses}@waits.test`, `owned-${businesses}`);
    const agent = (await owner.post('/agents', { name: 'worker' })).body;
    const key = (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body;
    const worker = new ConsumerClient(new Api(service.url, key.secret), 'jobs');
    await worker.put();
    const revoked = await endingEarly(
      () => worker.lease({ wait_s: 30 }),
      async () => {
        await untilWaiting(2);
        expect((await owner.delete(`/keys/${key.id}`)).status).toBe(204);
      },
    );
    expect(revoked).toEqual([]);
    expectRefusal(await worker.post('lease', {}), 'unauthorized');

    const orphaned = consumer.post('lease', { wait_s: 30 });
    await untilWaiting(1);
    await acme.api.request('DELETE', '/v1/consumers/billing');
    expectRefusal(await orphaned, 'not_found');
  });

  test('of a member who is removed meanwhile gets nothing, and the message is there for others', async () => {
    const owner = await claimedBy(service, `owner${businesses}@left.test`, `left-${businesses}`);
    const member = await joinedBy(service, owner, `member${businesses}@left.test`, 'member');
    await owner.request('PUT', '/consumers/jobs', {});
    const waiting = member.post('/consumers/jobs/lease', { wait_s: 30 });
    await untilWaiting(1);
    expect((await owner.delete(`/members/${await personIdOf(member)}`)).status).toBe(204);
    await sendTo(sender.api, owner.handle);
    expectRefusal(await waiting, 'unauthorized');
    expect((await owner.post('/consumers/jobs/lease', {})).body.data).toHaveLength(1);
  });

  test('of a client that has left takes nothing', async () => {
    const leaving = new AbortController();
    const left = fetch(`${service.url}/v1/consumers/billing/lease`, {
      method: 'POST',
      headers: { authorization: `Bearer ${acme.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ wait_s: 30, holder: 'gone' }),
      signal: leaving.signal,
    }).catch(() => 'left');
    await untilWaiting(1);
    leaving.abort();
    expect(await left).toBe('left');
    await untilWaiting(0);
    const id = await send();
    expect(await consumer.lease({ wait_s: 30 })).toMatchObject([{ tries: 1, message: { id } }]);
  });
});

describe('many leases that wait', () => {
  test('are limited for each business; others still wait', async () => {
    const leaving = new AbortController();
    const crowd = Array.from({ length: LEASE_WAITS_PER_BUSINESS_MAX }, () =>
      fetch(`${service.url}/v1/consumers/billing/lease`, {
        method: 'POST',
        headers: { authorization: `Bearer ${acme.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ wait_s: 30 }),
        signal: leaving.signal,
      }).catch(() => 'left'),
    );
    await untilWaiting(LEASE_WAITS_PER_BUSINESS_MAX);
    const refused = await consumer.post('lease', { wait_s: 30 });
    expectRefusal(refused, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await consumer.lease()).toEqual([]);
    const other = await service.business(`other-${businesses}`);
    const theirs = new ConsumerClient(other.api, 'billing');
    await theirs.put();
    const waiting = theirs.lease({ wait_s: 30 });
    await untilWaiting(LEASE_WAITS_PER_BUSINESS_MAX + 1);
    const id = await sendTo(sender.api, other.handle);
    expect(idsOf(await waiting)).toEqual([id]);
    leaving.abort();
    await Promise.all(crowd);
  });

  test('get messages in the order in which they came, one each, and none twice', async () => {
    const sibling = await service.sibling();
    const workers = Array.from({ length: 20 }, (_, i) => consumer.as(`w${i}`, i % 2 ? acme.api : acme.api.at(sibling.url)));
    const waiting = workers.map((worker) => worker.leaseIds({ limit: 1, wait_s: 30 }));
    await untilWaiting(10);
    await untilWaiting(10, sibling.url);
    const ids = await Promise.all(workers.map(() => send()));
    expect((await Promise.all(waiting)).flat().toSorted()).toEqual(ids.toSorted());
    await sibling.stop();
  });
});
