import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOMAINS_PER_BUSINESS_MAX } from '../../src/contract/limits.ts';
import { claimedBy } from '../support/businesses.ts';
import { check, request, requested, verified } from '../support/domain-records.ts';
import type { MemberApi } from '../support/member.ts';
import { type NameServer, type Reply, startNameServer } from '../support/name-server.ts';
import { Operator } from '../support/operator.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';

let service: TestService;
let names: NameServer;
let operator: Operator;
let tailor: MemberApi;
let weaver: MemberApi;

beforeAll(async () => {
  names = await startNameServer();
  service = await startTestService({ DNS_SERVERS: names.address, CONSUMER_MAIL_DOMAINS: 'freemail.test' });
  operator = new Operator(service);
  tailor = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
  weaver = await claimedBy(service, 'wim@weaver-works.test', 'weaver');
});
afterAll(async () => {
  await operator.close();
  await service.stop();
  await names.stop();
});

const domainsOf = async (by: MemberApi) => (await by.get('/domains')).body.data;
const stateOf = async (by: MemberApi, domain: string) =>
  (await domainsOf(by)).find((row: { domain: string }) => row.domain === domain)?.state;
const verifiedOf = async (by: MemberApi): Promise<string[]> => (await by.get('/business')).body.verified_domains;

describe('a domain', () => {
  test('is verified once its DNS holds the record that was asked for', async () => {
    const asked = await request(tailor, 'Tailor-Works.TEST.');
    expect(asked.status).toBe(201);
    expect(asked.body).toEqual({
      ...{ domain: 'tailor-works.test', state: 'pending', senders: 'everybody', verified_at: null, checked_at: null, missing_since: null },
      record: { type: 'TXT', name: '_waybill.tailor-works.test', value: expect.stringMatching(/^waybill-verification=[0-9a-f]{40}$/) },
    });
    const missing = await check(tailor, 'tailor-works.test');
    expect([missing.status, missing.body]).toMatchObject([200, { state: 'pending', checked_at: expect.any(String) }]);
    expect(await verifiedOf(tailor)).toEqual([]);

    const { name, value } = asked.body.record;
    names.set(name, { txt: [value] });
    const found = await check(tailor, 'TAILOR-works.test');
    expect([found.status, found.body]).toMatchObject([200, { state: 'verified', verified_at: expect.any(String), record: { value } }]);
    expect(await domainsOf(tailor)).toEqual([found.body]);
    expect(await verifiedOf(tailor)).toEqual(['tailor-works.test']);
    expect((await tailor.get('/me')).body.business.verified_domains).toEqual(['tailor-works.test']);
  });

  test('that is asked for again keeps its record', async () => {
    const first = await requested(tailor, 'again.test');
    expect(await requested(tailor, 'AGAIN.test')).toEqual(first);
    expect((await requested(weaver, 'again.test')).value).not.toBe(first.value);
  });

  const records: [string, string, (value: string) => Reply][] = [
    ['among other texts', 'verified', (value) => ({ txt: ['v=spf1 -all', value, 'x'.repeat(600)] })],
    ['split into several strings', 'verified', (value) => ({ txt: [[value.slice(0, 10), value.slice(10, 30), value.slice(30)]] })],
    ['with blanks around it', 'verified', (value) => ({ txt: [` ${value} `] })],
    ['with another token', 'pending', (value) => ({ txt: [`${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`] })],
    ['with the token alone', 'pending', (value) => ({ txt: [value.split('=')[1] as string] })],
    ['with more behind it', 'pending', (value) => ({ txt: [`${value}0`] })],
    ['split over two texts', 'pending', (value) => ({ txt: [value.slice(0, 30), value.slice(30)] })],
    ['in capitals', 'pending', (value) => ({ txt: [value.toUpperCase()] })],
    ['as nothing but an empty text', 'pending', () => ({ txt: [''] })],
    ['as a DNS response without texts', 'pending', () => ({ addresses: ['192.0.2.1'] })],
    ['as a name that is not there', 'pending', () => ({ error: 'NXDOMAIN' })],
  ];
  test.each(records)('with its record %s is %s', async (what, state, reply) => {
    const domain = `${what.replaceAll(' ', '-')}.test`;
    const { name, value } = await requested(tailor, domain);
    names.set(name, reply(value));
    const response = await check(tailor, domain);
    expect([response.status, response.body.state], response.text).toEqual([200, state]);
    expect((await verifiedOf(tailor)).includes(domain)).toBe(state === 'verified');
  });

  test('is found behind another name', async () => {
    const { name, value } = await requested(tailor, 'alias.test');
    names.set(name, { alias: 'records.tailor-works.test' });
    names.set('records.tailor-works.test', { txt: [value] });
    expect((await check(tailor, 'alias.test')).body.state).toBe('verified');
  });

  test('is not verified by a record at the domain itself', async () => {
    const { value } = await requested(tailor, 'apex.test');
    names.set('apex.test', { txt: [value] });
    expect((await check(tailor, 'apex.test')).body.state).toBe('pending');
  });

  const troubles: [string, Reply][] = [
    ['fail', { error: 'SERVFAIL' }],
    ['refuse', { error: 'REFUSED' }],
    ['say nothing', { silence: true }],
    ['respond with nonsense', { garbage: true }],
  ];
  test.each(troubles)(
    'whose name servers %s stays as it was, and the response is 503',
    async (what, reply) => {
      const domain = `${what.replaceAll(' ', '-')}.test`;
      const before = await request(tailor, domain);
      names.set(before.body.record.name, reply);
      const response = await check(tailor, domain);
      expectRefusal(response, 'unavailable');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await domainsOf(tailor)).find((row: { domain: string }) => row.domain === domain)).toEqual(before.body);
      names.set(before.body.record.name, { txt: [before.body.record.value] });
      expect((await check(tailor, domain)).body.state).toBe('verified');
      names.set(before.body.record.name, reply);
      expectRefusal(await check(tailor, domain), 'unavailable');
      expect(await stateOf(tailor, domain)).toBe('verified');
    },
    60_000,
  );

  test('in another alphabet has one form', async () => {
    const record = await requested(tailor, 'Schneiderei-Müller.test');
    expect(record.name).toBe('_waybill.xn--schneiderei-mller-f3b.test');
    names.set(record.name, { txt: [record.value] });
    expect((await check(tailor, encodeURIComponent('schneiderei-MÜLLER.test'))).body).toMatchObject({
      ...{ domain: 'xn--schneiderei-mller-f3b.test', state: 'verified' },
    });
    expect((await tailor.delete(`/domains/${encodeURIComponent('schneiderei-müller.test')}`)).status).toBe(204);
    expect(await stateOf(tailor, 'xn--schneiderei-mller-f3b.test')).toBeUndefined();
  });

  test.each([
    ...['gmail.com', 'mail.gmail.com', 'outlook.com', 'freemail.test', 'a.freemail.test', 'com', 'co.uk', 'github.io', '公司.cn'],
    ...['localhost', '192.0.2.1', '[::1]', 'a b.test', 'a..test', '-a.test', 'a.test/x', 'https://a.test', 'ann@a.test', '*.a.test', ''],
    `${Array(4).fill('x'.repeat(60)).join('.')}.test`,
  ])('can’t be %s', async (domain) => {
    expectInvalid(await request(tailor, domain), 'domain');
  });

  test('is verified once when many look at the same moment', async () => {
    const { name, value } = await requested(tailor, 'at-once.test');
    names.set(name, { txt: [value] });
    const responses = await Promise.all(Array.from({ length: 8 }, () => check(tailor, 'at-once.test')));
    expect(responses.map(({ status, body }) => [status, body.state])).toEqual(Array(8).fill([200, 'verified']));
  });
});

describe('a domain of one business', () => {
  test('is not given to another one while its record stands', async () => {
    const first = await verified(tailor, names, 'held.test');
    const second = await requested(weaver, 'held.test');
    names.set(first.name, { txt: [first.value, second.value] });
    expectRefusal(await check(weaver, 'held.test'), 'conflict');
    expect([await stateOf(tailor, 'held.test'), await stateOf(weaver, 'held.test')]).toEqual(['verified', 'pending']);
  });

  test('goes to the business whose record is there now', async () => {
    const { name } = await verified(tailor, names, 'sold.test');
    const second = await requested(weaver, 'sold.test');
    names.set(name, { txt: [second.value] });
    expect((await check(weaver, 'sold.test')).body.state).toBe('verified');
    expect([await stateOf(tailor, 'sold.test'), await stateOf(weaver, 'sold.test')]).toEqual(['pending', 'verified']);
    expect((await check(tailor, 'sold.test')).body.state).toBe('pending');
    expect(await verifiedOf(tailor)).not.toContain('sold.test');
  });

  test('stays with whom the operator vouches for, whatever the DNS says', async () => {
    await operator.verifyDomain('tailor', 'vouched.test');
    expect(await stateOf(tailor, 'vouched.test')).toBe('verified');
    const second = await requested(weaver, 'vouched.test');
    names.set(second.name, { txt: [second.value] });
    expectRefusal(await check(weaver, 'vouched.test'), 'conflict');
    // A request for the domain does not make the service look it up.
    expect((await request(tailor, 'vouched.test')).body).toMatchObject({ state: 'verified', record: null });
    expect((await check(tailor, 'vouched.test')).body).toMatchObject({ state: 'verified', record: null, checked_at: null });
  });

  test('is the operator’s word from then on when the operator vouches for it too', async () => {
    await requested(tailor, 'both.test');
    await operator.verifyDomain('tailor', 'both.test');
    expect((await check(tailor, 'both.test')).body).toMatchObject({ state: 'verified', record: null });
  });

  test('is out of sight and out of reach of another one', async () => {
    await verified(tailor, names, 'private.test');
    const asked = async (domain: string) => [await check(weaver, domain), await weaver.delete(`/domains/${domain}`)].map(withoutTraces);
    const unknown = await asked('nobody-asked-for.test');
    expect(unknown.map(({ status }) => status)).toEqual([404, 404]);
    for (const domain of ['private.test', 'PRIVATE.test', 'x', '%00', '..%2Fdomains']) expect(await asked(domain), domain).toEqual(unknown);
    expect(await stateOf(weaver, 'private.test')).toBeUndefined();
    expect(await stateOf(tailor, 'private.test')).toBe('verified');
  });
});

describe('giving a domain up', () => {
  test('frees it for others, and asking again needs a new record', async () => {
    const first = await verified(tailor, names, 'freed.test');
    expect((await tailor.delete('/domains/FREED.test')).status).toBe(204);
    expect(await stateOf(tailor, 'freed.test')).toBeUndefined();
    expect(await verifiedOf(tailor)).not.toContain('freed.test');
    expectRefusal(await tailor.delete('/domains/freed.test'), 'not_found');
    expect((await requested(tailor, 'freed.test')).value).not.toBe(first.value);
    await verified(weaver, names, 'freed.test');
  });

  test('while it is being looked up leaves nothing verified', async () => {
    const { name, value } = await requested(tailor, 'late.test');
    names.set(name, { lateMs: 700, reply: { txt: [value] } });
    const checking = check(tailor, 'late.test');
    await expect.poll(() => names.questionsAbout(name).length).toBeGreaterThan(0);
    expect((await tailor.delete('/domains/late.test')).status).toBe(204);
    expectRefusal(await checking, 'not_found');
    expect(await service.sql("SELECT FROM verified_domains WHERE domain = 'late.test'")).toEqual([]);
  });

  test('that can’t be finished leaves it as it was', async () => {
    await verified(tailor, names, 'whole.test');
    const lock = await lockingWith(service, "SELECT FROM verified_domains WHERE domain = 'whole.test' FOR UPDATE");
    const removing = tailor.delete('/domains/whole.test');
    await terminate(await connectionWaitingIn(service, 'verified_domains'));
    await lock.rollBack();
    expectRefusal(await removing, 'unavailable');
    expect((await check(tailor, 'whole.test')).body).toMatchObject({ state: 'verified', record: { type: 'TXT' } });
  });
});

test('a business has so many domains and no more, however many it asks for at once', async () => {
  const many = await claimedBy(service, 'mia@many.test', 'many');
  await service.sql(
    `INSERT INTO domain_requests (party_id, domain, token)
     SELECT p.id, 'd' || i || '.many.test', 'x' FROM parties p, generate_series(1, $1::integer) i WHERE p.handle = 'many'`,
    [DOMAINS_PER_BUSINESS_MAX - 2],
  );
  const responses = await Promise.all(Array.from({ length: 6 }, (_, i) => request(many, `late-${i}.many.test`)));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
  for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'conflict');
  expect(await domainsOf(many)).toHaveLength(DOMAINS_PER_BUSINESS_MAX);
  expect((await request(many, 'd1.many.test')).status).toBe(201);
});
