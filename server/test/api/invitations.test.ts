import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  INVITATION_AGAIN_AFTER_S,
  INVITATIONS_OPEN_PER_BUSINESS_MAX,
  INVITATIONS_PER_BUSINESS_AND_DAY_MAX,
} from '../../src/contract/limits.ts';
import type { Browser } from '../support/browser.ts';
import { accept, claimedBy, invitationToken, joinedBy } from '../support/businesses.ts';
import { MemberApi } from '../support/member.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { lockingWith, waitingForLocks } from '../support/sql-locks.ts';

let service: TestService;
let owner: MemberApi;
let made = 0;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  // Each test has its own people. Together they sign in more often than one address may within ten minutes.
  await service.sql('DELETE FROM sign_in_counts');
  owner = await claimedBy(service, `owner@firm-${++made}.test`, `firm-${made}`);
});

const guest = () => `guest@firm-${made}.test`;
const invite = (email: string, role = 'member', segment?: string | null) => owner.post('/invitations', { email, role, segment });
const tokenFor = (email: string) => invitationToken(service, email);
const membersNow = async () => (await owner.get('/members')).body.data;
const emailsNow = async () => (await membersNow()).map(({ email }: { email: string }) => email).sort();
const partyId = async () => (await service.sql<{ id: string }>('SELECT id FROM parties WHERE handle = $1', [owner.handle]))[0]?.id;

async function invited(role = 'member', segment?: string): Promise<{ id: string; person: Browser; token: string }> {
  const response = await invite(guest(), role, segment);
  expect(response.status, response.text).toBe(201);
  return { id: response.body.id, person: await signInWithCode(service, guest()), token: await tokenFor(guest()) };
}

async function expectNobodyJoined(): Promise<void> {
  expect(await emailsNow()).toEqual([`owner@firm-${made}.test`]);
}

describe('an invitation', () => {
  test('is mailed, tells what it is for, and makes the person who accepts it a member', async () => {
    const response = await invite(`  Guest@FIRM-${made}.test `, 'admin', 'Desk');
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ id: expect.stringMatching(/^inv_/), email: guest(), role: 'admin', segment: 'desk' });
    const days = (Date.parse(response.body.expires_at) - Date.parse(response.body.created_at)) / 86_400_000;
    expect(days).toBe(7);
    expect((await owner.get('/invitations')).body.data).toEqual([response.body]);
    const token = await tokenFor(guest());
    expect(response.text).not.toContain(token);
    const person = await signInWithCode(service, guest());
    // Signed-out visitors also see who invites.
    expect((await service.anonymous.request('GET', `/v1/account/invitations/${token}`)).body).toEqual({
      business: (await owner.get('/business')).body,
      invited_by: (await owner.browser.get('/v1/account')).body.name,
      ...{ email: guest(), role: 'admin', expires_at: response.body.expires_at },
    });
    await expectNobodyJoined();
    const accepted = await accept(person, token);
    expect([accepted.status, accepted.body]).toEqual([200, (await owner.get('/business')).body]);
    expect((await membersNow()).find(({ email }: { email: string }) => email === guest())).toMatchObject({
      ...{ role: 'admin', segment: 'desk', address: `${owner.handle}/desk`, id: (await person.get('/v1/account')).body.id },
    });
    expect((await owner.get('/invitations')).body.data).toEqual([]);
  });

  test('is kept as a hash of its token only', async () => {
    const { token } = await invited();
    const rows = await service.sql('SELECT i::text AS row FROM invitations i');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16);
  });

  test('is for the holder of the mailbox alone', async () => {
    const { token } = await invited();
    const thief = await signInWithCode(service, `thief@firm-${made}.test`);
    expectRefusal(await accept(thief, token), 'forbidden');
    expectRefusal(await accept(owner.browser, token), 'forbidden');
    expectRefusal(await service.anonymous.request('POST', `/v1/account/invitations/${token}`), 'unauthorized');
    await expectNobodyJoined();
  });

  test('counts once, also for ten who accept it at the same moment', async () => {
    const { person, token } = await invited();
    const responses = await Promise.all(Array.from({ length: 10 }, () => accept(person, token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 200)) expectRefusal(response, 'not_found');
    expectRefusal(await person.get(`/v1/account/invitations/${token}`), 'not_found');
    expect(await emailsNow()).toHaveLength(2);
  });

  test('that has expired, was withdrawn or never existed gets the same response', async () => {
    const { id, person, token } = await invited();
    const never = await accept(person, 'A'.repeat(32));
    expectRefusal(never, 'not_found');
    await service.sql("UPDATE invitations SET expires_at = now() - interval '1 second'");
    expect(withoutTraces(await accept(person, token))).toEqual(withoutTraces(never));
    expect((await owner.get('/invitations')).body.data).toEqual([]);
    expectRefusal(await owner.delete(`/invitations/${id}`), 'not_found');
    await service.sql("UPDATE invitations SET expires_at = now() + interval '1 hour'");
    expect((await owner.delete(`/invitations/${id}`)).status).toBe(204);
    expect(withoutTraces(await accept(person, token))).toEqual(withoutTraces(never));
    expect(withoutTraces(await person.get(`/v1/account/invitations/${token}`))).toEqual(
      withoutTraces(await person.get(`/v1/account/invitations/${'A'.repeat(32)}`)),
    );
    expect((await owner.get('/invitations')).body.data).toEqual([]);
    expectRefusal(await owner.delete(`/invitations/${id}`), 'not_found');
    await expectNobodyJoined();
  });

  test('that is withdrawn while it is being accepted counts for one of both', async () => {
    const { id, person, token } = await invited();
    // The acceptance began earlier and must wait.
    const lock = await lockingWith(service, 'SELECT FROM parties WHERE id = $1 FOR UPDATE', [await partyId()]);
    const accepting = accept(person, token);
    await expect.poll(() => waitingForLocks(service)).toHaveLength(1);
    expect((await owner.delete(`/invitations/${id}`)).status).toBe(204);
    await lock.rollBack();
    expectRefusal(await accepting, 'not_found');
    await expectNobodyJoined();
  });

  test('sent again replaces the earlier one', async () => {
    const { person, token } = await invited('admin');
    await service.sql('UPDATE invitations SET created_at = created_at - make_interval(secs => $1)', [INVITATION_AGAIN_AFTER_S]);
    expect((await invite(guest(), 'member')).status).toBe(201);
    expectRefusal(await accept(person, token), 'not_found');
    expect((await owner.get('/invitations')).body.data).toHaveLength(1);
    expect((await accept(person, await tokenFor(guest()))).status).toBe(200);
    expect((await new MemberApi(person, owner.handle).get('/me')).body.member.role).toBe('member');
  });

  test('leaves a person who has become a member meanwhile unchanged', async () => {
    const { person, token } = await invited('admin', 'desk');
    const id = (await person.get('/v1/account')).body.id;
    await service.sql(`INSERT INTO members (party_id, person_id, role) SELECT $1, id, 'member' FROM people WHERE email = $2`, [
      await partyId(),
      guest(),
    ]);
    expect((await accept(person, token)).status).toBe(200);
    expect((await membersNow()).find((member: { id: string }) => member.id === id)).toMatchObject({ role: 'member', segment: null });
  });

  test('with a segment that is taken is refused, when it is made and when it is accepted', async () => {
    expect((await owner.post('/agents', { name: 'Till', segment: 'till' })).status).toBe(201);
    expectRefusal(await invite(guest(), 'member', 'TILL'), 'conflict');
    const { person, token } = await invited('member', 'desk');
    await owner.post('/agents', { name: 'Desk', segment: 'desk' });
    expectRefusal(await accept(person, token), 'conflict');
    await expectNobodyJoined();
    expect((await owner.get('/invitations')).body.data).toHaveLength(1);
  });
});

describe('an invitation ends with its inviter’s right to make it', () => {
  async function invitedBy(role: 'owner' | 'admin', invitedAs: string) {
    const inviter = await joinedBy(service, owner, `inviter@firm-${made}.test`, role);
    const response = await inviter.post('/invitations', { email: guest(), role: invitedAs });
    expect(response.status, response.text).toBe(201);
    const person = await signInWithCode(service, guest());
    return { inviter, inviterId: (await inviter.browser.get('/v1/account')).body.id, person, token: await tokenFor(guest()) };
  }
  async function expectVoid(person: Browser, token: string): Promise<void> {
    for (const response of [await accept(person, token), await person.get(`/v1/account/invitations/${token}`)]) {
      expectRefusal(response, 'not_found');
      expect(response.body.error.message).toMatch(/may no longer invite. Ask the business for a new one/);
    }
    expect((await owner.get('/invitations')).body.data).toEqual([]);
    expect(await emailsNow()).not.toContain(guest());
  }

  test('when the inviter is removed, and for good', async () => {
    const { inviter, inviterId, person, token } = await invitedBy('admin', 'admin');
    expect((await owner.delete(`/members/${inviterId}`)).status).toBe(204);
    await expectVoid(person, token);
    await service.sql('DELETE FROM sign_in_counts');
    await service.sql('UPDATE invitations SET created_at = created_at - make_interval(secs => $1)', [INVITATION_AGAIN_AFTER_S]);
    expect((await invite(`inviter@firm-${made}.test`, 'owner')).status).toBe(201);
    expect((await accept(inviter.browser, await tokenFor(`inviter@firm-${made}.test`))).status).toBe(200);
    await expectVoid(person, token);
  });

  test('when the inviter leaves', async () => {
    const { inviter, inviterId, person, token } = await invitedBy('owner', 'member');
    expect((await inviter.delete(`/members/${inviterId}`)).status).toBe(204);
    await expectVoid(person, token);
  });

  test('when the inviter is demoted to a member', async () => {
    const { inviterId, person, token } = await invitedBy('admin', 'member');
    expect((await owner.patch(`/members/${inviterId}`, { role: 'member' })).status).toBe(200);
    await expectVoid(person, token);
  });

  test('when an owner who invited an owner becomes an admin; what an admin may do stays', async () => {
    const { inviter, inviterId, person, token } = await invitedBy('owner', 'owner');
    expect((await inviter.post('/invitations', { email: `second@firm-${made}.test`, role: 'admin' })).status).toBe(201);
    expect((await owner.patch(`/members/${inviterId}`, { role: 'admin' })).status).toBe(200);
    expectRefusal(await accept(person, token), 'not_found');
    const second = await signInWithCode(service, `second@firm-${made}.test`);
    expect((await accept(second, await tokenFor(`second@firm-${made}.test`))).status).toBe(200);
  });

  test('and others’ invitations stay open, also of a person who invited the same mailbox again', async () => {
    const { inviterId, person } = await invitedBy('admin', 'admin');
    await service.sql('UPDATE invitations SET created_at = created_at - make_interval(secs => $1)', [INVITATION_AGAIN_AFTER_S]);
    expect((await invite(guest(), 'member')).status).toBe(201);
    expect((await owner.delete(`/members/${inviterId}`)).status).toBe(204);
    expect((await accept(person, await tokenFor(guest()))).status).toBe(200);
  });

  test('also when it is accepted at the very moment', async () => {
    const { inviterId, person, token } = await invitedBy('admin', 'admin');
    const waiting = () => waitingForLocks(service).then((rows) => rows.length);
    const lock = await lockingWith(service, 'SELECT FROM parties WHERE id = $1 FOR UPDATE', [await partyId()]);
    const removing = owner.delete(`/members/${inviterId}`);
    await expect.poll(waiting).toBe(1);
    const accepting = accept(person, token);
    await expect.poll(waiting).toBe(2);
    await lock.rollBack();
    expect((await removing).status).toBe(204);
    expectRefusal(await accepting, 'not_found');
    expect(await emailsNow()).not.toContain(guest());
  });
});

describe('inviting', () => {
  test.each([['nobody'], ['a@b'], ['a b@firm.test'], ['a@firm.test\r\nBcc: c@d.test'], [''], ['@firm.test'], ['x'.repeat(400)]])(
    'is refused for %j, which is no mailbox',
    async (email) => {
      expectInvalid(await invite(email), 'email');
    },
  );

  test('is refused with another role or field, or a segment that can be none', async () => {
    expectInvalid(await invite(guest(), 'king'), 'role');
    expectInvalid(await invite(guest(), 'member', 'a_b'), 'segment');
    expectInvalid(await owner.post('/invitations', { email: guest(), role: 'member', token: 'x' }), 'token');
  });

  test('somebody who is a member already is refused', async () => {
    await joinedBy(service, owner, guest(), 'member');
    expectRefusal(await invite(guest().toUpperCase(), 'admin'), 'conflict');
  });

  test('one mailbox again and again is refused, also when the invitation was withdrawn', async () => {
    const { body } = await invite(guest());
    const again = await invite(guest());
    expectRefusal(again, 'rate_limited');
    const seconds = Number(again.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(INVITATION_AGAIN_AFTER_S);
    await owner.delete(`/invitations/${body.id}`);
    expectRefusal(await invite(guest()), 'rate_limited');
    expect((await invite(`somebody-else@firm-${made}.test`)).status).toBe(201);
  });

  test('more than so many a day is refused, however many ask at once', async () => {
    await service.sql(
      `INSERT INTO invitations (party_id, id, email, role, token_hash, expires_at)
       SELECT $1, gen_random_uuid(), i || '@flood.test', 'member', '\\x00', now() + interval '1 day' FROM generate_series(1, $2::integer) i`,
      [await partyId(), INVITATIONS_PER_BUSINESS_AND_DAY_MAX - 2],
    );
    const responses = await Promise.all(Array.from({ length: 6 }, (_, i) => invite(`late-${i}@firm-${made}.test`)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const response of responses.filter(({ status }) => status !== 201)) expectRefusal(response, 'rate_limited');
    await service.sql("UPDATE invitations SET created_at = created_at - interval '1 day', expires_at = now() WHERE party_id = $1", [
      await partyId(),
    ]);
    expect((await invite(guest())).status).toBe(201);
    expect(await service.sql('SELECT FROM invitations WHERE party_id = $1', [await partyId()])).toHaveLength(1);
  });

  test('more open invitations than a business may have are refused', async () => {
    await service.sql(
      `INSERT INTO invitations (party_id, id, email, role, token_hash, created_at, expires_at)
       SELECT $1, gen_random_uuid(), i || '@crowd.test', 'member', '\\x00', now() - interval '2 days', now() + interval '1 day'
         FROM generate_series(1, $2::integer) i`,
      [await partyId(), INVITATIONS_OPEN_PER_BUSINESS_MAX - 1],
    );
    const responses = await Promise.all([invite(guest()), invite(`second@firm-${made}.test`)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});

test('another business can neither see nor withdraw an invitation', async () => {
  const { id, person, token } = await invited();
  const mine = owner;
  const other = await claimedBy(service, `other@firm-${made}.test`, `other-${made}`);
  expect((await other.get('/invitations')).body.data).toEqual([]);
  const unknown = withoutTraces(await other.delete('/invitations/inv_01m7esn1ewfewbnh1q9v4wahsb'));
  for (const wrong of [id, id.replace('inv', 'usr'), id.toUpperCase(), 'x', '%00'])
    expect(withoutTraces(await other.delete(`/invitations/${wrong}`)).status, wrong).toBe(404);
  expect(withoutTraces(await other.delete(`/invitations/${id}`))).toEqual(unknown);
  expectRefusal(await mine.delete(`/invitations/${id.replace('inv', 'usr')}`), 'not_found');
  expect((await accept(person, token)).status).toBe(200);
});
