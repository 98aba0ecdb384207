import { documentType } from '@waybill/documents';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS,
  DOCUMENT_TYPE_TITLE_MAX_CHARS,
  DOCUMENT_TYPES_PER_BUSINESS_MAX,
  LAYOUT_LIST_MAX,
  SCHEMA_MAX_BYTES,
} from '../../src/contract/limits.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService({ NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0' });
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());
beforeEach(() => service.sql('DELETE FROM document_types'));

const SLOT = {
  title: 'Delivery slot',
  description: 'When a lorry can unload.',
  schema: { type: 'object', required: ['gate'], properties: { gate: { title: 'Gate', enum: ['North', 'South'] } } },
  layout: { facts: [{ path: '/gate' }], lines: { path: '/pallets', columns: [{ path: '/weight', format: 'quantity' }] } },
};
const put = (type: string, body: unknown, business = acme) =>
  business.api.write('PUT', `/document-types/${encodeURIComponent(type)}`, body);
const own = (type: string, business = acme) => business.api.get(`/business/document-types/${encodeURIComponent(type)}`);
const remove = (type: string, business = acme) => business.api.request('DELETE', `/v1/document-types/${encodeURIComponent(type)}`);
const publicly = (path = '') => service.anonymous.get(`/public/acme/document-types${path}`);

describe('an own document type', () => {
  test('has the shape of a type of the catalogue, with its layout completed', async () => {
    const { status, body } = await put('delivery.slot', SLOT);
    expect([status, body]).toEqual([
      200,
      {
        type: 'delivery.slot',
        ...SLOT,
        version: 1,
        layout: { number: '/number', parties: [], tables: [], totals: [], terms: [], notes: [], ...SLOT.layout },
        samples: [],
        updated_at: expect.any(String),
        published: false,
      },
    ]);
    expect((await own('delivery.slot')).body).toEqual(body);
    const { schema, layout, samples, ...head } = body;
    expect((await acme.api.get('/business/document-types')).body.data).toEqual([head]);
    expect((await remove('delivery.slot')).status).toBe(204);
    expectRefusal(await remove('delivery.slot'), 'not_found');
    expectRefusal(await own('delivery.slot'), 'not_found');
  });

  test('keeps the very text of its schema', async () => {
    const schema = '{ "b":1.0 ,"a":12345678901234567890, "a":1,"__proto__":{"x":"\\u0000\\ud800"},\n"minLength":1e0}';
    const headers = { 'content-type': 'application/json' };
    const response = await acme.api.request('PUT', '/v1/document-types/odd', { body: `{"title":"Odd","schema":${schema} }`, headers });
    expect([response.status, response.text]).toEqual([200, expect.stringContaining(`"schema":${schema},"layout":`)]);
    expect((await own('odd')).text).toBe(response.text);
    await put('odd', { title: 'Odd', schema: {}, published: true });
    expect((await publicly('/odd')).body).toMatchObject({ type: 'odd', schema: {}, version: 2 });
  });

  test('counts versions of its schema, and stays published when it is replaced', async () => {
    await put('slot', { ...SLOT, published: true });
    expect((await put('slot', { ...SLOT, title: 'Slot' })).body).toMatchObject({ version: 1, title: 'Slot', published: true });
    expect((await put('slot', { ...SLOT, schema: {} })).body).toMatchObject({ version: 2, published: true });
    expect((await put('slot', { ...SLOT, schema: {}, published: false })).body).toMatchObject({ version: 2, published: false });
  });

  test('is read by its business alone until it is published', async () => {
    await put('slot', SLOT);
    await put('open', { ...SLOT, published: true });
    expectRefusal(await own('slot', globex), 'not_found');
    expectRefusal(await remove('slot', globex), 'not_found');
    expect((await globex.api.get('/business/document-types')).body.data).toEqual([]);
    expectRefusal(await globex.api.write('POST', '/document-types/slot/check', { json: {} }), 'not_found');
    expectRefusal(await globex.api.write('PUT', '/inbox/schemas/slot', { schema_of: 'slot' }), 'not_found');
    const [hidden, unknown] = [await publicly('/slot'), await publicly('/none')];
    expectRefusal(hidden, 'not_found');
    expect(hidden.body.error.message).toBe(unknown.body.error.message);
    const { data } = (await publicly()).body;
    expect(data.map(({ type }: { type: string }) => type)).toEqual(['open']);
    expect(data[0]).not.toHaveProperty('published');
    const open = await service.anonymous.request('GET', '/v1/public/acme/document-types/open', {
      headers: { origin: 'https://erp.example' },
    });
    expect([open.status, open.headers.get('access-control-allow-origin'), open.body.title]).toEqual([200, '*', SLOT.title]);
    // It can be taken back at once, so nobody uses a copy without asking.
    expect(open.headers.get('cache-control')).toBe('no-cache');
    const headers = { 'if-none-match': open.headers.get('etag') ?? '' };
    expect((await service.anonymous.request('GET', '/v1/public/acme/document-types/open', { headers })).status).toBe(304);
    await put('open', { ...SLOT, published: false });
    expectRefusal(await publicly('/open'), 'not_found');
    expectRefusal(await service.anonymous.get('/public/nobody/document-types'), 'not_found');
    expectRefusal(await service.anonymous.get('/public/nobody/document-types/open'), 'not_found');
  });

  test('is never in the catalogue, which is the same for everybody', async () => {
    await put('order', { ...SLOT, published: true });
    expect((await acme.api.get('/document-types/order')).body.schema).toEqual(documentType('order')?.schema);
    expect((await acme.api.get('/document-types')).text).toBe((await service.anonymous.get('/document-types')).text);
  });

  test('is read by any key, and changed by one that may write', async () => {
    await put('slot', SLOT);
    const reader = await acme.withKey('read');
    expect((await reader.get('/business/document-types/slot')).status).toBe(200);
    expectRefusal(await reader.write('PUT', '/document-types/slot', SLOT), 'forbidden');
    expectRefusal(await reader.request('DELETE', '/v1/document-types/slot'), 'forbidden');
    expectRefusal(await service.anonymous.get('/business/document-types'), 'unauthorized');
  });

  test('checks documents by its schema, before a type of the catalogue, and without the rules of it', async () => {
    await put('order', SLOT);
    const check = async (json: unknown, business = acme) =>
      (await business.api.write('POST', '/document-types/order/check', { json })).body;
    expect(await check({ gate: 'North', total: 1, lines_total: 2 })).toEqual({ valid: true, errors: [], warnings: [] });
    expect((await check({ gate: 'West' })).errors).toEqual([expect.objectContaining({ path: '/gate', keyword: 'enum' })]);
    expect((await check({ gate: 'North' }, globex)).valid).toBe(false);
  });
});

describe('refused are', () => {
  test.each([
    ['no title', { schema: {} }, 'title'],
    ['an empty title', { title: '', schema: {} }, 'title'],
    ['a long title', { title: 'x'.repeat(DOCUMENT_TYPE_TITLE_MAX_CHARS + 1), schema: {} }, 'title'],
    ['a title with U+0000', { title: 'a\0', schema: {} }, 'title'],
    ['a long description', { title: 'x', description: 'x'.repeat(DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS + 1), schema: {} }, 'description'],
    ['no schema', { title: 'x' }, 'schema'],
    ['a schema that is no object', { title: 'x', schema: true }, 'schema'],
    ['another field', { title: 'x', schema: {}, samples: [] }, 'samples'],
  ])('%s', async (_name, body, field) => expectInvalid(await put('slot', body), field));

  test.each([
    ['the whole document', { number: '' }, 'layout/number'],
    ['a path that is no pointer', { number: 'number' }, 'layout/number'],
    ['a broken escape', { facts: [{ path: '/a~2' }] }, 'layout/facts/0/path'],
    ['an unknown format', { facts: [{ path: '/a', format: 'html' }] }, 'layout/facts/0/format'],
    ['an unknown member', { script: '/a' }, 'layout/script'],
    ['an unknown member of an item', { facts: [{ path: '/a', title: 'x' }] }, 'layout/facts/0/title'],
    ['a table without columns', { lines: { path: '/lines' } }, 'layout/lines/columns'],
    ['a long pointer', { notes: [`/${'x'.repeat(300)}`] }, 'layout/notes/0'],
    ['too many items', { notes: Array(LAYOUT_LIST_MAX + 1).fill('/a') }, 'layout/notes'],
  ])('a layout with %s', async (_name, layout, field) => expectInvalid(await put('slot', { ...SLOT, layout }), field));

  test('a layout with too many bytes', async () => {
    const items = Array.from({ length: LAYOUT_LIST_MAX }, (_, i) => ({ path: `/${'x'.repeat(250)}${i}` }));
    expectInvalid(await put('slot', { ...SLOT, layout: { facts: items, terms: items, totals: items } }), 'layout');
  });

  test('schemas that can’t be set for an inbox, and large bodies', async () => {
    for (const schema of [{ $ref: '#' }, { pattern: '^(?=a)b' }, { type: 'text' }, { description: 'x'.repeat(SCHEMA_MAX_BYTES) }])
      expectRefusal(await put('slot', { ...SLOT, schema }), 'invalid_schema');
    expectRefusal(await put('slot', { ...SLOT, schema: { description: 'x'.repeat(2 * SCHEMA_MAX_BYTES) } }), 'invalid_schema');
    expect((await put('slot', { ...SLOT, schema: { description: 'x'.repeat(SCHEMA_MAX_BYTES - 20) } })).status).toBe(200);
  });

  test.each(['x'.repeat(81), 'a\0b'])('names that no message can have as its type', async (type) => {
    expectInvalid(await put(type, SLOT), 'type');
    expectRefusal(await own(type), 'not_found');
    expectRefusal(await remove(type), 'not_found');
    expectRefusal(await publicly(`/${encodeURIComponent(type)}`), 'not_found');
    expectRefusal(await acme.api.write('POST', `/document-types/${encodeURIComponent(type)}/check`, { json: {} }), 'not_found');
  });

  test('more types, and more bytes, than a business may have', async () => {
    for (let i = 1; i < DOCUMENT_TYPES_PER_BUSINESS_MAX; i++) expect((await put(`t${i}`, { title: 'x', schema: {} })).status).toBe(200);
    const both = await Promise.all(['a', 'b'].map((type) => put(type, { title: 'x', schema: {} })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await put('t1', SLOT)).status).toBe(200);
    await service.sql(`UPDATE document_types SET schema = '"' || repeat('x', 90000) || '"'`);
    expectRefusal(await put('t1', { ...SLOT, schema: { description: 'x'.repeat(200_000) } }), 'conflict');
  });
});

test('markup in titles and labels is text', async () => {
  const hostile = { ...SLOT, title: '<script>alert(1)</script>', description: '‮=cmd|" /C calc"!A0', published: true };
  const { headers, body } = (await put('x', hostile)) && (await publicly('/x'));
  expect([headers.get('content-type'), headers.get('x-content-type-options')]).toEqual(['application/json; charset=utf-8', 'nosniff']);
  expect(body).toMatchObject({ title: hostile.title, description: hostile.description });
});
