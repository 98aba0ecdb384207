import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let threadId: string;
let otherThreadId: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  for (const handle of ['globe', 'globule', 'glory']) await service.business(handle);
  for (let i = 0; i < 4; i++) {
    // Sent to oneself, so that both lists have the same entries and only their names differ.
    await acme.api.send({ to: 'acme', type: 'memo' });
    await globex.api.send({ to: 'globex', type: 'memo' });
  }
  const [first, second] = await Promise.all([acme.api.send({ to: 'globex' }), acme.api.send({ to: 'globex' })]);
  for (const { body } of [first, second]) for (let i = 0; i < 3; i++) await acme.api.send({ in_reply_to: body.id });
  threadId = first.body.thread_id;
  otherThreadId = second.body.thread_id;
});
afterAll(() => service.stop());

async function cursorOf(api: Api, path: string, filters: Record<string, string | number> = {}): Promise<string> {
  const { body } = await list(api, path, { ...filters, limit: 1 });
  expect(body.next_cursor).toEqual(expect.any(String));
  return body.next_cursor;
}

const lists: [name: string, path: () => string, filters: Record<string, string>][] = [
  ['the inbox', () => '/inbox', {}],
  ['the outbox', () => '/outbox', {}],
  ['a filtered inbox', () => '/inbox', { type: 'memo' }],
  ['a thread', () => `/threads/${threadId}`, {}],
  ['the handles', () => '/handles', { q: 'glo' }],
];

describe.each(lists)('a cursor of %s', (_name, path, filters) => {
  const go = (cursor: string) => list(acme.api, path(), { ...filters, limit: 1, cursor });

  test('gives the same page each time, and goes on where the page before ended', async () => {
    const cursor = await cursorOf(acme.api, path(), filters);
    const [once, again] = [await go(cursor), await go(cursor)];
    expect(once.status).toBe(200);
    expect(again.text).toBe(once.text);
  });

  test('is refused with any one character changed', async () => {
    const cursor = await cursorOf(acme.api, path(), filters);
    const changed = [...cursor].flatMap((letter, i) => {
      const others = [...BASE64URL].filter((other) => other !== letter);
      const near = BASE64URL[BASE64URL.indexOf(letter) ^ 1] as string;
      return [near, others[i % others.length] as string].map((other) => cursor.slice(0, i) + other + cursor.slice(i + 1));
    });
    for (const response of await Promise.all(changed.map(go))) expectInvalid(response, 'cursor');
  });

  test('is refused cut short, made longer or written another way', async () => {
    const cursor = await cursorOf(acme.api, path(), filters);
    const cut = Array.from({ length: cursor.length - 1 }, (_, i) => cursor.slice(0, i + 1));
    const longer = ['A', 'AA', 'AAAA', '=', '==', ' ', '\n', '.', 'é'].flatMap((more) => [cursor + more, more + cursor]);
    const spelled = [cursor.toUpperCase(), cursor.toLowerCase(), encodeURIComponent(`"${cursor}"`), `${cursor}${cursor}`];
    for (const response of await Promise.all([...cut, ...longer, ...spelled].map(go))) expectInvalid(response, 'cursor');
  });

  test.each(['', '0', 'null', 'undefined', 'abc', '-1', '%', "'", '🚚', 'A'.repeat(512), 'A'.repeat(513), 'A'.repeat(8_000)])(
    'is not "%s"',
    async (garbage) => {
      expectInvalid(await go(garbage), 'cursor');
    },
  );

  test('is not any random bytes', async () => {
    const garbage = Array.from({ length: 40 }, (_, i) => randomBytes(i + 1).toString('base64url'));
    for (const response of await Promise.all(garbage.map(go))) expectInvalid(response, 'cursor');
  });

  test('is refused by every other list', async () => {
    const cursor = await cursorOf(acme.api, path(), filters);
    for (const [, otherPath, otherFilters] of lists) {
      if (otherPath === path) continue;
      expectInvalid(await list(acme.api, otherPath(), { ...otherFilters, cursor }), 'cursor');
    }
    expectInvalid(await list(acme.api, '/agents', { cursor }), 'cursor');
  });

  test('is refused from another business', async () => {
    const cursor = await cursorOf(acme.api, path(), filters);
    expectInvalid(await list(globex.api, path(), { ...filters, cursor }), 'cursor');
  });

  test('is good with every key of the business', async () => {
    const cursor = await cursorOf(acme.api, path(), filters);
    const colleague = await acme.withKey('read_write');
    expect((await list(colleague, path(), { ...filters, limit: 1, cursor })).text).toBe((await go(cursor)).text);
  });
});

test('a cursor is refused with other filters than it was given with', async () => {
  const since = '2020-01-01T00:00:00Z';
  const filters: Record<string, string>[] = [
    {},
    { type: 'memo' },
    { type: 'memos' },
    { from: 'acme' },
    { since },
    { until: since },
    { type: 'memo', since },
  ];
  const cursor = await cursorOf(acme.api, '/inbox', { type: 'memo' });
  for (const other of filters) {
    const response = await list(acme.api, '/inbox', { ...other, cursor });
    if (JSON.stringify(other) === '{"type":"memo"}') expect(response.status).toBe(200);
    else expectInvalid(response, 'cursor');
  }
});

test('a cursor does not mind the order of the filters', async () => {
  const since = '2020-01-01T00:00:00Z';
  const cursor = await cursorOf(acme.api, '/inbox', { type: 'memo', since });
  expect((await list(acme.api, '/inbox', { cursor, since, type: 'memo' })).status).toBe(200);
});

test('a cursor of one thread is refused by another', async () => {
  const cursor = await cursorOf(acme.api, `/threads/${threadId}`);
  expectInvalid(await list(acme.api, `/threads/${otherThreadId}`, { cursor }), 'cursor');
});

test('a cursor of one search of handles is refused by another', async () => {
  const cursor = await cursorOf(acme.api, '/handles', { q: 'glo' });
  expect((await list(acme.api, '/handles', { q: 'GLO', cursor })).status).toBe(200);
  expectInvalid(await list(acme.api, '/handles', { q: 'glob', cursor }), 'cursor');
});

test('a cursor is good in another process of the service', async () => {
  const sibling = await service.sibling();
  const cursor = await cursorOf(acme.api, '/inbox');
  const there = await list(acme.api.at(sibling.url), '/inbox', { cursor, limit: 1 });
  await sibling.stop();
  expect(there.status).toBe(200);
  expect(ids(there.body.data)).toEqual(ids((await list(acme.api, '/inbox', { cursor, limit: 1 })).body.data));
});

test('paging goes on undisturbed while messages arrive', async () => {
  const before = ids((await everyPage(acme.api, '/inbox')).flat());
  const pages = await everyPage(acme.api, '/inbox', { limit: 1 }, () => globex.api.send({ to: 'acme' }));
  expect(ids(pages.flat())).toEqual(before);
});
