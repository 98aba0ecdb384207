import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOWNLOADS_PER_FILE_MAX, MB } from '../../src/contract/limits.ts';
import { type FileService, startFileService } from '../support/file-service.ts';
import { openSocket } from '../support/raw-http.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, download, someBytes, upload } from '../support/transfer.ts';

const SLOW_CLIENT_S = 3;
const PER_ADDRESS_MAX = DOWNLOADS_PER_FILE_MAX + 10;
/** Enough for several windows on a busy machine. */
const GENEROUSLY = { timeout: 60_000, interval: 100 };

let service: FileService;
let acme: TestBusiness;
const bytes = someBytes(24 * MB);

beforeAll(async () => {
  service = await startFileService('folder', {
    SLOW_CLIENT_S: String(SLOW_CLIENT_S),
    MIN_BYTES_PER_S: '4096',
  });
  acme = await service.business('acme');
  await service.business('globex');
});
afterAll(() => service.stop());

async function urlOf(content: Buffer<ArrayBuffer>, { api } = acme): Promise<string> {
  const { body } = await api.send({ to: 'globex', files: [await upload(api, content)] });
  return body.files[0].download_url;
}

const pathOf = (url: string) => url.slice(service.url.length);

/** Opens a connection that writes and reads slowly, and knows when the service has closed it. */
async function connection(head: string, { url } = service): Promise<{ socket: Socket; isClosed(): boolean }> {
  const socket = (await openSocket(url)).pause();
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  socket.write(head);
  return { socket, isClosed: () => isClosed };
}

/** Writes until the connection is closed. A paused socket would not notice it. */
async function drip(socket: Socket, chunk: string, everyMs: number, isOver: () => boolean): Promise<void> {
  socket.resume();
  while (!isOver() && socket.writable && !socket.destroyed) {
    socket.write(chunk);
    await sleep(everyMs);
  }
}

const slowClients = async (direction: string) => {
  const { text } = await service.anonymous.request('GET', '/metrics');
  return Number(new RegExp(`^waybill_http_slow_clients_total{direction="${direction}"} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
};

describe('a body that drips', () => {
  test('is not waited for: of a form', async () => {
    const before = await slowClients('request');
    const { socket, isClosed } = await connection(
      `POST /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.secret}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 10000000\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`,
    );
    await drip(socket, 'x', 50, isClosed);
    expect(await slowClients('request')).toBe(before + 1);
  });

  test('is not waited for: of a file', async () => {
    const before = await slowClients('request');
    const { upload_url, headers } = await announce(acme.api, { size_bytes: 10_000_000 });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { socket, isClosed } = await connection(
      `PUT ${pathOf(upload_url)} HTTP/1.1\r\nHost: x\r\n${lines.join('')}${'content-length' in headers ? '' : 'Content-Length: 10000000\r\n'}\r\n`,
    );
    await drip(socket, 'x', 50, isClosed);
    expect(await slowClients('request')).toBe(before + 1);
  });

  test('is taken as long as it keeps the pace, whatever time that takes in all', async () => {
    const size = 200_000;
    const { upload_url, headers } = await announce(acme.api, { size_bytes: size });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { socket } = await connection(
      `PUT ${pathOf(upload_url)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n${lines.join('')}\r\n`,
    );
    let responded = '';
    socket.on('data', (chunk) => {
      responded += chunk;
    });
    socket.resume();
    // At least four windows, at five times the minimum rate.
    for (let sent = 0; sent < size; sent += 4_000) {
      socket.write('x'.repeat(4_000));
      await sleep((SLOW_CLIENT_S * 1000 * 4) / (size / 4_000));
    }
    await expect.poll(() => responded, GENEROUSLY).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});

describe('many downloads', () => {
  let patient: FileService;
  beforeAll(async () => {
    patient = await startFileService('folder', { DOWNLOADS_PER_ADDRESS_MAX: String(PER_ADDRESS_MAX) });
  });
  afterAll(() => patient.stop());

  test('are refused while as many of the file, or to the address, are under way; then they go on', async () => {
    const sender = await patient.business('acme');
    await patient.business('globex');
    const [one, other] = [await urlOf(bytes, sender), await urlOf(bytes, sender)];
    const sockets: Socket[] = [];
    // Opens a few more, because a concurrent request may take the place of one of these.
    const open = async (url: string, count: number) => {
      for (let i = 0; i < count + 3; i++)
        sockets.push((await connection(`GET ${url.slice(patient.url.length)} HTTP/1.1\r\nHost: x\r\n\r\n`, patient)).socket);
    };
    const refusalAt = async (url: string) => {
      const { status, headers, bytes: body } = await download(url, { range: 'bytes=0-9' });
      const text = body.toString();
      return { status, headers, text, body: status === 206 ? undefined : JSON.parse(text) };
    };
    await open(one, DOWNLOADS_PER_FILE_MAX);
    await expect.poll(async () => (await refusalAt(one)).status, GENEROUSLY).toBe(429);
    const ofFile = await refusalAt(one);
    expectRefusal(ofFile, 'rate_limited');
    expect([ofFile.text, ofFile.headers.get('retry-after')]).toEqual([
      expect.stringContaining(`${DOWNLOADS_PER_FILE_MAX} downloads of one file`),
      '5',
    ]);
    expect((await refusalAt(other)).status).toBe(206);
    await open(other, PER_ADDRESS_MAX - DOWNLOADS_PER_FILE_MAX);
    await expect.poll(async () => (await refusalAt(other)).text, GENEROUSLY).toContain(`${PER_ADDRESS_MAX} downloads to one address`);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => [(await refusalAt(one)).status, (await refusalAt(other)).status], GENEROUSLY).toEqual([206, 206]);
  });
});

describe('a download', () => {
  test('that is not read is dropped, one that is read goes on', async () => {
    const url = await urlOf(bytes);
    const before = await slowClients('response');
    const unread = await connection(`GET ${pathOf(url)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const read = await connection(`GET ${pathOf(url)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let received = 0;
    read.socket.on('data', (chunk) => {
      received += chunk.length;
      // Reads about a megabyte at a time.
      if (Math.floor(received / MB) > Math.floor((received - chunk.length) / MB)) {
        read.socket.pause();
        setTimeout(() => read.socket.resume(), 400);
      }
    });
    const ended = once(read.socket, 'end');
    read.socket.resume();
    await expect.poll(() => slowClients('response'), GENEROUSLY).toBe(before + 1);
    await ended;
    expect(received).toBeGreaterThan(bytes.length);
    unread.socket.destroy();
    read.socket.destroy();
  });

  test('that the client has already is not sent again', async () => {
    const url = await urlOf(someBytes(1_000));
    const { headers } = await download(url);
    const again = await download(url, { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });
});
