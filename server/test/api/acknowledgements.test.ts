import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isSignatureGenuine, parseParameters } from '@waybill/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { parseId } from '../../src/contract/ids.ts';
import { ACKNOWLEDGEMENT_REASON_MAX_CHARS } from '../../src/contract/limits.ts';
import { acknowledgementsOf } from '../../src/modules/acknowledgements/acknowledgements.ts';
import { Api, type ApiResponse } from '../support/api.ts';
import { claimedBy } from '../support/businesses.ts';
import { ConsumerClient } from '../support/consumers.ts';
import { listen } from '../support/event-stream.ts';
import { MemberApi } from '../support/member.ts';
import { signInWithCode } from '../support/people.ts';
import { type Receiver, receiverSettings, startReceiver } from '../support/receiver.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { ON_CITUS } from '../support/sharded.ts';
import { newSigningKey, signedWrite } from '../support/signing.ts';
import { connectionWaitingIn, lockingWith } from '../support/sql-locks.ts';

let service: TestService;
let receiver: Receiver;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];

beforeAll(async () => {
  service = await startTestService(receiverSettings);
  receiver = await startReceiver();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const sent = async (from = acme, to = globex) => (await from.api.send({ to: to.handle, json: { n: 1 } })).body;
const say = (id: string, body: unknown, by = globex): Promise<ApiResponse> => by.api.write('POST', `/messages/${id}/acknowledge`, body);
const list = async (id: string, by = acme) => (await by.api.get(`/messages/${id}/acknowledgements`)).body.data;

describe('an acknowledgement', () => {
  test('is with both parties and in the log', async () => {
    const message = await sent();
    expect(await list(message.id)).toEqual([]);
    const { status, body } = await say(message.id, { status: 'accepted', reason: 'Grüße' });
    const party = { kind: 'handle', handle: 'globex', display_name: 'The globex company' };
    const actor = { kind: 'agent', id: globex.agentId, name: 'Agent of globex', email: null, verified: true, provider: 'api_key' };
    const said = { status: 'accepted', reason: 'Grüße', at: expect.any(String), party, actor };
    expect([status, body]).toEqual([201, { ...said, number: 1, signing_key_id: null }]);
    expect(Math.abs(Date.parse(body.at) - Date.now())).toBeLessThan(60_000);
    expect(await list(message.id, acme)).toEqual([body]);
    expect(await list(message.id, globex)).toEqual([body]);
    const inChain = { content_hash: message.content_hash, message: message.id, number: 1, previous: null };
    const statement = canonicalJson({ ...said, at: body.at, ...inChain });
    const leaf = Buffer.concat([Buffer.from([3]), createHash('sha256').update(statement).digest()]);
    expect(await service.sql('SELECT FROM log_batches WHERE leaves = $1', [leaf])).toHaveLength(1);
    const [row] = await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'acme'");
    const [parts] = await acknowledgementsOf(service.database, parseId('msg', message.id) ?? '', BigInt(row?.id ?? 0));
    expect(parts).toMatchObject({ statement, signature: undefined, leaf: { slot: 0 } });
  });

  test('goes from accepted to processed or rejected, and stays so', async () => {
    for (const last of ['processed', 'rejected']) {
      const { id } = await sent();
      expect((await say(id, { status: 'accepted' })).status).toBe(201);
      expect((await say(id, { status: last, reason: 'because' })).status).toBe(201);
      for (const status of ['accepted', 'processed', 'rejected']) expectRefusal(await say(id, { status, reason: 'another' }), 'conflict');
      expect((await list(id)).map(({ status }: { status: string }) => status)).toEqual(['accepted', last]);
    }
    const { id } = await sent();
    expect((await say(id, { status: 'processed' })).status).toBe(201);
    expectRefusal(await say(id, { status: 'accepted' }), 'conflict');
  });

  test('can be repeated: the same is returned, and nothing is added', async () => {
    const { id } = await sent();
    const first = await say(id, { status: 'accepted', reason: null });
    const again = await say(id, { status: 'accepted' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await list(id)).toEqual([first.body]);
  });

  test('is given once, however many come at once', async () => {
    const { id } = await sent();
    const same = await Promise.all(Array.from({ length: 8 }, () => say(id, { status: 'accepted' })));
    expect(same.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const different = await Promise.all(
      ['processed', 'rejected', 'processed', 'rejected'].map((status) => say(id, { status, reason: status })),
    );
    expect(different.map(({ status }) => status).sort()).toEqual([200, 201, 409, 409]);
    expect(await list(id)).toHaveLength(2);
    expect(await list(id, globex)).toEqual(await list(id));
  });

  test('of messages in both directions at once does not deadlock', async () => {
    const messages = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? sent(acme, globex) : sent(globex, acme))));
    const all = await Promise.all(messages.map(({ id }, i) => say(id, { status: 'processed' }, i % 2 ? globex : acme)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201));
  });

  test('is for the recipient alone', async () => {
    const { id } = await sent();
    const stranger = await service.business('stranger');
    for (const by of [acme, stranger]) expectRefusal(await say(id, { status: 'accepted' }, by), 'not_found');
    expectRefusal(await stranger.api.get(`/messages/${id}/acknowledgements`), 'not_found');
    const reader = await globex.withKey('read');
    expectRefusal(await reader.write('POST', `/messages/${id}/acknowledge`, { status: 'accepted' }), 'forbidden');
    expect((await reader.get(`/messages/${id}/acknowledgements`)).body).toEqual({
      data: [],
      handed_over: null,
      expired: null,
      next_number: 1,
    });
  });

  test('of a message to oneself is there once', async () => {
    const { id } = await sent(acme, acme);
    expect((await say(id, { status: 'accepted' }, acme)).status).toBe(201);
    expect(await list(id)).toHaveLength(1);
  });

  test('has a status and perhaps a reason, and nothing else', async () => {
    const { id } = await sent();
    expectInvalid(await say(id, {}), 'status');
    expectInvalid(await say(id, { status: 'read' }), 'status');
    expectInvalid(await say(id, { status: 'accepted', reason: 1 }), 'reason');
    expectInvalid(await say(id, { status: 'accepted', reason: 'x'.repeat(ACKNOWLEDGEMENT_REASON_MAX_CHARS + 1) }), 'reason');
    expectInvalid(await say(id, { status: 'accepted', reason: '\u0000' }), 'reason');
    expectInvalid(await say(id, { status: 'accepted', more: true }), 'more');
    for (const text of ['', '{', 'null x']) expectRefusal(await say(id, text), 'invalid_json');
    expectRefusal(await say(id, `{"status":"accepted"${' '.repeat(70_000)}}`), 'json_too_large');
    expectRefusal(await say('msg_nonsense', { status: 'accepted' }), 'not_found');
    expect(await list(id)).toEqual([]);
  });
});

test('a signed acknowledgement names the key, and can be checked again', async () => {
  const key = await newSigningKey(service, globex);
  const { id } = await sent();
  const path = `/messages/${id}/acknowledge`;
  expectRefusal(await signedWrite(globex, key, path, { status: 'accepted' }, { createdS: 5 }), 'invalid_signature');
  expectRefusal(await globex.api.write('POST', path, { status: 'accepted' }, { signature: 'a=:AAAA:' }), 'invalid_signature');
  expect(await list(id)).toEqual([]);
  const body = '{ "status": "accepted" }';
  const { status, body: said } = await signedWrite(globex, key, path, body);
  expect([status, said.signing_key_id]).toEqual([201, key.id]);
  expect(await list(id)).toEqual([said]);
  const [row] = await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'acme'");
  const [parts] = await acknowledgementsOf(service.database, parseId('msg', id) ?? '', BigInt(row?.id ?? 0));
  const { signature } = parts ?? {};
  if (!signature) throw new Error('the signature is not there');
  expect(signature.body.toString()).toBe(body);
  expect(signature.components).toMatchObject({ '@method': 'POST', '@path': `/v1${path}` });
  const publicKey = Buffer.from(key.publicKey, 'base64');
  expect(JSON.parse(signature.key)).toMatchObject({ id: key.id, public_key: key.publicKey, state: 'registered' });
  expect(await isSignatureGenuine(publicKey, parseParameters(signature.signatureInput), signature.components, signature.signature)).toBe(
    true,
  );
});

describe('a key that is revoked', () => {
  let n = 0;
  /** A signed acknowledgement of a new message, and the revocation of its key. */
  async function signer() {
    const handle = `signer-${++n}`;
    const owner = await claimedBy(service, `ada@${handle}.test`, handle);
    const agentId = (await owner.post('/agents', { name: 'Orders' })).body.id;
    const api = new Api(service.url, (await owner.post(`/agents/${agentId}/keys`, { scope: 'read_write' })).body.secret);
    const key = await newSigningKey(service, { handle, agentId });
    const { id } = (await acme.api.send({ to: handle })).body;
    return {
      id,
      acknowledge: () => signedWrite({ api }, key, `/messages/${id}/acknowledge`, { status: 'accepted' }),
      revoke: () => owner.delete(`/agents/${agentId}/signing-keys/${key.id}`),
    };
  }

  // On Citus, the revocation waits for the lock that the test holds, too.
  test.skipIf(ON_CITUS)('after the signature was checked signs nothing', async () => {
    const { id, acknowledge, revoke } = await signer();
    const locked = await lockingWith(service, "SELECT FROM ledger_entries WHERE message_id = $1 AND box = 'in' FOR UPDATE", [
      parseId('msg', id),
    ]);
    const acknowledging = acknowledge();
    await connectionWaitingIn(service, 'lock_chains');
    expect((await revoke()).status).toBe(204);
    await locked.rollBack();
    const refused = await acknowledging;
    expectRefusal(refused, 'invalid_signature');
    expect(refused.body.error.message).toBe('The signing key is revoked.');
    expect(await list(id)).toEqual([]);
  });

  test('while what it signed is committed is revoked after that', async () => {
    const { id, acknowledge, revoke } = await signer();
    const locked = await lockingWith(service, 'LOCK TABLE acknowledgements IN EXCLUSIVE MODE');
    const acknowledging = acknowledge();
    await connectionWaitingIn(service, 'INSERT INTO acknowledgements');
    const revoking = revoke();
    await connectionWaitingIn(service, 'FROM signing_keys').finally(() => locked.rollBack());
    expect([(await acknowledging).status, (await revoking).status]).toEqual([201, 204]);
    expect(await list(id)).toHaveLength(1);
  });
});

test('the sender is told by webhook, and by an event', async () => {
  const listening = await listen(service.url, { authorization: `Bearer ${acme.secret}` });
  const changes = () => listening.text().match(/^event: threads$/gm)?.length ?? 0;
  await acme.api.write('POST', '/webhooks', { url: receiver.url('/acknowledged'), events: ['message.acknowledged'] });
  const message = await sent();
  // The new message itself is a change of its thread.
  await expect.poll(async () => (await acme.api.get('/threads')).body.data[0]?.id).toBe(message.thread_id);
  await pause(1_500);
  const before = changes();
  await say(message.id, { status: 'rejected', reason: 'out of stock' });
  await expect.poll(changes).toBeGreaterThan(before);
  listening.leave();
  const told = () => receiver.at('/acknowledged').filter(({ headers }) => headers['waybill-event'] === 'message.acknowledged');
  await expect.poll(() => told().length).toBe(1);
  expect(JSON.parse(told()[0]?.body.toString() ?? '')).toEqual({
    message_id: message.id,
    thread_id: message.thread_id,
    status: 'rejected',
    acknowledgements: await list(message.id),
  });
});

test('what was said of a message goes with it when it joins a business, and later acknowledgements reach the business', async () => {
  const ann = await signInWithCode(service, 'ann@tailor-works.test');
  const drops = [];
  for (const note of ['one', 'two']) drops.push((await ann.post('/v1/drops', { to: 'globex', note })).body);
  const [first, second] = drops;
  expect((await say(first.id, { status: 'accepted' })).status).toBe(201);
  await ann.post('/v1/businesses', { handle: 'tailor', display_name: 'Tailor' });
  const tailor = new MemberApi(ann, 'tailor');
  await expect.poll(async () => (await tailor.get('/outbox')).body.data.length).toBe(2);
  expect((await say(first.id, { status: 'processed' })).status).toBe(201);
  expect((await say(second.id, { status: 'rejected' })).status).toBe(201);
  const statuses = async ({ id }: { id: string }) =>
    (await tailor.get(`/messages/${id}/acknowledgements`)).body.data.map(({ status }: { status: string }) => status);
  expect([await statuses(first), await statuses(second)]).toEqual([['accepted', 'processed'], ['rejected']]);
});

describe('a hand-over', () => {
  const handedOver = async (id: string, by = acme) => (await by.api.get(`/messages/${id}/acknowledgements`)).body.handed_over;

  test('is noted when an endpoint responds with success, and not before', async () => {
    const [initech, hooli] = [await service.business('initech'), await service.business('hooli')];
    const hook = (path: string) => initech.api.write('POST', '/webhooks', { url: receiver.url(path) });
    receiver.respond = (delivery, response) => response.writeHead(delivery.path === '/refuses' ? 500 : 204).end();
    expect((await hook('/refuses')).status).toBe(201);
    const refused = await sent(hooli, initech);
    await expect.poll(() => receiver.at('/refuses').length).toBe(1);
    expect(await handedOver(refused.id, hooli)).toBeNull();
    expect((await hook('/takes')).status).toBe(201);
    const taken = await sent(hooli, initech);
    await expect.poll(() => handedOver(taken.id, hooli)).toEqual({ way: 'webhook', at: expect.any(String), number: 1 });
    expect(await handedOver(taken.id, initech)).toEqual(await handedOver(taken.id, hooli));
    expect(await handedOver(refused.id, hooli)).toBeNull();
    expect(await list(taken.id, hooli)).toEqual([]);
  });

  test('is noted when a worker acknowledges what it leased; the first time stays', async () => {
    const { id } = await sent();
    const [orders, books] = [new ConsumerClient(globex.api, 'orders', 'w1'), new ConsumerClient(globex.api, 'books', 'w1')];
    for (const consumer of [orders, books]) await consumer.put({ start: 'beginning' });
    expect(await orders.leaseIds({ limit: 100 })).toContain(id);
    expect(await handedOver(id)).toBeNull();
    await orders.do('ack', [id]);
    const first = { way: 'consumer', at: (await handedOver(id)).at, number: 1 };
    await expect.poll(() => handedOver(id)).toEqual(first);
    expect(await books.leaseIds({ limit: 100 })).toContain(id);
    await books.do('ack', [id]);
    expect(await handedOver(id)).toEqual(first);
  });
});
