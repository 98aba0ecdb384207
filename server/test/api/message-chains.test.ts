import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { parseId } from '../../src/contract/ids.ts';
import type { ApiResponse } from '../support/api.ts';
import { chainInProof, hashOfText } from '../support/chains.ts';
import { ConsumerClient } from '../support/consumers.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith } from '../support/sql-locks.ts';

let service: TestService;
let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
let orders: ConsumerClient;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  orders = new ConsumerClient(globex.api, 'orders', 'w1');
  await orders.put();
});
afterAll(() => service.stop());

const sent = async () => (await acme.api.send({ to: 'globex', json: { n: 1 } })).body;
const say = (id: string, body: unknown): Promise<ApiResponse> => globex.api.write('POST', `/messages/${id}/acknowledge`, body);
const list = async (id: string, by = acme) => (await by.api.get(`/messages/${id}/acknowledgements`)).body;
const take = async (ids: string[], by = orders) => {
  expect(await by.leaseIds({ limit: 100 })).toEqual(expect.arrayContaining(ids));
  await by.do('ack', ids);
};
const numbered = (id: string) => expect.poll(async () => (await list(id)).handed_over?.number).toBe(1);
const leavesOf = async (type: number) => {
  const rows = await service.sql<{ leaves: Buffer }>('SELECT leaves FROM log_batches');
  return rows.flatMap(({ leaves }) =>
    Array.from({ length: leaves.length / 33 }, (_, at) => leaves.subarray(at * 33, at * 33 + 33)).filter(([first]) => first === type),
  );
};

describe('a hand-over', () => {
  test('gets a number and a leaf, and what is said later names its hash', async () => {
    const { id, content_hash } = await sent();
    await take([id]);
    expect((await list(id)).next_number).toBe(2);
    await numbered(id);
    const { handed_over, next_number } = await list(id, globex);
    expect([handed_over, next_number]).toEqual([{ way: 'consumer', at: expect.any(String), number: 1 }, 2]);
    const party = { kind: 'handle', handle: 'globex', display_name: 'The globex company' };
    const statement = canonicalJson({
      ...{ at: handed_over.at, content_hash, message: id, number: 1, party, previous: null },
      way: 'consumer',
    });
    expect(await leavesOf(7)).toContainEqual(Buffer.concat([Buffer.from([7]), Buffer.from(hashOfText(statement).slice(7), 'hex')]));
    expect((await say(id, { status: 'accepted' })).body.number).toBe(2);
    expect((await say(id, { status: 'processed' })).body.number).toBe(3);
    expect(await list(id)).toMatchObject({ data: [{ number: 2 }, { number: 3 }], next_number: 4 });
    for (const by of [acme, globex]) {
      const chain = await chainInProof(by.api, id, 3);
      expect(chain.map(({ member }) => member)).toEqual(['hand_overs', 'acknowledgements', 'acknowledgements']);
      expect(chain[0]?.statement).toBe(statement);
    }
  });

  test('comes after what was said before it', async () => {
    const { id } = await sent();
    expect((await say(id, { status: 'processed' })).body.number).toBe(1);
    await take([id]);
    await expect.poll(async () => (await list(id)).handed_over?.number).toBe(2);
    expect((await chainInProof(acme.api, id, 2)).map(({ member }) => member)).toEqual(['acknowledgements', 'hand_overs']);
  });

  test('counts once, however many systems take the message', async () => {
    const { id } = await sent();
    const books = new ConsumerClient(globex.api, 'books', 'w1');
    await books.put({ start: 'beginning' });
    await take([id]);
    await numbered(id);
    const leaves = (await leavesOf(7)).length;
    await take([id], books);
    await expect.poll(() => service.sql('SELECT FROM noted_hand_overs')).toEqual([]);
    expect((await list(id)).next_number).toBe(2);
    expect(await leavesOf(7)).toHaveLength(leaves);
  });

  test('from before hand-overs were logged stays as it was', async () => {
    const { id } = await sent();
    const [party] = await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'globex'");
    await service.database
      .of(BigInt(party?.id ?? 0))
      .queryText("INSERT INTO hand_overs (party_id, message_id, way, handed_over_at) VALUES ($1, $2, 'webhook', now())", [
        party?.id,
        parseId('msg', id),
      ]);
    expect(await list(id)).toMatchObject({ handed_over: { way: 'webhook', number: null }, next_number: 1 });
    await take([id]);
    await expect.poll(() => service.sql('SELECT FROM noted_hand_overs')).toEqual([]);
    expect(await list(id)).toMatchObject({ handed_over: { way: 'webhook', number: null }, next_number: 1 });
    expect((await say(id, { status: 'accepted' })).body.number).toBe(1);
    await chainInProof(acme.api, id, 1);
  });

  test('that waits for its number gets it before anything else is said', async () => {
    const alone = await startTestService({}, 'api');
    try {
      const [hooli, initech] = [await alone.business('hooli'), await alone.business('initech')];
      const consumer = new ConsumerClient(initech.api, 'jobs', 'w1');
      await consumer.put();
      const { id } = (await hooli.api.send({ to: 'initech' })).body;
      await take([id], consumer);
      const waiting = await list(id, hooli);
      expect(waiting).toMatchObject({ handed_over: { way: 'consumer', number: null }, next_number: 2 });
      const said = await initech.api.write('POST', `/messages/${id}/acknowledge`, { status: 'accepted', number: 2 });
      expect([said.status, said.body.number]).toEqual([201, 2]);
      expect(await list(id, hooli)).toMatchObject({ handed_over: { at: waiting.handed_over.at, number: 1 }, next_number: 3 });
    } finally {
      await alone.stop();
    }
  });

  test('and an acknowledgement at the same time get different numbers', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) ids.push((await sent()).id);
    expect((await orders.leaseIds({ limit: 100 })).sort()).toEqual(expect.arrayContaining([...ids].sort()));
    const batches = Array.from({ length: 8 }, (_, n) => ids.slice(5 * n, 5 * n + 5));
    await Promise.all([...batches.map((batch) => orders.do('ack', batch)), ...ids.map((id) => say(id, { status: 'accepted' }))]);
    await expect.poll(() => service.sql('SELECT FROM noted_hand_overs')).toEqual([]);
    for (const id of ids) {
      const { handed_over, data, next_number } = await list(id);
      expect([[handed_over.number, data[0].number].sort(), next_number]).toEqual([[1, 2], 3]);
    }
    for (const id of ids.slice(0, 5)) await chainInProof(globex.api, id, 2);
  });
});

test('chains of messages are locked in the order of the ledger, in which indexes of filters are filled', async () => {
  const [party] = await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'globex'");
  const shard = service.database.of(BigInt(party?.id ?? 0));
  const ids = [(await sent()).id, (await sent()).id].map((id) => parseId('msg', id) ?? '');
  const [later, earlier] = ids.toSorted(); // By position.
  await shard.queryText(`UPDATE ledger_entries SET position = position - 4096 * 60000 WHERE message_id = $1 AND box = 'in'`, [earlier]);
  const entry = `SELECT FROM ledger_entries WHERE message_id = $1 AND box = 'in' FOR UPDATE`;
  const locked = await lockingWith(service, entry, [earlier]);
  const locking = shard.queryText('SELECT FROM lock_chains($1, $2)', [ids.map(() => party?.id), ids]);
  await connectionWaitingIn(service, 'lock_chains');
  const free = await shard.queryText(`${entry} SKIP LOCKED`, [later]);
  await locked.rollBack();
  await locking;
  expect(free).toHaveLength(1);
});

describe('an acknowledgement with its content_hash and number', () => {
  test('is refused if something was said meanwhile, and the response names the next number', async () => {
    const { id, content_hash } = await sent();
    await take([id]);
    const late = await say(id, { status: 'accepted', content_hash, number: 1 });
    expectRefusal(late, 'conflict');
    expect(late.body.error.message).toContain('The next number is 2');
    expect((await list(id)).data).toEqual([]);
    expect((await say(id, { status: 'accepted', content_hash, number: 2 })).status).toBe(201);
    expectRefusal(await say(id, { status: 'processed', number: 2 }), 'conflict');
    expect((await say(id, { status: 'processed', number: 3 })).status).toBe(201);
  });

  test('is refused if the message has another content', async () => {
    const { id } = await sent();
    const other = (await sent()).content_hash;
    expectRefusal(await say(id, { status: 'accepted', content_hash: other }), 'conflict');
    expect((await list(id)).data).toEqual([]);
  });

  test('can be repeated with the number that it has', async () => {
    const { id, content_hash } = await sent();
    const first = await say(id, { status: 'accepted', content_hash, number: 1 });
    const again = await say(id, { status: 'accepted', content_hash, number: 1 });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const other = await say(id, { status: 'accepted', content_hash, number: 2 });
    expectRefusal(other, 'conflict');
    expect(other.body.error.message).toContain('The same was said before, with the number 1. The next number is 2');
  });

  test('is refused if these are no such values', async () => {
    const { id } = await sent();
    for (const number of [0, -1, 1.5, '1', 1_001]) expectInvalid(await say(id, { status: 'accepted', number }), 'number');
    for (const content_hash of ['', 'sha256:', 1]) expectInvalid(await say(id, { status: 'accepted', content_hash }), 'content_hash');
    expect((await say(id, { status: 'accepted', number: null, content_hash: null })).status).toBe(201);
  });
});
