import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archive, listed, NO_ACTIVITY, names, saved } from '../support/contacts.ts';
import { Operator } from '../support/operator.ts';
import { everyPage, list } from '../support/pages.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let operator: Operator;

beforeAll(async () => {
  service = await startTestService({ CONSUMER_MAIL_DOMAINS: 'mail.example, xn--e1afmkfd.xn--p1ai' });
  operator = new Operator(service);
});
afterAll(async () => {
  await operator.close();
  await service.stop();
});

describe('GET /contacts', () => {
  let acme: TestBusiness;
  let baker: TestBusiness;

  beforeAll(async () => {
    acme = await service.business('acme');
    baker = await service.business('baker');
    await operator.addBusiness('cook', 'Cook & Sons');
    await operator.addBusiness('driver', 'Driver Ltd');
  });

  test('is empty at first', async () => {
    expect((await acme.api.get('/contacts')).body).toEqual({ data: [], next_cursor: null });
  });

  test('has saved contacts and every party that was written to or wrote, the latest acquaintance first', async () => {
    await baker.api.send({ to: 'acme' });
    await saved(acme.api, { handle: 'driver', label: 'Van' });
    await acme.api.send({ to: 'cook' });
    await saved(acme.api, { domain: 'firm.example' });
    await saved(acme.api, { handle: 'cook', label: 'Canteen' });
    const { status, body } = await acme.api.get('/contacts');
    expect([status, body.next_cursor]).toEqual([200, null]);
    expect(names(body.data)).toEqual(['firm.example', 'cook', 'driver', 'baker']);
    expect(body.data.map(({ saved, label }: { saved: boolean; label: string }) => [saved, label])).toEqual([
      [true, ''],
      [true, 'Canteen'],
      [true, 'Van'],
      [false, ''],
    ]);
    expect(body.data[2].activity).toEqual(NO_ACTIVITY);
    for (const contact of body.data.slice(0, 3)) expect((await acme.api.get(`/contacts/${contact.id}`)).body).toEqual(contact);
    expect(body.data[3].id).toBeNull();
  });

  test('keeps its order when messages come, and when contacts are changed or saved', async () => {
    const before = await listed(acme.api);
    await baker.api.send({ to: 'acme' });
    await acme.api.send({ to: 'driver' });
    await saved(acme.api, { handle: 'baker', label: 'Last' });
    const { id } = await saved(acme.api, { handle: 'driver' });
    await archive(acme.api, id);
    await saved(acme.api, { handle: 'driver' });
    expect(await listed(acme.api)).toEqual(before);
  });

  test('comes in pages of 1 to 200, 50 by default', async () => {
    const collector = await service.business('collector');
    await Promise.all(Array.from({ length: 53 }, (_, i) => saved(collector.api, { domain: `p${i}.example` })));
    const pages = await everyPage(collector.api, '/contacts');
    expect(pages.map((page) => page.length)).toEqual([50, 3]);
    const single = (await everyPage(collector.api, '/contacts', { limit: 20 })).flat();
    expect(single).toEqual(pages.flat());
    expect(new Set(names(single)).size).toBe(53);
    expect((await list(collector.api, '/contacts', { limit: 200 })).body).toEqual({ data: single, next_cursor: null });
    for (const limit of [0, 201, -1, 1.5, 'x', '']) expectInvalid(await list(collector.api, '/contacts', { limit }), 'limit');
  });

  test('shows a business nothing of another’s', async () => {
    const outsider = await service.business('outsider');
    await saved(acme.api, { domain: 'secret.example', label: 'Secret' });
    for (const filters of [{}, { q: 'secret' }, { saved: 'true' }, { archived: 'true' }, { q: 'acme' }]) {
      expect(await listed(outsider.api, filters as Record<string, string>)).toEqual([]);
    }
    expect(await listed(baker.api)).toEqual(['acme']);
    expect((await baker.api.get('/contacts')).body.data[0]).toMatchObject({ id: null, label: '', notes: '' });
  });

  test('refuses wrong filters', async () => {
    const wrong: [string, string[]][] = [
      ['q', ['', 'x'.repeat(201), 'a\0b']],
      ['saved', ['', 'yes', '2', 'TRUE']],
      ['archived', ['', 'no', 'null']],
      ['type', ['x'.repeat(1_001), 'a\0b']],
      ['cursor', ['', 'x', 'null']],
      ['label', ['x']],
      ['handle', ['acme']],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) expectInvalid(await list(acme.api, '/contacts', { [field]: value }), field);
    }
    expectRefusal(await acme.api.get('/contacts?q=a&q=b'), 'validation_error');
  });
});

describe('q', () => {
  let owner: TestBusiness;

  const parties: [handle: string, name: string, label: string][] = [
    ['percent', '100% Käse', 'dairy'],
    ['under', 'under_score', ''],
    ['slash', 'back\\slash', ''],
    ['quotes', `O'Brien "and" Sons`, ''],
    ['street', 'Große Straße', ''],
    ['capital-sharp', 'STRAẞE', ''],
    ['greek', 'ΟΔΥΣΣΕΥΣ ΑΕ', ''],
    ['cyrillic', 'Жук и Ко', ''],
    ['turkish', 'İstanbul', ''],
    ['combined', 'A\u030angstro\u0308m', ''],
    ['japanese', '株式会社', ''],
    ['emoji', 'Vans', '🚚 Fleet'],
    ['plain-one', 'Plain', 'VIP 5%'],
    ['plain-two', 'Simple', 'x_y\\z'],
  ];

  beforeAll(async () => {
    owner = await service.business('owner');
    for (const [handle, name, label] of parties) {
      await operator.addBusiness(handle, name);
      if (label === '') expect((await owner.api.send({ to: handle })).status).toBe(201);
      else await saved(owner.api, { handle, label, notes: 'needle in the notes' });
    }
    await saved(owner.api, { domain: 'Firm.Example', label: 'Über-Firma' });
    await saved(owner.api, { email: 'some.body@mail.example' });
  });

  test.each<[string, string[]]>([
    ['PERC', ['percent']],
    ['lain-o', ['plain-one']],
    ['plain', ['plain-one', 'plain-two']],
    ['firm.ex', ['firm.example']],
    ['FIRM', ['firm.example']],
    ['.example', ['firm.example', 'some.body@mail.example']],
    ['some.BODY@', ['some.body@mail.example']],
    ['simple', ['plain-two']],
    ['vip', ['plain-one']],
    ['ÜBER-', ['firm.example']],
    ['über-f', ['firm.example']],
    ['%', ['percent', 'plain-one']],
    ['0%', ['percent']],
    ['%5', []],
    ['5%', ['plain-one']],
    ['_', ['plain-two', 'under']],
    ['r_s', ['under']],
    ['l_i', []],
    ['\\', ['plain-two', 'slash']],
    ['\\\\', []],
    ['\\%', []],
    ["o'b", ['quotes']],
    ['"AND"', ['quotes']],
    ["' OR 1=1 --", []],
    ['$1', []],
    ['strasse', ['capital-sharp', 'street']],
    ['STRASSE', ['capital-sharp', 'street']],
    ['straße', ['capital-sharp', 'street']],
    ['STRAẞE', ['capital-sharp', 'street']],
    ['οδυσσευσ', ['greek']],
    ['οδυσσευς', ['greek']],
    ['ΟΔΥΣ', ['greek']],
    ['οδυς', ['greek']],
    ['жУК', ['cyrillic']],
    ['İST', ['turkish']],
    ['stanBUL', ['turkish']],
    ['ångström', ['combined']],
    ['ÅNG', ['combined']],
    ['A\u030aNGSTRO\u0308', ['combined']],
    ['式会', ['japanese']],
    ['🚚', ['emoji']],
    ['🚚 fleet', ['emoji']],
    ['needle', []],
    ['e c', []],
    [' ', ['cyrillic', 'emoji', 'greek', 'percent', 'plain-one', 'quotes', 'street']],
    ['handle', []],
  ])('%j', async (q, found) => {
    expect((await listed(owner.api, { q })).toSorted()).toEqual(found);
  });

  test('looks at the label as it is now', async () => {
    const { id } = await saved(owner.api, { handle: 'plain-one', label: 'Renamed' });
    expect(await listed(owner.api, { q: 'vip' })).toEqual([]);
    expect(await listed(owner.api, { q: 'RENAMED' })).toEqual(['plain-one']);
    await owner.api.patch(`/contacts/${id}`, { label: 'VIP 5%' });
    expect(await listed(owner.api, { q: 'renamed' })).toEqual([]);
    expect(await listed(owner.api, { q: 'vip' })).toEqual(['plain-one']);
  });

  test('finds a domain of another script by its letters and by its punycode', async () => {
    const traveller = await service.business('traveller');
    await saved(traveller.api, { domain: 'MÜNCHEN.example' });
    await saved(traveller.api, { domain: 'xn--strae-oqa.example' });
    await saved(traveller.api, { email: 'Some.Body@пример.рф' });
    for (const [q, found] of [
      ['münch', 'xn--mnchen-3ya.example'],
      ['MU\u0308NCHEN.EX', 'xn--mnchen-3ya.example'],
      ['xn--mnchen', 'xn--mnchen-3ya.example'],
      ['straße', 'xn--strae-oqa.example'],
      ['STRASSE.', 'xn--strae-oqa.example'],
      ['body@ПРИМЕР.РФ', 'some.body@xn--e1afmkfd.xn--p1ai'],
      ['xn--p1ai', 'some.body@xn--e1afmkfd.xn--p1ai'],
    ] as const) {
      expect(await listed(traveller.api, { q }), q).toEqual([found]);
    }
  });
});

describe('filters', () => {
  let owner: TestBusiness;
  let friend: TestBusiness;

  beforeAll(async () => {
    owner = await service.business('librarian');
    friend = await service.business('friend');
    await operator.addBusiness('printer', 'Printer');
    await operator.addBusiness('binder', 'Binder');
    await friend.api.send({ to: owner.handle, type: 'order' });
    await owner.api.send({ to: 'friend', type: 'invoice' });
    await owner.api.send({ to: 'printer', type: 'order' });
    await owner.api.send({ to: 'printer' });
    await saved(owner.api, { handle: 'printer', label: 'Paper' });
    await saved(owner.api, { handle: 'binder', label: 'Paper too' });
    await owner.api.send({ to: 'binder', type: '100%' });
    const old = await saved(owner.api, { domain: 'old.example', label: 'Old paper' });
    await archive(owner.api, old.id);
    const gone = await saved(owner.api, { handle: 'collector', label: 'Gone' });
    await owner.api.send({ to: 'collector', type: 'order' });
    await archive(owner.api, gone.id);
  });

  test.each<[Record<string, string>, string[]]>([
    [{}, ['binder', 'friend', 'printer']],
    [{ saved: 'true' }, ['binder', 'printer']],
    [{ saved: 'false' }, ['friend']],
    [{ archived: 'true' }, ['collector', 'old.example']],
    [{ archived: 'false' }, ['binder', 'friend', 'printer']],
    [{ archived: 'true', saved: 'false' }, []],
    [{ archived: 'true', saved: 'true' }, ['collector', 'old.example']],
    [{ type: 'order' }, ['friend', 'printer']],
    [{ type: 'invoice' }, ['friend']],
    [{ type: 'ORDER' }, []],
    [{ type: 'orde' }, []],
    [{ type: 'order%' }, []],
    [{ type: '100%' }, ['binder']],
    [{ type: '' }, []],
    [{ type: 'order', archived: 'true' }, ['collector']],
    [{ type: 'order', saved: 'true' }, ['printer']],
    [{ type: 'order', saved: 'false', q: 'FRI' }, ['friend']],
    [{ q: 'paper' }, ['binder', 'printer']],
    [{ q: 'paper', archived: 'true' }, ['old.example']],
    [{ q: 'paper', type: 'order' }, ['printer']],
    [{ q: 'paper', type: 'order', saved: 'true', archived: 'false' }, ['printer']],
  ])('%j', async (filters, found) => {
    expect((await listed(owner.api, filters)).toSorted()).toEqual(found);
    expect((await listed(owner.api, { ...filters, limit: 1 })).toSorted()).toEqual(found);
  });
});

describe('a cursor', () => {
  let owner: TestBusiness;
  const cursorOf = async (filters: Record<string, string> = {}): Promise<string> =>
    (await list(owner.api, '/contacts', { ...filters, limit: 1 })).body.next_cursor;

  beforeAll(async () => {
    owner = await service.business('pager');
    for (let i = 0; i < 4; i++) await saved(owner.api, { domain: `page-${i}.example`, label: 'page' });
  });

  test('goes with its filters, whatever the limit and the order they are written in', async () => {
    const cursor = await cursorOf({ q: 'page', saved: 'true' });
    const response = await list(owner.api, '/contacts', { saved: 'true', limit: 2, cursor, q: 'page' });
    expect(names(response.body.data)).toEqual(['page-2.example', 'page-1.example']);
    const others = [{}, { q: 'page' }, { q: 'pag', saved: 'true' }, { q: 'page', saved: 'true', archived: 'true' }];
    for (const filters of [...others, { q: 'page', saved: 'true', type: 'x' }, { q: 'page', saved: 'false' }]) {
      expectInvalid(await list(owner.api, '/contacts', { ...filters, cursor } as Record<string, string>), 'cursor');
    }
  });

  test('is refused when it was changed, or is of another list or business', async () => {
    const cursor = await cursorOf();
    for (const i of [0, 5, 20, cursor.length - 2]) {
      const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      expectInvalid(await list(owner.api, '/contacts', { cursor: changed }), 'cursor');
    }
    const other = await service.business('other-pager');
    for (const path of ['/blocks', '/agents', '/inbox']) expectInvalid(await list(owner.api, path, { cursor }), 'cursor');
    expectInvalid(await list(other.api, '/contacts', { cursor }), 'cursor');
  });
});

test('paging while messages keep coming misses none and shows none twice of those that were there', async () => {
  const owner = await service.business('busy');
  const friends = await Promise.all(Array.from({ length: 6 }, (_, i) => service.business(`busy-friend-${i}`)));
  await Promise.all(friends.map(({ api }) => api.send({ to: 'busy' })));
  await Promise.all(Array.from({ length: 24 }, (_, i) => saved(owner.api, { domain: `busy-${i}.example` })));
  const there = (await listed(owner.api)).toSorted();
  expect(there).toHaveLength(30);
  let paging = true;
  let strangers = 0;
  const traffic = friends.map(async ({ api, handle }) => {
    while (paging) {
      await api.send({ to: 'busy' });
      await owner.api.send({ to: handle });
      await saved(owner.api, { domain: `stranger-${++strangers}.example` });
    }
  });
  for (const limit of [2, 7]) {
    const seen = await listed(owner.api, { limit });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((name) => there.includes(name)).toSorted()).toEqual(there);
  }
  paging = false;
  await Promise.all(traffic);
  expect(strangers).toBeGreaterThan(0);
});
