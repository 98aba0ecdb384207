import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ServiceUnderTest } from './service-process.ts';

export interface TransferResult {
  name: string;
  mbPerSecond: number;
  ratio: number;
}

const MB = 1_048_576;
const INLINE_BYTES = 25 * MB;
const INLINE_FILES = 40;
const LARGE_BYTES = 5 * 1024 * MB;
const HASHED_BYTES = 512 * MB;

/** Measures files in the request itself, then one of 5 GB each way. */
export async function measureTransfers(
  service: ServiceUnderTest,
  key: string,
  progress: (text: string) => void,
): Promise<TransferResult[]> {
  progress('hashing with sha256sum, for scale');
  const hashing = hashingMbPerSecond();
  const results: TransferResult[] = [];
  const record = (name: string, bytes: number, seconds: number) => {
    const mbPerSecond = bytes / MB / seconds;
    results.push({ name, mbPerSecond, ratio: mbPerSecond / hashing });
  };
  results.push({ name: 'sha256sum', mbPerSecond: hashing, ratio: 1 });

  progress(`sending ${INLINE_FILES} messages with a file of 25 MB`);
  const form = inlineForm();
  record(
    '25 MB inside of a send',
    INLINE_BYTES * INLINE_FILES,
    await seconds(async () => {
      for (let i = 0; i < INLINE_FILES; i++) await sendForm(service, key, form);
    }),
  );

  progress('uploading 5 GB');
  const upload = (await call(service, key, '/v1/uploads', {
    filename: 'large.bin',
    content_type: 'application/octet-stream',
    size_bytes: LARGE_BYTES,
  })) as {
    upload_id: string;
    upload_url: string;
    headers: Record<string, string>;
  };
  record('5 GB uploaded', LARGE_BYTES, await seconds(() => putZeros(upload.upload_url, upload.headers)));
  const message = (await call(service, key, '/v1/messages', { to: 'hot', files: [upload.upload_id] })) as {
    files: { download_url: string }[];
  };

  progress('downloading 5 GB');
  record('5 GB downloaded', LARGE_BYTES, await seconds(() => download(message.files[0]?.download_url ?? '')));
  return results;
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/** Measures with sha256sum or, without it, with Node's own hash. */
function hashingMbPerSecond(): number {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-hash-'));
  const file = path.join(folder, 'bytes');
  const bytes = randomBytes(HASHED_BYTES);
  writeFileSync(file, bytes);
  const startedAt = performance.now();
  if (spawnSync('sha256sum', [file]).status !== 0) createHash('sha256').update(bytes).digest();
  const took = (performance.now() - startedAt) / 1000;
  rmSync(folder, { recursive: true, force: true });
  return HASHED_BYTES / MB / took;
}

function inlineForm(): Buffer {
  const head =
    '--boundary\r\nContent-Disposition: form-data; name="to"\r\n\r\nhot\r\n--boundary\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\nContent-Type: application/octet-stream\r\n\r\n';
  return Buffer.concat([Buffer.from(head), randomBytes(INLINE_BYTES), Buffer.from('\r\n--boundary--\r\n')]);
}

async function sendForm({ port }: ServiceUnderTest, key: string, form: Buffer): Promise<void> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'multipart/form-data; boundary=boundary',
    'content-length': String(form.length),
  };
  await exchange(http.request({ port, path: '/v1/messages', method: 'POST', headers, agent: keepAlive }), 201, (request) =>
    request.end(form),
  );
}

const keepAlive = new http.Agent({ keepAlive: true });

async function putZeros(url: string, headers: Record<string, string>): Promise<void> {
  const chunk = Buffer.alloc(MB);
  const bytes = Readable.from(
    (function* () {
      for (let sent = 0; sent < LARGE_BYTES; sent += MB) yield chunk;
    })(),
    { objectMode: false },
  );
  const request = http.request(url, { method: 'PUT', headers: { ...headers, 'content-length': String(LARGE_BYTES) } });
  await exchange(request, 200, () => void pipeline(bytes, request).catch(() => {}));
}

async function download(url: string): Promise<void> {
  let received = 0;
  await exchange(
    http.get(url),
    200,
    () => {},
    (chunk) => {
      received += chunk.length;
    },
  );
  if (received !== LARGE_BYTES) throw new Error(`downloaded ${received} bytes`);
}

function exchange(
  request: http.ClientRequest,
  status: number,
  begin: (request: http.ClientRequest) => void,
  see: (chunk: Buffer) => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      response.on('data', see);
      response.on('error', reject);
      response.on('end', () => (response.statusCode === status ? resolve() : reject(new Error(`status ${response.statusCode}`))));
    });
    begin(request);
  });
}

async function call({ port }: ServiceUnderTest, key: string, at: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${at}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(await response.text());
  return response.json();
}
