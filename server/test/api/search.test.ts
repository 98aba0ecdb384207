import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SEARCH_TERMS_MAX } from '../../src/contract/limits.ts';
import { sendFormData } from '../support/form.ts';
import { list } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { expectFound, foundIds, marked, search, untilSearchable } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Envelope = any;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let umbrella: TestBusiness;
let order: Envelope;
let reply: Envelope;
let query: Envelope;
let own: Envelope;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex', { segment: 'orders' });
  umbrella = await service.business('umbrella');
  const json = { number: 'PO-4814', customer: { name: 'Müller GmbH', mail: 'ann@mueller.example' }, city: '東京都渋谷区', total: 1234.5 };
  order = (await acme.api.send({ to: 'globex/orders', type: 'order.placed', subject: 'Galvanised steel bolts', json })).body;
  query = (await umbrella.api.send({ to: 'globex', type: 'query', note: 'Where is our invoice of last spring?' })).body;
  own = (await globex.api.send({ to: 'globex', subject: 'To myself', note: 'steel' })).body;
  reply = (await globex.api.send({ in_reply_to: order.id, note: 'The steel comes tomorrow' })).body;
  await untilSearchable(service);
});
afterAll(() => service.stop());

describe('GET /search', () => {
  test('gives summaries with what matched, newest first', async () => {
    const { status, body, text } = await list(globex.api, '/search', { q: 'steel' });
    expect(status, text).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.data.map(({ message }: Envelope) => message.id)).toEqual([reply.id, own.id, order.id]);
    const { json, ...summary } = order;
    expect(body.data[2]).toEqual({
      message: { ...summary, json_bytes: Buffer.byteLength(JSON.stringify(json)) },
      thread_id: order.thread_id,
      thread_subject: 'Galvanised steel bolts',
      matches: [{ field: 'subject', text: 'Galvanised steel bolts', marks: [[11, 16]] }],
    });
  });

  const QUERIES: [q: string, expected: () => Envelope[]][] = [
    ['PO-48', () => [order]],
    ['po-4814', () => [order]],
    ['PO-481 4', () => [order]],
    ['4814', () => [order]],
    ['PO-5', () => []],
    ['galvan bolt', () => [order]],
    ['"steel bolts"', () => [order]],
    ['"bolts steel"', () => []],
    ['"steel bolt"', () => []],
    ['muller', () => [order]],
    ['MÜLL', () => [order]],
    ['ann@mueller.example', () => [order]],
    ['mueller.ex', () => [order]],
    ['渋谷', () => [order]],
    ['京都', () => [order]],
    ['谷渋', () => []],
    ['customer', () => [order]],
    ['1234.5', () => [order]],
    ['order.placed', () => [order]],
    ['invoice spring', () => [query]],
    ['the umbrella company', () => [query]],
    ['nothing-of-the-kind', () => []],
    ['from:acme', () => [order]],
    ['from:@acme', () => [order]],
    ['from:globex', () => [reply, own]],
    ['from:acme steel', () => [order]],
    ['from:umbrella steel', () => []],
    ['to:acme', () => [reply]],
    ['to:orders', () => [order]],
    ['to:globex/orders', () => [order]],
    ['type:order.placed', () => [order]],
    ['type:Order.Placed', () => [order]],
    ['type:order', () => []],
    ['has:json', () => [order]],
    ['has:file', () => []],
    ['is:open steel', () => [reply, own, order]],
    ['is:done', () => []],
    ['is:unread', () => [query, order]],
    ['after:2020-01-01 invoice', () => [query]],
    ['before:2020-01-01', () => []],
    ['colour:red', () => []],
    ['is:strange', () => []],
    ['before:soon', () => []],
    ['label:x', () => []],
    ['assignee:me', () => []],
    ['assignee:none steel', () => [reply, own, order]],
    ['"', () => []],
    ['…!', () => []],
    ["o'x:* & | <-> \\ % _", () => []],
    ['%', () => []],
    ['st_el', () => []],
    ['from:%', () => []],
    ["from:a'b\\", () => []],
  ];
  test.each(QUERIES)('%s', async (q, expected) => {
    await expectFound(
      globex.api,
      q,
      expected().map(({ id }) => id),
    );
    expect((await search(globex.api, q, 1)).map(({ message }) => message.id)).toEqual(expected().map(({ id }) => id));
  });

  test('finds ids of messages and threads, whole or in part', async () => {
    await expectFound(globex.api, order.id, [order.id]);
    await expectFound(globex.api, order.id.slice(0, 27), [order.id]);
    await expectFound(globex.api, order.thread_id, [reply.id, order.id]);
  });

  test('marks matches in code points, in json, too', async () => {
    const sent = (await acme.api.send({ to: 'umbrella', note: '😀😀 Grüße aus Köln', json: { text: 'x\u00fc — Zürich "hbf" ' } })).body;
    await untilSearchable(service);
    const [result] = await search(umbrella.api, 'koln zurich');
    expect(result.message.id).toBe(sent.id);
    expect(result.matches.map((match: Envelope) => [match.field, marked(match)])).toEqual([
      ['note', ['Köln']],
      ['json', ['Zürich']],
    ]);
  });

  test('finds file names, and has:file', async () => {
    const form = new FormData();
    form.set('to', 'umbrella');
    form.set('files', new Blob(['plan'], { type: 'application/pdf' }), 'Grundriß Erdgeschoß.pdf');
    const sent = (await sendFormData(acme.api, form)).body;
    await untilSearchable(service);
    await expectFound(umbrella.api, 'grundriss', [sent.id]);
    await expectFound(umbrella.api, 'has:file', [sent.id]);
  });

  test('knows what the business has decided about threads', async () => {
    await globex.api.write('PATCH', `/threads/${order.thread_id}`, { status: 'done', assignee: 'me', labels: ['very urgent'] });
    await expectFound(globex.api, 'label:"very urgent"', [reply.id, order.id]);
    await expectFound(globex.api, 'assignee:me bolts', [order.id]);
    await expectFound(globex.api, 'is:done steel', [reply.id, order.id]);
    await expectFound(globex.api, 'is:open steel', [own.id]);
    await expectFound(acme.api, 'label:"very urgent"', []);
    await globex.api.write('POST', `/threads/${order.thread_id}/read`, {});
    await expectFound(globex.api, 'is:unread', [query.id]);
  });

  test('finds comments of one’s own business, never those of the other side', async () => {
    const { body: comment } = await globex.api.write('POST', `/threads/${order.thread_id}/comments`, { text: 'Xyzzy margin is 40 %' });
    const [result] = await search(globex.api, 'xyzzy');
    expect(result).toMatchObject({
      thread_id: order.thread_id,
      comment: { id: comment.id, text: comment.text },
      message: { id: reply.id },
    });
    expect(result.matches).toEqual([{ field: 'comment', text: comment.text, marks: [[0, 5]] }]);
    for (const other of [acme, umbrella]) for (const q of ['xyzzy', comment.id, '"margin is"']) await expectFound(other.api, q, []);
    await expectFound(globex.api, 'from:globex xyzzy', []);
  });

  test('shows nobody what their ledger does not have', async () => {
    for (const q of ['steel', 'PO-4814', order.id, order.thread_id, 'from:acme', 'to:globex', 'has:json bolts'])
      expect(await foundIds(umbrella.api, q), q).not.toContain(order.id);
    await expectFound(acme.api, 'invoice', []);
  });

  test.each<[Record<string, string>, string]>([
    [{}, 'q'],
    [{ q: '' }, 'q'],
    [{ q: 'x'.repeat(501) }, 'q'],
    [{ q: 'x '.repeat(SEARCH_TERMS_MAX + 1) }, 'q'],
    [{ q: 'x', limit: '0' }, 'limit'],
    [{ q: 'x', cursor: 'abc' }, 'cursor'],
  ])('refuses %o', async (given, field) => {
    expectInvalid(await list(globex.api, '/search', given), field);
  });

  test('a cursor is for the same query and reader', async () => {
    const { next_cursor: cursor } = (await list(globex.api, '/search', { q: 'steel', limit: 1 })).body;
    expectInvalid(await list(globex.api, '/search', { q: 'bolts', cursor }), 'cursor');
    expectInvalid(await list(acme.api, '/search', { q: 'steel', cursor }), 'cursor');
  });

  test('gives the subject of the thread, which a reply does not have, and a comment neither', async () => {
    const subjects = async (q: string) =>
      (await search(globex.api, q)).map(({ message, thread_subject }) => [message.subject, thread_subject]);
    expect(await subjects('tomorrow')).toEqual([[null, 'Galvanised steel bolts']]);
    expect(await subjects('spring')).toEqual([[null, null]]);
    await globex.api.write('POST', `/threads/${order.thread_id}/comments`, { text: 'Ask the warehouseman' });
    await expect.poll(() => subjects('warehouseman')).toEqual([[null, 'Galvanised steel bolts']]);
  });
});

test('hostile messages are indexed as far as possible, and keep nobody else from being found', async () => {
  const texts = [
    String.raw`{"a":"\ud800 \u0000"}`,
    `"${'\u0301\u0591\u05b0'.repeat(5_000)}"`,
    `"${'\ufdfa'.repeat(20_000)}"`,
    `"${'x'.repeat(500_000)}"`,
    `[${Array.from({ length: 60_000 }, (_, n) => n).join()}]`,
    '['.repeat(900) + ']'.repeat(900),
  ];
  const sent: Envelope[] = [];
  for (const json of texts) sent.push((await acme.api.send(`{"to":"umbrella","subject":"hostile","json":${json}}`)).body);
  const last = (await acme.api.send({ to: 'umbrella', note: 'after the storm' })).body;
  await untilSearchable(service);
  await expectFound(umbrella.api, '"after the storm"', [last.id]);
  expect(new Set(await foundIds(umbrella.api, 'hostile'))).toEqual(new Set(sent.filter(({ id }) => id).map(({ id }) => id)));
});

test('rare words far behind the newest messages are found by the index', async () => {
  await acme.api.send({ to: 'umbrella', note: 'needle in the hay' });
  await untilSearchable(service);
  const [{ id: partyId }] = (await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'umbrella'")) as [{ id: string }];
  await service.sql(
    `INSERT INTO search_documents (party_id, position, id, box, thread_id, words)
     SELECT $1, d.position + n, gen_random_uuid(), 'in', d.thread_id, ' hay straw ' FROM generate_series(1, 6000) n,
            (SELECT max(position) AS position, (array_agg(thread_id))[1] AS thread_id FROM search_documents WHERE party_id = $1) d
      WHERE d.position IS NOT NULL`,
    [partyId],
  );
  expect((await list(umbrella.api, '/search', { q: 'needle' })).body.data).toHaveLength(1);
  // Documents without an entry in the ledger are never shown.
  await expectFound(umbrella.api, 'straw', []);
});
