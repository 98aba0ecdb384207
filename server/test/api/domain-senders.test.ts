import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { drop, dropped } from '../support/drops.ts';
import { type MailWorld, mailText, startMailWorld } from '../support/mail-world.ts';
import type { MemberApi } from '../support/member.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';

const DAILY = 3;

let world: MailWorld;
let operator: Operator;
let tailor: MemberApi;

beforeAll(async () => {
  world = await startMailWorld({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: String(DAILY) });
  operator = new Operator(world.service);
  await world.service.business('globex');
  tailor = await claimedBy(world.service, 'ann@tailor-works.test', 'tailor');
  await operator.verifyDomain('tailor', 'tailor-works.test');
  world.publish('tailor-works.test');
});
afterAll(async () => {
  await operator.close();
  await world.stop();
});

const mail = (from: string) => world.deliver({ sender: from, mail: mailText({ from }) });
const choose = (senders: string, by = tailor, domain = 'tailor-works.test') => by.patch(`/domains/${domain}`, { senders });

describe('who sends from a domain', () => {
  test('is everybody with a mailbox there, until an owner leaves it to members', async () => {
    const bob = await signInWithCode(world.service, 'bob@tailor-works.test');
    expect(await mail('bob@tailor-works.test')).toMatch(/^250 /);
    const fromPage = await dropped(bob, { to: 'globex' });
    expect(fromPage.from).toMatchObject({ party: { handle: 'tailor' }, actor: { kind: 'person', email: 'bob@tailor-works.test' } });
    const byMail = (await tailor.get('/outbox?limit=2')).body.data.find(({ id }: { id: string }) => id !== fromPage.id);
    expect(byMail.from.actor).toMatchObject({ kind: 'mailbox', provider: 'smtp', email: 'bob@tailor-works.test' });

    const chosen = await choose('members');
    expect([chosen.status, chosen.body]).toMatchObject([200, { domain: 'tailor-works.test', senders: 'members' }]);
    expect((await tailor.get('/domains')).body.data).toEqual([chosen.body]);
    const sentence =
      'Only members of The tailor company send messages from tailor-works.test. Ask an owner or admin of The tailor company to invite bob@tailor-works.test.';
    expect(await mail('bob@tailor-works.test')).toBe(`550 5.7.1 ${sentence}`);
    const refused = await drop(bob, { to: 'globex' });
    expectRefusal(refused, 'forbidden');
    expect(refused.body.error.message).toBe(sentence);
    expectRefusal(await bob.post('/v1/drops/uploads', { filename: 'a', content_type: 'text/plain', size_bytes: 1 }), 'forbidden');
    expect((await bob.get('/v1/drops/globex')).body).toMatchObject({ allowed: false, reason: { code: 'forbidden', message: sentence } });
    expect(await mail('ann@tailor-works.test')).toMatch(/^250 /);

    expect((await choose('everybody')).body.senders).toBe('everybody');
    expect(await mail('bob@tailor-works.test')).toMatch(/^250 /);
  });

  test('is chosen by owners, for domains that are verified', async () => {
    await tailor.post('/domains', { domain: 'pending.test' });
    expectRefusal(await choose('members', tailor, 'pending.test'), 'conflict');
    expectRefusal(await choose('members', tailor, 'nobodys.test'), 'not_found');
    expectInvalid(await choose('nobody'), 'senders');
    await world.service.sql("UPDATE members SET role = 'admin' WHERE party_id = (SELECT id FROM parties WHERE handle = 'tailor')");
    expectRefusal(await choose('members'), 'forbidden');
    await world.service.sql("UPDATE members SET role = 'owner' WHERE party_id = (SELECT id FROM parties WHERE handle = 'tailor')");
  });
});

describe('the daily limit of an organisation without a handle', () => {
  test('is one for all its domains, by mail and on drop pages, and refused ones do not count', async () => {
    for (const domain of ['a.many.co.uk', 'b.many.co.uk', 'many.co.uk', 'other.co.uk']) world.publish(domain);
    const USED_UP = /^452 4\.7\.0 This business can send 3 messages a day while the account is new\. /;
    expect(await mail('x@a.many.co.uk')).toMatch(/^250 /);
    expect(await world.deliver({ sender: 'x@b.many.co.uk', recipients: ['nobody@elsewhere.test'], mail: mailText() })).toMatch(/^550 /);
    expect(await mail('x@b.many.co.uk')).toMatch(/^250 /);
    await dropped(await signInWithCode(world.service, 'y@many.co.uk'), { to: 'globex' });
    for (const domain of ['a.many.co.uk', 'b.many.co.uk', 'many.co.uk', 'a.many.co.uk']) expect(await mail(`x@${domain}`)).toMatch(USED_UP);
    expectRefusal(await drop(await signInWithCode(world.service, 'z@c.many.co.uk'), { to: 'globex' }), 'quota_exceeded');
    expect(await mail('x@other.co.uk')).toMatch(/^250 /);
  });

  test('holds when its domains send at once', async () => {
    const domains = Array.from({ length: 8 }, (_, i) => `d${i}.swarm.test`);
    for (const domain of domains) world.publish(domain);
    const responses = await Promise.all(domains.map((domain) => mail(`x@${domain}`)));
    expect(responses.filter((response) => response.startsWith('250 '))).toHaveLength(DAILY);
  });
});
