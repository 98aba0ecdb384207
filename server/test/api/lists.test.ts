import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyPage, ids, list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const MESSAGES = 230;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let umbrella: TestBusiness;
// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
let sent: any[];

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  umbrella = await service.business('umbrella');
  sent = [];
  for (let first = 0; first < MESSAGES; first += 10) {
    const batch = Array.from({ length: 10 }, (_, i) => acme.api.send({ to: 'globex', json: { n: first + i } }));
    sent.push(...(await Promise.all(batch)).map(({ body }) => body));
  }
});
afterAll(() => service.stop());

const boxes = [
  ['/inbox', () => globex],
  ['/outbox', () => acme],
] as const;

describe.each(boxes)('GET %s', (box, owner) => {
  const read = (filters: Record<string, string | number> = {}) => list(owner().api, box, filters);

  test('gives the newest messages first, fifty a page', async () => {
    const { status, body } = await read();
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['data', 'next_cursor']);
    expect(body.data).toHaveLength(50);
    expect(body.next_cursor).toEqual(expect.any(String));
    const times = body.data.map(({ received_at }: { received_at: string }) => received_at);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('gives each message as the envelope that its sender got', async () => {
    const byId = new Map(sent.map((envelope) => [envelope.id, envelope]));
    const { body } = await read({ limit: 200 });
    for (const envelope of body.data) expect(envelope).toEqual(byId.get(envelope.id));
  });

  test.each([1, 7, 50, 199, 200])('holds every message exactly once in pages of %i', async (limit) => {
    const pages = await everyPage(owner().api, box, { limit });
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    expect(pages.at(-1)?.length).toBeGreaterThan(0);
    expect(ids(pages.flat())).toHaveLength(MESSAGES);
    expect(new Set(ids(pages.flat()))).toEqual(new Set(ids(sent)));
  });

  test('gives the same order whatever the size of the pages', async () => {
    const small = await everyPage(owner().api, box, { limit: 13 });
    const large = await everyPage(owner().api, box, { limit: 200 });
    expect(ids(small.flat())).toEqual(ids(large.flat()));
  });

  test('lets the size of the pages change on the way', async () => {
    const all = ids((await everyPage(owner().api, box, { limit: 200 })).flat());
    const first = await read({ limit: 3 });
    const second = await read({ limit: 5, cursor: first.body.next_cursor });
    expect(ids([...first.body.data, ...second.body.data])).toEqual(all.slice(0, 8));
  });

  test('ends with a null cursor when the last page is exactly full', async () => {
    const pages = await everyPage(owner().api, box, { limit: MESSAGES / 2 });
    expect(pages.map((page) => page.length)).toEqual([MESSAGES / 2, MESSAGES / 2]);
  });

  test.each(['0', '-1', '201', '1000000000000000000000', 'abc', '', ' ', '1.5', 'NaN', 'null', '10,20', '5x'])(
    'refuses a limit of "%s"',
    async (limit) => {
      expectInvalid(await read({ limit }), 'limit');
    },
  );

  test.each(['limit=5&limit=6', 'limit=5&limit=5', 'limit[]=5', 'limit%5B%5D=5'])('refuses the limit in %s', async (query) => {
    const response = await owner().api.get(`${box}?${query}`);
    expect([response.status, response.body.error.code]).toEqual([400, 'validation_error']);
  });

  test.each(['q', 'page', 'offset', 'Limit', 'sort', '__proto__', 'constructor', 'toString', 'since ', ''])(
    'refuses the query parameter "%s", which it does not have',
    async (name) => {
      const response = await owner().api.get(`${box}?${encodeURIComponent(name)}=1`);
      expect([response.status, response.body.error.code], response.text).toEqual([400, 'validation_error']);
    },
  );

  test.each(['since', 'until', 'from', 'type', 'validation', 'thread', 'cursor'])('refuses %s given twice', async (name) => {
    const response = await owner().api.get(`${box}?${name}=a&${name}=b`);
    expectInvalid(response, name);
  });

  test('names each problem of a query', async () => {
    const response = await read({ limit: 0, colour: 'red' });
    const paths = response.body.error.details.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['/colour', '/limit']);
  });
});

test('an empty list is an empty page', async () => {
  for (const box of ['/inbox', '/outbox']) {
    expect((await umbrella.api.get(box)).body).toEqual({ data: [], next_cursor: null });
  }
});

test('the inbox holds what others sent, the outbox what one sent oneself', async () => {
  const reply = await globex.api.send({ in_reply_to: sent[0].id });
  expect(ids((await list(acme.api, '/inbox')).body.data)).toEqual([reply.body.id]);
  expect(ids((await list(globex.api, '/outbox')).body.data)).toEqual([reply.body.id]);
});

test('a message to oneself stands once in each of both lists', async () => {
  const own = await umbrella.api.send({ to: 'umbrella' });
  expect((await umbrella.api.get('/inbox')).body.data).toEqual([own.body]);
  expect((await umbrella.api.get('/outbox')).body.data).toEqual([own.body]);
});

test('every key of a business reads the same inbox', async () => {
  const reader = await globex.withKey('read');
  expect((await reader.get('/inbox')).text).toBe((await globex.api.get('/inbox')).text);
});

test('the outbox knows no filter for the recipient’s segment', async () => {
  expectInvalid(await acme.api.get('/outbox?to=orders'), 'to');
});
