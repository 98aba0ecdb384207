import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../src/contract/ids.ts';
import { MB } from '../../src/contract/limits.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { type FileService, places, startFileService } from '../support/file-service.ts';
import { download, put, sha256Of, someBytes } from '../support/transfer.ts';

const CHUNK_BYTES = 100_003;
const TYPE = 'application/octet-stream';

/** The behaviour that all object stores share. */
describe.each(places)('a store in a %s', (place) => {
  let service: FileService;
  let objects: ObjectStore;

  beforeAll(async () => {
    service = await startFileService(place);
    objects = service.objects;
  });
  afterAll(() => service.stop());

  const soon = () => new Date(Date.now() + 60_000);

  /** Splits into chunks that never end where a part does. */
  function inChunks(bytes: Buffer): Readable {
    const pieces = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, i) =>
      bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
    );
    return Readable.from(pieces, { objectMode: false });
  }

  async function written(bytes: Buffer): Promise<string> {
    const id = newUuid();
    await objects.write(id, inChunks(bytes));
    return id;
  }

  async function putTo(id: string, bytes: Buffer<ArrayBuffer>): Promise<number> {
    const { url, headers } = await objects.uploadTicket(id, { sizeBytes: bytes.length, contentType: TYPE, expiresAt: soon() });
    return (await put({ upload_url: url, headers }, bytes)).status;
  }

  async function uploaded(bytes: Buffer<ArrayBuffer>): Promise<string> {
    const id = newUuid();
    expect(await putTo(id, bytes)).toBe(200);
    return id;
  }

  async function bytesOf(id: string): Promise<Buffer> {
    return buffer(await objects.read(id));
  }

  async function urlOf(id: string): Promise<string> {
    return objects.downloadUrl(id, { filename: 'a name.pdf', contentType: 'application/pdf', expiresAt: soon() });
  }

  async function listed(changedBefore: Date): Promise<string[]> {
    return (await Array.fromAsync(objects.list(changedBefore))).toSorted();
  }

  describe('write', () => {
    test.each([
      ['no byte', 0],
      ['1 byte', 1],
      ['a byte less than 8 MB', 8 * MB - 1],
      ['8 MB', 8 * MB],
      ['a byte more than 8 MB', 8 * MB + 1],
      ['25 MB', 25 * MB],
    ])('keeps %s, and tells how many there are and their hash', async (_name, size) => {
      const bytes = someBytes(size);
      const id = newUuid();
      const { sizeBytes, sha256 } = await objects.write(id, inChunks(bytes));
      expect([sizeBytes, `sha256:${sha256.toString('hex')}`]).toEqual([size, sha256Of(bytes)]);
      expect(bytes.equals(await bytesOf(id))).toBe(true);
      expect(bytes.equals((await download(await urlOf(id))).bytes)).toBe(true);
    });

    test('keeps what is written at the same time apart', async () => {
      const all = Array.from({ length: 20 }, (_, i) => someBytes(1000 + i));
      const ids = await Promise.all(all.map(written));
      for (const [i, id] of ids.entries()) expect(all[i]?.equals(await bytesOf(id))).toBe(true);
    });

    test.each([
      ['before the first byte', 0],
      ['in the first MB', 1],
      ['after 8 MB', 8],
      ['after 20 MB', 20],
    ])('leaves nothing when its source breaks %s', async (_name, megabytes) => {
      const before = await service.kept();
      const source = Readable.from(
        (async function* () {
          for (let i = 0; i < megabytes; i++) yield someBytes(MB);
          throw new Error('the source broke');
        })(),
        { objectMode: false },
      );
      await expect(objects.write(newUuid(), source)).rejects.toThrow('the source broke');
      expect(await service.kept()).toEqual(before);
    });
  });

  describe('seal', () => {
    /** Seals as the service does. Each copy in a bucket makes an object of its own. */
    async function seal(id: string): Promise<{ objectId: string; size: number | undefined }> {
      const objectId = objects.sealsByCopy ? newUuid() : id;
      return { objectId, size: await objects.seal(id, objectId) };
    }

    test.each([0, 1, 3 * MB])('makes an object of %i uploaded bytes, and tells how many', async (size) => {
      const bytes = someBytes(size);
      const id = await uploaded(bytes);
      const sealed = await seal(id);
      expect(sealed.size).toBe(size);
      await objects.removeUpload(id);
      expect(bytes.equals(await bytesOf(sealed.objectId))).toBe(true);
      expect(bytes.equals((await download(await urlOf(sealed.objectId))).bytes)).toBe(true);
      expect((await service.kept()).filter((name) => name.includes(id) || name.includes(sealed.objectId))).toEqual([
        `objects/${sealed.objectId}`,
      ]);
    });

    test('tells that nothing was uploaded, and leaves nothing', async () => {
      const before = await service.kept();
      expect((await seal(newUuid())).size).toBeUndefined();
      expect(await service.kept()).toEqual(before);
    });

    test('leaves what comes while it finds nothing', async () => {
      for (let round = 0; round < 20; round++) {
        const id = newUuid();
        let isPut = false;
        const putting = putTo(id, Buffer.from('hello')).then((status) => {
          isPut = true;
          return status;
        });
        let sealed: number | undefined;
        while (!isPut && sealed === undefined) sealed = (await seal(id)).size;
        // An upload that is sealed before the response to its PUT is fine, too.
        expect(await putting).toBe(200);
        expect((await seal(id)).size).toBe(5);
      }
    });

    test('only tells when it is repeated for the same object', async () => {
      const bytes = someBytes(1000);
      const id = await uploaded(bytes);
      const { objectId } = await seal(id);
      await objects.removeUpload(id);
      expect([await objects.seal(id, objectId), await objects.seal(id, objectId)]).toEqual([1000, 1000]);
      expect(bytes.equals(await bytesOf(objectId))).toBe(true);
    });

    test('gives all concurrent calls an object with the bytes', async () => {
      const all = Array.from({ length: 10 }, () => someBytes(777));
      await Promise.all(
        all.map(async (bytes) => {
          const id = await uploaded(bytes);
          for (const { objectId, size } of await Promise.all(Array.from({ length: 20 }, () => seal(id)))) {
            expect(size).toBe(777);
            expect(bytes.equals(await bytesOf(objectId))).toBe(true);
          }
        }),
      );
    });

    test('is what it takes for bytes to be an object', async () => {
      const id = await uploaded(someBytes(10));
      await expect(objects.read(id)).rejects.toThrow();
      expect((await download(await urlOf(id))).status).toBe(404);
    });

    test('takes what was PUT last', async () => {
      const id = await uploaded(Buffer.from('first'));
      expect(await putTo(id, Buffer.from('again'))).toBe(200);
      const { objectId } = await seal(id);
      expect((await bytesOf(objectId)).toString()).toBe('again');
    });

    test('keeps the object from whatever is PUT afterwards', async () => {
      const id = await uploaded(Buffer.from('first'));
      const { objectId } = await seal(id);
      await putTo(id, Buffer.from('again'));
      await seal(id);
      expect((await bytesOf(objectId)).toString()).toBe('first');
      expect((await download(await urlOf(objectId))).bytes.toString()).toBe('first');
    });

    test('does not let what is PUT in the meantime change the object', async () => {
      const bytes = someBytes(2 * MB);
      const id = await uploaded(bytes);
      const first = seal(id);
      // Long enough for sealing to begin, and in a bucket not to end.
      await sleep(100);
      await putTo(id, Buffer.from('other'));
      await seal(id);
      const { objectId, size } = await first;
      expect(size).toBe(2 * MB);
      expect(bytes.equals(await bytesOf(objectId))).toBe(true);
    });

    test('never lets an object change, however many PUTs and seals there are at once', async () => {
      for (let round = 0; round < 5; round++) {
        const id = await uploaded(Buffer.from('first'));
        const seen = await Promise.all(
          Array.from({ length: 30 }, async (_, i) => {
            if (i % 2 === 0) return void (await putTo(id, Buffer.from(`nr ${String(i).padStart(2, '0')}`)));
            // A copy of an upload that is PUT again meanwhile is given up.
            const sealed = await seal(id).catch(() => undefined);
            return sealed?.size === undefined ? undefined : { ...sealed, text: (await bytesOf(sealed.objectId)).toString() };
          }),
        );
        for (const one of seen) if (one) expect((await bytesOf(one.objectId)).toString()).toBe(one.text);
      }
    });
  });

  describe('downloadUrl', () => {
    test('leads to the bytes as an attachment with its name and type', async () => {
      const id = await written(Buffer.from('hello'));
      const { status, headers, bytes } = await download(await urlOf(id));
      expect([status, bytes.toString()]).toEqual([200, 'hello']);
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="a name\.pdf"/);
      expect(headers.get('content-type')).toBe('application/pdf');
      expect(headers.get('content-length')).toBe('5');
    });

    test('leads to nothing when there is no such object', async () => {
      expect((await download(await urlOf(newUuid()))).status).toBe(404);
    });
  });

  describe('remove', () => {
    test('takes an object away', async () => {
      const id = await written(Buffer.from('hello'));
      await objects.remove(id);
      expect((await service.kept()).filter((name) => name.includes(id))).toEqual([]);
      await expect(objects.read(id)).rejects.toThrow();
      expect((await download(await urlOf(id))).status).toBe(404);
    });

    test('takes away what was uploaded', async () => {
      const id = await uploaded(Buffer.from('hello'));
      await objects.remove(id);
      expect((await service.kept()).filter((name) => name.includes(id))).toEqual([]);
      expect(await objects.seal(id, id)).toBeUndefined();
    });

    test('finds it fine when there is nothing', async () => {
      await expect(objects.remove(newUuid())).resolves.toBeUndefined();
    });

    test('leaves everything else', async () => {
      const before = await service.kept();
      await objects.remove(await written(Buffer.from('hello')));
      expect(await service.kept()).toEqual(before);
    });
  });

  describe('list', () => {
    test('names objects and uploads, each by its id, if they have not changed for a while', async () => {
      const [oldObject, oldUpload] = [await written(Buffer.from('a')), await uploaded(Buffer.from('c'))];
      const before = await listed(soon());
      // A bucket may store times in whole seconds only.
      await sleep(2_500);
      const between = new Date(Date.now() - 1_200);
      const [newObject, newUpload] = [await written(Buffer.from('b')), await uploaded(Buffer.from('d'))];
      expect(await listed(new Date(Date.now() - 11 * 3_600_000))).toEqual([]);
      expect(await listed(between)).toEqual(before);
      expect(before).toEqual(expect.arrayContaining([oldObject, oldUpload]));
      const all = await listed(soon());
      expect(all).toEqual(expect.arrayContaining([oldObject, newObject, oldUpload, newUpload]));
      expect(all).toEqual((await service.kept()).map((name) => name.split('/')[1]).toSorted());
    });

    test('names all of more than a thousand', async () => {
      const ids: string[] = [];
      while (ids.length <= 1_000) ids.push(...(await Promise.all(Array.from({ length: 50 }, () => written(Buffer.from('x'))))));
      expect(await listed(soon())).toEqual(expect.arrayContaining(ids));
    });
  });
});
