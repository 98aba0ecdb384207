import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import type { PartedUpload } from '../../src/platform/objects/parts.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { isGivenS3 } from '../support/s3-server.ts';
import { cut, download, put, someBytes } from '../support/transfer.ts';

/** The minimum part size of S3, except for the last part. The server of the tests accepts less. */
const PART_BYTES = isGivenS3 ? 5 * MB : 1_000;
const MANY = isGivenS3 ? 3 : 50;

/** The behaviour that all object stores share for uploads in upload parts. */
describe.each(places)('parts in a %s', (place) => {
  let service: FileService;
  let objects: ObjectStore;

  beforeAll(async () => {
    service = await startFileService(place);
    objects = service.objects;
  });
  afterAll(() => service.stop());

  const soon = () => new Date(Date.now() + 60_000);

  async function begun(sizeBytes: number, partBytes = PART_BYTES): Promise<PartedUpload> {
    const id = newUuid();
    return { id, ref: await objects.parts.begin(id, sizeBytes), sizeBytes, partBytes };
  }

  async function putPart(upload: PartedUpload, number: number, bytes: string | Buffer<ArrayBuffer>): Promise<number> {
    const { url, headers } = await objects.parts.ticket(upload, number, soon());
    return (await put({ upload_url: url, headers }, bytes)).status;
  }

  async function putAll(upload: PartedUpload, bytes: Buffer<ArrayBuffer>): Promise<void> {
    const parts = cut(bytes, upload.partBytes);
    // In any order, and several at once.
    const statuses = await Promise.all(parts.map((part, i) => putPart(upload, i + 1, part)).toReversed());
    expect(new Set(statuses)).toEqual(new Set([200]));
  }

  const bytesOf = async (id: string) => buffer(await objects.read(id));
  const keptOf = async (before: string[]) => (await service.kept()).filter((name) => !before.includes(name));

  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES, MANY * PART_BYTES + 3])(
    'become an object of %i bytes, and nothing else is left',
    async (size) => {
      const before = await service.kept();
      const [bytes, upload] = [someBytes(size), await begun(size)];
      await putAll(upload, bytes);
      expect(await objects.parts.arrived(upload)).toEqual(cut(bytes, PART_BYTES).map((_, i) => i + 1));
      expect(await objects.parts.join(upload)).toEqual([]);
      expect(bytes.equals(await bytesOf(upload.id))).toBe(true);
      const url = await objects.downloadUrl(upload.id, { filename: 'a', contentType: 'a/b', expiresAt: soon() });
      expect(bytes.equals((await download(url)).bytes)).toBe(true);
      expect(await keptOf(before)).toEqual([`objects/${upload.id}`]);
      expect(await objects.seal(upload.id, upload.id)).toBe(size);
    },
  );

  test('are no object, and can’t be sealed, before they are joined', async () => {
    const upload = await begun(5);
    await putPart(upload, 1, 'hello');
    expect(await objects.seal(upload.id, upload.id)).toBeUndefined();
    await expect(objects.read(upload.id)).rejects.toThrow();
    expect(await objects.parts.join(upload)).toEqual([]);
    expect((await bytesOf(upload.id)).toString()).toBe('hello');
  });

  test('that are missing are named, until they have come', async () => {
    const size = 3.5 * PART_BYTES;
    const [bytes, upload] = [someBytes(size), await begun(size)];
    const [, second, , fourth] = cut(bytes, PART_BYTES) as [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>, Buffer, Buffer<ArrayBuffer>];
    expect([await objects.parts.arrived(upload), await objects.parts.join(upload)]).toEqual([[], [1, 2, 3, 4]]);
    await putPart(upload, 4, fourth);
    await putPart(upload, 2, second);
    expect([await objects.parts.arrived(upload), await objects.parts.join(upload)]).toEqual([
      [2, 4],
      [1, 3],
    ]);
    await putAll(upload, bytes);
    expect(await objects.parts.join(upload)).toEqual([]);
    expect(bytes.equals(await bytesOf(upload.id))).toBe(true);
  });

  test.each(['', 'hell', 'hello!', 'x'.repeat(2_000_000)])('of another size are refused, and change nothing (%#)', async (wrong) => {
    const upload = await begun(5);
    const refused = place === 'folder' ? 400 : 403;
    expect(await putPart(upload, 1, wrong)).toBe(refused);
    expect(await objects.parts.arrived(upload)).toEqual([]);
    await putPart(upload, 1, 'hello');
    expect(await putPart(upload, 1, wrong)).toBe(refused);
    expect(await objects.parts.arrived(upload)).toEqual([1]);
    await objects.parts.join(upload);
    expect((await bytesOf(upload.id)).toString()).toBe('hello');
  });

  test('count the last time when they are PUT again', async () => {
    const upload = await begun(PART_BYTES + 4);
    const first = (fill: string) => Buffer.alloc(PART_BYTES, fill);
    for (const [number, bytes] of [
      [1, first('a')],
      [2, Buffer.from('bbbb')],
      [1, first('c')],
      [1, first('d')],
    ] as const)
      expect(await putPart(upload, number, bytes)).toBe(200);
    expect(await objects.parts.join(upload)).toEqual([]);
    expect((await bytesOf(upload.id)).equals(Buffer.concat([first('d'), Buffer.from('bbbb')]))).toBe(true);
  });

  test('are joined once, and a repeated or concurrent call gets the same result', async () => {
    const size = 2.5 * PART_BYTES;
    const [bytes, upload] = [someBytes(size), await begun(size)];
    await putAll(upload, bytes);
    const responses = await Promise.all(Array.from({ length: 10 }, () => objects.parts.join(upload)));
    expect([...responses, await objects.parts.join(upload)].flat()).toEqual([]);
    expect(await objects.parts.arrived(upload)).toEqual([1, 2, 3]);
    expect(bytes.equals(await bytesOf(upload.id))).toBe(true);
  });

  test('change nothing once they are joined', async () => {
    const before = await service.kept();
    const upload = await begun(5);
    await putPart(upload, 1, 'first');
    await objects.parts.join(upload);
    expect(await putPart(upload, 1, 'again')).toBe(place === 'folder' ? 409 : 404);
    expect(await objects.parts.join(upload)).toEqual([]);
    expect((await bytesOf(upload.id)).toString()).toBe('first');
    expect(await keptOf(before)).toEqual([`objects/${upload.id}`]);
  });

  test('are whole and of one PUT each, however many PUTs and joins there are at once', async () => {
    const each = Math.max(200_000, PART_BYTES);
    for (let round = 0; round < 3; round++) {
      const upload = await begun(2 * each, each);
      await putAll(upload, Buffer.alloc(2 * each, 'z'));
      const seen: Buffer[] = [];
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          if (i % 5 !== 4) return void (await putPart(upload, (i % 2) + 1, Buffer.alloc(each, String.fromCharCode(97 + i))));
          await sleep(i * 3);
          expect(await objects.parts.join(upload)).toEqual([]);
          seen.push(await bytesOf(upload.id));
        }),
      );
      const bytes = await bytesOf(upload.id);
      for (const one of seen) expect(one.equals(bytes)).toBe(true);
      for (const part of cut(bytes as Buffer<ArrayBuffer>, each)) expect(part.equals(Buffer.alloc(each, part[0]))).toBe(true);
      expect(bytes.length).toBe(2 * each);
    }
  });

  test('go away when they are dropped, and can’t come back', async () => {
    const before = await service.kept();
    const upload = await begun(2 * PART_BYTES);
    await putPart(upload, 1, someBytes(PART_BYTES));
    expect(await keptOf(before)).not.toEqual([]);
    await objects.parts.drop(upload);
    expect(await keptOf(before)).toEqual([]);
    expect(await objects.parts.arrived(upload)).toEqual([]);
    await expect(objects.parts.drop(upload)).resolves.toBeUndefined();
    expect(await objects.parts.join(upload)).toEqual([1, 2]);
  });

  test('do not go away with what has become of them', async () => {
    const upload = await begun(5);
    await putPart(upload, 1, 'hello');
    await objects.parts.join(upload);
    await objects.parts.drop(upload);
    await objects.removeUpload(upload.id);
    expect((await bytesOf(upload.id)).toString()).toBe('hello');
    await objects.remove(upload.id);
    await expect(objects.read(upload.id)).rejects.toThrow();
  });

  if (place === 'folder')
    test('are listed by their id, and removed by it', async () => {
      const upload = await begun(2_000);
      await putPart(upload, 2, someBytes(PART_BYTES));
      await service.age(`parts/${upload.id}`, 10);
      expect(await Array.fromAsync(objects.list(new Date(Date.now() - 9 * 3_600_000)))).toEqual([upload.id]);
      await objects.remove(upload.id);
      expect((await service.kept()).filter((name) => name.includes(upload.id))).toEqual([]);
    });
});
