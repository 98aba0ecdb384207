import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyPage, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const HANDLES = ['acme', 'acme-2', 'acme2', 'acmeology', 'acm', 'ac', 'kelvin', 'globex', '0zero', 'z-9'];

let service: TestService;
let acme: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  const made = await Promise.all(HANDLES.map((handle) => service.business(handle)));
  acme = made[0] as TestBusiness;
});
afterAll(() => service.stop());

async function found(q: string): Promise<string[]> {
  const { status, body, text } = await list(acme.api, '/handles', { q });
  expect(status, text).toBe(200);
  return body.data.map(({ handle }: { handle: string }) => handle);
}

describe('GET /handles', () => {
  test('finds the handles that begin with q, in alphabetical order', async () => {
    const { body } = await list(acme.api, '/handles', { q: 'acme' });
    expect(body).toEqual({
      data: ['acme', 'acme-2', 'acme2', 'acmeology'].map((handle) => ({ handle, display_name: `The ${handle} company` })),
      next_cursor: null,
    });
  });

  test('finds a whole handle, and nothing that merely contains q', async () => {
    expect(await found('globex')).toEqual(['globex']);
    expect(await found('lobex')).toEqual([]);
    expect(await found('globexx')).toEqual([]);
  });

  test('reads q in any case', async () => {
    expect(await found('ACME')).toEqual(await found('acme'));
    expect(await found('GlObEx')).toEqual(['globex']);
  });

  test.each([
    '%',
    '_',
    'acm_',
    'acm%',
    'acme%',
    '%acme',
    "acme'",
    "' OR 1=1 --",
    '\\',
    'acme\\',
    '*',
    '.',
    'acme.*',
    '[a-z]',
    ' acme',
    'é',
    '🚚',
  ])('takes every character of "%s" literally', async (q) => {
    expect(await found(q)).toEqual([]);
  });

  test('takes the Kelvin sign for no k', async () => {
    expect(await found('\u212Aelvin')).toEqual([]);
  });

  test('finds the demo inbox', async () => {
    expect(await found('demo')).toEqual(['demo']);
  });

  test.each([1, 2, 3, 4, 5])('holds every handle once in pages of %i', async (limit) => {
    const pages = await everyPage(acme.api, '/handles', { q: 'ac', limit });
    const handles = pages.flat().map(({ handle }) => handle);
    expect(handles).toEqual(['ac', 'acm', 'acme', 'acme-2', 'acme2', 'acmeology']);
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
  });

  test('gives fifty a page unless told otherwise', async () => {
    await Promise.all(Array.from({ length: 51 }, (_, i) => service.business(`many-${i}`)));
    const { body } = await list(acme.api, '/handles', { q: 'many-' });
    expect(body.data).toHaveLength(50);
    expect(body.next_cursor).toEqual(expect.any(String));
  });

  test('is for every key, a read key included', async () => {
    const reader = await acme.withKey('read');
    expect((await list(reader, '/handles', { q: 'globex' })).body.data).toHaveLength(1);
  });

  test('needs a q', async () => {
    expectInvalid(await acme.api.get('/handles'), 'q');
    expectInvalid(await acme.api.get('/handles?q='), 'q');
    expectInvalid(await acme.api.get('/handles?q'), 'q');
    expectInvalid(await acme.api.get('/handles?q=a&q=b'), 'q');
  });

  test('refuses a q that is too long or holds U+0000', async () => {
    expectInvalid(await list(acme.api, '/handles', { q: 'a'.repeat(65) }), 'q');
    expectInvalid(await acme.api.get('/handles?q=a%00'), 'q');
  });

  test.each(['%', '%zz', '%ff', '%ed%a0%80', '%25', '+'])('survives the encoding %s', async (q) => {
    const { status } = await acme.api.get(`/handles?q=${q}`);
    expect([200, 400]).toContain(status);
  });

  test.each(['0', '201', 'abc'])('refuses a limit of %s', async (limit) => {
    expectInvalid(await list(acme.api, '/handles', { q: 'a', limit }), 'limit');
  });

  test('knows no other parameters', async () => {
    expectInvalid(await list(acme.api, '/handles', { q: 'a', prefix: 'a' }), 'prefix');
  });
});
