import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import { exchange, openSocket } from '../support/raw-http.ts';
import { startTestService, type TestBusiness, type TestService } from '../support/service.ts';

let service: TestService;
let acme: TestBusiness;
let head: string;

beforeAll(async () => {
  service = await startTestService();
  acme = await service.business('acme');
  head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: application/json\r\n`;
});
afterAll(() => service.stop());

/** However broken a request was, the next one from another client is served, and nothing was sent. */
afterEach(async () => {
  expect((await service.anonymous.request('GET', '/readyz')).status).toBe(200);
  expect((await acme.api.get('/outbox')).body.data).toEqual([]);
});

const repeated = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('');

/** The connection is closed after a 4xx response in our form, or without a response. */
async function expectTurnedAway(bytes: string, status?: number): Promise<void> {
  const response = await exchange(service.url, Buffer.from(bytes, 'latin1'), { halfClose: true });
  expect(response.closed, response.text).toBe(true);
  if (status !== undefined) expect(response.status, response.text).toBe(status);
  if (response.text === '') return;
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  const [headers = '', body = ''] = response.text.split('\r\n\r\n');
  const { error } = JSON.parse(body);
  expect(error.code).toBe('validation_error');
  expect(headers).toContain(`X-Request-Id: ${error.request_id}`);
  expect(response.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
}

describe('what is not HTTP is turned away', () => {
  test.each([
    ['noise', '\x00\x01\x02\x03\xff\xfe noise\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'FROBNICATE /v1/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET /v1/me HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a target that is no path', 'GET v1/me HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['raw bytes in the target', 'GET /v1/\xc3\xa9 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space before a colon', 'GET /v1/me HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['a folded header', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
    ['a header without a name', 'GET /v1/me HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n'],
    ['NUL in a header', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n'],
    ['bare line feeds', 'GET /v1/me HTTP/1.1\nHost: x\n\n'],
    ['a bare carriage return', 'GET /v1/me HTTP/1.1\r\nHost: x\rX: y\r\n\r\n'],
  ])('%s', async (_name, bytes) => {
    await expectTurnedAway(bytes, 400);
  });
});

describe('too much of a head is turned away', () => {
  test.each([
    ['one huge header', () => `GET /v1/me HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`],
    ['very many headers', () => `GET /v1/me HTTP/1.1\r\nHost: x\r\n${repeated(5_000, (i) => `X${i}: a\r\n`)}\r\n`],
    ['a huge target', () => `GET /v1/inbox?type=${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a head that never ends', () => `GET /v1/me HTTP/1.1\r\n${repeated(20_000, () => 'X: aaaaaaaaaa\r\n')}`],
  ])('%s', async (_name, bytes) => {
    await expectTurnedAway(bytes(), 431);
  });
});

describe('a body whose length can’t be told is turned away', () => {
  const body = '{"to":"acme"}';

  test.each([
    ['a length that is no number', `Content-Length: abc\r\n\r\n${body}`],
    ['a negative length', `Content-Length: -13\r\n\r\n${body}`],
    ['a length with a sign', `Content-Length: +13\r\n\r\n${body}`],
    ['a length in hexadecimal', `Content-Length: 0xd\r\n\r\n${body}`],
    ['a length beyond all bounds', `Content-Length: 99999999999999999999999999\r\n\r\n${body}`],
    ['two lengths that differ', `Content-Length: 13\r\nContent-Length: 5\r\n\r\n${body}`],
    ['two lengths in one header', `Content-Length: 13, 5\r\n\r\n${body}`],
    ['a length and chunks', `Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n${body}\r\n0\r\n\r\n`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 13\r\n\r\nd\r\n${body}\r\n0\r\n\r\n`],
    ['chunks hidden behind another encoding', `Transfer-Encoding: chunked, identity\r\n\r\nd\r\n${body}\r\n0\r\n\r\n`],
    ['an encoding with a strange name', `Transfer-Encoding: xchunked\r\n\r\nd\r\n${body}\r\n0\r\n\r\n`],
    ['an encoding with a space before the colon', `Transfer-Encoding : chunked\r\n\r\nd\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk of no size', `Transfer-Encoding: chunked\r\n\r\n\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk of nonsensical size', `Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk of endless size', `Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n${body}\r\n0\r\n\r\n`],
    ['a chunk longer than it says', `Transfer-Encoding: chunked\r\n\r\n5\r\n${body}\r\n0\r\n\r\n`],
    ['chunks without an end', `Transfer-Encoding: chunked\r\n\r\nd\r\n${body}\r\n`],
    ['a body shorter than promised', `Content-Length: 100\r\n\r\n${body}`],
    ['no body where one was promised', 'Content-Length: 13\r\n\r\n'],
  ])('%s', async (_name, rest) => {
    await expectTurnedAway(head + rest, 400);
  });

  test('and no second request is smuggled in with it', async () => {
    const smuggled = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n${body}`;
    for (const framing of [
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Content-Length: 0\r\nContent-Length: 5',
    ]) {
      await expectTurnedAway(`${head}${framing}\r\n\r\n0\r\n\r\n${smuggled}`, 400);
    }
  });
});

describe('a client that goes away', () => {
  const abandoned = async (bytes: string) => {
    const socket = await openSocket(service.url);
    socket.write(bytes);
    await sleep(20);
    socket.resetAndDestroy();
  };
  test('in the middle of the head, the body or a chunk is let go', async () => {
    for (const bytes of [
      '',
      'GET',
      'GET /v1/me HTTP/1.1\r\nHo',
      `${head}Content-Length: 50\r\n\r\n{"to"`,
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"`,
    ]) {
      await abandoned(bytes);
    }
  });

  test('is not reported as a fault of the service or its database', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const loud = await startService(
      readConfig({ PORT: '0', DATABASE_URL: service.databaseUrl, SECRETS_KEY: randomBytes(32).toString('base64') }),
      'api',
      log,
    );
    const halves = Array.from({ length: 5 }, () => exchange(loud.publicUrl, `${head}Content-Length: 50\r\n\r\n{"to"`, { halfClose: true }));
    expect((await Promise.all(halves)).map(({ status }) => status)).toEqual(Array(5).fill(400));
    await loud.stop();
    expect(lines).toEqual([]);
  });
});

describe('slow connections', () => {
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });

  test('a hundred of them disturb nobody', async () => {
    const beginnings = ['', 'GET /v1/me HT', 'GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Slow: a', `${head}Content-Length: 1000\r\n\r\n{`];
    for (let i = 0; i < 100; i++) {
      const socket = await openSocket(service.url);
      socket.write(beginnings[i % beginnings.length] as string);
      open.push(socket);
    }
    const drip = setInterval(() => open.map((socket) => socket.write(' ')), 50);
    try {
      const responses = await Promise.all(Array.from({ length: 50 }, () => acme.api.get('/me')));
      expect(responses.every(({ status }) => status === 200)).toBe(true);
    } finally {
      clearInterval(drip);
    }
  });
});

test('a body that comes after its refusal does not cost the connection, neither then nor later', async () => {
  const socket = await openSocket(service.url);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.write('POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n');
  await expect.poll(() => text).toContain('401 Unauthorized');
  socket.write('{"to":"acme"}');
  // Longer than the service waits for the rest of a body.
  await sleep(11_000);
  text = '';
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => text).toContain('200 OK');
  socket.destroy();
});
