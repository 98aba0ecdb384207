import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUSINESSES_PER_PERSON_MAX } from '../../src/contract/limits.ts';
import type { Browser } from '../support/browser.ts';
import { claimedBy, joinedBy, tryClaim } from '../support/businesses.ts';
import { MemberApi } from '../support/member.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const DAILY_WHEN_NEW = 3;

let service: TestService;
let ann: Browser;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: String(DAILY_WHEN_NEW) });
  await service.business('taken');
  ann = await signInWithCode(service, 'ann@tailor-works.test');
});
afterAll(() => service.stop());

const businessesOf = async (person: Browser) => (await person.get('/v1/account')).body.businesses;
const partiesNamed = (handle: string) => service.sql('SELECT FROM parties WHERE handle = $1', [handle]);

describe('claiming a handle', () => {
  test('makes a business of which the person is the owner', async () => {
    const response = await tryClaim(ann, 'Tailor', '  Tailor & Töchter 🧵  ');
    expect(response.status, response.text).toBe(201);
    const business = { handle: 'tailor', display_name: 'Tailor & Töchter 🧵', verified_domains: [], accepting_drops: true };
    expect(response.body).toEqual({ ...business, receipts: 'full', agent_card: false, created_at: expect.stringMatching(ISO_TIME) });
    expect(await businessesOf(ann)).toEqual([{ handle: 'tailor', display_name: 'Tailor & Töchter 🧵', role: 'owner' }]);
    expect((await new MemberApi(ann, 'tailor').get('/business')).body).toEqual(response.body);
    expect((await service.anonymous.get('/public/tailor')).body).toEqual(business);
  });

  test.each(['taken', 'TAKEN', 'demo', 'admin', 'Api', 'postmaster', 'tailor'])('is refused for %s, which is not free', async (handle) => {
    expectRefusal(await tryClaim(ann, handle), 'conflict');
  });

  test.each([
    ['a'],
    ['a_b'],
    ['-ab'],
    ['ab-'],
    ['a b'],
    ['a.b'],
    ['ab/cd'],
    [' ab'],
    ['\u212Aelvin'],
    ['äpfel'],
    ['x'.repeat(33)],
    [''],
    ['a\u0000b'],
    ['ab\n'],
  ])('is refused for %j, which can be none', async (handle) => {
    expectInvalid(await tryClaim(ann, handle), 'handle');
  });

  test.each([[''], ['   '], ['x'.repeat(101)], ['Two\nlines'], ['Tab\there'], ['One\u2028two'], ['\u0000'], ['\ud800']])(
    'is refused with the display name %j',
    async (name) => {
      expectInvalid(await tryClaim(ann, 'never-made', name), 'display_name');
      expect(await partiesNamed('never-made')).toEqual([]);
    },
  );

  test('takes a handle and a display name of the greatest length', async () => {
    const owner = await signInWithCode(service, 'long@names.test');
    const { status, body } = await tryClaim(owner, 'x'.repeat(32), '🚚'.repeat(100));
    expect([status, body.display_name]).toEqual([201, '🚚'.repeat(100)]);
  });

  test('takes exactly its two fields', async () => {
    expectInvalid(await ann.post('/v1/businesses', { handle: 'fields' }), 'display_name');
    expectInvalid(await ann.post('/v1/businesses', { display_name: 'x' }), 'handle');
    expectInvalid(await ann.post('/v1/businesses', { handle: 'fields', display_name: 'x', claimed: false }), 'claimed');
    expectInvalid(await ann.post('/v1/businesses', { handle: ['fields'], display_name: 'x' }), 'handle');
  });

  test('needs a signed-in person, on the service’s own pages', async () => {
    const handle = 'not-signed-in';
    const { api } = await service.business('keyed');
    expectRefusal(await service.anonymous.write('POST', '/businesses', { handle, display_name: 'x' }), 'unauthorized');
    expectRefusal(await api.write('POST', '/businesses', { handle, display_name: 'x' }), 'unauthorized');
    const elsewhere = { origin: 'https://evil.example' };
    expectRefusal(await ann.post('/v1/businesses', { handle, display_name: 'x' }, elsewhere), 'forbidden');
    expect(await partiesNamed(handle)).toEqual([]);
  });
});

describe('whether a handle is available', () => {
  const ask = (handle: string) => ann.get(`/v1/businesses/availability?handle=${encodeURIComponent(handle)}`);

  test.each([
    ...['taken', 'TAKEN'].map((handle) => [handle, 'taken', 'taken']),
    ...['demo', 'Admin', 'postmaster'].map((handle) => [handle, handle.toLowerCase(), 'reserved']),
    ...['', 'a', '-ab', 'ab-', 'a b', 'ab\n', 'äpfel', '\u212Aelvin', '🚚🚚', "' OR 1=1 --", 'x'.repeat(33), 'x'.repeat(1_000)].map(
      (handle) => [handle, handle, 'invalid'],
    ),
  ])('is judged as claiming %j would be', async (asked, handle, reason) => {
    const { status, body, text } = await ask(asked as string);
    expect([status, body], text).toEqual([200, { handle, available: false, reason }]);
    expect((await tryClaim(ann, asked as string)).status).toBe(reason === 'invalid' ? 400 : 409);
  });

  test('is true of a free one, in any case, until it is claimed', async () => {
    expect((await ask('Still-Free')).body).toEqual({ handle: 'still-free', available: true, reason: null });
    expect((await tryClaim(ann, 'Still-Free')).status).toBe(201);
    expect((await ask('still-free')).body).toEqual({ handle: 'still-free', available: false, reason: 'taken' });
  });

  test('is shown to signed-in people, for one handle at a time', async () => {
    const { api } = await service.business('asker');
    for (const asker of [api, service.anonymous])
      expectRefusal(await asker.get('/businesses/availability?handle=still-free'), 'unauthorized');
    for (const search of ['', '?handle=a&handle=b', `?handle=${'x'.repeat(1_001)}`, '?handle=%00'])
      expectInvalid(await ann.get(`/v1/businesses/availability${search}`), 'handle');
  });
});

describe('at the same moment', () => {
  test('twenty people claim one handle, and exactly one gets it', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => signInWithCode(service, `racer-${i}@race.test`)));
    const responses = await Promise.all(people.map((person, i) => tryClaim(person, i % 2 ? 'wanted' : 'WANTED')));
    for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'conflict');
    const winners = people.filter((_, i) => responses[i]?.status === 201);
    expect(winners).toHaveLength(1);
    const owned = await Promise.all(people.map(businessesOf));
    expect(owned.flat()).toHaveLength(1);
    expect(await businessesOf(winners[0] as Browser)).toMatchObject([{ handle: 'wanted', role: 'owner' }]);
  });

  test('a person claims more businesses than one may own, and gets as many as that', async () => {
    const greedy = await signInWithCode(service, 'greedy@race.test');
    const wanted = BUSINESSES_PER_PERSON_MAX + 5;
    const responses = await Promise.all(Array.from({ length: wanted }, (_, i) => tryClaim(greedy, `greedy-${i}`)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(BUSINESSES_PER_PERSON_MAX);
    for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'conflict');
    expect(await service.sql("SELECT FROM parties WHERE handle LIKE 'greedy-%'")).toHaveLength(BUSINESSES_PER_PERSON_MAX);
    expectRefusal(await tryClaim(greedy, 'one-more'), 'conflict');
    // The limit counts owned businesses: a member of many can still claim, in time.
    await service.sql("UPDATE members SET role = 'member' WHERE party_id = (SELECT min(id) FROM parties WHERE handle LIKE 'greedy-%')");
    await service.sql("UPDATE parties SET claimed_at = now() - interval '31 days' WHERE handle LIKE 'greedy-%'");
    expect((await tryClaim(greedy, 'one-more')).status).toBe(201);
  });

  test('the name and the drops of a business are changed, and both changes stay', async () => {
    const owner = await claimedBy(service, 'both@race.test', 'both');
    for (let round = 0; round < 10; round++) {
      const change = { display_name: `Round ${round}`, accepting_drops: round % 2 === 0 };
      await Promise.all(Object.entries(change).map(([field, value]) => owner.patch('/business', { [field]: value })));
      expect((await owner.get('/business')).body).toMatchObject(change);
    }
  });
});

describe('a business', () => {
  test('is changed by its owner, for everybody at once', async () => {
    const owner = await claimedBy(service, 'zoe@change.test', 'change');
    const sibling = await service.sibling();
    expect((await sibling.anonymous.get('/public/change')).body.accepting_drops).toBe(true);
    const { status, body } = await owner.patch('/business', { display_name: 'Changed', accepting_drops: false });
    const changed = { handle: 'change', display_name: 'Changed', accepting_drops: false };
    expect([status, body]).toMatchObject([200, changed]);
    for (const api of [service.anonymous, sibling.anonymous])
      expect((await api.get('/public/change')).body).toEqual({ ...changed, verified_domains: [] });
    await sibling.stop();
    expectInvalid(await owner.patch('/business', { handle: 'other' }), 'handle');
    expectInvalid(await owner.patch('/business', { display_name: 'a\r\nBcc: b' }), 'display_name');
    expectRefusal(await owner.patch('/business', {}), 'validation_error');
  });

  test('that was claimed has the quota of a new account, members and agents together', async () => {
    const owner = await claimedBy(service, 'new@quota.test', 'newcomer');
    const agent = (await owner.post('/agents', { name: 'Till' })).body;
    const { secret } = (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body;
    for (let i = 1; i < DAILY_WHEN_NEW; i++) expect((await owner.post('/messages', { to: 'taken' })).status).toBe(201);
    const authorization = `Bearer ${secret}`;
    expect((await service.anonymous.send({ to: 'taken' }, { authorization })).status).toBe(201);
    const refused = await owner.post('/messages', { to: 'taken' });
    expectRefusal(refused, 'quota_exceeded');
    expect(refused.body.error.details[0].limit).toBe('new_account_daily_messages');
    expectRefusal(await service.anonymous.send({ to: 'taken' }, { authorization }), 'quota_exceeded');
  });

  test('tells a member who they are in it', async () => {
    const owner = await claimedBy(service, 'me@whoami.test', 'whoami');
    const account = (await owner.browser.get('/v1/account')).body;
    const me = (await owner.get('/me')).body;
    expect(me).toMatchObject({
      business: { handle: 'whoami', display_name: 'The whoami company' },
      ...{ agent: null, key: null, member: { id: account.id, name: account.name, role: 'owner' } },
      addresses: { handle: 'whoami', segment: null, email: null, drop_page: `${service.url}/@whoami` },
      usage: { messages: { used: 0 } },
    });
    const colleague = await joinedBy(service, owner, 'other@whoami.test', 'member', 'desk');
    expect((await colleague.get('/me')).body).toMatchObject({
      member: { role: 'member' },
      addresses: { segment: 'whoami/desk', email: null },
    });
    expect(await businessesOf(colleague.browser)).toEqual([{ handle: 'whoami', display_name: 'The whoami company', role: 'member' }]);
  });
});
