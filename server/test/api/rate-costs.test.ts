import { describe, expect, onTestFinished, test } from 'vitest';
import { parseId } from '../../src/contract/ids.ts';
import { CONTACTS_SCANNED_MAX, RATE_DEBT_MAX_S, SEARCH_SCANNED_MAX, UNIT_BYTES } from '../../src/contract/limits.ts';
import type { Api, ApiResponse } from '../support/api.ts';
import { copyMessage } from '../support/copied-messages.ts';
import { sendForm } from '../support/form.ts';
import { until } from '../support/process.ts';
import { expectRefusal } from '../support/refusals.ts';
import { untilSearchable } from '../support/search.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { untilIndexed } from '../support/threads.ts';

const KB = 1_024;
const UNITS_PER_MB = (1_024 * KB) / UNIT_BYTES;

/** Starts a service with a burst of `burst` units, which is full again after a minute unless `perMinute` is higher. */
async function serviceWith(burst: number, perMinute = burst): Promise<{ service: TestService; acme: TestBusiness; globex: TestBusiness }> {
  const env = { RATE_LIMIT_PER_MINUTE: String(perMinute), RATE_LIMIT_BURST: String(burst), PUBLIC_RATE_LIMIT_PER_MINUTE: String(burst) };
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return { service, acme: await service.business('acme'), globex: await service.business('globex') };
}

const header = ({ headers }: ApiResponse, name: string) => Number(headers.get(name));
/** The cost that the response reports. */
const costOf = (response: ApiResponse) => (response.headers.has('ratelimit-cost') ? header(response, 'ratelimit-cost') : 1);
const remaining = async (api: Api) => header(await api.get('/me'), 'ratelimit-remaining');

/** Fills an inbox with `count` messages of 1 MB each, at nobody's cost. */
async function fillInbox(service: TestService, { api }: TestBusiness, to: string, count: number): Promise<void> {
  const { body } = await api.send({ to, json: { text: 'x'.repeat(1_000 * KB) } });
  if (count > 1) await copyMessage(service, body.id, count - 1);
}

describe('the headers of a rate', () => {
  test('state quota, window and remainder that agree with each other', async () => {
    const { acme } = await serviceWith(1_000, 6_000);
    const { headers } = await acme.api.get('/me');
    // A burst of 1,000 is full again after 10 seconds, which is 6,000 a minute.
    expect(headers.get('ratelimit-policy')).toBe('"key or person";q=1000;w=10, "business";q=2000;w=10');
    expect(headers.get('ratelimit')).toBe('"key or person";r=999;t=1');
    expect(['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))).toEqual(['1000', '999', '1']);
  });

  test('name the time after which a refused request would be admitted', async () => {
    const { acme } = await serviceWith(1, 2);
    await acme.api.get('/me');
    const refused = await acme.api.get('/me');
    const [, left, t] = /^"key or person";r=(\d+);t=(\d+)$/.exec(refused.headers.get('ratelimit') ?? '') ?? [];
    expect(refused.headers.get('ratelimit-policy')).toBe('"key or person";q=1;w=30, "business";q=2;w=30');
    expect(Number(left)).toBe(0);
    expect(Number(t)).toBe(header(refused, 'retry-after'));
  });
});

describe('a request costs what it uses up', () => {
  test('a small send costs one unit; one of a megabyte its bytes, twice, and the time of the worker', async () => {
    const { acme } = await serviceWith(200);
    const small = await acme.api.send({ to: 'globex', json: { text: 'x'.repeat(KB) } });
    expect(small.headers.has('ratelimit-cost')).toBe(false);
    expect(header(small, 'ratelimit-remaining')).toBe(199);
    const large = await acme.api.send({ to: 'globex', json: { text: 'x'.repeat(1_000 * KB) } });
    expect(large.status).toBe(201);
    expect(costOf(large)).toBeGreaterThan(2 * UNITS_PER_MB - 2);
    expect(header(large, 'ratelimit-remaining')).toBeLessThan(199 - costOf(large) + 20);
    expect(await remaining(acme.api)).toBeLessThan(199 - costOf(large) + 20);
  });

  test('a body costs its bytes even if it is refused', async () => {
    const { acme } = await serviceWith(600);
    const refused = await acme.api.send(`{"to":"globex","json":${' '.repeat(900 * KB)}}`);
    expect(refused.status).toBe(400);
    expect(costOf(refused)).toBeGreaterThan(13);
  });

  test('an ordinary page costs one unit, and a large one in proportion to its bytes', async () => {
    const { service, acme, globex } = await serviceWith(600);
    for (let n = 0; n < 20; n++) await acme.api.send({ to: 'globex', note: 'short', json: { n } });
    expect(costOf(await globex.api.get('/inbox'))).toBe(1);
    await fillInbox(service, acme, 'globex', 3);
    const page = await globex.api.get('/inbox');
    expect(costOf(page)).toBeGreaterThanOrEqual(Math.floor(Buffer.byteLength(page.text) / UNIT_BYTES) - 1);
    expect(costOf(page)).toBeLessThan(4 * UNITS_PER_MB);
    expect(await remaining(globex.api)).toBeLessThan(600 - 2 * UNITS_PER_MB);
  });

  test('what takes a worker long costs more than its bytes', async () => {
    const { acme } = await serviceWith(600);
    const json = Array.from({ length: 3_000 }, (_, n) => ({ n }));
    const checked = await acme.api.write('POST', '/inbox/schema/check', { schema: { uniqueItems: true }, json });
    expect(checked.status, checked.text).toBe(200);
    expect(costOf(checked)).toBeGreaterThan(5);
  });

  test('bytes of files have quotas, and cost nothing', async () => {
    const { acme } = await serviceWith(600);
    const sent = await sendForm(acme.api, [
      { name: 'to', bytes: 'globex' },
      { name: 'file', filename: 'a.bin', bytes: Buffer.alloc(3 * 1_024 * KB) },
    ]);
    expect(sent.status, sent.text).toBe(201);
    expect(costOf(sent)).toBe(1);
    const form = [
      { name: 'to', bytes: 'globex' },
      { name: 'json', bytes: JSON.stringify({ text: 'x'.repeat(900 * KB) }) },
    ];
    expect(costOf(await sendForm(acme.api, form))).toBeGreaterThan(2 * 13);
  });

  test('at public endpoints, the address pays', async () => {
    const { service, acme } = await serviceWith(600);
    const schema = { description: 'x'.repeat(200 * KB) };
    expect((await acme.api.write('PUT', '/inbox/schema', { schema })).status).toBe(200);
    expect((await acme.api.write('PATCH', '/inbox/schema', { published: true })).status).toBe(200);
    const published = await service.anonymous.get('/public/acme/schema');
    expect(costOf(published)).toBe(4);
    expect(header(published, 'ratelimit-remaining')).toBeLessThan(599);
  });
});

describe('a request that costs more than is left', () => {
  test('is served, and the next ones wait until that is made up for', async () => {
    // The debt takes seconds to pay off, which is longer than the two requests take on a busy machine.
    const { service, acme, globex } = await serviceWith(40, 200);
    await fillInbox(service, acme, 'globex', 3);
    const page = await globex.api.get('/inbox');
    expect([page.status, page.body.data.length]).toEqual([200, 3]);
    expect(header(page, 'ratelimit-remaining')).toBe(0);
    const refused = await globex.api.get('/me');
    expectRefusal(refused, 'rate_limited');
    expect(header(refused, 'retry-after')).toBeGreaterThanOrEqual(1);
    await new Promise((resolve) => setTimeout(resolve, header(refused, 'retry-after') * 1_000));
    expect((await globex.api.get('/me')).status).toBe(200);
  });

  test('owes no more than the rate gives back in that time', async () => {
    const { service, acme, globex } = await serviceWith(1);
    await fillInbox(service, acme, 'globex', 4);
    expect((await globex.api.get('/inbox')).status).toBe(200);
    const refused = await globex.api.get('/me');
    expectRefusal(refused, 'rate_limited');
    expect(header(refused, 'retry-after')).toBeGreaterThan(RATE_DEBT_MAX_S);
    expect(header(refused, 'retry-after')).toBeLessThanOrEqual(RATE_DEBT_MAX_S + 60);
  });

  test('is known to other processes', async () => {
    const { service, acme, globex } = await serviceWith(400);
    const other = await service.sibling();
    onTestFinished(() => other.stop());
    await fillInbox(service, acme, 'globex', 3);
    const there = globex.api.at(other.url);
    const before = await remaining(there);
    const page = await globex.api.get('/inbox');
    await until(async () => (await remaining(there)) < before - costOf(page) / 2);
  });
});

describe('an export', () => {
  test('costs its bytes as it goes, and waits for the rate', async () => {
    const { service, acme, globex } = await serviceWith(60, 1_200);
    await fillInbox(service, acme, 'globex', 6);
    const first = await globex.api.get('/export');
    expect(first.text.trimEnd().split('\n')).toHaveLength(6);
    expect(first.headers.has('ratelimit-cost')).toBe(false);
    // Six megabytes cost more than a burst.
    expect(await remaining(globex.api)).toBeLessThan(40);
  });

  test('of a list in which nothing meets the filters pays for what it looks at', async () => {
    const { service, acme, globex } = await serviceWith(1_000);
    const { body: sent } = await acme.api.send({ to: 'globex', type: 'order' });
    await untilIndexed(service);
    // In parts, because a statement may take ten seconds and the machine may be busy.
    for (let part = 0; part < 6; part++)
      await service.sql(
        `INSERT INTO threads
         SELECT (jsonb_populate_record(t, jsonb_build_object('thread_id', gen_random_uuid(), 'last_position', t.last_position - n))).*
           FROM threads t, generate_series($2::int, $2::int + 1999) n WHERE t.thread_id = $1`,
        [parseId('thr', sent.thread_id), 1 + part * 2_000],
      );
    // PostgreSQL would soon analyze the table itself. Until then, it plans for a table of two rows.
    await service.sql('ANALYZE threads');
    const page = await globex.api.get('/threads?type=order&unread=false');
    expect([page.status, page.body.data, typeof page.body.next_cursor]).toEqual([200, [], 'string']);
    expect(costOf(page)).toBe(2);
    expect(costOf(await globex.api.get('/threads/counts'))).toBeGreaterThan(3);
    const list = await globex.api.get('/export?list=threads&type=order&unread=false');
    expect([list.status, list.text]).toEqual([200, '']);
  });
});

test('a search pays for documents that it looks through in vain', async () => {
  const { service, acme, globex } = await serviceWith(200);
  await acme.api.send({ to: 'globex', note: 'hello' });
  await untilSearchable(service);
  // Marking is charged for its time, which is longer at the first time, and on a busy machine.
  await expect.poll(async () => costOf(await globex.api.get('/search?q=hello'))).toBe(1);
  await service.sql(
    `INSERT INTO search_documents
     SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'position', d.position - n))).*
       FROM search_documents d, generate_series(1, $1::int) n`,
    [SEARCH_SCANNED_MAX],
  );
  const page = await globex.api.get('/search?q=is:done');
  expect([page.status, page.body.data, typeof page.body.next_cursor]).toEqual([200, [], 'string']);
  expect(costOf(page)).toBe(6);
});

test('a list of contacts pays for those that it looks at in vain', async () => {
  const { service, globex } = await serviceWith(200);
  await service.sql(
    `WITH others AS (INSERT INTO parties (domain, display_name, folded_name)
                     SELECT 'other-' || n || '.example', 'Other', 'other' FROM generate_series(1, $1::int) n RETURNING id)
     INSERT INTO contacts (party_id, other_id, id, saved_at) SELECT p.id, o.id, gen_random_uuid(), now() FROM others o, parties p WHERE p.handle = 'globex'`,
    [CONTACTS_SCANNED_MAX + 10],
  );
  await service.sql('ANALYZE parties, contacts');
  expect(costOf(await globex.api.get('/contacts?limit=5'))).toBe(1);
  const page = await globex.api.get('/contacts?archived=true');
  expect([page.status, page.body.data, typeof page.body.next_cursor]).toEqual([200, [], 'string']);
  expect(costOf(page)).toBe(6);
});

test('a lease pays for messages that it looks through in vain', async () => {
  const { service, acme, globex } = await serviceWith(200);
  const { id } = (await acme.api.send({ to: 'globex', type: 'order' })).body;
  await copyMessage(service, id, 4_500);
  await globex.api.write('PUT', '/consumers/invoices', { filter: { types: ['invoice'] }, start: 'beginning' });
  const leased = await globex.api.write('POST', '/consumers/invoices/lease', {});
  expect([leased.status, leased.body.data]).toEqual([200, []]);
  expect(costOf(leased)).toBe(5);
});
