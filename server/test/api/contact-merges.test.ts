import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { byParty, listedContacts, save } from '../support/contacts.ts';
import { dropped } from '../support/drops.ts';
import { followAll, wrongContacts } from '../support/followed.ts';
import { type JoiningService, startJoiningService } from '../support/joining.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';

let service: JoiningService;
let operator: Operator;
let partner: TestBusiness;
let firm: TestBusiness;
let domain: string;
let made = 0;
beforeAll(async () => {
  service = await startJoiningService();
  operator = new Operator(service);
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});
beforeEach(async () => {
  domain = `firm-works-${++made}.test`;
  partner = await service.business(`partner-${made}`);
  firm = await service.business(`firm-${made}`);
});

const verify = async () => {
  await operator.verifyDomain(firm.handle, domain);
  await service.join();
};
const contacts = () => listedContacts(partner.api);
const nameOf = (party: { handle?: string; domain?: string }) => party.handle ?? party.domain;

test('of a domain and the handle that verifies it, a partner sees one, with the activity of both', async () => {
  const ann = await signInWithCode(service, `ann@${domain}`);
  const first = await dropped(ann, { to: partner.handle, type: 'order' });
  expect((await partner.api.send({ in_reply_to: first.id, type: 'invoice' })).status).toBe(201);
  expect((await firm.api.send({ to: partner.handle, type: 'quote' })).status).toBe(201);
  await save(partner.api, { domain, label: 'Tailor', notes: 'Rings twice' });
  expect((await contacts()).map(({ party }) => nameOf(party)).toSorted()).toEqual([firm.handle, domain]);

  await verify();
  const [contact, ...others] = await contacts();
  expect(others).toEqual([]);
  expect(contact).toMatchObject({
    party: { kind: 'handle', handle: firm.handle },
    saved: true,
    can_initiate: true,
    label: 'Tailor',
    notes: 'Rings twice',
    activity: {
      first_seen_at: first.received_at,
      last_direction: 'in',
      messages_in: 2,
      messages_out: 1,
      types: ['invoice', 'order', 'quote'],
    },
  });
  expect(contact.activity.actors.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['agent', 'person']);
  for (const name of [{ domain }, { handle: firm.handle }]) expect((await byParty(partner.api, name)).body).toEqual(contact);
  expect((await partner.api.get(`/contacts/${contact.id}`)).body).toEqual(contact);
  // A second run changes nothing.
  await service.join();
  expect(await contacts()).toEqual([contact]);
});

test('label and notes of the handle stay where there are any; who was saved twice counts once', async () => {
  await save(partner.api, { domain, label: 'By domain', notes: 'Of the domain' });
  const { body: own } = await save(partner.api, { handle: firm.handle, label: 'By handle' });
  await verify();
  expect(await contacts()).toEqual([{ ...own, notes: 'Of the domain' }]);
  const [row] = await service.sql('SELECT s.count FROM saved_contacts s JOIN parties p ON p.id = s.party_id WHERE p.handle = $1', [
    partner.handle,
  ]);
  expect(row).toEqual({ count: 1 });
});

test('a domain that was saved and never written to becomes the handle too, under the same id', async () => {
  const { body } = await save(partner.api, { domain, label: 'Later' });
  await verify();
  expect(await contacts()).toEqual([
    { ...body, party: { kind: 'handle', handle: firm.handle, display_name: `The ${firm.handle} company` }, can_initiate: true },
  ]);
});

test('who was there before stays apart while the domain is not verified, or no longer', async () => {
  await save(partner.api, { domain });
  await operator.verifyDomain(firm.handle, domain);
  await operator.removeDomain(firm.handle, domain);
  await service.join();
  expect((await contacts()).map(({ party }) => nameOf(party))).toEqual([domain]);
});

test('a verified domain is saved as the business that has it', async () => {
  await verify();
  const { status, body } = await save(partner.api, { domain: domain.toUpperCase(), label: 'Firm' });
  expect([status, body.party.handle, body.label]).toEqual([201, firm.handle, 'Firm']);
  const again = await save(partner.api, { handle: firm.handle });
  expect([again.status, again.body]).toEqual([200, body]);
  expect((await byParty(partner.api, { domain })).body).toEqual(body);
});

test('what can’t be a party is refused, with what to save instead', async () => {
  const mailbox = await save(partner.api, { email: `ann@${domain}` });
  expectInvalid(mailbox, 'email');
  expect(mailbox.text).toContain(domain);
  for (const consumer of ['gmail.com', 'GMX.de']) {
    const response = await save(partner.api, { domain: consumer });
    expectInvalid(response, 'domain');
    expect(response.text).toContain('email');
  }
  await verify();
  expectInvalid(await save(partner.api, { email: `ann@${domain}` }), 'email');
  expect((await save(partner.api, { email: 'ann@gmail.com' })).status).toBe(201);
  expectRefusal(await byParty(partner.api, { email: `ann@${domain}` }), 'not_found');
  expect((await contacts()).map(({ party }) => party.kind)).toEqual(['mailbox']);
});

describe('messages that no follower has read yet when a domain becomes a business', () => {
  const reply = async (id: string) => expect((await partner.api.send({ in_reply_to: id })).status).toBe(201);
  const partnersContact = async () => {
    const [contact, ...others] = await contacts();
    expect(others).toEqual([]);
    return [nameOf(contact.party), contact.activity.messages_in, contact.activity.messages_out];
  };
  const firmsContact = async () => (await byParty(firm.api, { handle: partner.handle })).body.activity;

  test('count once for both, with nothing read before', async () => {
    const ann = await signInWithCode(service, `ann@${domain}`);
    await reply((await dropped(ann, { to: partner.handle })).id);
    await verify();
    expect(await partnersContact()).toEqual([firm.handle, 1, 1]);
    expect(await firmsContact()).toMatchObject({ messages_in: 1, messages_out: 1 });
    await followAll(service);
    expect(await wrongContacts(service)).toEqual([]);
  });

  test('count once for both, with some read before, and with new ones of the business behind and before them', async () => {
    const ann = await signInWithCode(service, `ann@${domain}`);
    await reply((await dropped(ann, { to: partner.handle })).id);
    await firm.api.send({ to: partner.handle });
    await Promise.all([contacts(), byParty(firm.api, { handle: partner.handle })]);
    const second = await dropped(ann, { to: partner.handle });
    await firm.api.send({ to: partner.handle });
    await reply(second.id);
    await verify();
    expect(await firmsContact()).toMatchObject({ messages_in: 2, messages_out: 4 });
    expect(await partnersContact()).toEqual([firm.handle, 4, 2]);
    await service.join();
    await followAll(service);
    expect(await wrongContacts(service)).toEqual([]);
  });

  test.each([true, false])('count once if they were to the business itself (read before: %s)', async (isRead) => {
    const ann = await signInWithCode(service, `ann@${domain}`);
    await dropped(ann, { to: firm.handle });
    if (isRead) await listedContacts(firm.api);
    await verify();
    expect((await byParty(firm.api, { handle: firm.handle })).body.activity).toMatchObject({ messages_in: 1, messages_out: 1 });
    await followAll(service);
    expect(await wrongContacts(service)).toEqual([]);
  });
});
