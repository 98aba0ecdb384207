import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MB, REQUESTS_PER_CONNECTION_MAX } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { until } from '../support/process.ts';
import { exchange, openSocket } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

const BUDGET_MB = 32;
const MANY = 2_000;
const PATIENTLY = { timeout: 60_000, interval: 100 };

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
let large: string;

beforeAll(async () => {
  service = await startTestService({ RESPONSE_BYTES_MAX_MB: String(BUDGET_MB) });
  [acme, globex] = [await service.business('acme'), await service.business('globex')];
  const { body } = await acme.api.send({ to: 'globex', json: { text: 'x'.repeat(MB - 100) } });
  large = `/v1/messages/${body.id}`;
});
afterAll(() => service.stop());

const request = (path: string, { secret }: TestBusiness) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`;

async function heldBytes(): Promise<number> {
  const { text } = await service.anonymous.request('GET', '/metrics');
  return Number(/^waybill_http_response_bytes (\d+)$/m.exec(text)?.[1]);
}

/** So many connections that the buffers of the operating system, of up to 10 MB each, do not hold all responses. */
const CONNECTIONS = 8;
let sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});

async function leaveUnread(business: TestBusiness): Promise<void> {
  const opened = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSocket(service.url)));
  sockets.push(...opened);
  for (const socket of opened) socket.pause().write(request(large, business).repeat(REQUESTS_PER_CONNECTION_MAX));
}

/** Leaves more and more unread until a request gets 503. One round may not suffice, because the operating system buffers the rest later. */
async function refusalAfterUnread(business: TestBusiness): Promise<ApiResponse> {
  let response: ApiResponse | undefined;
  await until(async () => {
    await leaveUnread(business);
    response = await business.api.request('GET', large);
    return response.status === 503;
  });
  return response as ApiResponse;
}

test('unread responses hold a limited number of bytes, beyond which there is 503; closing frees all of them', async () => {
  const refused = await refusalAfterUnread(acme);
  expectRefusal(refused, 'unavailable');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect([refused.headers.get('etag'), refused.headers.get('vary')]).toEqual([null, null]);
  // Each business has its own share.
  expect(await heldBytes()).toBeLessThanOrEqual((BUDGET_MB / 2) * MB);
  expect((await globex.api.request('GET', large)).status).toBe(200);

  await refusalAfterUnread(globex);
  expect(await heldBytes()).toBeGreaterThan((BUDGET_MB / 2) * MB);
  expect(await heldBytes()).toBeLessThanOrEqual(BUDGET_MB * MB);
  // Small responses are still served to everybody.
  expect((await acme.api.get('/me')).status).toBe(200);
  expect((await acme.api.send({ to: 'globex' })).status).toBe(201);

  for (const socket of sockets) socket.destroy();
  await expect.poll(heldBytes, PATIENTLY).toBe(0);
  expect((await acme.api.request('GET', large)).status).toBe(200);
});

test('of thousands of requests on a connection that is not read, a few are begun', async () => {
  const socket = (await openSocket(service.url)).pause();
  socket.write(request('/docs/reference/objects', acme).repeat(MANY));
  await expect.poll(async () => (await service.anonymous.request('GET', '/healthz')).status, PATIENTLY).toBe(200);
  expect(await heldBytes()).toBeLessThan(8 * MB);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.resume();
  const statuses = () => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
  await expect.poll(() => statuses().length, PATIENTLY).toBe(MANY);
  expect(new Set(statuses().slice(0, REQUESTS_PER_CONNECTION_MAX))).toEqual(new Set(['HTTP/1.1 200']));
  expect(statuses().filter((status) => status === 'HTTP/1.1 200').length).toBeLessThan(MANY / 4);
  expect(text).toContain(`At most ${REQUESTS_PER_CONNECTION_MAX} requests may wait on one connection`);
  socket.destroy();
  await expect.poll(heldBytes, PATIENTLY).toBe(0);
});

test('as many requests as may wait on one connection get their responses in order', async () => {
  const paths = Array.from({ length: REQUESTS_PER_CONNECTION_MAX }, (_, i) => (i % 2 === 0 ? '/healthz' : '/nothing'));
  const { text } = await exchange(service.url, paths.map((path) => request(path, acme)).join(''));
  expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(paths.map((path) => (path === '/healthz' ? 'HTTP/1.1 200' : 'HTTP/1.1 404')));
});

test('a large response arrives whole, in either form', async () => {
  for (const encoding of ['identity', 'gzip']) {
    const { headers, body } = await acme.api.request('GET', large, { headers: { 'accept-encoding': encoding } });
    expect([headers.get('content-encoding'), body.json.text.length]).toEqual([encoding === 'gzip' ? 'gzip' : null, MB - 100]);
  }
});
