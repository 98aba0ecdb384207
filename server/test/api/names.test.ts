import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkedDisplayName, cleanedDisplayName } from '../../src/contract/display-names.ts';
import { nameKeyOf } from '../../src/contract/look-alikes.ts';
import { visibleText, withoutUnseen } from '../../src/contract/visible-text.ts';
import { fillNameKeys } from '../../src/modules/parties/store.ts';
import { claimedBy, tryClaim } from '../support/businesses.ts';
import { Operator } from '../support/operator.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('text of strangers', () => {
  test.each([
    ['invoice_\u202efdp.exe', 'invoice_⟨U+202E⟩fdp.exe'],
    ...['\u200e', '\u200f', '\u061c', '\u202a', '\u202b', '\u202c', '\u202d', '\u2066', '\u2067', '\u2068', '\u2069'].map((control) => [
      `a${control}b`,
      `a⟨U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩b`,
    ]),
    ['a\u0000\u001b[31m\u007f\u0085', 'a⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩⟨U+0085⟩'],
    ['a\r\nb\u2028c', 'a⟨U+000D⟩⟨U+000A⟩b⟨U+2028⟩c'],
    ['pay\u200bpal \u00ad\ufeff\u2060\u3164\u2800', 'pay⟨U+200B⟩pal ⟨U+00AD⟩⟨U+FEFF⟩⟨U+2060⟩⟨U+3164⟩⟨U+2800⟩'],
    ['a\u200db a\u200cb \u200d', 'a⟨U+200D⟩b a⟨U+200C⟩b ⟨U+200D⟩'],
    ['a\ufe0f\u{e0041}', 'a⟨U+FE0F⟩⟨U+E0041⟩'],
    ['\ud800', '⟨U+D800⟩'],
  ] as [string, string][])('%j is shown as %s', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(visibleText(shown)).toBe(shown);
    expect(withoutUnseen(shown)).toBe(shown);
  });

  test.each([
    'Dr. Müller & Söhne',
    'e\u0301',
    'שלום',
    'علی\u200cرضا',
    'क्\u200dष',
    '👨\u200d👩\u200d👧\u200d👦',
    '👩🏽\u200d💻',
    '❤\ufe0f\u200d🔥',
    '1\ufe0f\u20e3',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '葛\u{e0100}',
    '\u0600123',
  ])('%j is shown as it is', (text) => {
    expect(visibleText(text)).toBe(text);
    expect(withoutUnseen(text)).toBe(text);
  });

  test('of any length is judged in time that grows with it alone', () => {
    const long = ['\u{e0067}', '\u200d', '👩\u200d', 'ا\u064b\u200c', '\ufe0f'].map((unit) => unit.repeat(20_000));
    const start = process.cpuUsage().user;
    for (const text of long) visibleText(text);
    expect((process.cpuUsage().user - start) / 1e6).toBeLessThan(5);
  });
});

describe('names that are taken for each other have one key', () => {
  test.each([
    ['Acme GmbH', 'ACME-gmbh.'],
    ['Acme GmbH', 'Аcmе GmbH'],
    ['Acme GmbH', 'Ac\u200bme\u00a0GmbH'],
    ['Acme GmbH', 'Àcme GmbH'],
    ['Acme GmbH', 'ＡＣＭＥ ＧＭＢＨ'],
    ['Globex', 'G1obex'],
    ['Globex', 'Gl0bex'],
    ['Straße', 'STRASSE'],
  ])('%s and %s', (one, other) => {
    expect(nameKeyOf(one)).toBe(nameKeyOf(other));
  });

  test.each([
    ['Acme', 'Acme GmbH'],
    ['Müller', 'Möbius'],
    ['हिन्दी', 'हन्दा'],
    ['!!', '??'],
  ])('%s and %s have two', (one, other) => {
    expect(nameKeyOf(one)).not.toBe(nameKeyOf(other));
  });
});

const HIDDEN = ['Acme \u202eemcA', 'Ac\u200bme', 'Acme\u2066', 'A\u200ecme', 'Ac\u00adme', 'A\u200dcme', 'Acme \u3164'];
const BADGES = [
  ...['Acme Corporation ✓ verified', 'Acme ✓', '✔️ Acme', '☑ Acme', 'Acme ✅', 'Acme 🗸', 'Acme √', 'Acme (verified)'],
  ...['Acme (verified by Waybill)', 'Acme, verified business', 'Acme Verified Seller', 'Acme “Waybill verified” Ltd'],
  ...['[Verified] Acme', 'Acme – VERIFIED', 'Acme vеrіfied', 'Acme ᵛᵉʳⁱᶠⁱᵉᵈ', 'Verified: Acme', 'Ａcme ｖｅｒｉｆｉｅｄ!'],
];
const GOOD = [
  'Verified Systems Ltd',
  'Unverified Films',
  'The Verified Businesswoman',
  'علی\u200cرضا',
  'שלום בע״מ',
  '👨\u200d👩\u200d👧 Family',
  'Root & Branch',
  'Vérifié SA',
];

describe('a display name', () => {
  test.each([...HIDDEN, ...BADGES])('%j is refused', (name) => {
    expect(() => checkedDisplayName(name, '/name', 100)).toThrow(expect.objectContaining({ code: 'validation_error' }));
    const cleaned = cleanedDisplayName(name, 100);
    expect(cleaned === '' ? 'x' : checkedDisplayName(cleaned, '/name', 100)).toBe(cleaned || 'x');
  });

  test.each(GOOD)('%j is accepted, and stays as it is if it comes from elsewhere', (name) => {
    expect(checkedDisplayName(name, '/name', 100)).toBe(name);
    expect(cleanedDisplayName(name, 100)).toBe(name);
  });

  test('from elsewhere loses what it must not have, and nothing more', () => {
    const cleaned = (text: string) => cleanedDisplayName(text, 20);
    expect(cleaned(' Acme\r\n Corp\u202e ✓ verified ')).toBe('Acme Corp');
    expect(cleaned('✅')).toBe('');
    expect(cleaned('Acme ✔️ Corp')).toBe('Acme Corp');
    expect(cleaned('x'.repeat(30))).toBe('x'.repeat(20));
  });
});

describe('a service', () => {
  let service: TestService;
  let operator: Operator;
  let made = 0;
  beforeAll(async () => {
    service = await startTestService();
    operator = new Operator(service);
  });
  afterAll(async () => {
    await operator.close();
    await service.stop();
  });
  beforeEach(() => service.sql('DELETE FROM sign_in_counts'));

  test('keeps handles that begin with its name for itself', async () => {
    const person = await signInWithCode(service, 'jane@corp.example');
    for (const handle of ['waybill', 'waybill-support', 'Waybill-Support', 'waybill-x'])
      expectRefusal(await tryClaim(person, handle, 'Support'), 'conflict');
    expect((await person.get('/v1/businesses/availability?handle=waybill-team')).body).toMatchObject({
      available: false,
      reason: 'reserved',
    });
    expect((await tryClaim(person, 'waybills', 'Bills of Way')).status).toBe(201);
  });

  test.each(['xn--acme', 'xn--80ak6aa92e', 'ab--cd', 'XN--Acme'])('keeps the handle %s from everybody', async (handle) => {
    const person = await signInWithCode(service, `ace-${++made}@corp.example`);
    expectRefusal(await tryClaim(person, handle), 'conflict');
    expect((await person.get(`/v1/businesses/availability?handle=${handle}`)).body).toMatchObject({ available: false, reason: 'reserved' });
    await expect(operator.addBusiness(handle, 'Acme')).rejects.toThrow(/reserved/);
  });

  test('takes no name that hides something or calls itself verified: of businesses, agents and people', async () => {
    const owner = await claimedBy(service, `hidden-${++made}@corp.example`, `hidden-${made}`);
    const agent = (await owner.post('/agents', { name: 'Till' })).body;
    const person = await signInWithCode(service, `claims-${made}@corp.example`);
    for (const name of [...HIDDEN.slice(0, 3), ...BADGES.slice(0, 3)]) {
      expectInvalid(await tryClaim(person, `claims-${made}`, name), 'display_name');
      expectInvalid(await owner.patch('/business', { display_name: name }), 'display_name');
      expectInvalid(await owner.post('/agents', { name }), 'name');
      expectInvalid(await owner.patch(`/agents/${agent.id}`, { name }), 'name');
      expectInvalid(await owner.browser.request('PATCH', '/v1/account', { body: { name } }), 'name');
    }
    expectInvalid(await owner.post('/contacts', { handle: 'demo', label: 'De\u200bmo' }), 'label');
    const contact = (await owner.post('/contacts', { handle: 'demo', label: '✓ paid' })).body;
    expectInvalid(await owner.patch(`/contacts/${contact.id}`, { label: '\u202eDemo' }), 'label');
    // Names from before the rule stay unchanged.
    await service.sql('UPDATE parties SET display_name = $2 WHERE handle = $1', [owner.handle, 'Acme \u202e✓']);
    expect((await owner.get('/business')).body.display_name).toBeDefined();
  });

  test.each(['Tab\there', 'Line\nbreak', 'Nul\u0000', 'Escape\u001b[2J', 'C1\u0085', 'Sep\u2028arator'])(
    'refuses the agent name %j, when it is made and when it is changed',
    async (name) => {
      const owner = await claimedBy(service, `agents-${++made}@corp.example`, `agents-${made}`);
      expectInvalid(await owner.post('/agents', { name }), 'name');
      const agent = (await owner.post('/agents', { name: 'علی\u200cرضا' })).body;
      expect(agent.name).toBe('علی\u200cرضا');
      expectInvalid(await owner.patch(`/agents/${agent.id}`, { name }), 'name');
    },
  );

  describe('with a business whose domain is verified', () => {
    let verified: string;
    beforeEach(async () => {
      const owner = await claimedBy(service, `owner@firm-${++made}.test`, `firm-${made}`);
      verified = `Größe ${made} & Söhne GmbH`;
      expect((await owner.patch('/business', { display_name: verified })).status).toBe(200);
      await operator.verifyDomain(owner.handle, `firm-${made}.test`);
    });
    const copies = () => [verified, verified.toUpperCase(), ` ${verified.replace('&', '')}.`, verified.replaceAll('e', 'е')];

    test('nobody else can claim a handle with its name, or one that looks like it', async () => {
      const person = await signInWithCode(service, `copy@copy-${made}.test`);
      for (const name of copies()) {
        const refused = await tryClaim(person, `copy-${made}`, name);
        expectRefusal(refused, 'conflict');
        expect(refused.body.error.message).toMatch(/verified domain has this display name/);
      }
      expect((await tryClaim(person, `copy-${made}`, `${verified} Nord`)).status).toBe(201);
    });

    test('nobody else can take it on later', async () => {
      const other = await claimedBy(service, `copy@copy-${made}.test`, `copy-${made}`);
      for (const name of copies()) expectRefusal(await other.patch('/business', { display_name: name }), 'conflict');
      expect((await other.get('/business')).body.display_name).toBe(`The copy-${made} company`);
    });

    test('the business itself can write its name in another way', async () => {
      const [row] = await service.sql<{ id: string }>('SELECT id FROM people WHERE email = $1', [`owner@firm-${made}.test`]);
      expect(row).toBeDefined();
      await service.sql('DELETE FROM sign_in_counts');
      const owner = await signInWithCode(service, `owner@firm-${made}.test`);
      const change = (display_name: string) =>
        owner.request('PATCH', '/v1/business', { body: { display_name }, headers: { 'waybill-business': `firm-${made}` } });
      expect((await change(verified.toUpperCase())).status).toBe(200);
      expect((await change(verified)).status).toBe(200);
    });

    test('names from before there were keys get theirs', async () => {
      await service.sql('UPDATE parties SET name_key = NULL');
      expect(await fillNameKeys(service.database, 2)).toBe(2);
      expect(await fillNameKeys(service.database, 1_000)).toBeGreaterThan(0);
      expect(await service.sql('SELECT FROM parties WHERE handle IS NOT NULL AND name_key IS NULL')).toEqual([]);
      const person = await signInWithCode(service, `late@copy-${made}.test`);
      expectRefusal(await tryClaim(person, `late-${made}`, verified), 'conflict');
    });
  });

  test('lets two without a verified domain have one name, and an operator give any', async () => {
    await claimedBy(service, `one@twin-${++made}.test`, `twin-${made}-a`);
    const person = await signInWithCode(service, `two@twin-${made}.test`);
    expect((await tryClaim(person, `twin-${made}-b`, `The twin-${made}-a company`)).status).toBe(201);
  });
});
