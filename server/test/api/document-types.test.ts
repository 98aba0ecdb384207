import { DOCUMENT_TYPES, documentType } from '@waybill/documents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOCUMENT_CHECK_MAX_BYTES, SCHEMA_CHECKS_AT_ONCE_MAX } from '../../src/contract/limits.ts';
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

const NAMES = DOCUMENT_TYPES.map(({ type }) => type);
const check = (type: string, json: unknown) => acme.api.write('POST', `/document-types/${type}/check`, { json });
const exampleOf = (type: string) => structuredClone(documentType(type)?.samples[0]) as Record<string, unknown>;

describe('the catalogue', () => {
  test('is read by everybody, from any site, and names each type', async () => {
    const { status, body, headers } = await service.anonymous.request('GET', '/v1/document-types', {
      headers: { origin: 'https://erp.example' },
    });
    expect([status, headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([200, '*', 'public, max-age=300']);
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual(NAMES);
    expect(body.data[0]).toEqual({
      type: 'quote.request',
      title: 'Request for a quote',
      description: 'A buyer asks a seller what articles or services cost.',
      version: 1,
    });
  });

  test.each(NAMES)('has %s with its schema, layout and samples', async (name) => {
    const known = documentType(name) ?? expect.fail();
    const { status, body } = await service.anonymous.get(`/document-types/${name}`);
    const { type, title, description, version, schema, layout, samples } = known;
    expect([status, body]).toEqual([200, { type, title, description, version, schema, layout, samples }]);
  });

  test('says whether a type has changed', async () => {
    const get = (headers: Record<string, string>) => service.anonymous.request('GET', '/v1/document-types/order', { headers });
    const etags = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br']) {
      const first = await get({ 'accept-encoding': encoding });
      const etag = first.headers.get('etag') ?? '';
      etags.add(etag);
      const again = await get({ 'accept-encoding': encoding, 'if-none-match': etag });
      expect([again.status, again.text, again.headers.get('cache-control')]).toEqual([304, '', 'public, max-age=300']);
    }
    expect(etags.size).toBe(3);
  });

  test.each(['orders', 'ORDER', '__proto__', 'constructor', 'order%2F..', '%00', 'x'.repeat(200)])('has no type %s', async (name) => {
    expect((await service.anonymous.get(`/document-types/${name}`)).status).toBe(404);
    expect((await acme.api.write('POST', `/document-types/${name}/check`, { json: {} })).status).toBe(404);
  });

  test.each(NAMES)('has a schema of %s that an inbox can have, and that its example meets', async (name) => {
    const { schema, samples } = (await service.anonymous.get(`/document-types/${name}`)).body;
    expect((await globex.api.write('PUT', '/inbox/schema', { schema })).status).toBe(200);
    const sent = await acme.api.send({ to: 'globex', type: name, json: samples[0] });
    expect([sent.status, sent.body.validation]).toEqual([201, { status: 'passed', errors: [] }]);
    const { issue_date, ...rest } = samples[0];
    const incomplete = await acme.api.send({ to: 'globex', type: name, json: rest });
    expect([issue_date, incomplete.body.validation.status]).toEqual([expect.any(String), 'failed']);
  });
});

describe('a document', () => {
  test.each(NAMES)('of type %s is valid as in the example', async (name) => {
    const { status, body } = await check(name, exampleOf(name));
    expect([status, body]).toEqual([200, { valid: true, errors: [], warnings: [] }]);
  });

  test('that does not add up is valid, with a warning', async () => {
    expect((await check('order', { ...exampleOf('order'), total: '1014.55' })).body).toEqual({
      valid: true,
      errors: [],
      warnings: [{ path: '/total', code: 'total', message: 'Expected 1014.54 (net total + tax), not 1014.55.' }],
    });
  });

  test('that does not meet the schema gets its errors, and the warnings', async () => {
    const { body } = await check('invoice', { ...exampleOf('invoice'), currency: 'Euro', order_number: undefined });
    expect(body).toEqual({
      valid: false,
      errors: [{ path: '/currency', message: expect.any(String), keyword: 'pattern', pattern: '^[A-Z]{3}$' }],
      warnings: [expect.objectContaining({ code: 'reference_missing' })],
    });
  });

  test('keeps its numbers as they are written', async () => {
    const digits = '123456789012345678901234567890';
    const body = (total: string) => `{"json":{"lines":[{"total":${digits}.10}],"lines_total":${total}}}`;
    const warnings = async (total: string) =>
      (await acme.api.write('POST', '/document-types/order/check', body(total))).body.warnings.map(({ path }: { path: string }) => path);
    expect(await warnings(`${digits}.1`)).toEqual([]);
    expect(await warnings(`${digits}.2`)).toEqual(['/lines_total']);
  });

  test.each([null, [], 'order', 1, { lines: {} }, { ['__proto__']: 1 }])('can be %j', async (json) => {
    const { status, body } = await check('order', json);
    expect([status, body.valid]).toEqual([200, false]);
  });

  test('is read up to a size', async () => {
    const note = (bytes: number) => 'x'.repeat(bytes - '{"note":""}'.length);
    expect((await check('order', { note: note(DOCUMENT_CHECK_MAX_BYTES) })).status).toBe(200);
    expectRefusal(await check('order', { note: note(DOCUMENT_CHECK_MAX_BYTES + 1) }), 'json_too_large');
  });

  test('is checked for those with a key that may write', async () => {
    expectInvalid(await acme.api.write('POST', '/document-types/order/check', {}), 'json');
    expectRefusal(await service.anonymous.write('POST', '/document-types/order/check', { json: {} }), 'unauthorized');
    const reader = await acme.withKey('read');
    expectRefusal(await reader.write('POST', '/document-types/order/check', { json: {} }), 'forbidden');
  });

  test('has its place among the checks of a business', async () => {
    const all = await Promise.all(Array.from({ length: SCHEMA_CHECKS_AT_ONCE_MAX * 4 }, () => check('order', exampleOf('order'))));
    const statuses = all.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  });
});
