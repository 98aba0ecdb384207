import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid, parseId } from '../../src/contract/ids.ts';
import type { ApiResponse } from '../support/api.ts';
import { archive, byParty, known, listed, NO_ACTIVITY, save, saved } from '../support/contacts.ts';
import { Operator } from '../support/operator.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let operator: Operator;
let acme: TestBusiness;
let globex: TestBusiness;
let made = 0;

beforeAll(async () => {
  service = await startTestService({ CONSUMER_MAIL_DOMAINS: 'mailboxes.example' });
  operator = new Operator(service);
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

const fresh = () => service.business(`fresh-${++made}`);
const newDomain = () => `domain-${++made}.example`;
const change = (id: string, body: unknown) => acme.api.patch(`/contacts/${id}`, body);
const get = (id: string) => acme.api.get(`/contacts/${id}`);

describe('POST /contacts', () => {
  test('saves a business by its handle', async () => {
    const { handle } = await fresh();
    const { status, body } = await save(acme.api, { handle, label: 'Our baker', notes: 'Rings twice' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ctc_[0-9a-z]{26}$/),
      saved: true,
      archived: false,
      party: { kind: 'handle', handle, display_name: `The ${handle} company` },
      label: 'Our baker',
      notes: 'Rings twice',
      can_initiate: true,
      blocked: false,
      activity: NO_ACTIVITY,
    });
    expect((await get(body.id)).body).toEqual(body);
  });

  test('saves an organisation by its domain and a mailbox by its address, neither of which can be written to first', async () => {
    const domain = newDomain();
    const organisation = await save(acme.api, { domain });
    expect(organisation.status).toBe(201);
    expect(organisation.body).toMatchObject({ party: { kind: 'domain', domain, display_name: domain }, label: '', notes: '' });
    expect(Object.keys(organisation.body.party)).toEqual(['kind', 'domain', 'display_name']);
    const email = `somebody${made}@web.de`;
    const mailbox = await save(acme.api, { email });
    expect([mailbox.status, mailbox.body.party]).toEqual([201, { kind: 'mailbox', email, display_name: email }]);
    for (const { body } of [organisation, mailbox]) {
      expect(body).toMatchObject({ can_initiate: false, blocked: false, saved: true, activity: NO_ACTIVITY });
      expect((await get(body.id)).body).toEqual(body);
    }
    for (const to of [domain, email]) expectRefusal(await acme.api.send({ to }), 'unknown_recipient');
  });

  test('responds with 200 when it is saved again, and changes only what is given', async () => {
    for (const name of [{ handle: (await fresh()).handle }, { domain: newDomain() }, { email: `x${++made}@web.de` }]) {
      const first = await saved(acme.api, { ...name, label: 'One', notes: 'First' });
      const steps: [given: object, now: object][] = [
        [{}, { label: 'One', notes: 'First' }],
        [{ label: 'Two' }, { label: 'Two', notes: 'First' }],
        [{ notes: '' }, { label: 'Two', notes: '' }],
        [
          { label: '', notes: 'Second' },
          { label: '', notes: 'Second' },
        ],
      ];
      for (const [given, now] of steps) {
        const { status, body } = await save(acme.api, { ...name, ...given });
        expect([status, body]).toEqual([200, { ...first, ...now }]);
      }
    }
  });

  test('takes a name in any case, and domains of any script', async () => {
    const { handle } = await fresh();
    const { id } = await saved(acme.api, { handle });
    expect((await saved(acme.api, { handle: handle.toUpperCase() })).id).toBe(id);
    const domain = await saved(acme.api, { domain: 'Müller.Example.' });
    expect(domain.party.domain).toBe('xn--mller-kva.example');
    expect((await saved(acme.api, { domain: 'xn--MLLER-kva.example' })).id).toBe(domain.id);
    const mailbox = await saved(acme.api, { email: ' First.Last+Tag@WEB.de ' });
    expect(mailbox.party.email).toBe('first.last+tag@web.de');
    expect((await saved(acme.api, { email: 'FIRST.last+tag@web.DE' })).id).toBe(mailbox.id);
  });

  test('makes a party that was only seen a saved one', async () => {
    const baker = await fresh();
    await acme.api.send({ to: baker.handle, type: 'order' });
    const seen = await known(acme.api, baker.handle);
    expect(seen).toMatchObject({ id: null, saved: false, label: '', notes: '' });
    const { status, body } = await save(acme.api, { handle: baker.handle, label: 'Baker' });
    expect(status).toBe(201);
    expect(body).toEqual({ ...seen, id: expect.stringMatching(/^ctc_/), saved: true, label: 'Baker' });
  });

  test('refuses a handle that nobody has', async () => {
    expectRefusal(await save(acme.api, { handle: 'nobody-at-all' }), 'not_found');
    expect(await listed(acme.api, { q: 'nobody-at-all' })).toEqual([]);
  });

  test('wants exactly one name', async () => {
    const [domain, email] = [newDomain(), 'x@y.example'];
    for (const none of [{}, { label: 'x' }]) expectRefusal(await save(acme.api, none), 'validation_error');
    expectInvalid(await save(acme.api, { handle: 'globex', domain }), 'domain');
    expectInvalid(await save(acme.api, { domain, email }), 'email');
    expectInvalid(await save(acme.api, { handle: 'globex', email }), 'email');
    expect((await byParty(acme.api, { domain })).status).toBe(404);
  });

  test.each([
    ['handle', ['', 'a', '-acme', 'a_b', 'acme/orders', 'x'.repeat(33), 'x'.repeat(1_000), 'acme\0', 'ａcme', 1, null]],
    [
      'domain',
      ['', 'com', 'a b.example', 'x@y.example', 'y.example/z', '192.0.2.1', '%2e.example', 'x'.repeat(10_000), 'a\0.example', 1, null],
    ],
    ['email', ['', 'x', '@y.example', 'x@', 'x@y', 'x y@z.example', 'x@y@z.example', 'x@y .example', '"x y"@z.example', 'X <x@y.example>']],
    [
      'email',
      ['x@y.example/z', 'x\r\n@y.example', `${'x'.repeat(65)}@y.example`, 'x@[192.0.2.1]', 'x@192.0.2.1', `x@${'y'.repeat(500)}`, 1, null],
    ],
    ['label', ['x'.repeat(201), 'a\0b', 'half \ud800', 1, null, ['x']]],
    ['notes', ['x'.repeat(10_001), 'a\0b', 1, null, {}]],
  ])('refuses a %s like %j', async (field, wrong) => {
    const name = ['label', 'notes'].includes(field) ? { handle: 'globex' } : {};
    for (const value of wrong) expectInvalid(await save(acme.api, { ...name, [field]: value }), field);
  });

  test('refuses other fields and bodies', async () => {
    for (const field of ['archived', 'saved', 'id', 'name', 'lable']) {
      expectInvalid(await save(acme.api, { handle: 'globex', [field]: true }), field);
    }
    expectRefusal(await save(acme.api, '[]'), 'validation_error');
    expectRefusal(await save(acme.api, '{'), 'invalid_json');
  });

  test('keeps labels of 200 and notes of 10,000 characters of any script, as they were written', async () => {
    const [label, notes] = ['🚚'.repeat(200), ` ${'é'.repeat(4_998)}\n%_\\'"<b>${'ß'.repeat(4_991)} `];
    expect([...notes]).toHaveLength(10_000);
    const { id } = await saved(acme.api, { domain: newDomain(), label, notes });
    expect((await get(id)).body).toMatchObject({ label, notes });
  });
});

describe('GET /contacts/by-party', () => {
  test('knows those that were only seen, those only saved, and those that were both', async () => {
    const [seen, both] = [await fresh(), await fresh()];
    await seen.api.send({ to: 'acme' });
    await both.api.send({ to: 'acme' });
    const { id } = await saved(acme.api, { handle: both.handle, label: 'Both' });
    expect(await known(acme.api, seen.handle)).toMatchObject({ id: null, saved: false, activity: { messages_in: 1 } });
    expect(await known(acme.api, both.handle)).toMatchObject({ id, saved: true, label: 'Both', activity: { messages_in: 1 } });
    const domain = newDomain();
    const email = `info${made}@mailboxes.example`;
    const organisation = await saved(acme.api, { domain });
    const mailbox = await saved(acme.api, { email });
    expect((await byParty(acme.api, { domain: domain.toUpperCase() })).body).toEqual(organisation);
    expect((await byParty(acme.api, { email: email.toUpperCase() })).body).toEqual(mailbox);
  });

  test('responds with 404 for a party without messages or a contact, known to others or not', async () => {
    const [stranger, domain] = [await fresh(), newDomain()];
    await saved(globex.api, { handle: stranger.handle });
    await saved(globex.api, { domain });
    await saved(globex.api, { email: `x-${domain}@mailboxes.example` });
    const responses = await Promise.all(
      [
        { handle: 'nobody-at-all' },
        { handle: stranger.handle },
        { domain },
        { domain: newDomain() },
        { email: `x-${domain}@mailboxes.example` },
        { email: `y-${domain}@mailboxes.example` },
      ].map((name) => byParty(acme.api, name)),
    );
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as ApiResponse));
    }
  });

  test('wants exactly one name, in its form', async () => {
    expectRefusal(await byParty(acme.api, {}), 'validation_error');
    expectInvalid(await byParty(acme.api, { handle: 'globex', domain: 'y.example' }), 'domain');
    expectInvalid(await byParty(acme.api, { handle: 'a_b' }), 'handle');
    expectInvalid(await byParty(acme.api, { domain: 'x@y.example' }), 'domain');
    expectInvalid(await byParty(acme.api, { email: 'y.example' }), 'email');
    expectInvalid(await byParty(acme.api, { handle: 'globex', limit: '1' }), 'limit');
    expectInvalid(await byParty(acme.api, { id: 'ctc_x' }), 'id');
    expectRefusal(await acme.api.get('/contacts/by-party?handle=globex&handle=acme'), 'validation_error');
  });
});

describe('GET and PATCH /contacts/{id}', () => {
  test('a change changes what is given, leaves the rest, and returns the changed contact', async () => {
    const first = await saved(acme.api, { handle: (await fresh()).handle, label: 'One', notes: 'First' });
    let now = first;
    const changes = [
      { label: 'Two' },
      { notes: 'Second' },
      { archived: true },
      { label: '' },
      { archived: true },
      { archived: false },
      { label: 'All', notes: 'at', archived: true },
    ];
    for (const given of changes) {
      const { status, body } = await change(first.id, given);
      now = { ...now, ...given };
      expect([status, body]).toEqual([200, now]);
      expect((await get(first.id)).body).toEqual(now);
    }
  });

  test('an unknown, malformed or foreign id, and that of an unsaved contact, all look the same', async () => {
    const foreign = await saved(globex.api, { handle: 'acme', label: 'Theirs' });
    const baker = await fresh();
    await acme.api.send({ to: baker.handle });
    await known(acme.api, baker.handle);
    const [row] = await service.sql<{ id: string }>(
      'SELECT c.id FROM contacts c JOIN parties p ON p.id = c.other_id JOIN parties o ON o.id = c.party_id WHERE p.handle = $1 AND o.handle = $2',
      [baker.handle, 'acme'],
    );
    const unsaved = formatId('ctc', row?.id as string);
    const wrong = [
      foreign.id,
      unsaved,
      formatId('ctc', newUuid()),
      foreign.id.toUpperCase(),
      foreign.id.slice(4),
      acme.agentId,
      'ctc_',
      'null',
      '%00',
    ];
    for (const ask of [get, (id: string) => change(id, { label: 'Mine' }), (id: string) => change(id, { archived: true })]) {
      const responses = await Promise.all(wrong.map(ask));
      for (const response of responses) {
        expectRefusal(response, 'not_found');
        expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as ApiResponse));
      }
    }
    expect((await globex.api.get(`/contacts/${foreign.id}`)).body).toEqual(foreign);
    const now = await saved(acme.api, { handle: baker.handle });
    expect(parseId('ctc', now.id)).toBeDefined();
    expect((await get(now.id)).body).toEqual(now);
  });

  test('refuse what can’t be changed, or is no change', async () => {
    const { id } = await saved(acme.api, { domain: newDomain() });
    for (const field of ['handle', 'domain', 'email', 'saved', 'id', 'party', 'blocked', 'activity']) {
      expectInvalid(await change(id, { [field]: 'x' }), field);
    }
    for (const [field, wrong] of [
      ['label', 'x'.repeat(201)],
      ['label', null],
      ['notes', 'x'.repeat(10_001)],
      ['archived', 'true'],
      ['archived', null],
    ]) {
      expectInvalid(await change(id, { [field as string]: wrong }), field as string);
    }
    expectRefusal(await change(id, {}), 'validation_error');
    expectRefusal(await change(id, '{'), 'invalid_json');
    expectRefusal(await acme.api.request('DELETE', `/v1/contacts/${id}`), 'method_not_allowed');
  });
});

describe('the archive', () => {
  test('is out of sight until the contact is saved again, which keeps its id, label and notes', async () => {
    const { handle } = await fresh();
    const before = await saved(acme.api, { handle, label: 'Kept', notes: 'Kept too' });
    expect(await archive(acme.api, before.id)).toEqual({ ...before, archived: true });
    expect(await listed(acme.api, { q: handle })).toEqual([]);
    expect(await listed(acme.api, { q: handle, archived: 'false' })).toEqual([]);
    expect(await listed(acme.api, { q: handle, archived: 'true' })).toEqual([handle]);
    expect(await known(acme.api, handle)).toEqual({ ...before, archived: true });
    const again = await save(acme.api, { handle });
    expect([again.status, again.body]).toEqual([200, before]);
    expect(await listed(acme.api, { q: handle })).toEqual([handle]);
    expect(await listed(acme.api, { q: handle, archived: 'true' })).toEqual([]);
  });

  test('goes on counting, and is not left because of a message', async () => {
    const baker = await fresh();
    const { id } = await saved(acme.api, { handle: baker.handle });
    await archive(acme.api, id);
    const { body } = await baker.api.send({ to: 'acme', type: 'bread' });
    expect((await get(id)).body).toMatchObject({
      archived: true,
      activity: { messages_in: 1, last_seen_at: body.received_at, types: ['bread'] },
    });
    expect(await listed(acme.api, { q: baker.handle })).toEqual([]);
  });
});

describe('blocked', () => {
  const block = async (email_domain: string) => (await acme.api.write('POST', '/blocks', { email_domain })).body.id;

  test('tells whether a block covers the party, and follows blocks and domains at once', async () => {
    const [baker, domain] = [await fresh(), newDomain()];
    const below = `mail.${domain}`;
    for (const name of [{ handle: baker.handle }, { domain }, { domain: `not${domain}` }, { domain: below }]) await saved(acme.api, name);
    const blocked = async () =>
      [
        await known(acme.api, baker.handle),
        ...(await Promise.all(
          [{ domain }, { domain: `not${domain}` }, { domain: below }].map(async (name) => (await byParty(acme.api, name)).body),
        )),
      ].map((contact) => contact.blocked);
    expect(await blocked()).toEqual([false, false, false, false]);
    const id = await block(domain);
    expect(await blocked()).toEqual([false, true, false, true]);
    await operator.verifyDomain(baker.handle, `shop.${domain}`);
    expect(await blocked()).toEqual([true, true, false, true]);
    expect((await acme.api.get(`/contacts?q=${baker.handle}`)).body.data[0].blocked).toBe(true);
    expect((await save(acme.api, { handle: baker.handle })).body.blocked).toBe(true);
    await saved(globex.api, { handle: baker.handle });
    expect((await known(globex.api, baker.handle)).blocked).toBe(false);
    await acme.api.request('DELETE', `/v1/blocks/${id}`);
    expect(await blocked()).toEqual([false, false, false, false]);
  });
});

test('a read key may look, and only a read_write key may change', async () => {
  const { id } = await saved(acme.api, { domain: newDomain(), label: 'Shared' });
  const reader = await acme.withKey('read');
  expect((await reader.get('/contacts')).status).toBe(200);
  expect((await reader.get(`/contacts/${id}`)).body.label).toBe('Shared');
  expect((await byParty(reader, { handle: 'nobody-at-all' })).status).toBe(404);
  expectRefusal(await save(reader, { handle: 'globex' }), 'forbidden');
  expectRefusal(await reader.patch(`/contacts/${id}`, { label: 'x' }), 'forbidden');
  for (const path of ['/contacts', `/contacts/${id}`, '/contacts/by-party?handle=globex']) {
    expectRefusal(await service.anonymous.get(path), 'unauthorized');
  }
  expect((await get(id)).body.label).toBe('Shared');
});
