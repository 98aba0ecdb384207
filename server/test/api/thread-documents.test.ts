import { DOCUMENT_STATES } from '@waybill/documents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { THREADS_SCANNED_MAX } from '../../src/contract/limits.ts';
import { THREAD_DOCUMENT_STATES } from '../../src/contract/threads.ts';
import { everyPage, ids } from '../support/pages.ts';
import { expectInvalid } from '../support/refusals.ts';
import { search, untilSearchable } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { threadOf, threadsOf, untilDocumentsRead } from '../support/threads.ts';

/** What the documents of a thread say: number, total, due date, and a state that is the same for both parties. */
let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let umbrella: TestBusiness;
beforeAll(async () => {
  service = await startTestService({
    WEBHOOK_PRIVATE_HOSTS: 'localhost',
    NEW_ACCOUNT_DAILY_MESSAGE_LIMIT: '0',
    RATE_LIMIT_PER_MINUTE: '6000',
    RATE_LIMIT_BURST: '6000',
  });
  acme = await service.business('acme');
  globex = await service.business('globex');
  umbrella = await service.business('umbrella');
});
afterAll(() => service.stop());

const documentOf = async ({ api }: TestBusiness, threadId: string) => {
  await untilDocumentsRead(service);
  return (await threadOf(api, threadId))?.document;
};
const send = async (from: TestBusiness, request: object) => {
  const { status, body, text } = await from.api.send(request);
  expect(status, text).toBe(201);
  return body;
};
const acknowledge = async ({ api }: TestBusiness, id: string, status: string) => {
  const response = await api.write('POST', `/messages/${id}/acknowledge`, { status });
  expect(response.status, response.text).toBe(201);
};

describe('the document of a thread', () => {
  test('has the states of the catalogue', () => expect(THREAD_DOCUMENT_STATES).toEqual(DOCUMENT_STATES));

  test('follows its messages and acknowledgements, the same for both parties', async () => {
    const json = { number: 'PO-4711', total: '1014.50', currency: 'EUR', lines: [{ number: 'no', total: '1' }] };
    const order = await send(acme, { to: 'globex', type: 'order', subject: 'Bearings', json });
    const like = { state: 'ordered', type: 'order', number: 'PO-4711', total: '1014.50', currency: 'EUR', due_date: null };
    expect(await documentOf(globex, order.thread_id)).toEqual(like);
    expect(await documentOf(acme, order.thread_id)).toEqual(like);
    await acknowledge(globex, order.id, 'accepted');
    for (const party of [acme, globex]) expect(await documentOf(party, order.thread_id)).toEqual({ ...like, state: 'confirmed' });
    await send(globex, { in_reply_to: order.id, note: 'Thanks!' });
    await send(globex, { in_reply_to: order.id, type: 'despatch', json: { number: 'DN-1' } });
    const bill = await send(globex, {
      in_reply_to: order.id,
      type: 'invoice',
      json: { number: 'R-9', total: 1014.5, payable: 1000.0, currency: 'EUR', due_date: '2026-12-24' },
    });
    const invoiced = { state: 'invoiced', type: 'invoice', number: 'R-9', total: '1000', currency: 'EUR', due_date: '2026-12-24' };
    for (const party of [acme, globex]) expect(await documentOf(party, order.thread_id)).toEqual(invoiced);
    await acknowledge(acme, bill.id, 'rejected');
    expect(await documentOf(globex, order.thread_id)).toEqual({ ...invoiced, state: 'disputed' });
    const { body } = await acme.api.get(`/threads/${order.thread_id}`);
    expect(body.state.document).toEqual({ ...invoiced, state: 'disputed' });
  });

  test('is null without one, and a guess for JSON of other types', async () => {
    const note = await send(acme, { to: 'globex', note: 'hello' });
    expect(await documentOf(globex, note.thread_id)).toBeNull();
    const empty = await send(acme, { to: 'globex', type: 'hello', json: { items: [] } });
    expect(await documentOf(globex, empty.thread_id)).toBeNull();
    const typed = await send(acme, { to: 'globex', type: 'order', note: 'As in the file.' });
    expect(await documentOf(globex, typed.thread_id)).toMatchObject({ state: 'ordered', number: null });
    const other = await send(acme, { to: 'globex', type: 'rechnung', json: { invoiceNumber: 'X-1', total: 3 } });
    expect(await documentOf(globex, other.thread_id)).toMatchObject({ state: null, number: 'X-1', total: '3' });
    const own = await send(acme, { to: 'acme', type: 'order', json: { number: 'OWN-1' } });
    expect(await documentOf(acme, own.thread_id)).toMatchObject({ state: 'ordered', number: 'OWN-1' });
  });

  test('of a business’s own type has its facts where its layout marks them, for this business', async () => {
    const layout = {
      number: '/kopf/Beleg-Nr',
      currency: '/kopf/waehrung',
      facts: [{ path: '/kopf/due_date' }],
      totals: [
        { path: '/netto', format: 'money' },
        { path: '/brutto', format: 'money' },
      ],
    };
    const described = { title: 'Rechnung', schema: { type: 'object' }, layout };
    const describe = async (body: object) => expect((await acme.api.write('PUT', '/document-types/beleg', body)).status).toBe(200);
    await describe(described);
    const json = {
      kopf: { 'Beleg-Nr': 'B-7', waehrung: 'EUR', due_date: '2026-12-24', number: 'no' },
      ...{ number: 'N-1', netto: '10.00', brutto: '11.90', total: '1' },
    };
    const first = await send(globex, { to: 'acme', type: 'beleg', json });
    const facts = { state: null, type: 'beleg', number: 'B-7', total: '11.90', currency: 'EUR', due_date: '2026-12-24' };
    expect(await documentOf(acme, first.thread_id)).toEqual(facts);
    expect(await documentOf(globex, first.thread_id)).toMatchObject({ number: 'N-1', total: '1', currency: null });
    await describe({ ...described, layout: { ...layout, number: '/number', totals: [] } });
    const second = await send(globex, { to: 'acme', type: 'beleg', json });
    expect(await documentOf(acme, second.thread_id)).toMatchObject({ number: 'N-1', total: '1', currency: 'EUR' });
    // An own type with the name of one of the catalogue changes what it says, and not what it does.
    const order = { title: 'Order', schema: { type: 'object' }, layout: { number: '/nr', totals: [{ path: '/sum' }] } };
    expect((await umbrella.api.write('PUT', '/document-types/order', order)).status).toBe(200);
    const ordered = await send(acme, { to: 'umbrella', type: 'order', json: { nr: 'U-1', number: 'PO-1', sum: 5, total: 6 } });
    expect(await documentOf(umbrella, ordered.thread_id)).toMatchObject({ state: 'ordered', number: 'U-1', total: '5' });
    expect(await documentOf(acme, ordered.thread_id)).toMatchObject({ state: 'ordered', number: 'PO-1', total: '6' });
    await umbrella.api.request('DELETE', '/v1/document-types/order');
  });

  test.each([
    ['{"number":"H-1","total":1e300}', { number: 'H-1', total: null }],
    ['{"number":"H-0","total":"1e400"}', { number: 'H-0', total: null }],
    [`{"number":"H-2","total":${'9'.repeat(60)}}`, { number: 'H-2', total: '9'.repeat(60) }],
    ['{"number":"a\\u0000b","total":"1e-2","note":"\\u0000"}', { number: null, total: '0.01' }],
    ['{"number":"H-4","due_date":"2026-02-31"}', { number: 'H-4', due_date: null }],
    ['{"number":"\\u202e1","total":{"a":1},"currency":"eur"}', { number: null, total: null, currency: null }],
    [`{"number":"H-6","x":"${'y'.repeat(300_000)}"}`, { number: null, state: 'invoiced' }],
  ])('is exact or missing, whatever the JSON: %.60s', async (json, like) => {
    const { status, body, text } = await acme.api.write('POST', '/messages', `{"to":"umbrella","type":"invoice","json":${json}}`);
    expect(status, text).toBe(201);
    expect(await documentOf(umbrella, body.thread_id)).toMatchObject(like);
  });

  test('tells webhooks that choose it of a new state, with the document', async () => {
    const hooli = await service.business('hooli');
    const { status, text } = await hooli.api.write('POST', '/webhooks', { url: 'http://localhost:1/', events: ['thread.updated'] });
    expect(status, text).toBe(201);
    const order = await send(acme, { to: 'hooli', type: 'order', json: { number: 'PO-7' } });
    await send(acme, { in_reply_to: order.id, note: 'please' });
    await untilDocumentsRead(service);
    const events = () => service.sql(`SELECT a.subject_id FROM webhook_attempts a WHERE a.event = 'thread.updated' AND a.attempt = 1`);
    expect(await events()).toEqual([{ subject_id: parseId('thr', order.thread_id) }]);
  });
});

describe('lists of threads', () => {
  let initech: TestBusiness;
  const threads: Record<string, string> = {};
  beforeAll(async () => {
    initech = await service.business('initech');
    const invoices: [string, string, string, string][] = [
      ['a', 'R-10', '5.00', '2026-12-01'],
      ['b', 'R-9', '1000', '2026-11-30'],
      ['c', 'r-11', '1000.5', '2027-01-15'],
      ['d', 'R-9', '1.0', '2026-12-01'],
    ];
    for (const [name, number, total, due_date] of invoices)
      threads[name] = (
        await send(acme, { to: 'initech', type: 'invoice', json: { number, total, due_date, currency: name === 'a' ? 'USD' : 'EUR' } })
      ).thread_id;
    const order = await send(acme, { to: 'initech', type: 'order', json: { number: 'PO-1', total: '7' } });
    threads['order'] = order.thread_id;
    threads['note'] = (await send(acme, { to: 'initech', note: 'hi' })).thread_id;
    await send(initech, { in_reply_to: order.id, type: 'order.confirmation', json: { number: 'OC-1', status: 'accepted' } });
    await untilDocumentsRead(service);
  });
  const named = async (query: Record<string, string>, api = initech.api) => {
    const name = (id: string) => Object.entries(threads).find(([, thread]) => thread === id)?.[0];
    const found = ids(await threadsOf(api, query))
      .map(name)
      .join(' ');
    for (const limit of [1, 2])
      expect(
        ids((await everyPage(api, '/threads', { ...query, limit })).flat())
          .map(name)
          .join(' '),
      ).toBe(found);
    return found;
  };

  const cases: [query: Record<string, string>, found: string][] = [
    [{ document_state: 'invoiced' }, 'd c b a'],
    [{ document_state: 'confirmed' }, 'order'],
    [{ document_state: 'paid' }, ''],
    [{ number: 'R-9' }, 'd b'],
    [{ number: 'R-11' }, 'c'],
    // Any document of the thread, not only the one that a list shows.
    [{ number: 'po-1' }, 'order'],
    [{ number: 'R' }, ''],
    [{ due_before: '2026-12-01' }, 'b'],
    [{ due_after: '2026-12-01' }, 'c'],
    [{ due_after: '2026-11-30', due_before: '2026-12-02' }, 'a d'],
    [{ due_after: '0001-01-01', due_before: '9999-12-31' }, 'b a d c'],
    [{ due_before: '0001-01-01' }, ''],
    [{ total_min: '1000' }, 'c b'],
    [{ total_max: '5' }, 'a d'],
    [{ total_min: '5', total_max: '7' }, 'order a'],
    [{ total_min: '5', sort: 'updated' }, 'order c b a'],
    [{ sort: 'total' }, 'c b order a d'],
    [{ sort: 'total', order: 'asc' }, 'd a order b c'],
    [{ sort: 'due_date' }, 'b a d c'],
    [{ sort: 'due_date', order: 'desc' }, 'c d a b'],
    [{ sort: 'due_date', document_state: 'invoiced', total_min: '2' }, 'b a c'],
    [{ sort: 'number', status: 'open', box: 'in' }, 'order a b d c'],
    [{ sort: 'total', with: 'acme', number: 'r-9' }, 'b d'],
    [{ sort: 'due_date', since: '2999-01-01' }, ''],
    [{ sort: 'updated', order: 'asc', document_state: 'invoiced' }, 'a b c d'],
  ];
  const sorted = (query: Record<string, string>, found: string) =>
    // Threads with the same value come in the order of their ids.
    found.split(' ').sort().join(' ') + JSON.stringify(query['sort'] ?? '');
  test.each(cases)('are filtered and sorted by %o', async (query, expected) => {
    const found = await named(query);
    if (found !== expected) expect(sorted(query, found)).toBe(sorted(query, expected));
  });

  test.each([
    { document_state: 'none' },
    { document_state: 'x' },
    { number: '' },
    { number: 'x'.repeat(65) },
    { due_before: '2026-02-31' },
    { due_after: 'soon' },
    { due_after: '2026-12' },
    { total_min: 'a lot' },
    { total_max: '9'.repeat(61) },
    { sort: 'subject' },
    { order: 'up' },
  ])('refuse %o', async (query) => {
    const given = Object.entries(query);
    expectInvalid(await initech.api.get(`/threads?${new URLSearchParams(given)}`), given[0]?.[0] ?? '');
  });

  test('show each business only its own', async () => {
    expect(await named({ number: 'R-9' }, globex.api)).toBe('');
    expect(ids(await threadsOf(umbrella.api, { sort: 'total' }))).not.toContain(threads['a']);
  });

  test('are saved as views, with their sort', async () => {
    const filter = { document_state: 'invoiced', sort: 'due_date', total_min: '2' };
    const { status, body } = await initech.api.write('POST', '/views', { name: 'Unpaid', filter });
    expect([status, body.filter, body.threads]).toEqual([201, filter, { count: 3, capped: false }]);
    expect((await initech.api.write('POST', '/views', { name: 'Bad', filter: { due_before: 'x' } })).status).toBe(400);
  });

  test('are found by operators of a search', async () => {
    await search(initech.api, 'anything');
    await untilSearchable(service);
    const found = async (q: string) => [...new Set((await search(initech.api, q)).map(({ message }) => message.thread_id))].length;
    expect(await found('number:R-9')).toBe(2);
    expect(await found('number:po-1 state:confirmed')).toBe(1);
    expect(await found('state:invoiced')).toBe(4);
    expect(await found('total:>1000')).toBe(1);
    expect(await found('total:>=1000 total:<=1000')).toBe(1);
    expect(await found('due:2026-12-01')).toBe(2);
    expect(await found('due:<2026-12-01')).toBe(1);
    expect(await found('due:>-9999d')).toBe(4);
    expect(await found('due:<-9999d')).toBe(0);
  });

  test('that are long are brought into the index by the requests themselves, and stay in order while documents arrive', async () => {
    const business = await service.business('soylent');
    const { body: first } = await acme.api.send({ to: 'soylent', type: 'invoice', json: { number: 'N-1', total: '1' } });
    await untilDocumentsRead(service);
    await service.sql(
      `INSERT INTO threads SELECT (jsonb_populate_record(t, jsonb_build_object('thread_id', gen_random_uuid(), 'last_position', t.last_position + n, 'document_total', n + 1))).*
         FROM threads t, generate_series(1, $2::int) n WHERE t.thread_id = $1 AND t.in_count > 0`,
      [parseId('thr', first.thread_id), 3 * THREADS_SCANNED_MAX],
    );
    const totals: number[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 200; page++) {
      const {
        status,
        body,
        text,
      }: { status: number; body: { data: { document: { total: string } }[]; next_cursor: string | null }; text: string } =
        await business.api.get(`/threads?sort=total&order=asc&status=open&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(status, text).toBe(200);
      totals.push(...body.data.map(({ document }) => Number(document.total)));
      cursor = body.next_cursor;
      if (page === 10) {
        await acme.api.send({ to: 'soylent', type: 'invoice', json: { number: 'N-2', total: '0.5' } });
        await acme.api.send({ to: 'soylent', type: 'invoice', json: { number: 'N-3', total: '99999' } });
        await untilDocumentsRead(service);
      }
    }
    expect(totals).toEqual([...Array.from({ length: 3 * THREADS_SCANNED_MAX + 1 }, (_, n) => n + 1), 99_999]);
  });
});
