import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { claimedBy } from '../support/businesses.ts';
import { copyMessage } from '../support/copied-messages.ts';
import { ids, list } from '../support/pages.ts';
import { until } from '../support/process.ts';
import { openSocket } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';
import { connectionWaitingIn, lockingWith, terminate } from '../support/sql-locks.ts';

const MB = 1_048_576;
const LARGE_BYTES = 990 * 1_024;
const MESSAGES = 200;
const READERS = 12;
const BATCH = 'SELECT m.id, m.recipient_id';

let service: TestService;
let acme: TestBusiness;
let globex: TestBusiness;
const sockets: Socket[] = [];
let unhandled = 0;
const noteUnhandled = () => {
  unhandled++;
};

beforeAll(async () => {
  process.on('unhandledRejection', noteUnhandled);
  service = await startTestService({ RESPONSE_BYTES_MAX_MB: '128' });
  acme = await service.business('acme');
  globex = await service.business('globex');
  const { body } = await acme.api.send({ to: 'globex', json: 'x'.repeat(LARGE_BYTES - 2) });
  await copyMessage(service, body.id, MESSAGES - 2);
  // This message is read with the list, and is enough for the response to begin.
  await acme.api.send({ to: 'globex', json: 'y'.repeat(100_000) });
});
afterEach(leaveAll);
afterAll(async () => {
  await service.stop();
  process.off('unhandledRejection', noteUnhandled);
  expect(unhandled).toBe(0);
});

function leaveAll(): void {
  for (const socket of sockets.splice(0)) socket.destroy();
}

/** Requests a page and does not read it. Resolves with the status when the response has begun. */
async function askWithoutReading(url: string, { secret }: TestBusiness, times = 1, path = '/v1/inbox?limit=200'): Promise<number> {
  const socket = await openSocket(url);
  sockets.push(socket);
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n\r\n`;
  socket.write(head.repeat(times));
  await once(socket, 'readable');
  const start = (socket.read(12) as Buffer | null)?.toString() ?? '';
  return Number(start.slice('HTTP/1.1 '.length));
}

async function peakWhile(work: () => Promise<unknown>): Promise<number> {
  const start = process.memoryUsage.rss();
  let peak = start;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await work();
  clearInterval(watch);
  return peak - start;
}

test('clients that ask for pages of large messages and never read take hardly any memory', async () => {
  await list(globex.api, '/inbox', { limit: 200 });
  const grown = await peakWhile(async () => {
    const statuses = await Promise.all(Array.from({ length: READERS }, () => askWithoutReading(service.url, globex)));
    expect(statuses).toEqual(Array(READERS).fill(200));
    await sleep(500);
  });
  // A page without a byte limit would have 200 MB.
  expect(grown).toBeLessThan(READERS * 16 * MB);
});

test('a page has few large messages, and the next goes on behind them', async () => {
  const first = await list(globex.api, '/inbox', { limit: 200 });
  const second = await list(globex.api, '/inbox', { limit: 200, cursor: first.body.next_cursor });
  expect([first.body.data.length, second.body.data.length]).toEqual([5, 4]);
  const summaries = await list(globex.api, '/inbox', { limit: 9, include: 'summary' });
  expect(ids([...first.body.data, ...second.body.data])).toEqual(ids(summaries.body.data));
});

test('who has too many large responses open is refused with 503, while others are served; reading or leaving ends it', async () => {
  const small = await service.sibling({ RESPONSE_BYTES_MAX_MB: '64' });
  try {
    const ask = () => globex.api.at(small.url).get('/inbox?limit=200');
    let refused = await ask();
    expect(refused.status).toBe(200);
    // The buffers of a connection have room for one of these responses, but not for three. They grow for a while.
    await until(async () => {
      await askWithoutReading(small.url, globex, 3);
      refused = await ask();
      return refused.status === 503;
    });
    expectRefusal(refused, 'unavailable');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await globex.api.at(small.url).get('/inbox?limit=9&include=summary')).status).toBe(200);
    expect((await acme.api.at(small.url).get('/outbox?limit=200')).status).toBe(200);
    leaveAll();
    await until(async () => (await ask()).status === 200);
    // A response that was read to its end is no longer held.
    for (let i = 0; i < 10; i++) expect((await ask()).status).toBe(200);
  } finally {
    leaveAll();
    await small.stop();
  }
});

/** Requests a page and stops it after the list and the first messages: the next read waits for a lock. */
async function stoppedOnTheWay(ask: () => void): Promise<{ rollBack(): Promise<void> }> {
  const LOCK = 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE';
  const first = await lockingWith(service, LOCK);
  ask();
  await connectionWaitingIn(service, 'bytes_so_far');
  // This lock is next in line, so that only the list gets through.
  const second = lockingWith(service, LOCK);
  await connectionWaitingIn(service, LOCK);
  await first.rollBack();
  const lock = await second;
  await connectionWaitingIn(service, BATCH);
  return lock;
}

test('a response whose database goes away on the way never looks complete', async () => {
  const asking = { begun: Promise.resolve<Response | undefined>(undefined) };
  const lock = await stoppedOnTheWay(() => {
    asking.begun = fetch(`${service.url}/v1/inbox?limit=200`, { headers: { authorization: `Bearer ${globex.secret}` } });
  });
  const response = await asking.begun;
  expect(response?.status).toBe(200);
  await terminate(await connectionWaitingIn(service, BATCH));
  expect(await response?.text().catch(() => 'broken off')).toBe('broken off');
  await lock.rollBack();
  expect((await globex.api.get('/inbox?limit=200')).status).toBe(200);
});

test('nothing more is read for a client that has gone', async () => {
  const asking = { begun: Promise.resolve(0) };
  const lock = await stoppedOnTheWay(() => {
    asking.begun = askWithoutReading(service.url, globex);
  });
  expect(await asking.begun).toBe(200);
  const lastBegun = async () => {
    const [row] = await service.sql<{ at: number }>(
      'SELECT max(extract(epoch FROM query_start))::float8 AS at FROM pg_stat_activity WHERE strpos(query, $1) = 1',
      [BATCH],
    );
    return row?.at ?? 0;
  };
  const before = await lastBegun();
  leaveAll();
  // Waits until the service has noticed it.
  await until(async () => /^waybill_http_response_bytes 0$/m.test((await service.anonymous.request('GET', '/metrics')).text));
  await lock.rollBack();
  await sleep(1_000);
  expect(await lastBegun()).toBeLessThanOrEqual(before);
});

const END_OF_RESPONSE = '\r\n0\r\n\r\n';

/** Reads until so many responses are complete, or the service closes the connection. */
async function readToEnd(socket: Socket | undefined, wanted: number): Promise<{ isCutOff: boolean; responses: number }> {
  const read = { isCutOff: false, responses: 0, rest: '' };
  for (const event of ['end', 'close'])
    socket?.once(event, () => {
      read.isCutOff = true;
    });
  socket?.setEncoding('latin1').on('data', (text: string) => {
    const all = read.rest + text;
    read.responses += all.split(END_OF_RESPONSE).length - 1;
    read.rest = all.slice(1 - END_OF_RESPONSE.length);
  });
  await until(() => read.isCutOff || read.responses >= wanted);
  return { isCutOff: read.isCutOff, responses: read.responses };
}

test('who reads slowly gets the rest of a page only while the key holds', async () => {
  const owner = await claimedBy(service, 'ann@pages.test', 'slow-reader');
  const { body } = await acme.api.send({ to: 'slow-reader', json: 'x'.repeat(LARGE_BYTES - 2) });
  await copyMessage(service, body.id, 8);
  const agent = (await owner.post('/agents', { name: 'Reader' })).body;
  const keys = await Promise.all(['read', 'read'].map(async (scope) => (await owner.post(`/agents/${agent.id}/keys`, { scope })).body));
  // The buffers of a connection have room for one of these responses, but not for all of them.
  const readers: (Socket | undefined)[] = [];
  for (const { secret } of keys) {
    expect(await askWithoutReading(service.url, { ...globex, secret }, 6)).toBe(200);
    readers.push(sockets.at(-1));
  }
  expect((await owner.delete(`/keys/${keys[0].id}`)).status).toBe(204);
  await sleep(11_000);
  const [revoked, valid] = await Promise.all(readers.map((socket) => readToEnd(socket, 6)));
  expect(valid).toEqual({ isCutOff: false, responses: 6 });
  expect(revoked?.isCutOff).toBe(true);
  expect(revoked?.responses).toBeLessThan(6);
});
