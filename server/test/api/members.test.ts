import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/contract/members.ts';
import type { ApiResponse } from '../support/api.ts';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import { MemberApi } from '../support/member.ts';
import { everyPage } from '../support/pages.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { lockingWith, waitingForLocks } from '../support/sql-locks.ts';
import { rows } from '../support/table.ts';

const UNKNOWN_PERSON = 'usr_01m7esn1ewfewbnh1q9v4wahsb';

let service: TestService;
let made = 0;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Creates a business with an owner and the given other members, each with a mailbox. */
async function firm(...roles: Role[]): Promise<{ owner: MemberApi; others: MemberApi[] }> {
  await service.sql('DELETE FROM sign_in_counts');
  const name = `firm-${++made}`;
  const owner = await claimedBy(service, `owner@${name}.test`, name);
  const others: MemberApi[] = [];
  for (const [i, role] of roles.entries()) others.push(await joinedBy(service, owner, `${role}-${i}@${name}.test`, role));
  return { owner, others };
}

const roleOf = async (member: MemberApi) => (await member.get('/me')).body.member?.role;
const change = async (by: MemberApi, who: MemberApi, body: object) => by.patch(`/members/${await personIdOf(who)}`, body);
const remove = async (by: MemberApi, who: MemberApi) => by.delete(`/members/${await personIdOf(who)}`);
const waiting = () => waitingForLocks(service);

/** Makes both requests wait for the lock of the business, in this order, and then releases them. */
async function inTurn(
  handle: string,
  first: () => Promise<ApiResponse>,
  second: () => Promise<ApiResponse>,
): Promise<[ApiResponse, ApiResponse]> {
  const lock = await lockingWith(service, 'SELECT FROM parties WHERE handle = $1 FOR UPDATE', [handle]);
  const one = first();
  await expect.poll(waiting).toHaveLength(1);
  const two = second();
  await expect.poll(waiting).toHaveLength(2);
  await lock.rollBack();
  return Promise.all([one, two]);
}

describe('who may do what', () => {
  const managing = rows.filter(({ auth }) => auth === 'member' || auth === 'admin' || auth === 'owner');
  const needed: Record<string, Role> = {
    'GET /v1/business': 'member',
    'PATCH /v1/business': 'admin',
    'GET /v1/business/drop-page': 'member',
    'PATCH /v1/business/drop-page': 'admin',
    'GET /v1/members': 'member',
    'PATCH /v1/members/:id': 'admin',
    // A member may call it too, but only to leave.
    'DELETE /v1/members/:id': 'admin',
    'GET /v1/invitations': 'admin',
    'POST /v1/invitations': 'admin',
    'DELETE /v1/invitations/:id': 'admin',
    'POST /v1/device-logins/:code': 'admin',
    'POST /v1/agents': 'admin',
    'GET /v1/agents/:id/keys': 'admin',
    'POST /v1/agents/:id/keys': 'admin',
    'DELETE /v1/keys/:id': 'admin',
    'POST /v1/agents/:id/signing-keys': 'admin',
    'DELETE /v1/agents/:id/signing-keys/:key_id': 'admin',
    'PUT /v1/views/:id/digest': 'member',
    'GET /v1/domains': 'member',
    'GET /v1/domains/:domain/keys': 'member',
    'POST /v1/domains': 'admin',
    'POST /v1/domains/:domain/check': 'admin',
    'POST /v1/domains/:domain/keys/check': 'admin',
    'PATCH /v1/domains/:domain': 'owner',
    'DELETE /v1/domains/:domain': 'admin',
  };
  const people = {} as Record<Role, MemberApi>;
  let victim: string;

  beforeAll(async () => {
    const { owner, others } = await firm('admin', 'member', 'member');
    const [admin, member, other] = others as [MemberApi, MemberApi, MemberApi];
    Object.assign(people, { owner, admin, member });
    victim = await personIdOf(other);
  });

  test('is told here for every route by which a business is managed', () => {
    expect(managing.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(needed).sort());
  });

  test.each(Object.entries(needed))('%s needs at least the role %s', async (route, wanted) => {
    const [method, path = ''] = route.split(' ');
    const url = path.slice('/v1'.length).replace('members/:id', `members/${victim}`).replace(/:\w+/, 'placeholder');
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const order: Role[] = ['member', 'admin', 'owner'];
    for (const role of order) {
      const response = await people[role].request(method as string, url, body);
      if (order.indexOf(role) < order.indexOf(wanted)) expectRefusal(response, 'forbidden');
      else expect([401, 403, 500], `${role}: ${response.text}`).not.toContain(response.status);
      // An owner may find the member already removed by an admin, which is a valid response too.
    }
  });
});

describe('roles', () => {
  test('an admin makes admins and members of each other, and no owners', async () => {
    const { owner, others } = await firm('admin', 'member');
    const [admin, member] = others as [MemberApi, MemberApi];
    const promoted = await change(admin, member, { role: 'admin' });
    expect([promoted.status, promoted.body]).toMatchObject([200, { role: 'admin', email: `member-1@${owner.handle}.test` }]);
    expect(await roleOf(member)).toBe('admin');
    expect((await change(admin, member, { role: 'member' })).body.role).toBe('member');
    for (const [who, role] of [
      [member, 'owner'],
      [admin, 'owner'],
      [owner, 'admin'],
      [owner, 'member'],
    ] as const)
      expectRefusal(await change(admin, who, { role }), 'forbidden');
    expectRefusal(await remove(admin, owner), 'forbidden');
    expectRefusal(await admin.post('/invitations', { email: `friend@${owner.handle}.test`, role: 'owner' }), 'forbidden');
    expectRefusal(await change(member, admin, { role: 'member' }), 'forbidden');
    expectRefusal(await change(member, member, { role: 'admin' }), 'forbidden');
    expectRefusal(await remove(member, admin), 'forbidden');
    expect(await Promise.all([owner, admin, member].map(roleOf))).toEqual(['owner', 'admin', 'member']);
  });

  test('an owner makes owners, and unmakes them', async () => {
    const { owner, others } = await firm('member');
    const [second] = others as [MemberApi];
    expect((await change(owner, second, { role: 'owner' })).body.role).toBe('owner');
    expect((await change(second, owner, { role: 'admin' })).body.role).toBe('admin');
    expectRefusal(await change(owner, second, { role: 'member' }), 'forbidden');
    expect((await remove(second, owner)).status).toBe(204);
  });

  test('the last owner can neither leave nor be demoted', async () => {
    const { owner } = await firm('admin');
    expectRefusal(await remove(owner, owner), 'conflict');
    expectRefusal(await change(owner, owner, { role: 'admin' }), 'conflict');
    expect((await change(owner, owner, { role: 'owner' })).status).toBe(200);
    expect(await roleOf(owner)).toBe('owner');
  });

  test.each(['demote', 'remove', 'demote themselves', 'leave'])(
    'two owners %s (each other) at the same moment, and one stays',
    async (what) => {
      const { owner, others } = await firm('owner');
      const [second] = others as [MemberApi];
      const isOwnDoing = what === 'demote themselves' || what === 'leave';
      const act = (by: MemberApi, other: MemberApi) => {
        const who = isOwnDoing ? by : other;
        return what.startsWith('demote') ? change(by, who, { role: 'member' }) : remove(by, who);
      };
      const [first, late] = await inTurn(
        owner.handle,
        () => act(owner, second),
        () => act(second, owner),
      );
      expect(first.status).toBeLessThan(300);
      expectRefusal(late, isOwnDoing ? 'conflict' : 'forbidden');
      const left = await service.sql<{ count: string }>(
        `SELECT count(*) FROM members m JOIN parties p ON p.id = m.party_id WHERE p.handle = $1 AND role = 'owner'`,
        [owner.handle],
      );
      expect(left).toEqual([{ count: '1' }]);
    },
  );

  test('the request of a person who is removed or demoted while it waits is refused', async () => {
    const { owner, others } = await firm('admin', 'owner', 'member');
    const [admin, second, member] = others as [MemberApi, MemberApi, MemberApi];
    const email = `friend@${owner.handle}.test`;
    const [, invited] = await inTurn(
      owner.handle,
      () => remove(owner, admin),
      () => admin.post('/invitations', { email, role: 'admin' }),
    );
    expectRefusal(invited, 'forbidden');
    const [, promoted] = await inTurn(
      owner.handle,
      () => change(owner, second, { role: 'admin' }),
      () => change(second, member, { role: 'owner' }),
    );
    expectRefusal(promoted, 'forbidden');
    expect((await owner.get('/invitations')).body.data).toEqual([]);
    expect(await roleOf(member)).toBe('member');
  });
});

describe('members', () => {
  test('are listed for every member, in pages', async () => {
    const { owner, others } = await firm('admin', 'member', 'member');
    const reader = others[1] as MemberApi;
    const { body } = await reader.get('/members');
    const emails = body.data.map(({ email }: { email: string }) => email).sort();
    expect(emails).toEqual([`admin-0`, `member-1`, `member-2`, 'owner'].map((name) => `${name}@${owner.handle}.test`));
    expect(body.data.find(({ role }: { role: Role }) => role === 'owner')).toEqual({
      ...{ id: await personIdOf(owner), name: expect.any(String), email: `owner@${owner.handle}.test`, role: 'owner' },
      ...{ segment: null, address: owner.handle, joined_at: expect.any(String) },
    });
    const pages = await everyPage(reader, '/members', { limit: 3 });
    expect(pages.flat()).toEqual(body.data);
    const { owner: other } = await firm();
    expectRefusal(
      await other.get(`/members?limit=3&cursor=${(await reader.get('/members?limit=3')).body.next_cursor}`),
      'validation_error',
    );
    expect((await other.get('/members')).body.data).toHaveLength(1);
  });

  test('who are removed are refused on the next request, in every process', async () => {
    const { owner, others } = await firm('admin');
    const [admin] = others as [MemberApi];
    const sibling = await service.sibling();
    const there = new MemberApi(admin.browser.at(sibling.url), admin.handle);
    for (const api of [admin, there]) expect((await api.get('/inbox')).status).toBe(200);
    expect((await remove(owner, admin)).status).toBe(204);
    for (const api of [admin, there]) {
      expectRefusal(await api.get('/inbox'), 'forbidden');
      expectRefusal(await api.get('/business'), 'forbidden');
      expectRefusal(await api.post('/agents', { name: 'Late' }), 'forbidden');
    }
    expect((await there.browser.get('/v1/account')).body.businesses).toEqual([]);
    await sibling.stop();
    expectRefusal(await remove(owner, admin), 'not_found');
  });

  test('leave by themselves, and their segment is free again', async () => {
    const { owner, others } = await firm('member', 'member');
    const [member, second] = others as [MemberApi, MemberApi];
    expect((await change(owner, member, { segment: 'desk' })).body).toMatchObject({ segment: 'desk', address: `${owner.handle}/desk` });
    expectRefusal(await change(owner, second, { segment: 'desk' }), 'conflict');
    expect((await remove(member, member)).status).toBe(204);
    expectRefusal(await member.get('/me'), 'forbidden');
    expect((await change(owner, second, { segment: 'desk' })).status).toBe(200);
  });

  test('of another business, and ids that are none, are not there', async () => {
    const { owner, others } = await firm('member');
    const { owner: other } = await firm();
    const theirs = await personIdOf(others[0] as MemberApi);
    const unknown = withoutTraces(await other.delete(`/members/${UNKNOWN_PERSON}`));
    expect(unknown.status).toBe(404);
    for (const id of [theirs, theirs.replace('usr', 'agt'), theirs.toUpperCase(), 'x', '%00', '..%2Fmembers']) {
      expect(withoutTraces(await other.delete(`/members/${id}`)), id).toEqual(unknown);
      expect(withoutTraces(await other.patch(`/members/${id}`, { role: 'member', segment: 'x' })), id).toEqual(unknown);
    }
    expect((await owner.get('/members')).body.data).toHaveLength(2);
  });
});

describe('segments', () => {
  test('are given, changed and taken away, and validated', async () => {
    const { owner } = await firm();
    expect((await change(owner, owner, { segment: 'FRONT-desk' })).body.segment).toBe('front-desk');
    expect((await change(owner, owner, { segment: 'front-desk' })).status).toBe(200);
    expect((await change(owner, owner, { segment: null })).body).toMatchObject({ segment: null, address: owner.handle });
    expectInvalid(await change(owner, owner, { segment: 'a_b' }), 'segment');
    expectInvalid(await change(owner, owner, { segment: 'x'.repeat(32) }), 'segment');
    expectRefusal(await change(owner, owner, {}), 'validation_error');
  });

  test('are unique among members and agents together, also when all ask at once', async () => {
    const { owner, others } = await firm('member', 'member');
    const agents = await Promise.all(['One', 'Two'].map(async (name) => (await owner.post('/agents', { name })).body.id));
    for (const segment of ['desk', 'till', 'door']) {
      const responses = await Promise.all([
        ...[owner, ...others].map((member) => change(owner, member, { segment })),
        ...agents.map((id) => owner.patch(`/agents/${id}`, { segment })),
        owner.post('/agents', { name: 'Three', segment }),
      ]);
      const taken = responses.filter(({ status }) => status >= 300);
      expect(taken).toHaveLength(5);
      for (const response of taken) expectRefusal(response, 'conflict');
      const holders = await service.sql('SELECT FROM segments s JOIN parties p ON p.id = s.party_id WHERE handle = $1 AND segment = $2', [
        owner.handle,
        segment,
      ]);
      expect(holders).toHaveLength(1);
    }
  });
});
