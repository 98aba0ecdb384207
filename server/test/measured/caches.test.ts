import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { save } from '../support/contacts.ts';
import { Operator } from '../support/operator.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith } from '../support/sql-locks.ts';

let service: TestService;
let operator: Operator;
let acme: TestBusiness;
let globex: TestBusiness;
beforeAll(async () => {
  service = await startTestService();
  operator = new Operator(service);
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

const block = (business: TestBusiness, email_domain: string) => business.api.write('POST', '/blocks', { email_domain });

/** Locks the tables until the test is over, so that reads wait. */
async function lock(tables: string): Promise<() => Promise<void>> {
  const { rollBack } = await lockingWith(service, `LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  let isOver = false;
  const unlock = async () => {
    if (!isOver) await rollBack();
    isOver = true;
  };
  onTestFinished(unlock);
  return unlock;
}

/** Returns the result if it comes soon, otherwise undefined. */
const soon = async <T>(work: Promise<T>): Promise<T | undefined> => Promise.race([work, sleep(4_000, undefined)]);

test('changes of one business leave what is remembered of another', async () => {
  const remembered = () => Promise.all([globex.api.get('/inbox'), service.anonymous.get('/public/globex')]);
  await remembered();
  expect((await block(acme, 'one.example')).status).toBe(201);
  await operator.verifyDomain('acme', 'acme-works.test');
  await operator.revoke((await operator.addKey(acme.agentId, 'read')).id);
  await lock('api_keys, parties, verified_domains, segments');
  const responses = await soon(remembered());
  expect(responses?.map(({ status }) => status)).toEqual([200, 200]);
});

test('changes of a business are seen by itself at once', async () => {
  const key = await operator.addKey(acme.agentId, 'read');
  const ask = () => service.anonymous.get('/inbox', { authorization: `Bearer ${key.secret}` });
  expect((await ask()).status).toBe(200);
  await operator.revoke(key.id);
  expectRefusal(await ask(), 'unauthorized');
  await service.anonymous.get('/public/globex');
  await operator.verifyDomain('globex', 'globex-works.test');
  expect((await service.anonymous.get('/public/globex')).body.verified_domains).toContain('globex-works.test');
});

test('a domain that changes hands is forgotten of both businesses', async () => {
  const [from, to] = [await service.business('from-hand'), await service.business('to-hand')];
  await operator.verifyDomain('from-hand', 'handed-on.test');
  const known = async (business: TestBusiness) => (await business.api.get('/me')).body.business.verified_domains;
  expect([await known(from), await known(to)]).toEqual([['handed-on.test'], []]);
  await operator.removeDomain('from-hand', 'handed-on.test');
  await operator.verifyDomain('to-hand', 'handed-on.test');
  expect([await known(from), await known(to)]).toEqual([[], ['handed-on.test']]);
});

test('requests that miss together share one read of the database', async () => {
  const { secret } = await operator.addKey(globex.agentId, 'read');
  const unlock = await lock('api_keys');
  const responses = Promise.all(Array.from({ length: 24 }, () => service.anonymous.get('/inbox', { authorization: `Bearer ${secret}` })));
  await connectionWaitingIn(service, 'FROM api_keys k');
  await sleep(500);
  const waiting = await service.sql(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, 'FROM api_keys k') > 0`,
  );
  expect(waiting).toHaveLength(1);
  await unlock();
  expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([200]));
});

test('a flood of changes of one business leaves connections to all others', async () => {
  const stuck = await service.business('stuck');
  await Promise.all([globex.api.get('/inbox'), acme.api.get('/inbox')]);
  const other = await lockingWith(
    service,
    `INSERT INTO blocks (party_id, id, email_domain) SELECT id, gen_random_uuid(), 'stuck.example' FROM parties WHERE handle = 'stuck'`,
  );
  const flood = Array.from({ length: 30 }, () => block(stuck, 'stuck.example'));
  await connectionWaitingIn(service, 'INSERT INTO blocks');
  try {
    await sleep(300);
    const read = await soon(globex.api.get('/inbox'));
    const changed = await soon(block(acme, 'meanwhile.example'));
    expect([read?.status, changed?.status]).toEqual([200, 201]);
  } finally {
    await other.rollBack();
  }
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([...Array(29).fill(200), 201]);
});

test('more changes than may wait are refused, and can be made again', async () => {
  const eager = await service.business('eager');
  const responses = await Promise.all(Array.from({ length: 140 }, (_, i) => block(eager, `eager-${i}.example`)));
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const response of refused) expectRefusal(response, 'rate_limited');
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 429]));
  expect((await block(eager, 'again.example')).status).toBe(201);
});

test('blocks are looked up, however many there are', async () => {
  const owner = await service.business('blocker');
  await service.sql(
    `INSERT INTO blocks (party_id, id, email_domain)
     SELECT p.id, gen_random_uuid(), 'b' || n || '.example' FROM parties p, generate_series(1, 200000) n WHERE p.handle = 'blocker'`,
  );
  // Autovacuum would do the same: connections still have plans for an empty table.
  await service.sql('ANALYZE blocks');
  await operator.verifyDomain('acme', 'mail.b777.example');
  await save(owner.api, { handle: 'globex' });
  await save(owner.api, { handle: 'acme' });
  const before = process.cpuUsage();
  const lists = await Promise.all(Array.from({ length: 16 }, () => owner.api.get('/contacts?limit=2')));
  for (const { status, body } of lists) {
    expect(status).toBe(200);
    expect(body.data.map(({ blocked }: { blocked: boolean }) => blocked)).toEqual([true, false]);
  }
  const sends = await Promise.all(Array.from({ length: 16 }, () => acme.api.send({ to: 'blocker' })));
  for (const response of sends) expectRefusal(response, 'sender_blocked');
  expect((await globex.api.send({ to: 'blocker' })).status).toBe(201);
  // Loading them took ten seconds of processor time.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(4);
});
