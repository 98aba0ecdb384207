import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_MAX_BYTES } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { copyMessage } from '../support/copied-messages.ts';
import { sendForm } from '../support/form.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { type ThreadRow, untilIndexed } from '../support/threads.ts';

const KB = 1_024;
/** Large and small messages are mixed, so that pages end after some of each. */
const SIZES = [900, 0, 1, 900, 900, 200, 1, 0, 900, 900, 900, 90, 90, 90, 1, 900, 900, 0, 900, 1, 900, 300, 900].map((kb) => kb * KB);

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
const sent: any[] = [];

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  for (const [n, bytes] of SIZES.entries()) {
    const message = { note: `ü${n}`.repeat(n * 20), ...(bytes > 0 && { json: { n, text: 'é'.repeat(bytes / 2) } }) };
    const { body } = await acme.api.send({ ...message, ...(n === 0 ? { to: 'globex' } : { in_reply_to: sent[0].id, to: 'globex' }) });
    sent.push(body);
  }
});
afterAll(() => service.stop());

const lists = [
  ['/inbox', () => globex, () => '/inbox', () => sent.toReversed()],
  ['/outbox', () => acme, () => '/outbox', () => sent.toReversed()],
  ['/threads/{id}', () => globex, () => `/threads/${sent[0].thread_id}`, () => sent],
] as const;

describe.each(lists)('GET %s', (_, owner, path, expected) => {
  test.each([200, 7, 1])('ends a page of %i before it is too large, and misses nothing', async (limit) => {
    const pages = await everyPage(owner().api, path(), { limit });
    expect(pages.flat()).toEqual(expected());
    for (const page of pages) {
      expect(page.length).toBeGreaterThan(0);
      expect(page.length).toBeLessThanOrEqual(limit);
      if (page.length > 1) expect(JSON.stringify(page).length).toBeLessThan(PAGE_MAX_BYTES);
    }
    if (limit === 200) expect(pages.length).toBeGreaterThan(2);
  });

  test('gives a page that ends by its bytes as JSON like any other', async () => {
    const response = await list(owner().api, path(), { limit: 200 });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.body.next_cursor).toEqual(expect.any(String));
    const rest = await list(owner().api, path(), { limit: 3, cursor: response.body.next_cursor });
    expect(ids([...response.body.data, ...rest.body.data])).toEqual(ids(expected()).slice(0, response.body.data.length + 3));
  });

  test('reads nothing for HEAD', async () => {
    const head = await owner().api.request('HEAD', `/v1${path()}?limit=200`);
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'application/json; charset=utf-8', '']);
  });

  test('gives summaries: everything but json, and how large that is', async () => {
    const pages = await everyPage(owner().api, path(), { limit: 200, include: 'summary' });
    expect(pages).toHaveLength(1);
    const summaries = expected().map(({ json, ...others }) => ({
      ...others,
      json_bytes: json === null ? null : Buffer.byteLength(JSON.stringify(json)),
    }));
    expect(pages.flat()).toEqual(summaries);
    const [first] = pages.flat();
    expect(Object.keys(first)).toEqual(Object.keys(expected()[0]).map((key) => (key === 'json' ? 'json_bytes' : key)));
    expect((await list(owner().api, path(), { include: 'summary' })).text.length).toBeLessThan(200 * KB);
  });

  test('goes on with whole messages where summaries ended', async () => {
    const first = await list(owner().api, path(), { limit: 5, include: 'summary' });
    const rest = await everyPage(owner().api, path(), { limit: 200, cursor: first.body.next_cursor });
    expect(ids([...first.body.data, ...rest.flat()])).toEqual(ids(expected()));
  });

  test.each(['', 'json', 'Summary', 'summary,json'])('refuses to include "%s"', async (include) => {
    expectInvalid(await list(owner().api, path(), { include }), 'include');
  });
});

test('a thread has its keys in the specified order, on large pages and small ones', async () => {
  const keysOf = ({ text }: ApiResponse) => Object.keys(JSON.parse(text));
  for (const limit of [2, 200]) {
    const page = await list(globex.api, `/threads/${sent[0].thread_id}`, { limit });
    expect(keysOf(page)).toEqual(['thread_id', 'data', 'next_cursor', 'hidden', 'state']);
  }
});

describe('pages of rows that are large in UTF-8', () => {
  /** Three bytes in UTF-8, and one unit in UTF-16. */
  const HANZI = '漢';

  test('threads whose last messages have long lists of files end a page by its bytes, in list and export alike', async () => {
    const files = Array.from({ length: 100 }, (_, n) => ({ name: 'file', filename: `${HANZI.repeat(4_090)}${n}`, bytes: 'x' }));
    const initech = await service.business('initech');
    for (let n = 0; n < 5; n++) {
      const { status, text } = await sendForm(acme.api, [{ name: 'to', bytes: 'initech' }, { name: 'subject', bytes: `n${n}` }, ...files]);
      expect(status, text).toBe(201);
    }
    await untilIndexed(service);
    const pages: { text: string; data: ThreadRow[] }[] = [];
    await everyPage(
      {
        get: async (path) => {
          const response = await initech.api.get(path);
          pages.push({ text: response.text, data: response.body.data });
          return response;
        },
      },
      '/threads',
      { limit: 200 },
    );
    expect(pages.flatMap(({ data }) => data.map(({ subject }) => subject))).toEqual(['n4', 'n3', 'n2', 'n1', 'n0']);
    expect(pages.length).toBeGreaterThan(1);
    for (const { text } of pages) expect(Buffer.byteLength(text)).toBeLessThan(PAGE_MAX_BYTES + 16 * KB);
    const lines = (await initech.api.get('/export?list=threads')).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).subject)).toEqual(['n4', 'n3', 'n2', 'n1', 'n0']);
  });

  test.each<[string, (n: number) => Promise<ApiResponse>, () => string]>([
    [
      'comments',
      (n) => globex.api.write('POST', `/threads/${sent[0].thread_id}/comments`, { text: `${HANZI.repeat(9_990)}${n}` }),
      () => `/threads/${sent[0].thread_id}/comments`,
    ],
    ['contacts', (n) => globex.api.write('POST', '/contacts', { domain: `d${n}.example`, notes: HANZI.repeat(10_000) }), () => '/contacts'],
  ])('%s with long texts end a page by its bytes, and none is missing', async (_, create, path) => {
    await untilIndexed(service);
    for (let n = 0; n < 150; n++) expect((await create(n)).status).toBe(201);
    const first = await list(globex.api, path(), { limit: 200 });
    expect(Buffer.byteLength(first.text)).toBeLessThan(PAGE_MAX_BYTES + 16 * KB);
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(PAGE_MAX_BYTES / 2);
    const pages = await everyPage(globex.api, path(), { limit: 200 });
    const all = pages.flat().map((item) => item.id ?? JSON.stringify(item.party));
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(pages.length).toBeGreaterThan(1);
  });

  test('consumers with many holders do, too', async () => {
    const initech = await service.business('holders');
    for (let n = 0; n < 16; n++) expect((await initech.api.write('PUT', `/consumers/c${n}`, {})).status).toBe(201);
    await service.sql(
      `INSERT INTO consumer_messages (party_id, consumer_id, message_id, sender_id, position, bytes, state, due_at, tries, holder)
       SELECT c.party_id, c.id, gen_random_uuid(), c.party_id, n, 1, 'leased', now() + interval '1 hour', 1, repeat('${HANZI}', 95) || n
         FROM consumers c, generate_series(1, 1000) n`,
    );
    const pages = await everyPage(initech.api, '/consumers', { limit: 200 });
    expect(new Set(pages.flat().map(({ name }) => name)).size).toBe(16);
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(PAGE_MAX_BYTES + 16 * KB);
  });

  test('escapes count as the bytes that they take', async () => {
    const { id } = (await acme.api.send({ to: 'globex', type: 'escapes', note: '\u0001'.repeat(10_000) })).body;
    await copyMessage(service, id, 150);
    const { text, body } = await list(globex.api, '/inbox', { type: 'escapes', limit: 200 });
    expect(Buffer.byteLength(text)).toBeLessThan(PAGE_MAX_BYTES + 16 * KB);
    expect(body.next_cursor).toEqual(expect.any(String));
    expect((await everyPage(globex.api, '/inbox', { type: 'escapes', limit: 200 })).flat()).toHaveLength(151);
  });
});

test('a page counts long notes, long verdicts and long lists of files as well', async () => {
  const schema = { additionalProperties: false, type: 'object' };
  expect((await globex.api.write('PUT', '/inbox/schema', { schema })).status).toBe(200);
  const long = 'k'.repeat(15_000);
  const json = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${long}${i}`, i]));
  for (let n = 0; n < 8; n++)
    expect((await acme.api.send({ to: 'globex', type: 'verdict', json, note: 'ü'.repeat(10_000) })).status).toBe(201);
  const pages = await everyPage(globex.api, '/inbox', { type: 'verdict', limit: 200 });
  expect(pages.flat()).toHaveLength(8);
  expect(pages.flat()[0].validation.errors.length).toBeGreaterThan(30);
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(PAGE_MAX_BYTES + 1_048_576);
  expect(pages.length).toBeGreaterThan(1);
});
