import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiResponse } from '../support/api.ts';
import { Browser } from '../support/browser.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import { MemberApi } from '../support/member.ts';
import { exchange } from '../support/raw-http.ts';
import { expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { keyRows, rows } from '../support/table.ts';

let service: TestService;
let owner: MemberApi;
let member: MemberApi;
/** This person has a business of their own, but no access to this one. */
let stranger: MemberApi;
let secret: string;

beforeAll(async () => {
  service = await startTestService();
  owner = await claimedBy(service, 'ann@tailor-works.test', 'tailor');
  member = await joinedBy(service, owner, 'ben@tailor-works.test', 'member');
  stranger = await claimedBy(service, 'sue@elsewhere.test', 'elsewhere');
  const agent = (await owner.post('/agents', { name: 'Till' })).body;
  secret = (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read_write' })).body.secret;
});
afterAll(() => service.stop());

const memberRows = rows.filter(({ auth }) => auth === 'member' || auth === 'admin' || auth === 'owner');
const table = (some: typeof rows) => some.map(({ method, url }) => [method, url] as const);
const bodyFor = (method: string) => (method === 'GET' || method === 'DELETE' ? undefined : {});
const as = (person: Browser, handle: string | undefined, method: string, url: string): Promise<ApiResponse> => {
  const body = bodyFor(method);
  return person.request(method, url, {
    headers: handle === undefined ? {} : { 'waybill-business': handle },
    ...(body && { body }),
  });
};
const withKey = (method: string, url: string): Promise<ApiResponse> => {
  const body = bodyFor(method);
  return service.anonymous.request(method, url, {
    headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
};
const gist = ({ status, body }: ApiResponse) => [status, body?.error?.code];

test('the table has routes of both kinds', () => {
  expect(keyRows.length).toBeGreaterThan(20);
  expect(memberRows.length).toBeGreaterThan(10);
});

/** A consumer can be created under any name, so the same request gets another response the second time. */
const givesTheSameAgain = ({ method, path }: (typeof rows)[number]) => path !== '/v1/consumers/:name' || method === 'GET';

describe('a member gets the same responses as a key with read_write', () => {
  test.each(table(keyRows.filter(givesTheSameAgain)))('%s %s', async (method, url) => {
    const expected = gist(await withKey(method, url));
    expect([401, 403, 500]).not.toContain(expected[0]);
    for (const { browser } of [member, owner]) expect(gist(await as(browser, 'tailor', method, url))).toEqual(expected);
  });
});

describe('acting for a business', () => {
  test.each(table([...keyRows, ...memberRows]))('%s %s is refused to people who are not members', async (method, url) => {
    const refused = await as(stranger.browser, 'tailor', method, url);
    expectRefusal(refused, 'forbidden');
    const nobodys = await as(stranger.browser, 'nobody-has-this', method, url);
    expect(withoutTraces(nobodys)).toEqual(withoutTraces(refused));
  });

  test.each(table([...keyRows, ...memberRows]))('%s %s needs a session', async (method, url) => {
    for (const handle of ['tailor', 'nobody-has-this', undefined])
      expectRefusal(await as(new Browser(service.url), handle, method, url), 'unauthorized');
  });

  test.each(table(memberRows))('%s %s takes no key', async (method, url) => {
    expectRefusal(await withKey(method, url), 'unauthorized');
    const both = await service.anonymous.request(method, url, {
      headers: { authorization: `Bearer ${secret}`, 'waybill-business': 'tailor' },
    });
    expectRefusal(both, 'unauthorized');
  });

  test.each(table([...keyRows, ...memberRows].filter(({ method }) => method !== 'GET')))(
    '%s %s is refused when it comes from another site',
    async (method, url) => {
      const headers = { 'waybill-business': 'tailor' };
      const body = bodyFor(method);
      for (const origin of ['https://evil.example', null])
        expectRefusal(await owner.browser.request(method, url, { headers, origin, ...(body && { body }) }), 'forbidden');
    },
  );

  test('does not go by handles in any other form than the header’s one', async () => {
    for (const handle of ['tailor, elsewhere', 'elsewhere,tailor', 'tailor/desk', '@tailor', 'tailor;', 'tailor%00', '"tailor"', '*', ''])
      expectRefusal(await as(stranger.browser, handle, 'GET', '/v1/me'), 'forbidden');
    expect((await as(owner.browser, 'TAILOR', 'GET', '/v1/me')).body.business.handle).toBe('tailor');
  });

  test('is refused with the header twice, whichever comes first', async () => {
    const cookie = stranger.browser.cookieHeader();
    for (const handles of [
      ['tailor', 'elsewhere'],
      ['elsewhere', 'tailor'],
    ]) {
      const lines = handles.map((handle) => `Waybill-Business: ${handle}\r\n`).join('');
      const { status } = await exchange(
        service.url,
        `GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: ${cookie}\r\n${lines}\r\n`,
      );
      expect(status).toBe(403);
    }
  });

  test('with a key is acting for the key’s business, whatever the header says', async () => {
    const headers = { authorization: `Bearer ${secret}`, 'waybill-business': 'elsewhere' };
    expect((await service.anonymous.get('/me', headers)).body.business.handle).toBe('tailor');
    const both = await stranger.browser.get('/v1/me', headers);
    expect(both.body.business.handle).toBe('tailor');
    expect(both.body).not.toHaveProperty('member');
  });

  test('needs the header where there is no key to tell the business', async () => {
    expectRefusal(await owner.browser.get('/v1/business'), 'validation_error');
    expectRefusal(await owner.browser.get('/v1/inbox'), 'unauthorized');
  });

  test('shows the person as the actor of what they send', async () => {
    const sent = await member.post('/messages', { to: 'elsewhere', note: 'from ben' });
    expect(sent.status, sent.text).toBe(201);
    const from = {
      party: { kind: 'handle', handle: 'tailor', display_name: 'The tailor company' },
      actor: { kind: 'person', id: await personIdOf(member), email: 'ben@tailor-works.test', verified: true, provider: 'email' },
    };
    expect(sent.body.from).toMatchObject(from);
    expect((await stranger.get(`/messages/${sent.body.id}`)).body.from).toMatchObject(from);
  });

  test('of one’s own shows nothing of another that one belongs to as well', async () => {
    const both = await joinedBy(service, stranger, 'both@elsewhere.test', 'admin');
    expectRefusal(await new MemberApi(both.browser, 'tailor').get('/inbox'), 'forbidden');
    const sent = (await owner.post('/messages', { to: 'tailor', note: 'to ourselves' })).body;
    expectRefusal(await both.get(`/messages/${sent.id}`), 'not_found');
    const page = (await owner.get('/inbox?limit=1')).body.next_cursor ?? 'x';
    expectRefusal(await both.get(`/inbox?limit=1&cursor=${encodeURIComponent(page)}`), 'validation_error');
  });
});
