import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { EXPIRES_IN_MAX_S, EXPIRY_LOOKED_AT_AFTER_S } from '../../src/contract/limits.ts';
import { chainInProof } from '../support/chains.ts';
import { ConsumerClient } from '../support/consumers.ts';
import { MemberApi } from '../support/member.ts';
import { signInWithCode } from '../support/people.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { contentHashOf } from '../support/rfc8785.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let receiver: Receiver;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  acme = await service.business('acme');
  globex = await service.business('globex');
  await acme.api.write('POST', '/webhooks', { url: receiver.url('/expired'), events: ['message.expired'] });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const sent = async (to = 'globex') => (await acme.api.send({ to, json: { n: 1 }, expires_in: 60 })).body;
const list = async (id: string, by = acme) => (await by.api.get(`/messages/${id}/acknowledgements`)).body;
const waiting = async () =>
  (await service.sql('SELECT FROM expiries WHERE due_at <= now() - make_interval(secs => $1)', [EXPIRY_LOOKED_AT_AFTER_S])).length;
const look = () => service.sql("SELECT graphile_worker.add_job('expire-messages')");
const told = () => receiver.at('/expired').map(({ body }) => JSON.parse(body.toString()).id);

const setOver = (ids: string[], forS: number) =>
  service.sql('UPDATE expiries SET due_at = now() - make_interval(secs => $2) WHERE message_id = ANY ($1::uuid[])', [
    ids.map((id) => parseId('msg', id)),
    forS,
  ]);

/** Lets the time of these messages be over, and the service look at them. */
async function pass(...ids: string[]): Promise<void> {
  await setOver(ids, EXPIRY_LOOKED_AT_AFTER_S + 1);
  await look();
  await expect.poll(waiting).toBe(0);
}

describe('expires_in', () => {
  test('gives a message a time, which both parties see, and which its hash covers', async () => {
    const message = await sent();
    expect(Math.abs(Date.parse(message.expires_at) - Date.parse(message.received_at) - 60_000)).toBeLessThan(10_000);
    expect((await globex.api.get(`/messages/${message.id}`)).body.expires_at).toBe(message.expires_at);
    expect(contentHashOf(message)).toBe(message.content_hash);
    expect(contentHashOf({ ...message, expires_at: null })).not.toBe(message.content_hash);
    const receipt = await service.anonymous.get(`/receipts/${message.receipt_url.split('/').at(-1)}`);
    expect(receipt.body.expires_at).toBe(message.expires_at);
    const { body: batch } = await acme.api.write('POST', '/messages/batch', { messages: [{ to: 'globex', expires_in: EXPIRES_IN_MAX_S }] });
    const [{ message: last }] = batch.data;
    expect(Date.parse(last.expires_at) - Date.parse(last.received_at)).toBeGreaterThan((EXPIRES_IN_MAX_S - 10) * 1_000);
  });

  test('is no part of messages without it', async () => {
    for (const fields of [{}, { expires_in: null }]) {
      const { body } = await acme.api.send({ to: 'globex', ...fields });
      expect(body.expires_at).toBeNull();
      expect(contentHashOf(body)).toBe(body.content_hash);
    }
  });

  test('is a number of seconds within limits, of a business, and not in a form', async () => {
    for (const expires_in of [0, -1, 59, EXPIRES_IN_MAX_S + 1, 60.5, '60', true, 1e300])
      expectInvalid(await acme.api.send({ to: 'globex', expires_in }), 'expires_in');
    expectInvalid(await acme.api.send({ to: 'globex', expires_at: '2030-01-01T00:00:00.000Z' }), 'expires_at');
    const form = new FormData();
    form.set('to', 'globex');
    form.set('expires_in', '60');
    const init = { method: 'POST', headers: { authorization: `Bearer ${acme.secret}` }, body: form };
    expect((await fetch(`${service.url}/v1/messages`, init)).status).toBe(400);
    const ann = await signInWithCode(service, 'ann@drops.test');
    expectInvalid(await ann.post('/v1/drops', { to: 'globex', expires_in: 60 }), 'expires_in');
  });

  test('belongs to what a repeat is compared with', async () => {
    const headers = { 'idempotency-key': 'with-a-time' };
    const first = await acme.api.send({ to: 'globex', expires_in: 60 }, headers);
    const same = await acme.api.send({ to: 'globex', expires_in: 60 }, headers);
    expect([same.body.expires_at, same.headers.get('idempotent-body-differs')]).toEqual([first.body.expires_at, null]);
    const other = await acme.api.send({ to: 'globex', expires_in: 61 }, headers);
    expect(other.headers.get('idempotent-body-differs')).toBe('true');
  });
});

describe('a message that nobody took', () => {
  test('gets a leaf, its sender is told, and it stays with the recipient, who can still acknowledge it', async () => {
    const message = await sent();
    await globex.api.get(`/messages/${message.id}`);
    expect((await list(message.id)).expired).toBeNull();
    await pass(message.id);
    const { expired, next_number, handed_over } = await list(message.id);
    expect([expired, next_number, handed_over]).toEqual([{ at: expect.any(String), number: 1 }, 2, null]);
    // The clock says an earlier time, as that of another shard may.
    expect(expired.at).toBe(message.expires_at);
    expect((await list(message.id, globex)).expired).toEqual(expired);
    await expect.poll(told).toContain(message.id);
    expect((await globex.api.get(`/messages/${message.id}`)).status).toBe(200);
    const late = await globex.api.write('POST', `/messages/${message.id}/acknowledge`, { status: 'accepted' });
    expect([late.status, late.body.number]).toEqual([201, 2]);
    const [first, second] = await chainInProof(acme.api, message.id, 2);
    expect([first?.member, second?.member]).toEqual(['expiry', 'acknowledgements']);
    expect(JSON.parse(first?.statement ?? '')).toEqual({
      at: expired.at,
      content_hash: message.content_hash,
      expires_at: message.expires_at,
      message: message.id,
      number: 1,
      party: message.to.party,
      previous: null,
    });
  });

  test('expires once, however many look at it', async () => {
    const ids = (await Promise.all(Array.from({ length: 6 }, () => sent()))).map(({ id }) => id);
    await Promise.all([pass(...ids), look(), look(), look()]);
    for (const id of ids) expect((await list(id)).expired.number).toBe(1);
    await expect
      .poll(() =>
        told()
          .filter((id) => ids.includes(id))
          .sort(),
      )
      .toEqual([...ids].sort());
    expect(
      await service.sql('SELECT FROM non_deliveries WHERE message_id = ANY ($1::uuid[])', [ids.map((id) => parseId('msg', id))]),
    ).toHaveLength(6);
  });

  test('may be to oneself', async () => {
    const { id } = await sent('acme');
    await pass(id);
    expect((await list(id)).expired.number).toBe(1);
  });

  test('may be to somebody without a handle, whose history joins a business later', async () => {
    const bea = await signInWithCode(service, 'bea@joiner-works.test');
    const { body: question } = await bea.post('/v1/drops', { to: 'acme', note: 'When?' });
    const { id } = (await acme.api.send({ in_reply_to: question.id, note: 'Tomorrow.', expires_in: 60 })).body;
    await pass(id);
    expect((await list(id)).expired.number).toBe(1);
    await bea.post('/v1/businesses', { handle: 'joiner', display_name: 'Joiner' });
    const joiner = new MemberApi(bea, 'joiner');
    await expect.poll(async () => (await joiner.get('/inbox')).body.data.length).toBe(1);
    const said = await joiner.post(`/messages/${id}/acknowledge`, { status: 'accepted' });
    expect([said.status, said.body.number]).toEqual([201, 2]);
    expect(await list(id)).toMatchObject({ expired: { number: 1 }, data: [{ number: 2 }], next_number: 3 });
    await chainInProof(acme.api, id, 2);
  });
});

describe('a message that somebody took', () => {
  test('does not expire: neither one that a worker took, nor one that was acknowledged', async () => {
    const [taken, acknowledged] = [await sent(), await sent()];
    const consumer = new ConsumerClient(globex.api, 'orders', 'w1');
    await consumer.put({ start: 'beginning' });
    expect(await consumer.leaseIds({ limit: 100 })).toContain(taken.id);
    await consumer.do('ack', [taken.id]);
    await globex.api.write('POST', `/messages/${acknowledged.id}/acknowledge`, { status: 'processed' });
    await pass(taken.id, acknowledged.id);
    for (const { id } of [taken, acknowledged]) expect((await list(id)).expired).toBeNull();
    expect(told()).not.toContain(taken.id);
    expect(told()).not.toContain(acknowledged.id);
  });

  test('in time does not expire if that is recorded some seconds later', async () => {
    const [first, second, taken] = [await sent(), await sent(), await sent()];
    await setOver([taken.id], EXPIRY_LOOKED_AT_AFTER_S - 10);
    await pass(first.id);
    await pass(second.id);
    expect((await list(taken.id)).expired).toBeNull();
    await globex.api.write('POST', `/messages/${taken.id}/acknowledge`, { status: 'accepted' });
    await pass(taken.id);
    expect((await list(taken.id)).expired).toBeNull();
  });

  test('after it expired is handed over with the next number', async () => {
    const { id } = await sent();
    await pass(id);
    const consumer = new ConsumerClient(globex.api, 'late', 'w1');
    await consumer.put({ start: 'beginning' });
    expect(await consumer.leaseIds({ limit: 100 })).toContain(id);
    await consumer.do('ack', [id]);
    await expect.poll(async () => (await list(id)).handed_over?.number).toBe(2);
    expect((await chainInProof(globex.api, id, 2)).map(({ member }) => member)).toEqual(['expiry', 'hand_overs']);
  });
});

test('nobody else sees whether a message expired', async () => {
  const { id } = await sent();
  await pass(id);
  const stranger = await service.business('stranger');
  expectRefusal(await stranger.api.get(`/messages/${id}/acknowledgements`), 'not_found');
});
