import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FormService, sha256Of, startFormService, stores } from '../../../server/test/support/form-service.ts';
import type { TestBusiness } from '../../../server/test/support/service.ts';
import { type UploadProgress, Waybill, WaybillError } from '../src/index.ts';
import { downloadFile, uploadFile } from '../src/node.ts';
import { startUnsteadyNetwork } from './support/unsteady-network.ts';

const MB = 1_048_576;
const PART = 16 * MB;
const bytes = randomBytes(2 * PART + 12_345);
const folder = mkdtempSync(path.join(os.tmpdir(), 'waybill-transfers-'));
const file = path.join(folder, 'scan.tiff');

beforeAll(() => writeFileSync(file, bytes));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function streamOf(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
  });
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer());
}

describe.each(stores)('with files in the %s', (store) => {
  let service: FormService;
  let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];
  let [sender, recipient] = [] as unknown as [Waybill, Waybill];
  const clientOf = ({ secret }: TestBusiness, baseUrl = service.url) => new Waybill({ baseUrl, key: secret });

  beforeAll(async () => {
    service = await startFormService({}, store);
    [acme, globex] = [await service.business('acme'), await service.business('globex')];
    [sender, recipient] = [clientOf(acme), clientOf(globex)];
  });
  afterAll(() => service.stop());

  test('a file goes from disk to disk, with its hash checked and its progress told', async () => {
    const progress: UploadProgress[] = [];
    const uploaded = await uploadFile(sender, file, { contentType: 'image/tiff', onProgress: (one) => progress.push(one) });
    expect(uploaded).toMatchObject({ filename: 'scan.tiff', sizeBytes: bytes.length, sha256: sha256Of(bytes) });
    expect(progress[0]).toEqual({ uploadId: uploaded.id, sentBytes: 0, totalBytes: bytes.length });
    expect(progress.map(({ sentBytes }) => sentBytes)).toEqual(progress.map(({ sentBytes }) => sentBytes).toSorted((a, b) => a - b));
    expect(progress.at(-1)?.sentBytes).toBe(bytes.length);
    const { id } = await sender.send({ to: 'globex', files: [uploaded] });
    const [received] = (await recipient.message(id)).files;
    expect(received).toMatchObject({ filename: 'scan.tiff', content_type: 'image/tiff', sha256: sha256Of(bytes) });
    const target = path.join(folder, `received-${store}`);
    let receivedBytes = 0;
    await downloadFile(recipient, received ?? '', target, { onProgress: (one) => ({ receivedBytes } = one) });
    expect([receivedBytes, readFileSync(target).equals(bytes)]).toEqual([bytes.length, true]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('small and empty files, blobs and streams', async () => {
    const blob = new File(['hello'], 'hello.txt', { type: 'text/plain' });
    const streamed = await sender.upload(streamOf(bytes.subarray(0, 7), bytes.subarray(7, PART + 9)), {
      size: PART + 9,
      filename: 'stream',
    });
    const empty = await sender.upload(new Uint8Array(), { filename: 'empty' });
    const { id } = await sender.send({ to: 'globex', files: [blob, streamed, empty] });
    const { files } = await recipient.message(id);
    const sent = [Buffer.from('hello'), bytes.subarray(0, PART + 9), Buffer.alloc(0)];
    expect(files).toMatchObject([
      { filename: 'hello.txt', content_type: 'text/plain', sha256: sha256Of('hello') },
      { filename: 'stream', size_bytes: PART + 9, sha256: sha256Of(bytes.subarray(0, PART + 9)) },
      { filename: 'empty', size_bytes: 0, sha256: sha256Of('') },
    ]);
    for (const [index, one] of files.entries()) {
      const got = await bytesOf(recipient.download(one.id));
      expect(got.equals(sent[index] ?? Buffer.alloc(1))).toBe(true);
    }
  });

  test('an upload that was aborted is resumed with what is missing', async () => {
    const aborting = new AbortController();
    let uploadId = '';
    const broken = sender.upload(new Blob([bytes]), {
      filename: 'big',
      signal: aborting.signal,
      onProgress: (progress) => {
        uploadId = progress.uploadId;
        if (progress.sentBytes >= PART) aborting.abort(new Error('the lid was closed'));
      },
    });
    await expect(broken).rejects.toThrow('the lid was closed');
    const arrived = async () => (await acme.api.get(`/uploads/${uploadId}`)).body.arrived_parts as number[];
    const before = await arrived();
    expect(before.length).toBeGreaterThan(0);
    const puts = new Set<string>();
    const counting = new Waybill({
      baseUrl: service.url,
      key: acme.secret,
      fetch: (url, init) => {
        // A part may be retried while the service still has the earlier try.
        if (init.method === 'PUT') puts.add(/part(?:Number)?=(\d+)/.exec(url)?.[1] ?? url);
        return fetch(url, init);
      },
    });
    const resumed = await counting.upload(new Blob([bytes]), { filename: 'big', resume: uploadId });
    expect([resumed.id, resumed.sha256]).toEqual([uploadId, sha256Of(bytes)]);
    expect(puts.size).toBeLessThanOrEqual(3 - before.length);
    // A complete upload is only hashed again.
    expect(await counting.upload(new Blob([bytes]), { filename: 'big', resume: uploadId })).toEqual(resumed);
    const { files } = await sender.send({ to: 'globex', files: [resumed] });
    expect(files[0]?.sha256).toBe(resumed.sha256);
    await expect(sender.upload(new Blob(['other']), { resume: uploadId })).rejects.toThrow(/start a new upload/);
  });

  test('an upload whose file has changed meanwhile is found out', async () => {
    const uploaded = await sender.upload(new Blob(['the bytes']), { filename: 'x' });
    const changed = { ...uploaded, sha256: sha256Of('other bytes') };
    await expect(sender.send({ to: 'globex', files: [changed] })).rejects.toMatchObject({ code: 'hash_mismatch' });
  });

  test.each([
    ['shorter', 3],
    ['longer', 99],
  ])('a stream that is %s than announced fails', async (_name, size) => {
    const stream = size === 99 ? streamOf(Buffer.from('abc')) : streamOf(Buffer.from('abcdef'));
    await expect(sender.upload(stream, { size, filename: 'x' })).rejects.toThrow(/stream/);
  });

  test('without a size, a stream is refused', async () => {
    await expect(sender.upload(streamOf(), { filename: 'x' })).rejects.toThrow(/size/);
  });

  test('a download whose bytes are not those of the message fails at its end', async () => {
    const { files } = await sender.send({ to: 'globex', files: [new Blob(['the bytes'])] });
    const wrong = recipient.download({ id: files[0]?.id ?? '', sha256: sha256Of('others') });
    await expect(bytesOf(wrong)).rejects.toMatchObject({ code: 'hash_mismatch' });
    const target = path.join(folder, 'wrong');
    await expect(downloadFile(recipient, { id: files[0]?.id ?? '', sha256: sha256Of('others') }, target)).rejects.toThrow(WaybillError);
    expect(readdirSync(folder).filter((name) => name.startsWith('wrong'))).toEqual([]);
  });

  test('a file of somebody else is not found', async () => {
    const other = clientOf(await service.business(`other-${store}`));
    const { files } = await sender.send({ to: 'globex', files: [new Blob(['secret'])] });
    await expect(bytesOf(other.download(files[0] ?? ''))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('on an unsteady network', () => {
  let service: FormService;
  let network: Awaited<ReturnType<typeof startUnsteadyNetwork>>;
  let [acme, globex] = [] as unknown as [TestBusiness, TestBusiness];

  beforeAll(async () => {
    service = await startFormService();
    network = await startUnsteadyNetwork(service.url);
    [acme, globex] = [await service.business('acme'), await service.business('globex')];
  });
  afterAll(async () => {
    await network.stop();
    await service.stop();
  });

  /** Sends all requests through the network, also those to signed URLs. */
  const through = ({ secret }: TestBusiness) =>
    new Waybill({ baseUrl: network.url, key: secret, fetch: (url, init) => fetch(url.replace(service.url, network.url), init) });

  test('parts that break are sent again', async () => {
    const sender = through(acme);
    await sender.me();
    network.cutAll();
    // An upload part has 16 MB, so each part on one of these connections breaks.
    network.cutAfter = Array.from({ length: 4 }, () => ({ client: 3 * MB }));
    const cuts = network.cuts;
    const uploaded = await sender.upload(new Blob([bytes]), { filename: 'scan.tiff' });
    expect(network.cuts - cuts).toBeGreaterThanOrEqual(2);
    const { files } = await sender.send({ to: 'globex', files: [uploaded] });
    expect(files[0]?.sha256).toBe(sha256Of(bytes));
  });

  test('a download goes on where it broke', async () => {
    const uploaded = await through(acme).upload(new Blob([bytes]), { filename: 'scan.tiff' });
    const { id } = await through(acme).send({ to: 'globex', files: [uploaded] });
    const [received] = (await through(globex).message(id)).files;
    network.cutAll();
    network.cutAfter = [{ service: 9 * MB }, { service: 9 * MB }];
    const cuts = network.cuts;
    const ranges: (string | undefined)[] = [];
    const recipient = new Waybill({
      baseUrl: network.url,
      key: globex.secret,
      fetch: (url, init) => {
        ranges.push(new Headers(init.headers).get('range') ?? undefined);
        return fetch(url.replace(service.url, network.url), init);
      },
    });
    expect((await bytesOf(recipient.download(received ?? ''))).equals(bytes)).toBe(true);
    expect(network.cuts - cuts).toBeGreaterThanOrEqual(1);
    expect(ranges.some((range) => /^bytes=[1-9]\d*-$/.test(range ?? ''))).toBe(true);
  });
});
