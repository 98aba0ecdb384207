import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatId, newUuid } from '../../src/contract/ids.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid, expectRefusal, withoutTraces } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
});
afterAll(() => service.stop());

const add = (body: unknown, api: Api = acme.api) => api.write('POST', '/blocks', body);
const remove = (id: string, api: Api = acme.api) => api.request('DELETE', `/v1/blocks/${id}`);
const person = () => formatId('usr', newUuid());
let made = 0;
const newDomain = () => `domain-${++made}.example`;

describe('POST /blocks', () => {
  test('blocks a domain', async () => {
    const email_domain = newDomain();
    const { status, body } = await add({ email_domain });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^blk_[0-9a-z]{26}$/),
      user_id: null,
      email_domain,
      handle: null,
      created_at: expect.stringMatching(ISO_TIME),
    });
  });

  test.each(['usr', 'mbx'] as const)('blocks the sender with a %s_ id', async (prefix) => {
    const user_id = formatId(prefix, newUuid());
    const { status, body } = await add({ user_id });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^blk_/),
      user_id,
      email_domain: null,
      handle: null,
      created_at: expect.stringMatching(ISO_TIME),
    });
  });

  test('takes null for the one that is not meant', async () => {
    const [email_domain, user_id] = [newDomain(), person()];
    expect((await add({ email_domain, user_id: null })).body).toMatchObject({ email_domain, user_id: null });
    expect((await add({ email_domain: null, user_id })).body).toMatchObject({ email_domain: null, user_id });
  });

  test('responds with 200 and the same block when it is repeated', async () => {
    for (const wanted of [{ email_domain: newDomain() }, { user_id: person() }]) {
      const first = await add(wanted);
      const again = await add(wanted);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toEqual(first.body);
    }
  });

  test('makes one block of many requests at once', async () => {
    const wanted = { email_domain: newDomain() };
    const responses = await Promise.all(Array.from({ length: 12 }, () => add(wanted)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  });

  test('copes with removals of the same block at the same time', async () => {
    const wanted = { email_domain: newDomain() };
    const churn = Array.from({ length: 15 }, async () => {
      const blocked = await add(wanted);
      expect([200, 201], blocked.text).toContain(blocked.status);
      expect([204, 404]).toContain((await remove(blocked.body.id)).status);
    });
    await Promise.all(churn);
    const left = (await everyPage(acme.api, '/blocks')).flat().filter(({ email_domain }) => email_domain === wanted.email_domain);
    expect(left).toEqual([]);
  });

  test('is each business’s own', async () => {
    const wanted = { email_domain: newDomain() };
    const [own, other] = [await add(wanted), await add(wanted, globex.api)];
    expect([own.status, other.status]).toEqual([201, 201]);
    expect(own.body.id).not.toBe(other.body.id);
  });

  test.each([
    ['upper case', 'MiXeD.Example', 'mixed.example'],
    ['@ in front', '@at.example', 'at.example'],
    ['a dot behind', 'dotted.example.', 'dotted.example'],
    ['spaces around', '  @spaced.example ', 'spaced.example'],
    ['other scripts', 'bücher.example', 'xn--bcher-kva.example'],
    ['other scripts in upper case', 'BÄCKER.EXAMPLE', 'xn--bcker-gra.example'],
    ['a wide full stop', '例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['punycode', 'xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['several levels', 'a.b.c.example', 'a.b.c.example'],
    ['labels of 63 characters', `${'x'.repeat(63)}.example`, `${'x'.repeat(63)}.example`],
    ['digits and hyphens', '1-2.3com.example', '1-2.3com.example'],
  ])('takes a domain with %s', async (_, email_domain, stored) => {
    const { status, body } = await add({ email_domain });
    expect([status, body.email_domain]).toEqual([201, stored]);
    const plainly = await add({ email_domain: stored });
    expect([plainly.status, plainly.body]).toEqual([200, body]);
  });

  test.each([
    '',
    ' ',
    '@',
    '.',
    'localhost',
    'com',
    '.example.com',
    'example..com',
    'example.com..',
    '@@example.com',
    'somebody@example.com',
    '*.example.com',
    'exam ple.com',
    'exam\tple.com',
    'example.com\r\n.net',
    'example.com\0',
    'https://example.com',
    'example.com/path',
    'example.com\\path',
    'example.com?query',
    'example.com#part',
    'example.com:25',
    'ex%61mple.com',
    '-example.com',
    'example-.com',
    'example.-com',
    'exam!ple.com',
    "example.com'--",
    '192.0.2.1',
    '0x7f.1',
    'example.123',
    '[2001:db8::1]',
    `${'x'.repeat(64)}.example`,
    `${'x.'.repeat(124)}example`,
    'x'.repeat(10_000),
  ])('refuses %j as a domain', async (email_domain) => {
    expectInvalid(await add({ email_domain }), 'email_domain');
  });

  test('refuses an id that no sender can have', async () => {
    const wrong = [acme.agentId, acme.keyId, formatId('msg', newUuid()), person().toUpperCase(), person().slice(4), `${person()}x`];
    for (const user_id of [...wrong, 'usr_', 'mbx_', '', 'somebody@example.com', 'usr_%00']) {
      expectInvalid(await add({ user_id }), 'user_id');
    }
  });

  test('refuses both, and neither', async () => {
    expectInvalid(await add({ user_id: person(), email_domain: newDomain() }), 'email_domain');
    for (const none of [{}, { user_id: null }, { email_domain: null }, { user_id: null, email_domain: null }]) {
      expectRefusal(await add(none), 'validation_error');
    }
  });

  test('refuses other types, other fields and what is no object', async () => {
    for (const value of [1, true, ['example.com'], {}]) {
      expectInvalid(await add({ email_domain: value }), 'email_domain');
      expectInvalid(await add({ user_id: value }), 'user_id');
    }
    expectInvalid(await add({ email_domain: newDomain(), domain: 'x.example' }), 'domain');
    expectInvalid(await add({ email_domain: newDomain(), id: 'blk_x' }), 'id');
    for (const body of [[], 'null', '"x"']) expectRefusal(await add(body), 'validation_error');
    expectRefusal(await add('{"email_domain":'), 'invalid_json');
    const typed = { body: 'email_domain=x.example', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expectRefusal(await acme.api.request('POST', '/v1/blocks', typed), 'unsupported_media_type');
  });
});

describe('GET /blocks', () => {
  let owner: TestBusiness;
  let blocks: { id: string }[];

  beforeAll(async () => {
    owner = await service.business('owner');
    blocks = [];
    for (let i = 0; i < 7; i++) blocks.push((await add(i % 2 ? { user_id: person() } : { email_domain: newDomain() }, owner.api)).body);
  });

  test('lists the business’s own blocks in the order of their creation', async () => {
    const { status, body } = await owner.api.get('/blocks');
    expect(status).toBe(200);
    expect(body).toEqual({ data: blocks, next_cursor: null });
  });

  test('comes in pages, of which none is missed or repeated when blocks are removed meanwhile', async () => {
    expect((await everyPage(owner.api, '/blocks', { limit: 3 })).map((page) => page.length)).toEqual([3, 3, 1]);
    const reader = await service.business('tidier');
    const all: string[] = [];
    for (let i = 0; i < 6; i++) all.push((await add({ email_domain: newDomain() }, reader.api)).body.id);
    const seen = await everyPage(reader.api, '/blocks', { limit: 2 }, () => remove(all[0] as string, reader.api));
    expect(ids(seen.flat())).toEqual(all);
  });

  test('refuses wrong limits, cursors and parameters', async () => {
    for (const limit of [0, 201, 'x']) expectInvalid(await list(owner.api, '/blocks', { limit }), 'limit');
    expect((await list(owner.api, '/blocks', { limit: 200 })).status).toBe(200);
    expectInvalid(await list(owner.api, '/blocks', { email_domain: 'x.example' }), 'email_domain');
    const cursor = (await list(owner.api, '/blocks', { limit: 1 })).body.next_cursor;
    expectInvalid(await list(owner.api, '/blocks', { cursor: `${cursor}A` }), 'cursor');
    expectInvalid(await list(acme.api, '/blocks', { cursor }), 'cursor');
    expectInvalid(await list(owner.api, '/agents', { cursor }), 'cursor');
  });

  test('is empty for a business that has blocked nobody', async () => {
    const calm = await service.business('calm');
    expect((await calm.api.get('/blocks')).body).toEqual({ data: [], next_cursor: null });
  });
});

describe('DELETE /blocks/{id}', () => {
  test('removes a block, once', async () => {
    const wanted = { email_domain: newDomain() };
    const { id } = (await add(wanted)).body;
    const removed = await remove(id);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expectRefusal(await remove(id), 'not_found');
    expect(ids((await everyPage(acme.api, '/blocks')).flat())).not.toContain(id);
    const again = await add(wanted);
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(id);
  });

  test('treats another business’s block like an unknown or malformed id, and leaves it', async () => {
    const { body } = await add({ email_domain: newDomain() }, globex.api);
    const wrong = [body.id, formatId('blk', newUuid()), body.id.toUpperCase(), body.id.slice(4), 'blk_', acme.agentId, '%00'];
    const responses: ApiResponse[] = await Promise.all(wrong.map((id) => remove(id)));
    for (const response of responses) {
      expectRefusal(response, 'not_found');
      expect(withoutTraces(response)).toEqual(withoutTraces(responses[0] as ApiResponse));
    }
    expect(ids((await globex.api.get('/blocks')).body.data)).toContain(body.id);
  });
});

test('all of it takes a read_write key', async () => {
  const { id } = (await add({ email_domain: newDomain() })).body;
  const reader = await acme.withKey('read');
  const attempts = [(api: Api) => api.get('/blocks'), (api: Api) => add({ email_domain: newDomain() }, api), (api: Api) => remove(id, api)];
  for (const attempt of attempts) {
    expectRefusal(await attempt(reader), 'forbidden');
    expectRefusal(await attempt(service.anonymous), 'unauthorized');
  }
  expect((await remove(id)).status).toBe(204);
});
