import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimedBy, joinedBy, personIdOf } from '../support/businesses.ts';
import { copyMessage } from '../support/copied-messages.ts';
import type { MemberApi } from '../support/member.ts';
import { everyPage, list } from '../support/pages.ts';
import { until } from '../support/process.ts';
import { expectInvalid, expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { threadsOf, untilIndexed } from '../support/threads.ts';

// biome-ignore lint/suspicious/noExplicitAny: envelopes as they came
type Envelope = any;

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  globex = await service.business('globex');
  await acme.api.send(
    '{"to":"globex","type":"order","subject":"=HYPERLINK(\\"http://x\\")","note":"a \\"b\\",\\r\\nc","json":{\n"n":\r\n1.50}}',
  );
  await acme.api.send({ to: 'globex', type: 'query', subject: '  -1+cmd|x', note: '@SUM(A1)' });
  const { id } = (await acme.api.send({ to: 'globex', note: 'many' })).body;
  await copyMessage(service, id, 250);
  await globex.api.send({ to: 'acme', note: 'mine' });
  await untilIndexed(service);
});
afterAll(() => service.stop());

const lines = (text: string): Envelope[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
/** Compared by id, because download URLs are signed again each time. */
const ids = (items: Envelope[]) => items.map(({ id }) => id);

/** Parses CSV by the rules of RFC 4180. */
function csv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('GET /export', () => {
  test('has every message of the list, one a line, in its order', async () => {
    const { status, text, headers } = await globex.api.get('/export');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    expect(headers.get('content-disposition')).toBe('attachment; filename="inbox.ndjson"');
    const all = (await everyPage(globex.api, '/inbox', { limit: 100 })).flat();
    expect(all).toHaveLength(253);
    expect(lines(text)).toEqual(all);
    expect(text).toContain('1.50');
  });

  test.each([
    { type: 'order' },
    { from: 'acme', type: 'query' },
    { from: 'nobody-here' },
    { until: '2020-01-01' },
    { validation: 'failed' },
  ])('is filtered like the list: %o', async (filter) => {
    const { text } = await list(globex.api, '/export', filter);
    expect(text === '' ? [] : lines(text)).toEqual((await everyPage(globex.api, '/inbox', filter)).flat());
  });

  test('exports the outbox, summaries, and threads', async () => {
    expect(ids(lines((await list(acme.api, '/export', { list: 'outbox', include: 'summary', type: 'order' })).text))).toHaveLength(1);
    const [summary] = lines((await list(globex.api, '/export', { include: 'summary', type: 'order' })).text);
    expect(summary.json_bytes).toBe(13);
    expect(summary).not.toHaveProperty('json');
    expect(lines((await list(globex.api, '/export', { list: 'threads' })).text)).toEqual(await threadsOf(globex.api));
    const table = csv((await list(globex.api, '/export', { list: 'threads', format: 'csv', box: 'in' })).text);
    expect(table[0]?.slice(0, 4)).toEqual(['id', 'with', 'with_name', 'subject']);
    expect(table.slice(1).map(([id]) => id)).toEqual((await threadsOf(globex.api, { box: 'in' })).map(({ id }) => id));
  });

  test('as CSV can be read back, and no cell is a formula', async () => {
    const { text, headers } = await list(globex.api, '/export', { format: 'csv' });
    expect(headers.get('content-type')).toMatch(/^text\/csv/);
    const [head = [], ...rows] = csv(text);
    expect(rows).toHaveLength(253);
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)]);
    expect(column('subject').filter(Boolean)).toEqual(["'  -1+cmd|x", `'=HYPERLINK("http://x")`]);
    expect(column('note').slice(-2)).toEqual(["'@SUM(A1)", 'a "b",\r\nc']);
    expect(column('json').at(-1)).toBe('{\n"n":\r\n1.50}');
    for (const row of rows) for (const cell of row) expect(cell).not.toMatch(/^\s*[=+\-@]/);
  });

  // Surrogate pairs at even and at odd offsets, so that one of the two texts is cut inside a pair.
  test.each(['', 'x'])('has a long text as it was sent: %o and many pairs', async (start) => {
    const text = `${start}${'😀'.repeat(250_000)}`;
    const type = `long${start}`;
    expect((await globex.api.send({ to: 'acme', type, json: { text } })).status).toBe(201);
    const [head = [], row = []] = csv((await list(acme.api, '/export', { format: 'csv', type })).text);
    expect(JSON.parse(row[head.indexOf('json')] ?? '').text === text).toBe(true);
    const [sent] = lines((await list(acme.api, '/export', { type })).text);
    expect(sent.json.text === text).toBe(true);
  });

  test.each<[Record<string, string>, string]>([
    [{ list: 'inbox', status: 'open' }, 'status'],
    [{ list: 'outbox', to: 'x' }, 'to'],
    [{ list: 'threads', validation: 'failed' }, 'validation'],
    [{ since: 'x' }, 'since'],
    [{ format: 'xml' }, 'format'],
    [{ cursor: 'x' }, 'cursor'],
  ])('refuses %o', async (given, field) => {
    expectInvalid(await list(globex.api, '/export', given), field);
  });

  test('has no comments and no labels of the other side', async () => {
    const [thread] = await threadsOf(globex.api, { box: 'in' });
    await globex.api.write('PATCH', `/threads/${thread.id}`, { labels: ['xyzzy'] });
    await globex.api.write('POST', `/threads/${thread.id}/comments`, { text: 'xyzzy' });
    for (const listed of ['inbox', 'outbox', 'threads'])
      for (const format of ['csv', 'ndjson'])
        expect((await list(acme.api, '/export', { list: listed, format })).text).not.toContain('xyzzy');
    expect((await list(globex.api, '/export', { list: 'inbox' })).text).not.toContain('xyzzy');
  });

  test('an export of the outbox needs the scope that the outbox needs', async () => {
    const reader = await globex.withKey('read');
    expectRefusal(await list(reader, '/export', { list: 'outbox' }), 'forbidden');
    expect((await list(reader, '/export', { list: 'inbox' })).status).toBe(200);
  });

  test('each hundred items count as a request, or each 64 KB if that is more', async () => {
    const sibling = await service.sibling({ RATE_LIMIT_PER_MINUTE: '60' });
    const api = globex.api.at(sibling.url);
    const spentBy = async (path: string) => {
      const before = Number((await api.get('/me')).headers.get('ratelimit-remaining'));
      const { text } = await api.get(path);
      const spent = before - 1 - Number((await api.get('/me')).headers.get('ratelimit-remaining'));
      return { spent, bytes: Buffer.byteLength(text) };
    };
    // The rate gives one unit back each second.
    const rows = await spentBy('/export?include=summary&format=csv');
    expect(rows.bytes).toBeLessThan(2 * 65_536);
    expect(rows.spent).toBeGreaterThanOrEqual(2);
    expect(rows.spent).toBeLessThanOrEqual(3);
    const lines = await spentBy('/export?include=summary');
    expect(lines.bytes).toBeGreaterThan(3 * 65_536);
    expect(lines.spent).toBeGreaterThanOrEqual(3);
    expect(lines.spent).toBeLessThanOrEqual(Math.ceil(lines.bytes / 65_536));
    await sibling.stop();
  });

  describe('is cut off', () => {
    /** Begins an export whose second page waits for the rate, and reads it to the end after `interrupt`. */
    async function cutOff(headers: Record<string, string>, interrupt: () => Promise<unknown>) {
      const slow = await service.sibling({ RATE_LIMIT_PER_MINUTE: '30', RATE_LIMIT_BURST: '1' });
      const response = await fetch(`${slow.url}/v1/export?include=summary`, {
        headers: { ...headers, 'accept-encoding': 'identity' },
      });
      expect(response.status).toBe(200);
      await interrupt();
      const text = await response.text().catch(() => 'closed');
      await slow.stop();
      return text;
    }

    test('when the key is revoked, the member removed, or the session ended', async () => {
      const owner = await claimedBy(service, 'ann@export.test', 'exporting');
      const { id } = (await acme.api.send({ to: 'exporting', note: 'many' })).body;
      await copyMessage(service, id, 250);
      const asMember = ({ browser }: MemberApi) => ({ cookie: browser.cookieHeader(), 'waybill-business': 'exporting' });
      const agent = (await owner.post('/agents', { name: 'Exporter' })).body;
      const { secret, id: keyId } = (await owner.post(`/agents/${agent.id}/keys`, { scope: 'read' })).body;
      const asKey = { authorization: `Bearer ${secret}` };
      // Without an interruption, the export waits for its rate and continues.
      expect(lines(await cutOff(asKey, async () => {}))).toHaveLength(251);
      const revoke = async () => expect((await owner.delete(`/keys/${keyId}`)).status).toBe(204);
      expect(await cutOff(asKey, revoke)).toBe('closed');
      const removed = await joinedBy(service, owner, 'max@export.test', 'member');
      const remove = async () => expect((await owner.delete(`/members/${await personIdOf(removed)}`)).status).toBe(204);
      expect(await cutOff(asMember(removed), remove)).toBe('closed');
      const signOut = async () => expect((await owner.browser.post('/auth/sign-out', {})).status).toBe(200);
      expect(await cutOff(asMember(owner), signOut)).toBe('closed');
    });
  });

  test('a client that goes away frees its place', async () => {
    for (let n = 0; n < 6; n++) {
      const stopped = new AbortController();
      const response = await fetch(`${service.url}/v1/export`, {
        headers: { authorization: `Bearer ${globex.secret}`, 'accept-encoding': 'identity' },
        signal: stopped.signal,
      });
      expect([200, 429]).toContain(response.status);
      stopped.abort();
    }
    await until(async () => (await globex.api.get('/export')).status === 200);
  });
});
