import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { Operator } from '../support/operator.ts';
import { everyPage } from '../support/pages.ts';
import { signInWithCode } from '../support/people.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { untilIndexed } from '../support/threads.ts';

let service: TestService;
let shop: TestBusiness;
const others = new Map<string, TestBusiness>();
beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  shop = await service.business('shop');
  for (const handle of ['acme', 'globex', 'initech', 'umbrella']) others.set(handle, await service.business(handle));
});
afterAll(() => service.stop());

async function order(filters: Record<string, string | number> = {}): Promise<string[]> {
  const contacts = (await everyPage(shop.api, '/contacts', { sort: 'activity', ...filters })).flat();
  return contacts.map(({ party }) => party.handle ?? party.domain ?? party.email);
}

const write = async (handle: string) => {
  await others.get(handle)?.api.send({ to: 'shop', type: handle === 'acme' ? 'order' : 'note' });
  await untilIndexed(service);
};

test('contacts are in the order of their last message, sent or received, on pages of any size', async () => {
  for (const handle of ['acme', 'globex', 'initech', 'acme']) await write(handle);
  expect(await order()).toEqual(['acme', 'initech', 'globex']);
  await shop.api.send({ to: 'globex' });
  await untilIndexed(service);
  for (const limit of [1, 2, 50]) expect(await order({ limit })).toEqual(['globex', 'acme', 'initech']);
  // The default order is still the newest contact first.
  expect((await shop.api.get('/contacts')).body.data.map(({ party }: { party: { handle: string } }) => party.handle)).toEqual([
    'initech',
    'globex',
    'acme',
  ]);
});

test('one that is saved is active at that moment, and filters hold', async () => {
  await shop.api.write('POST', '/contacts', { handle: 'umbrella', label: 'Rain' });
  await shop.api.write('POST', '/contacts', { handle: 'initech' });
  expect(await order()).toEqual(['initech', 'umbrella', 'globex', 'acme']);
  await write('acme');
  await shop.api.write('POST', '/contacts', { handle: 'umbrella', notes: 'again' });
  expect(await order()).toEqual(['acme', 'initech', 'umbrella', 'globex']);
  expect(await order({ saved: 'true' })).toEqual(['initech', 'umbrella']);
  expect(await order({ q: 'RAIN' })).toEqual(['umbrella']);
  expect(await order({ type: 'order' })).toEqual(['acme']);
  const { id } = (await shop.api.get('/contacts/by-party?handle=initech')).body;
  await shop.api.patch(`/contacts/${id}`, { archived: true });
  expect(await order()).toEqual(['acme', 'umbrella', 'globex']);
  expect(await order({ archived: 'true' })).toEqual(['initech']);
  expectInvalid(await shop.api.get('/contacts?sort=size'), 'sort');
});

test('an organisation that becomes a business takes its place along', async () => {
  const ann = await signInWithCode(service, 'ann@tailor-works.test');
  await ann.post('/v1/drops', { to: 'shop', note: 'velvet' });
  await write('globex');
  expect((await order()).slice(0, 2)).toEqual(['globex', 'tailor-works.test']);
  await service.business('tailor');
  const operator = new Operator(service);
  await operator.verifyDomain('tailor', 'tailor-works.test');
  await operator.close();
  await expect.poll(async () => (await order()).slice(0, 2)).toEqual(['globex', 'tailor']);
});

test('the order is read again from the ledgers, together with the threads', async () => {
  const exchanged = (names: string[]) => names.filter((name) => ['acme', 'globex'].includes(name));
  const before = exchanged(await order());
  await service.sql(`DELETE FROM contact_activity a USING parties p WHERE p.id = a.other_id AND p.handle IN ('acme', 'globex')`);
  expect(exchanged(await order())).toEqual([]);
  await service.sql(`UPDATE thread_index SET rebuilt_through = '00000000-0000-0000-0000-000000000000'`);
  await expect.poll(async () => exchanged(await order())).toEqual(before);
});

describe('by name', () => {
  let desk: TestBusiness;
  const written = ['Zulu Ltd', 'ähre', 'Apfel', 'Ahrend', 'ärger & Söhne', '42 Cups', 'Émile', 'Émile'];
  const byName = async (filters: Record<string, string | number> = {}) =>
    (await everyPage(desk.api, '/contacts', { sort: 'name', ...filters })).flat().map(({ label, party }) => label || party.display_name);
  beforeAll(async () => {
    desk = await service.business('desk');
    for (const [n, label] of written.entries()) await desk.api.write('POST', '/contacts', { domain: `p${n}.example`, label });
  });

  test('contacts are sorted by label or display name, without regard to case and accents, on pages of any size', async () => {
    await others.get('globex')?.api.send({ to: 'desk' });
    await untilIndexed(service);
    const sorted = ['42 Cups', 'ähre', 'Ahrend', 'Apfel', 'ärger & Söhne', 'Émile', 'Émile', 'globex', 'Zulu Ltd'];
    expect((await byName()).map((name) => name.replace(/^Globex.*|^The globex.*/i, 'globex'))).toEqual(sorted);
    for (const limit of [1, 2, 3]) expect(await byName({ limit })).toEqual(await byName());
    expect(await byName({ q: 'emile', limit: 1 })).toEqual([]);
    expect(await byName({ q: 'ÉMILE', limit: 1 })).toEqual(['Émile', 'Émile']);
  });

  test('a new label counts at once, an empty one gives the display name back', async () => {
    const { id } = (await desk.api.get('/contacts/by-party?domain=p0.example')).body;
    await desk.api.patch(`/contacts/${id}`, { label: 'Aaa' });
    expect((await byName())[1]).toBe('Aaa');
    await desk.api.patch(`/contacts/${id}`, { notes: 'nothing else' });
    expect((await byName())[1]).toBe('Aaa');
    await desk.api.patch(`/contacts/${id}`, { label: '' });
    expect((await byName()).at(-2)).toBe('p0.example');
    await desk.api.write('POST', '/contacts', { domain: 'p0.example', label: '0 first' });
    expect((await byName())[0]).toBe('0 first');
    await desk.api.patch(`/contacts/${id}`, { archived: true });
    expect(await byName()).not.toContain('0 first');
    expect(await byName({ archived: 'true' })).toEqual(['0 first']);
  });

  test('the longest labels have a place, and a cursor', async () => {
    const labels = ['😀'.repeat(100), '😀'.repeat(99), 'ﷺ'.repeat(200)];
    const giant = await service.business('giant');
    for (const [n, label] of labels.entries())
      expect((await giant.api.write('POST', '/contacts', { domain: `p${n}.example`, label })).status).toBe(201);
    const pages = await everyPage(giant.api, '/contacts', { sort: 'name', limit: 1 });
    expect(
      pages
        .flat()
        .map(({ label }) => label)
        .toSorted(),
    ).toEqual(labels.toSorted());
  });

  test('a business with a new display name moves, where it has no label', async () => {
    const zoo = await claimedBy(service, 'ann@zoo.test', 'zoo');
    for (const to of ['desk', 'shop']) expect((await zoo.post('/messages', { to })).status).toBe(201);
    await untilIndexed(service);
    await desk.api.write('POST', '/contacts', { handle: 'zoo', label: 'Zoo of the city' });
    expect((await zoo.patch('/business', { display_name: '1st Zoo' })).status).toBe(200);
    const shopByName = async () => (await everyPage(shop.api, '/contacts', { sort: 'name' })).flat().map(({ party }) => party.display_name);
    await expect.poll(async () => (await shopByName())[0], { timeout: 60_000 }).toBe('1st Zoo');
    expect(await byName()).toContain('Zoo of the city');
    expect((await byName())[0]).not.toBe('Zoo of the city');
  });

  test('a cursor of another order is refused', async () => {
    const orders = ['added', 'activity', 'name'];
    for (const issued of orders) {
      const { next_cursor } = (await desk.api.get(`/contacts?sort=${issued}&limit=1`)).body;
      expect(next_cursor).toEqual(expect.any(String));
      expect((await desk.api.get(`/contacts?sort=${issued}&limit=1&cursor=${next_cursor}`)).status).toBe(200);
      for (const other of orders.filter((order) => order !== issued))
        expectInvalid(await desk.api.get(`/contacts?sort=${other}&limit=1&cursor=${next_cursor}`), 'cursor');
    }
  });
});
