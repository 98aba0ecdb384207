import { once } from 'node:events';
import { readdir, readlink, stat } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MB } from '../../src/contract/limits.ts';
import type { ApiResponse } from '../support/api.ts';
import { type FileService, startFileService } from '../support/file-service.ts';
import { filesIn, isOfLog } from '../support/files-in.ts';
import { temporaryFolder } from '../support/process.ts';
import { expectRefusal } from '../support/refusals.ts';
import type { TestBusiness } from '../support/service.ts';
import { announce, put, sha256Of, someBytes } from '../support/transfer.ts';

const SIZE_BYTES = 4 * MB;
const WRITERS = 12;

interface Put {
  sending: ClientRequest;
  response: Promise<Pick<ApiResponse, 'status' | 'headers' | 'body'>>;
}

let service: FileService;
let acme: TestBusiness;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  service = await startFileService('folder', { DATA_DIR: folder });
  acme = await service.business('acme');
  await service.business('globex');
});
afterAll(() => service.stop());

function begin(url: string, headers: Record<string, string>, first: Buffer, sizeBytes: number): Put {
  const sending = request(url, { method: 'PUT', headers: { ...headers, 'content-length': sizeBytes }, agent: false });
  sending.on('error', () => {});
  sending.write(first);
  const response = (async () => {
    const [incoming] = (await once(sending, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await incoming.toArray()).toString();
    return {
      status: incoming.statusCode ?? 0,
      headers: new Headers(incoming.headers as Record<string, string>),
      body: text && JSON.parse(text),
    };
  })();
  response.catch(() => {});
  return { sending, response };
}

const filesAside = () => filesIn(path.join(folder, 'files/aside'));

/** The disk space of files under way, with those that have lost their name. */
async function bytesAside(): Promise<number> {
  const files = (await filesAside()).map((file) => path.join(folder, 'files/aside', file));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file).catch(() => undefined))?.blocks ?? 0));
  return sizes.reduce((sum, blocks) => sum + blocks * 512, 0) + (await bytesUnnamed());
}

async function bytesUnnamed(): Promise<number> {
  const descriptors = (await readdir('/proc/self/fd')).map((fd) => `/proc/self/fd/${fd}`);
  const open = await Promise.all(
    descriptors.map(async (fd) => (isOfLog(await readlink(fd).catch(() => '')) ? undefined : stat(fd).catch(() => undefined))),
  );
  const lost = open.filter((found) => found?.isFile() && found.nlink === 0);
  return new Map(lost.map((found) => [found?.ino, found?.blocks ?? 0])).values().reduce((sum, blocks) => sum + blocks * 512, 0);
}

const urlAt = (url: string, at: string) => url.replace(/^http:\/\/[^/]+/, at);

describe.each(['an upload', 'a part of an upload'])('%s', (kind) => {
  /** Returns where to PUT this many bytes, and how to read the joined result. */
  async function announced(size_bytes: number): Promise<{ url: string; headers: Record<string, string>; send(): Promise<ApiResponse> }> {
    if (kind === 'an upload') {
      const { upload_id, upload_url, headers } = await announce(acme.api, { size_bytes });
      return { url: upload_url, headers, send: () => acme.api.send({ to: 'globex', files: [upload_id] }) };
    }
    const fields = { filename: 'a', content_type: 'a/b', size_bytes, parts: true };
    const { upload_id } = (await acme.api.write('POST', '/uploads', fields)).body;
    const [part] = (await acme.api.write('POST', `/uploads/${upload_id}/parts`, { numbers: [1] })).body.parts;
    const send = async () => {
      await acme.api.request('POST', `/v1/uploads/${upload_id}/complete`);
      return acme.api.send({ to: 'globex', files: [upload_id] });
    };
    return { url: part.url, headers: part.headers, send };
  }

  test('has one writer: the newest, however many PUT all but the last byte', async () => {
    const { url, headers, send } = await announced(SIZE_BYTES);
    const puts: Put[] = [];
    const bytes = someBytes(SIZE_BYTES);
    const unnamed = await bytesUnnamed();
    for (let i = 0; i < WRITERS; i++) {
      const before = await filesAside();
      puts.push(begin(url, headers, bytes.subarray(0, -1), SIZE_BYTES));
      // PUT one after another, so that the last one is the newest.
      while (isDeepStrictEqual(await filesAside(), before)) await sleep(5);
    }
    const newest = puts.pop() as Put;
    for (const { response } of puts) expectRefusal((await response) as ApiResponse, 'conflict');
    // All but the last byte of one PUT, and the bytes that an older one has written before its next check.
    await expect.poll(bytesAside).toBeLessThan(SIZE_BYTES + 2 * MB + unnamed);
    newest.sending.end(bytes.subarray(-1));
    expect((await newest.response).status).toBe(200);
    expect((await send()).body.files[0].sha256).toBe(sha256Of(bytes));
    expect(await bytesAside()).toBeLessThanOrEqual(unnamed);
  });

  test('takes the bytes of a client that tries again at once, although its first connection still stands', async () => {
    const { url, headers, send } = await announced(SIZE_BYTES);
    const stalled = begin(url, headers, someBytes(1000), SIZE_BYTES);
    while ((await bytesAside()) === 0) await sleep(5);
    const bytes = someBytes(SIZE_BYTES);
    expect((await put({ upload_url: url, headers }, bytes)).status).toBe(200);
    const response = await stalled.response;
    expectRefusal(response as ApiResponse, 'conflict');
    expect(response.body.error.message).toContain('newer request');
    expect((await send()).body.files[0].sha256).toBe(sha256Of(bytes));
  });

  test('has one writer over two processes', async () => {
    const other = await service.sibling();
    try {
      const { url, headers, send } = await announced(SIZE_BYTES);
      const bytes = someBytes(SIZE_BYTES);
      const older = begin(url, headers, bytes.subarray(0, -1), SIZE_BYTES);
      while ((await bytesAside()) < SIZE_BYTES / 2) await sleep(5);
      const newer = begin(urlAt(url, other.url), headers, bytes.subarray(0, -1), SIZE_BYTES);
      expectRefusal((await older.response) as ApiResponse, 'conflict');
      newer.sending.end(bytes.subarray(-1));
      expect((await newer.response).status).toBe(200);
      expect((await send()).body.files[0].sha256).toBe(sha256Of(bytes));
    } finally {
      await other.stop();
    }
  });

  test('is whole, and of one PUT, however many are done at once', async () => {
    const { url, headers, send } = await announced(200_000);
    const all = Array.from({ length: 20 }, () => someBytes(200_000));
    const responses = await Promise.all(all.map((bytes) => put({ upload_url: url, headers }, bytes).catch(() => undefined)));
    expect(responses.filter((response) => response?.status === 200).length).toBeGreaterThan(0);
    for (const response of responses) if (response && response.status !== 200) expectRefusal(response, 'conflict');
    const { body } = await send();
    expect(all.map(sha256Of)).toContain(body.files[0].sha256);
  });
});
