import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { everyPage, ids, list } from '../support/pages.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { SHARDS } from '../support/sharded.ts';

const WRITERS = 8;
const MESSAGES_EACH = 60;

let service: TestService;
let sibling: Awaited<ReturnType<TestService['sibling']>>;
let writers: TestBusiness[];

beforeAll(async () => {
  service = await startTestService();
  sibling = await service.sibling();
  writers = await Promise.all(Array.from({ length: WRITERS }, (_, i) => service.business(`writer-${i}`)));
});
afterAll(async () => {
  await sibling.stop();
  await service.stop();
});

/** Sends from all writers at once, in small bursts so that many messages share a millisecond. Returns the ids that got a 201. */
async function write(to: string, apis: Api[]): Promise<string[]> {
  const sent: string[] = [];
  const one = async (api: Api) => {
    for (let i = 0; i < MESSAGES_EACH; i += 3) {
      const responses = await Promise.all([0, 1, 2].map((n) => api.send({ to, json: i + n })));
      for (const { status, body, text } of responses) {
        expect(status, text).toBe(201);
        sent.push(body.id);
      }
    }
  };
  await Promise.all(apis.map(one));
  return sent;
}

/** Starts the writers, and repeats the round until one has begun after the last 201. */
async function whileWriting(to: string, apis: Api[], round: () => Promise<void>): Promise<string[]> {
  let isOver = false;
  const writing = write(to, apis).finally(() => {
    isOver = true;
  });
  for (let wasOver = false; !wasOver; ) {
    wasOver = isOver;
    await round();
  }
  return writing;
}

interface Item {
  id: string;
  received_at: string;
}

const sorted = (texts: Iterable<string>) => [...texts].sort();

describe.each([
  ['one process', () => writers.map(({ api }) => api)],
  ['two processes', () => writers.map(({ api }, i) => (i % 2 === 0 ? api : api.at(sibling.url)))],
] as const)('while %s take the sends of eight writers', (name, apisOf) => {
  const handleFor = (reader: string) => `${reader}-${name.split(' ')[0]}`;

  test('a reader that polls with since misses none, and sees again only those of that very millisecond', async () => {
    const reader = await service.business(handleFor('poller'));
    const seen = new Map<string, string>();
    let newest: string | undefined;
    let rounds = 0;
    const sent = await whileWriting(reader.handle, apisOf(), async () => {
      rounds++;
      const items: Item[] = (await everyPage(reader.api, '/inbox', { limit: 20, ...(newest && { since: newest }) })).flat();
      expect(new Set(ids(items)).size).toBe(items.length);
      for (const { id, received_at } of items) {
        // Between two shards, the position of a message is later than the commit of its sender's half.
        if (seen.has(id) && SHARDS === 0) expect(received_at).toBe(newest);
        seen.set(id, received_at);
      }
      newest = items[0]?.received_at ?? newest;
    });
    expect(rounds).toBeGreaterThan(2);
    expect(sorted(seen.keys())).toEqual(sorted(sent));
  });

  test('a reader of the first page alone finds each next page continue the last', async () => {
    const reader = await service.business(handleFor('follower'));
    let known: string[] = [];
    await whileWriting(reader.handle, apisOf(), async () => {
      const now = ids((await everyPage(reader.api, '/inbox', { limit: 200 })).flat());
      // A message that was seen keeps its place: no other is inserted below it.
      expect(now.slice(now.length - known.length)).toEqual(known);
      known = now;
    });
    expect(known).toHaveLength(WRITERS * MESSAGES_EACH);
  });

  test('a reader that pages by cursor gets all that was there when it began, once', async () => {
    const reader = await service.business(handleFor('pager'));
    const walks: string[][] = [];
    await whileWriting(reader.handle, apisOf(), async () => {
      walks.push(ids((await everyPage(reader.api, '/inbox', { limit: 7 })).flat()));
    });
    const all = ids((await everyPage(reader.api, '/inbox', { limit: 200 })).flat());
    for (const walk of walks) expect(walk).toEqual(walk[0] === undefined ? [] : all.slice(all.indexOf(walk[0])));
    expect(walks.at(-1)).toEqual(all);
  });

  test('spans of time that touch miss none', async () => {
    const reader = await service.business(handleFor('spanner'));
    const seen: string[] = [];
    let from = '2020-01-01T00:00:00.000Z';
    const sent = await whileWriting(reader.handle, apisOf(), async () => {
      const newest: Item | undefined = (await list(reader.api, '/inbox', { limit: 1 })).body.data[0];
      if (newest === undefined || newest.received_at <= from) return;
      seen.push(...ids((await everyPage(reader.api, '/inbox', { since: from, until: newest.received_at })).flat()));
      from = newest.received_at;
    });
    seen.push(...ids((await everyPage(reader.api, '/inbox', { since: from })).flat()));
    expect(sorted(seen)).toEqual(sorted(sent));
  });

  test('the times in an inbox never run against its order', async () => {
    const reader = await service.business(handleFor('clock'));
    await write(reader.handle, apisOf());
    const times = (await everyPage(reader.api, '/inbox', { limit: 200 })).flat().map(({ received_at }: Item) => received_at);
    if (SHARDS === 0) expect(times).toEqual([...times].sort().reverse());
    // Between two shards, times may differ by no more than a send takes.
    for (const [i, time] of times.entries()) expect(Date.parse(times[i + 1] ?? time) - Date.parse(time)).toBeLessThan(10_000);
  });
});

test('a reply that crosses another message leaves both complete in both outboxes', async () => {
  const [left, right] = [await service.business('left'), await service.business('right')];
  const { body: first } = await left.api.send({ to: 'right' });
  const rounds = Array.from({ length: 40 }, (_, i) =>
    [left, right].map(({ api }) => api.at(i % 2 ? service.url : sibling.url).send({ in_reply_to: first.id })),
  );
  const responses = await Promise.all(rounds.flat());
  expect(responses.every(({ status }) => status === 201)).toBe(true);
  const everything = async (api: Api) =>
    sorted(ids([...(await everyPage(api, '/inbox')).flat(), ...(await everyPage(api, '/outbox')).flat()]));
  const expected = sorted([first.id, ...responses.map(({ body }) => body.id)]);
  expect(await everything(left.api)).toEqual(expected);
  expect(await everything(right.api)).toEqual(expected);
});
