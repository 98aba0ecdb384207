import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseId } from '../../../server/src/contract/ids.ts';
import { MCP_BODY_MAX_BYTES } from '../../../server/src/contract/limits.ts';
import { revokeKey } from '../../../server/src/modules/agents/agents.ts';
import { startTestService, type TestBusiness, type TestService } from '../../../server/test/support/service.ts';
import { overHttp } from './connections.ts';

let service: TestService;
let acme: TestBusiness;
beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
});
afterAll(() => service.stop());

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const post = (body: unknown, headers: Record<string, string> = {}) =>
  acme.api.request('POST', '/mcp', { body: typeof body === 'string' ? body : JSON.stringify(body), headers: { ...HEADERS, ...headers } });
const call = (name: string, args: object = {}) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

describe('a request', () => {
  test('gets one JSON body, without a session', async () => {
    const { status, headers, body } = await post(call('who_am_i'));
    expect([status, headers.get('content-type'), headers.get('mcp-session-id')]).toEqual([200, 'application/json; charset=utf-8', null]);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { structuredContent: { business: { handle: 'acme' } } } });
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test('needs a key that is valid', async () => {
    const { status, headers, body } = await service.anonymous.request('POST', '/mcp', { body: '{}', headers: HEADERS });
    expect([status, headers.get('www-authenticate'), body.error.code]).toEqual([401, 'Bearer', 'unauthorized']);
    await expect(overHttp(service.url, 'wb_wrong')).rejects.toThrow(/401/);
  });

  test.each([
    ['{', 400, -32_700],
    ['', 400, -32_700],
    ['\uFEFF', 400, -32_700],
    ['"text"', 400, -32_600],
    ['null', 400, -32_600],
    ['[]', 400, -32_600],
    [JSON.stringify([call('who_am_i'), call('who_am_i')]), 400, -32_600],
    ['{}', 400, -32_600],
    ['{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32_600],
    ['{"jsonrpc":"2.0","id":{},"method":"tools/list"}', 400, -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}', 400, -32_601],
    ['{"jsonrpc":"2.0","id":1,"method":"nothing"}', 200, -32_601],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200, -32_601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"constructor"}}', 200, -32_602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__","arguments":{}}}', 200, -32_602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 400, -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}', 200, -32_602],
    [`${'['.repeat(100_000)}`, 400, -32_700],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, -32_600],
  ])('that is malformed gets an error of JSON-RPC: %.80s', async (text, status, code) => {
    const response = await post(text);
    expect([response.status, response.body?.error?.code], response.text).toEqual([status, code]);
  });

  test('is not too large, and is JSON', async () => {
    const { status, body } = await post(call('who_am_i', { x: 'x'.repeat(MCP_BODY_MAX_BYTES) }));
    expect([status, body.error.code]).toEqual([413, 'json_too_large']);
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(call('who_am_i'), { accept: 'text/html' })).status).toBe(406);
  });

  test('of a page of another site is refused, whatever key it has', async () => {
    const { status, body } = await post(call('who_am_i'), { origin: 'http://rebound.example' });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect((await post(call('who_am_i'), { origin: new URL(service.url).origin })).status).toBe(200);
  });

  test('with another method is refused', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await acme.api.request(method, '/mcp');
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  test('works no longer once its key is revoked', async () => {
    const gone = await service.business('gone');
    const agent = await overHttp(service.url, gone.secret);
    await agent.result('who_am_i');
    const [row] = await service.sql<{ id: string }>("SELECT id FROM parties WHERE handle = 'gone'");
    await revokeKey(service.database, BigInt(row?.id ?? 0), parseId('key', gone.keyId) ?? '');
    await expect(agent.call('who_am_i')).rejects.toThrow(/unauthorized/);
    await agent.close();
  });
});

describe('costs', () => {
  test('a call is charged, and so is each request that its tool makes', async () => {
    const limited = await startTestService({ RATE_LIMIT_PER_MINUTE: '9', RATE_LIMIT_BURST: '9' });
    const { api } = await limited.business('acme');
    const ask = () => api.request('POST', '/mcp', { body: JSON.stringify(call('who_am_i')), headers: HEADERS });
    let calls = 1;
    let last = await ask();
    for (; last.status === 200 && !last.body.result.isError; calls++) last = await ask();
    // Each of four calls takes two of nine units. The fifth call is admitted, but its tool's request is not. A rate for calls alone would
    // allow nine.
    expect([last.status, last.body.result?.content[0].text]).toEqual([
      200,
      expect.stringMatching(/^rate_limited: [\s\S]*Try again after \d+ s\./),
    ]);
    expect(calls).toBeLessThan(9);
    await limited.stop();
  });

  test('a client that goes away takes no message with it', async () => {
    await acme.api.write('PUT', '/consumers/impatient', {});
    const gone = new AbortController();
    const waiting = fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...HEADERS, authorization: `Bearer ${acme.secret}` },
      body: JSON.stringify(call('next_message', { consumer: 'impatient', wait_s: 25 })),
      signal: gone.signal,
    });
    waiting.catch(() => {});
    // Long enough for the lease to wait. If it were not waiting yet, the message would not be taken either.
    await sleep(500);
    gone.abort();
    await sleep(200);
    await acme.api.send({ to: 'acme', note: 'For somebody who is there' });
    const { data } = (await acme.api.write('POST', '/consumers/impatient/lease', { wait_s: 10 })).body;
    expect(data).toMatchObject([{ tries: 1, message: { note: 'For somebody who is there' } }]);
  });
});
