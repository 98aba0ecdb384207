import http from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Compressor } from '../../src/http/compression.ts';
import { type FileService, startFileService } from '../support/file-service.ts';
import { startTestService, type TestBusiness } from '../support/service.ts';
import { upload } from '../support/transfer.ts';

let service: FileService;
let acme: TestBusiness;
let globex: TestBusiness;
const DECODED = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync, identity: (bytes: Buffer) => bytes };

beforeAll(async () => {
  service = await startFileService('folder');
  acme = await service.business('acme', { claimed: true });
  globex = await service.business('globex', { claimed: true });
  for (let i = 0; i < 5; i++) await acme.api.send({ to: 'globex', json: { order: i, lines: 'a line '.repeat(500) } });
});
afterAll(() => service.stop());

interface Raw {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** Uses node:http, because fetch would decode the body. */
function ask(path: string, headers: Record<string, string>, { url = service.url, method = 'GET', body = '' } = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      `${url}${path}`,
      { method, headers: { authorization: `Bearer ${globex.secret}`, ...headers } },
      async (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(await response.toArray()) }),
    );
    sent.on('error', reject).end(body);
  });
}

describe('a response is compressed as the client can take it', () => {
  test.each(['/v1/inbox', '/openapi.json', '/docs', '/docs/reference'])('at %s', async (path) => {
    const plain = await ask(path, {});
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding']);
    for (const encoding of ['gzip', 'br', 'zstd'] as const) {
      const { headers, bytes } = await ask(path, { 'accept-encoding': encoding });
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding']);
      expect(DECODED[encoding](bytes).equals(plain.bytes), encoding).toBe(true);
      expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    }
  });

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'br'],
    ['br;q=0, GZIP', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['zstd;q=0, *', 'br'],
    ['identity', undefined],
    ['deflate', undefined],
    ['', undefined],
    [';;,q=,gzip;q=x', undefined],
    [`${'x,'.repeat(5_000)}gzip`, undefined],
  ])('with Accept-Encoding: %s', async (accepted, expected) => {
    const { status, headers, bytes } = await ask('/v1/inbox', { 'accept-encoding': accepted });
    expect([status, headers['content-encoding']]).toEqual([200, expected]);
    expect(JSON.parse(DECODED[(expected ?? 'identity') as keyof typeof DECODED](bytes).toString()).data).toHaveLength(5);
  });

  test('and HEAD says the same as GET', async () => {
    const [get, head] = [
      await ask('/docs', { 'accept-encoding': 'br' }),
      await ask('/docs', { 'accept-encoding': 'br' }, { method: 'HEAD' }),
    ];
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) expect(head.headers[name], name).toBe(get.headers[name]);
    expect(head.bytes).toHaveLength(0);
  });
});

describe('nothing is gained, and so nothing compressed', () => {
  const accepting = { 'accept-encoding': 'gzip, br, zstd' };

  test('of small responses, of files, and of streams of events', async () => {
    expect((await ask('/v1/me', accepting)).headers['content-encoding']).toBeUndefined();
    const id = await upload(acme.api, 'text '.repeat(10_000), { content_type: 'text/plain' });
    const { body } = await acme.api.send({ to: 'globex', files: [id] });
    const file = await ask(body.files[0].download_url.slice(service.url.length), accepting);
    expect([file.status, file.headers['content-encoding'], file.bytes.length]).toEqual([200, undefined, 50_000]);
    const { headers } = await fetch(`${service.url}/v1/events`, {
      headers: { authorization: `Bearer ${globex.secret}`, ...accepting },
      signal: AbortSignal.timeout(2_000),
    });
    expect(headers.get('content-encoding')).toBeNull();
  });

  test('of what is made by a request that chooses part of the text: a secret beside it could be guessed by its length', async () => {
    const sent = await ask(
      '/v1/messages',
      { ...accepting, 'content-type': 'application/json' },
      { method: 'POST', body: JSON.stringify({ to: 'acme', json: { lines: 'a line '.repeat(1_000) } }) },
    );
    expect([sent.status, sent.headers['content-encoding']]).toEqual([201, undefined]);
  });

  test('of scripts and styles, which were compressed when they were built', async () => {
    const script = /src="(\/assets\/[^"]+\.js)"/.exec((await ask('/', {})).bytes.toString())?.[1] ?? '';
    const [br, again] = [await ask(script, accepting), await ask(script, { ...accepting, 'if-none-match': '*' })];
    expect([br.headers['content-encoding'], again.status]).toEqual(['br', 304]);
    expect((await ask(script, { 'accept-encoding': 'zstd' })).headers['content-encoding']).toBeUndefined();
  });
});

describe('compression has a share of the processor', () => {
  test('COMPRESSION_PERCENT=0 turns it off', async () => {
    const other = await startTestService({ COMPRESSION_PERCENT: '0' });
    const { status, headers } = await ask('/docs', { 'accept-encoding': 'gzip' }, { url: other.url });
    expect([status, headers['content-encoding']]).toEqual([200, undefined]);
    await other.stop();
  });

  test('past it, responses go out as they are, at once', async () => {
    const other = await startTestService({ COMPRESSION_PERCENT: '1' });
    const encodings: (string | undefined)[] = [];
    for (let i = 0; i < 400 && !encodings.includes(undefined); i++) {
      const { status, headers } = await ask('/docs/reference/objects', { 'accept-encoding': 'br' }, { url: other.url });
      expect(status).toBe(200);
      encodings.push(headers['content-encoding']);
    }
    expect(encodings[0]).toBe('br');
    expect(encodings).toContain(undefined);
    await other.stop();
  });

  test('two bodies at a time; others do not wait', async () => {
    const compressor = new Compressor(100);
    const done = await Promise.all(Array.from({ length: 5 }, () => compressor.compress('gzip', Buffer.alloc(100_000))));
    expect(done.map((bytes) => bytes !== undefined)).toEqual([true, true, false, false, false]);
    expect(await compressor.compress('gzip', Buffer.alloc(100_000))).toBeDefined();
  });
});
